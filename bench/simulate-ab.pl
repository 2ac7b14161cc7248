#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often ./Run ab is right, by simulated runs with a known truth, through the modules that
# measure and report (Schedule, Analysis::Pairs).
#
# usage: simulate-ab.pl [runs of each row, 200] [rates of B as shares of A's, 1 0.99 ... 0.9]
#
# A pass takes 0.29 s, a run has 8 tests.  Each pass has a noise of its own, and the machine
# drifts: an Ornstein-Uhlenbeck process in time (whose samples at equal distances are an AR(1)
# process), which all tests share by half and each has by half for itself.  The reference loops
# in the pauses of a pass follow the half that all share, with a noise of 1 %.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Noise                       qw(normal);
use SpawnMeter::Analysis::Pairs qw(summary_of_ab);
use SpawnMeter::Stats::Numbers  qw(below median);
use SpawnMeter::Measure::Schedule;

use constant {
    TESTS => 8,
    LOOPS => 0.01,         # standard deviation of a reading of the loops
    WALL  => 0.29,         # seconds of a pass
    TIME  => 30,           # seconds of a test, both sides
    MOST  => 1_000_000,    # of a seed
};

# own: standard deviation of a pass's own noise; heavy: true for Student's t with 3 degrees of
# freedom; drift: standard deviation of the drift; memory: seconds in which it fades to 1/e
my @NOISES = (
    { words => 'own noise 2 %', own              => 0.02 },
    { words => 'own noise 2 %, heavy tails', own => 0.02, heavy => 1 },
    {
        words  => 'own noise 2 %, drift 7 %, memory 0.5 s',
        own    => 0.02,
        drift  => 0.07,
        memory => 0.5
    },
    { words => 'own noise 2 %, drift 7 %, memory 5 s', own  => 0.02, drift => 0.07, memory => 5 },
    { words => 'own noise 2 %, drift 7 %, memory 60 s', own => 0.02, drift => 0.07, memory => 60 },
    { words => 'own noise 6 %', own                         => 0.06 },
);

my ($runs, @factors) = (@ARGV, (200)[ @ARGV .. 0 ]);
die "usage: simulate-ab.pl [RUNS [FACTOR ...]]\n"
    if grep { !/^\d*[.]?\d+\z/a } $runs, @factors;
@factors = (1, 0.99, 0.98, 0.97, 0.95, 0.9) if !@factors;
my $random = \(my $state = 11);
my $of_loops = \(my $other = 12);    # so that rates are the same without

sub own_noise {
    my ($noise) = @_;
    my $z = normal($random);
    return $noise->{own} * $z if !$noise->{heavy};
    my $chi = 0;
    $chi += normal($random)**2 for 1 .. 3;
    return $noise->{own} * $z / sqrt $chi;    # a standard deviation of 1 at 3 degrees
}

# -> sub (number of the test, seconds) -> (the drift then, and the part that all tests share); the
# seconds only grow
sub drift {
    my ($noise) = @_;
    return sub { return (0, 0) }
        if !$noise->{drift};
    my (%value, %time);
    return sub {
        my ($test, $at) = @_;
        my $sum = 0;
        for my $name ('all', $test) {
            my $keep = exists $time{$name} ? exp(-($at - $time{$name}) / $noise->{memory}) : 0;
            $value{$name} = $keep * ($value{$name} || 0) + sqrt(1 - $keep**2) * normal($random);
            $time{$name} = $at;
            $sum += $value{$name} / sqrt 2;
        }
        return map { $noise->{drift} * $_ } $sum, $value{all} / sqrt 2;
    };
}

# B is so many times as fast as A in each test
sub pass {
    my ($turn, $round, $at, $rate, $shared) = @_;
    my @within = map {
        +{ map { $_ => 1e5 * exp($shared + LOOPS * normal($of_loops)) }
                qw(sparse_faults page_faults) }
    } 1, 2;
    return {
        %{ $turn->{cell} },
        copies  => 1,
        round   => $round,
        at      => $at,
        wall    => WALL,
        status  => 'ok',
        unit    => 'lps',
        results => [ { within => \@within } ],
        machine => {},
        rate    => $rate,
    };
}

sub measured {
    my ($noise, $factor) = @_;
    my $drift = drift($noise);
    my @names = map { "test$_" } 1 .. TESTS;
    my $schedule = SpawnMeter::Measure::Schedule->new(
        settings => { name => 'settle', precision => 0.01, paired => 1 },
        cells    => [
            map {
                my $side = $_;
                map { { test => $_, side => $side } } @names
            } qw(A B)
        ],
        max_time     => sub { return TIME },
        pass_seconds => sub { return WALL },
        map({ $_ => sub { return 9**9**9 } } qw(limit time_for_all)),
        seed => 1 + below($random, MOST),
    );
    my ($at, @passes) = (0);
    while (my $turn = $schedule->next_pass) {
        $at += WALL;
        my $own = own_noise($noise);
        my ($log, $shared) = $drift->($turn->{cell}{test}, $at);
        my $rate = 1000 * ($turn->{cell}{side} eq 'B' ? $factor : 1) * exp($own + $log);
        push @passes, pass($turn, $schedule->{round}, $at, $rate, $shared);
        $schedule->record($turn, $passes[-1]);
    }
    return {
        sides    => [ { name => 'A' }, { name => 'B' } ],
        settings => { name => 'settle', precision => 0.01 },
        tests    => [ map { { name => $_, title => $_ } } @names ],
        blocks   => [ { copies => 1 } ],
        passes   => \@passes,
    };
}

sub row {
    my ($noise, $factor) = @_;
    my %count = map { $_ => 0 } qw(wrong_runs covered found open reached);
    my (@widths, @seconds);
    for (1 .. $runs) {
        my @rows = @{ summary_of_ab(measured($noise, $factor))->{rows} };
        my @found = grep { $_->{verdict} =~ /^(?:faster|slower)\z/ } @rows;
        $count{wrong_runs}++ if @found;
        $count{found}   += @found;
        $count{covered} += grep { $_->{low} <= $factor && $_->{high} >= $factor } @rows;
        $count{open}    += grep { $_->{verdict} eq 'unclear' } @rows;
        $count{reached} += grep { $_->{reached} } @rows;
        push @widths, map  { $_->{plus_minus} } @rows;
        push @seconds, map { $_->{seconds} } @rows;
    }
    my $all = $runs * TESTS;
    return (
        $factor == 1 ? sprintf('%.1f', 100 * $count{wrong_runs} / $runs) : q{-},
        (map { sprintf '%.1f', 100 * $count{$_} / $all } qw(found covered open reached)),
        sprintf('%.2f', 100 * median(@widths)),
        sprintf('%.0f', median(@seconds)),
    );
}

$| = 1;
my $format = "%-42s %6s %6s %6s %6s %6s %6s %6s %4s\n";
print "Shares in per cent; $runs runs of ", TESTS, " tests in each row\n";
printf $format, 'noise', qw(B/A family found covers open within +/- s);
for my $noise (@NOISES) {
    for my $factor (@factors) {
        printf $format, $noise->{words}, $factor, row($noise, $factor);
    }
}
