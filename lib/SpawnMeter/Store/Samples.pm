# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Samples;

# Reads the file of samples that portable/run.sh writes on a machine without perl; its lines
# are in src/portable/summary.c.
#
#   run_of_samples(text) -> run, as a plain hash; dies with the number of a line that cannot be
#       read and the reason.  Without an END line it is an incomplete run.  Lines before its first
#       one do not count: the text can be what a console showed
#
# Other machines write these files.  So the time to read one grows with its length, and what the
# statistics compare with each other is limited.

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
    VERSION     => 1,
    TESTS_MAX   => 64,           # and categories; the bundle has 49 tests
    NUMBERS_MAX => 64,           # of copies: each is a table of all tests
    LINES       => 2_000_000,    # a host can send 60 million empty ones in 64 MB
};

my $NUMBER = qr/\d{1,12}(?:[.]\d{1,9})?/a;

my %NUMBER_OF = qw(STARTED started ROUNDS fixed SECONDS slice WARMUP warmup SEED seed);
my $OF_HEAD = join q{|}, qw(SUITE COMMAND HOST BUILD FACT CATEGORY TEST), keys %NUMBER_OF;
$OF_HEAD = qr/^(?:$OF_HEAD)\z/;

# -> true, or false where it is malformed
sub line_of_head {
    my ($state, $key, @fields) = @_;
    my ($run, $text) = ($state->{run}, join q{|}, @fields);
    my ($name, $title, $more) = @fields;
    my %named = (name => $name, title => $title);
    return fact($state, @fields) if $key eq 'FACT';
    return defined $more && add($state, 'categories', { %named, tests => [ split q{ }, $more ] })
        if $key eq 'CATEGORY';
    return defined $more && add($state, 'tests', { %named, category => $more }) if $key eq 'TEST';
    if    ($key =~ /^(?:SUITE|COMMAND|HOST)\z/) { $run->{ lc $key } = $text }
    elsif ($key eq 'BUILD')                     { push @{ $run->{build} }, $text }
    elsif ($NUMBER_OF{$key}) {
        return if $name !~ /\A$NUMBER\z/;
        my $target = $key eq 'STARTED' ? $run : $run->{settings};
        $target->{ $NUMBER_OF{$key} } = $name + 0;
    }
    return 1;
}

sub add {
    my ($state, $list, $record) = @_;
    my $most = $list eq 'blocks' ? NUMBERS_MAX : TESTS_MAX;
    my $what = $list eq 'blocks' ? 'numbers of copies' : $list;
    malformed($state, "more than $most $what") if @{ $state->{run}{$list} } >= $most;
    return push @{ $state->{run}{$list} }, $record;
}

sub fact {
    my ($state, $name, @text) = @_;
    return if $name !~ /\A\w{1,40}\z/a || !@text;
    my $value = join q{|}, @text;
    return if $name =~ /^cpus_(?:online|usable)\z/ && $value !~ /\A\d{1,6}\z/a;
    $state->{run}{system}{$name} = $value;
    return 1;
}

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
    my %state = (run => \%run, line => 0, block => {});
    my $begun;
    for my $line (split /\r?\n/, $text) {
        $state{line}++;
        $begun ||= begins(\%state, $line);
        last if $begun && !read_line(\%state, $line);
    }
    end_pass(\%state);
    $run{name} = 'samples of ' . ($run{host} // 'an unknown machine');
    return \%run;
}

sub begins {
    my ($state, $line) = @_;
    return 0 if $line !~ /\ASPAWNMETER-SAMPLES[|](.*)/s;
    return 1 if $1 eq VERSION;
    return malformed($state, 'these samples are in version ' . plain($1) . ', not ' . VERSION);
}

sub malformed {
    my ($state, $why) = @_;
    die "line $state->{line}: $why\n";
}

# False after the last line
sub read_line {
    my ($state, $line) = @_;
    my ($key, @fields) = split /[|]/, $line, -1;
    $key = q{} if !defined $key;
    return begin_pass($state, @fields) if $key eq 'PASS';
    return ended($state, join q{|}, @fields) if $key eq 'END';
    return line_of_pass($state, $key, $line, @fields) if $state->{pass};
    malformed($state, "malformed $key line")
        if $key =~ $OF_HEAD && (!@fields || !line_of_head($state, $key, @fields));
    return 1;
}

sub ended {
    my ($state, $why) = @_;
    end_pass($state);
    delete $state->{run}{reason};
    if   ($why eq 'complete') { $state->{run}{complete} = 1 }
    else                      { $state->{run}{reason} = plain($why) }
    return 0;
}

sub begin_pass {
    my ($state, @fields) = @_;
    end_pass($state);
    my ($test, $copies, $round, $status, @times) = @fields;
    malformed($state, 'malformed PASS line')
        if @fields != 7
        || $status !~ /\A(?:ok|failed|skipped)\z/
        || $copies !~ /\A[1-9]\d{0,4}\z/a
        || grep { !/\A$NUMBER\z/ } $round, @times;
    malformed($state, plain("a pass of $test, which is not one of the tests"))
        if !grep { $_->{name} eq $test } @{ $state->{run}{tests} };
    my %pass = (test => $test, copies => $copies + 0, round => $round + 0, status => $status);
    @pass{qw(at wall)} = map { $_ + 0 } @times[ 0, 1 ];
    $state->{pass} = { %pass, printed => [] };

    # when the passes of this number of copies began and ended
    my $block = $state->{block}{$copies} ||=
        { copies => $copies + 0, started => $times[2] - $times[1] };
    add($state, 'blocks', $block) if !defined $block->{ended};
    $block->{ended} = $times[2] + 0;
    return 1;
}

sub line_of_pass {
    my ($state, $key, $line, @fields) = @_;
    my $pass = $state->{pass};
    if    ($key eq 'REASON')      { $pass->{reason} = plain(join q{|}, @fields) }
    elsif ($key eq 'COPY')        { push @{ $pass->{printed} }, q{} }
    elsif ($key eq 'COUNTERS')    { $pass->{counters} = counters($state, @fields) }
    elsif (@{ $pass->{printed} }) { $pass->{printed}[-1] .= "$line\n" }
    return 1;
}

sub counters {
    my ($state, @fields) = @_;
    malformed($state, 'malformed COUNTERS line')
        if @fields != 4 || grep { !/\A(?:-|$NUMBER)\z/ } @fields;
    my %grown;
    @grown{qw(time busy steal pressure)} = map { $_ eq q{-} ? undef : $_ + 0 } @fields;
    return \%grown;
}

# A pass without all of its copies is the last one of a file that was cut short
sub end_pass {
    my ($state) = @_;
    my $pass = delete $state->{pass} or return;
    my ($printed, $counters) = delete @{$pass}{qw(printed counters)};
    if ($pass->{status} eq 'ok') {
        return if @{$printed} != $pass->{copies};
        my @results = map { parse($_) } @{$printed};
        return if grep { defined $_->{error} || defined $_->{skip} } @results;
        my $together = together(\@results, $state->{run}{system}{cpus_usable}, $pass->{wall});
        my @used = (cpu_seconds(@results), map { $_->{warmed} || 0 } @results);
        my $machine = shares($counters || {}, defined $used[0] ? sum(@used) : undef);
        $pass = { %{$pass}, %{$together}, machine => { %{$machine}, %{ $together->{machine} } } };
    } elsif (!defined $pass->{reason}) {
        $pass->{reason} = 'no reason given';
    }
    push @{ $state->{run}{passes} }, $pass;
    return;
}

1;
