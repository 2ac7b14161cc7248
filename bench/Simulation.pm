# SPDX-License-Identifier: GPL-2.0-or-later
package Simulation;

# Simulated runs with a known truth, through the modules that measure and report.
#
#   noises() -> names of the kinds of noise, in order
#   measured(noise => name, spread => standard deviation as a share of the rate, tests =>
#       number, passes => number of each, or undef for the adaptive stop, random => reference to
#       the state of a generator, precision => share) -> run, as results() takes it, with { truth
#       => { test => rate } } in its field simulated
#   normal(random) -> a number
#   recorded(path of a file of bench/recorded) -> (runs)
#   scaled(run, factor, copies and test, or nothing for all) -> run, with rates times that
#   recorded_pairs(path of a file of bench/recorded/pairs, true with its reference loops) -> ([run,
#       run], ...)
#   describe(noise) -> its words, with the truth that is meant
#   share(hits, of so many) -> text: per cent and the 95 % interval of it (Wilson, JASA 22, 1927)

use strict;
use warnings;
use Exporter 'import';
use Noise qw(NOISES normal);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Stats::Numbers qw(below);

our @EXPORT_OK = qw(noises measured normal describe recorded recorded_pairs scaled share);

use constant {
    RATE      => 1000,        # per second
    WALL      => 0.285,       # seconds of a pass with everything
    MAX_TIME  => 10,          # seconds of a test
    PASSES    => 35,          # that fit into it
    PRECISION => 0.03,
    MILLION   => 1_000_000,
    WILSON    => 1.959964,    # standard errors in half of an interval
};

my %NOISE = map { $_->{name} => $_ } @{ NOISES() };

sub noises {
    return map { $_->{name} } @{ NOISES() };
}

# "95.2 % (94.1 to 96.1)", of so many
sub share {
    my ($hits, $n) = @_;
    return 'none' if !$n;
    my ($p, $z) = ($hits / $n, WILSON);
    my $middle = ($p + $z**2 / 2 / $n) / (1 + $z**2 / $n);
    my $half = $z / (1 + $z**2 / $n) * sqrt($p * (1 - $p) / $n + $z**2 / 4 / $n**2);
    my @shares = ($p, $middle - $half, $middle + $half);
    return sprintf '%5.1f %% (%.1f to %.1f)', map { 100 * abs } @shares;
}

sub describe { my ($name) = @_; return $NOISE{$name}{words} }

sub measured {
    my (%with) = @_;
    my ($random, $noise) = ($with{random}, $NOISE{ $with{noise} });
    my %test =
        map { ("test$_" => $noise->{draw}->($random, $_)) } 0 .. $with{tests} - 1;
    my %settings = (name => 'settle', precision => $with{precision} || PRECISION);
    my $schedule = SpawnMeter::Measure::Schedule->new(
        cells        => [ map { { name => $_ } } sort keys %test ],
        settings     => { %settings, $with{passes} ? (name => 'quick') : () },
        max_time     => sub { return $with{passes} ? 2 * $with{passes} : MAX_TIME },
        limit        => sub { return $with{passes} || 9**9**9 },
        time_for_all => sub { return 9**9**9 },
        pass_seconds => sub { return WALL },
        seed         => 1 + below($random, MILLION),
    );
    my $passes = passes($schedule, \%test, $with{spread});
    my $truth = RATE * exp($with{spread} * ($noise->{center} || 0));
    return {
        settings  => \%settings,
        suite     => 'simulated',
        host      => 'simulated',
        system    => {},
        tests     => [ map { { name => $_, title => $_ } } sort keys %test ],
        blocks    => [ { copies => 1 } ],
        passes    => $passes,
        simulated => { truth => { map { $_ => $truth } keys %test } },
    };
}

sub passes {
    my ($schedule, $tests, $spread) = @_;
    my ($at, @passes) = (0);
    while (my $state = $schedule->next_pass) {
        my $name = $state->{cell}{name};
        my $number = @{ $state->{passes} };
        $at += WALL;
        my %pass = (
            test    => $name,
            copies  => 1,
            status  => 'ok',
            unit    => 'lps',
            wall    => WALL,
            at      => $at,
            rate    => RATE * exp($spread * $tests->{$name}->($number)),
            machine => {},
            results => [],
        );
        push @passes, \%pass;
        $schedule->record($state, \%pass);
    }
    return \@passes;
}

# Lines: run,copies,test,at,rate
sub recorded {
    my ($path) = @_;
    my %run;
    open my $in, '<', $path or die "$path: $!\n";
    while (my $line = <$in>) {
        next if $line !~ /^(\d+),(\d+),(\w+),([\d.]+),([\d.]+)$/;
        push @{ $run{$1} },
            {
            copies  => $2,
            test    => $3,
            at      => $4,
            rate    => $5,
            status  => 'ok',
            unit    => 'lps',
            wall    => WALL,
            results => [],
            machine => {},
            };
    }
    close $in or die "$path: $!\n";
    return map { {
        settings => { name => 'settle', precision => PRECISION },
        suite    => 'recorded',
        system   => { hypervisor => 'yes' },
        tests    => [],
        blocks   => [ { copies => 1 }, { copies => 2 } ],
        started  => 1 + $_,
        passes   => $run{$_},
    } } sort { $a <=> $b } keys %run;
}

sub scaled {
    my ($run, $factor, $copies, $test) = @_;
    my @passes = map {
        my $this = !defined $test || $_->{test} eq $test && $_->{copies} == $copies;
        +{ %{$_}, rate => $_->{rate} * ($this ? $factor : 1) };
    } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

# Lines: pair,run,test,at,rate, loops before and after the pass, and in its pauses
sub recorded_pairs {
    my ($path, $loops) = @_;
    my (@pairs, %tests);
    open my $in, '<', $path or die "$path: $!\n";
    while (my $line = <$in>) {
        my ($pair, $run, $test, $at, $rate, @of) =
            $line =~ /^\d/
            ? split /,/, $line =~ s/\s+\z//r
            : next;
        my @within = map { { page_faults => $of[$_], sparse_faults => $of[ $_ + 2 ] } } 4, 5;
        next if @of < 8 || grep { !length } @of[ 4 .. 7 ];
        $tests{$test} = 1;
        push @{ $pairs[ $pair - 1 ][$run] },
            {
            test    => $test,
            copies  => 1,
            at      => $at,
            rate    => $rate,
            status  => 'ok',
            unit    => 'lps',
            wall    => WALL,
            machine => {},
            results => $loops ? [ { within => \@within } ] : [],
            };
    }
    close $in or die "$path: $!\n";
    my %run = (
        settings => { name => 'settle', precision => PRECISION },
        suite    => 'recorded',
        host     => 'recorded',
        build    => ['recorded'],
        system   => { hypervisor => 'yes' },
        tests    => [],
        blocks   => [ { copies => 1 } ],
    );
    my $started = 0;
    return map {
        [ map { { %run, passes => $_, started => ++$started } } @{$_} ]
    } grep { $_ } @pairs;
}

1;
