# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Samples;

# Reads the file of samples that portable/run.sh writes without perl (src/portable/summary.c).
#
#   run_of_samples(text) -> run, as a plain hash; dies with the number of a line that cannot be
#       read and the reason.  Without an END line it is an incomplete run.  Lines before its first
#       one do not count: the text can be what a console showed
#
# Other machines write them, so what is read of one has limits.

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(together parse);
use SpawnMeter::Analysis::Quantity      qw(cpu_seconds);
use SpawnMeter::Machine::Counters       qw(shares);
use SpawnMeter::Util::Format            qw(plain);

our @EXPORT_OK = qw(run_of_samples);

use constant {
    VERSION => 1,
    MOST    => 64,           # tests, categories and numbers of copies; the bundle has 49 tests
    LINES   => 2_000_000,    # a host can send 60 million empty ones in 64 MB
};

my $NUMBER = qr/\d{1,12}(?:[.]\d{1,9})?/a;
my $AMOUNT = qr/(?:-|$NUMBER)/;
my @COUNTERS = qw(time busy steal pressure);
my $CPUS = qr/cpus_(?:online|usable)[|]/;
my $THREE = qr/[^|]*[|][^|]*[|].*/;
my %SETTING = qw(ROUNDS fixed SECONDS slice WARMUP warmup SEED seed);
my @ANYWHERE = (
    PASS => qr/[^|]*[|][1-9]\d{0,4}[|]$NUMBER[|](?:ok|failed|skipped)(?:[|]$NUMBER){3}/a,
    END  => qr/.*/,
);

# What a line begins with => what follows there.  In a pass all others are what a copy printed
my %OF_HEAD = (
    @ANYWHERE,
    STARTED  => qr/$NUMBER(?:[|].*)?/,
    FACT     => qr/$CPUS\d{1,6}|(?!$CPUS)\w{1,40}[|].*/a,
    CATEGORY => $THREE,
    TEST     => $THREE,
    map({ $_ => $NUMBER } keys %SETTING),
    map({ $_ => qr/.*/ } qw(SUITE COMMAND HOST BUILD)),
);
my %OF_PASS = (
    @ANYWHERE,
    COUNTERS => qr/$AMOUNT(?:[|]$AMOUNT){3}/,
    map { $_ => qr/.*/ } qw(REASON COPY)
);

sub run_of_samples {
    my ($text) = @_;
    die 'more than ' . LINES . " lines\n" if $text =~ tr/\n// > LINES;
    my %run = (
        format   => 'spawnmeter-run',
        schema   => 1,
        kind     => 'run',
        suite    => 'unknown',
        settings => { name => 'rounds', pin => 0 },
        system   => {},
        unscored => 0,
        complete => 0,
        reason   => 'the run was ended, or its file was cut short',
        map { $_ => [] } qw(options build categories tests blocks passes),
    );
    my ($before, $version, $lines) =
        $text =~ /\A(.*?)^SPAWNMETER-SAMPLES[|]([^\r\n]*)\r?\n?(.*)\z/ms;
    my %state = (run => \%run, line => 1 + $before =~ tr{\n}{});
    malformed(\%state, 'these samples are in version ' . plain($version) . ', not ' . VERSION)
        if $version ne VERSION;
    for my $line (split /\r?\n/, $lines) {
        $state{line}++;
        last if !read_line(\%state, $line);
    }
    end_pass(\%state);
    $run{name} = 'samples of ' . ($run{host} // 'an unknown machine');
    return \%run;
}

sub malformed {
    my ($state, $why) = @_;
    die "line $state->{line}: $why\n";
}

# False after the last line
sub read_line {
    my ($state, $line) = @_;
    my ($key, $text) = $line =~ /\A([^|]*)[|]?(.*)/s;
    my $pass = $state->{pass};
    my $form = ($pass ? \%OF_PASS : \%OF_HEAD)->{$key};
    if (defined $form) {
        malformed($state, "malformed $key line") if $text !~ /\A(?:$form)\z/;
        take($state, $key, $text, split /[|]/, $text, -1);
    } elsif ($pass && @{ $pass->{printed} }) {
        $pass->{printed}[-1] .= "$line\n";
    }
    return $key ne 'END';
}

# Adds what a line says to the run
sub take {
    my ($state, $key, $text, @fields) = @_;
    my ($run, $pass, $setting) = (@{$state}{qw(run pass)}, $SETTING{$key});
    my ($name, $title, $more) = @fields;
    my %named = (name => $name, title => $title);
    if    ($key eq 'PASS')     { begin_pass($state, @fields) }
    elsif ($key eq 'END')      { ended($run, $text) }
    elsif ($key eq 'REASON')   { $pass->{reason} = plain($text) }
    elsif ($key eq 'COPY')     { push @{ $pass->{printed} }, q{} }
    elsif ($key eq 'COUNTERS') { @{ $pass->{counters} }{@COUNTERS} = @fields }
    elsif ($key eq 'CATEGORY') { add($state, categories => %named, tests => [ split q{ }, $more ]) }
    elsif ($key eq 'TEST')     { add($state, tests      => %named, category => $more) }
    elsif ($key eq 'FACT')     { $run->{system}{$name} = $text =~ s/\A\w+[|]//r }
    elsif ($key eq 'BUILD')    { push @{ $run->{build} }, $text }
    elsif ($key eq 'STARTED')  { $run->{started} = $name + 0 }
    elsif (defined $setting)   { $run->{settings}{$setting} = $text + 0 }
    else                       { $run->{ lc $key } = $text }
    return;
}

sub add {
    my ($state, $list, %record) = @_;
    my $what = $list eq 'blocks' ? 'numbers of copies' : $list;
    malformed($state, 'more than ' . MOST . " $what") if @{ $state->{run}{$list} } >= MOST;
    push @{ $state->{run}{$list} }, \%record;
    return \%record;
}

sub ended {
    my ($run, $why) = @_;
    if ($why eq 'complete') { $run->{complete} = 1; delete $run->{reason} }
    else                    { $run->{reason} = plain($why) }
    return;
}

sub begin_pass {
    my ($state, @fields) = @_;
    my ($test, $copies, $round, $status, @times) = @fields;
    end_pass($state);
    malformed($state, plain("a pass of $test, which is not one of the tests"))
        if !grep { $_->{name} eq $test } @{ $state->{run}{tests} };
    my %pass = (test => $test, copies => $copies + 0, round => $round + 0, status => $status);
    @pass{qw(at wall)} = map { $_ + 0 } @times[ 0, 1 ];
    $state->{pass} = { %pass, printed => [] };

    # when the passes of this number of copies began and ended
    my ($block) = grep { $_->{copies} == $copies } @{ $state->{run}{blocks} };
    $block ||= add($state, blocks => copies => $copies + 0, started => $times[2] - $times[1]);
    $block->{ended} = $times[2] + 0;
    return;
}

# A pass without all of its copies is the last one of a file that was cut short
sub end_pass {
    my ($state) = @_;
    my $pass = delete $state->{pass} or return;
    my ($printed, $counters) = delete @{$pass}{qw(printed counters)};
    my %grown = map { $_ => $counters->{$_} eq q{-} ? undef : $counters->{$_} + 0 }
        keys %{ $counters || {} };
    if ($pass->{status} eq 'ok') {
        return if @{$printed} != $pass->{copies};
        my @results = map { parse($_) } @{$printed};
        return if grep { defined $_->{error} || defined $_->{skip} } @results;
        my $together = together(\@results, $state->{run}{system}{cpus_usable}, $pass->{wall});
        my @used = (cpu_seconds(@results), map { $_->{warmed} || 0 } @results);
        my $machine = shares(\%grown, defined $used[0] ? sum(@used) : undef);
        $pass = { %{$pass}, %{$together}, machine => { %{$machine}, %{ $together->{machine} } } };
    } else {
        $pass->{reason} //= 'no reason given';
    }
    push @{ $state->{run}{passes} }, $pass;
    return;
}

1;
