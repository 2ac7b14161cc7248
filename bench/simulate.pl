#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth, how often equal runs are called different, and which
# differences are found: simulated runs go through the schedule, the results and the
# comparison that real runs go through (make simulate).
#
# usage: simulate.pl [RUNS [PART ...]]
#        RUNS   results for each row of the first table, 2000 by default; pairs of runs for
#               each row of the others: half of it
#        PART   intervals, steadied, equals, power, or the name of a noise; all by default; or of
#               equals and power only some rows: loops for those with reference loops, quiet,
#               noisy, usual (as noisy, by compare's usual difference alone; only where it is
#               named), own, no-own, loops-noisy, loops-within, moved, loops-moved, loops-half or
#               loops-known
#
# Each share has its 95 % interval (Wilson) behind it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use List::Util                       qw(max);
use Simulation                       qw(noises measured describe by_the_usual_alone share);
use SpawnMeter::Analysis::AA         qw(equals sides);
use SpawnMeter::Analysis::Comparison qw(reduce compare);
use SpawnMeter::Analysis::Results    qw(results);
use SpawnMeter::Analysis::Stats      qw(interval median);
use SpawnMeter::Util::Random;

use constant {
    RUNS    => 2000,
    TESTS   => 8,        # of a run
    PASSES  => 35,       # of a test with a fixed number
    SPREAD  => 0.03,     # standard deviation of the passes
    NOISY   => 0.14,     # the same on a busy virtual machine
    MOVED   => 0.08,     # of the level of a machine, between runs
    USUAL   => 0.12,     # difference below which nothing is claimed without an A/A run
    LEVEL   => 0.03,     # of the runs' own levels
    LATER   => 0.018,    # of those of steadied runs, an hour apart (bench/levels.pl)
    SOON    => 0.009,    # and minutes apart
    EQUALS  => 8,        # short runs of an A/A run
    SHORT   => 12,       # passes of these
    PLANTED => [ 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2 ],
    SEED    => 20_101,
};

my ($runs, @parts) = @ARGV;
$runs = RUNS if !defined $runs;
die "usage: simulate.pl [RUNS [PART ...]]\n" if $runs !~ /^[1-9]\d{0,6}\z/;
my %wanted = map { $_ => 1 } @parts;
my @noises = grep { $wanted{$_} } noises();
@noises = noises() if !@noises;
my $random = SpawnMeter::Util::Random->new(SEED);
local $| = 1;

sub run_with { my (%with) = @_; return measured(tests => TESTS, random => $random, %with) }

# ---- intervals ------------------------------------------------------------------------

my %UNTIL = (
    PASSES() => { passes => PASSES },
    settle   => {},
    never    => { precision => 1e-4 },
);

sub intervals {
    print
        "Intervals: how often they hold the truth, with a fixed number of passes, until settled,\n",
        'and where no test settles; ', TESTS, ' tests a run, passes spread by ', 100 * SPREAD,
        " %\n\n";
    printf "%-10s %-7s %-24s %6s %6s %8s %6s %s\n", 'noise', 'passes', 'holds the truth', 'width',
        'passes', 'settled', 'few', 'two levels';
    for my $noise (@noises) {
        print describe($noise), "\n";
        for my $until (PASSES, 'settle', 'never') {
            my $sum = sum_of_runs($noise, %{ $UNTIL{$until} });
            printf "%-10s %-7s %-24s %6.2f %6.1f %7.1f%% %5.1f%% %s\n", $noise, $until,
                share(@{$sum}{qw(holds n)}), $sum->{width} / $sum->{today},
                $sum->{passes} / $sum->{n},
                100 * $sum->{settled} / $sum->{n}, 100 * $sum->{few} / $sum->{n},
                share(@{$sum}{qw(levels n)});
            further($sum) if $until eq 'settle';
        }
    }
    print "\nwidth: of the interval, as a share of that for independent passes (0.2).\n\n";
    return;
}

sub sum_of_runs {
    my ($noise, %until) = @_;
    my %sum = map { $_ => 0 } qw(holds n width today passes settled few levels of_settled of_many
        many while_measured);
    while ($sum{n} < $runs) {
        my $run = run_with(noise => $noise, spread => SPREAD, %until);
        count(\%sum, $run, $_) for @{ results($run) };
    }
    return \%sum;
}

sub count {
    my ($sum, $run, $result) = @_;
    my ($low, $high, $test) = @{$result}{qw(low high test)};
    my $simulated = $run->{simulated};
    my $truth = $simulated->{truth}{$test};
    my $holds = $low <= $truth && $truth <= $high ? 1 : 0;
    my ($today_low, $today_high) = interval(@{ $result->{rates} });
    my $level = $simulated->{level}{$test};
    $sum->{n}++;
    $sum->{holds}  += $holds;
    $sum->{width}  += $high - $low;
    $sum->{today}  += $today_high - $today_low;
    $sum->{passes} += $result->{used};
    $sum->{few}    += $result->{few};
    $sum->{levels}++ if $result->{levels};
    $sum->{while_measured}++ if defined $level && $low <= $level && $level <= $high;
    $sum->{of_many} += $holds if $result->{used} >= 24;
    $sum->{many}++ if $result->{used} >= 24;
    $sum->{settled}    += $result->{settled};
    $sum->{of_settled} += $holds if $result->{settled};
    $sum->{level}++ if defined $level;
    return;
}

sub further {
    my ($sum) = @_;
    printf "%18s of those that settled: %s\n", q{}, share(@{$sum}{qw(of_settled settled)});
    printf "%18s from 24 passes on: %s\n", q{}, share(@{$sum}{qw(of_many many)});
    printf "%18s the mean level while it was measured: %s\n", q{},
        share(@{$sum}{qw(while_measured level)})
        if $sum->{level};
    return;
}

# Of the results at one level of the reference loops.  With noise that no loop follows they can
# only become wider
sub steadied_intervals {
    print 'Steadied intervals of results until settled, passes spread by ', 100 * SPREAD,
        " %: width, as a share of that of the result\n\n";
    for my $noise (grep { /^(?:normal|ar0.5|common)\z/ } @noises) {
        steadied_row($noise, $_) for qw(around within);
    }
    print "\n";
    return;
}

# The loops run around the passes, or within them, too
sub steadied_row {
    my ($noise, $loops) = @_;
    my ($n, $holds, @widths) = (0, 0);
    while ($n < $runs) {
        my $run = run_with(noise => $noise, spread => SPREAD, loops => $loops);
        for my $result (grep { $_->{steadied} } @{ results($run) }) {
            my ($of, $truth) = ($result->{steadied}, $run->{simulated}{truth}{ $result->{test} });
            $n++;
            $holds++ if $of->{low} <= $truth && $truth <= $of->{high};
            push @widths, ($of->{high} - $of->{low}) / ($result->{high} - $result->{low});
        }
    }
    printf "%-8s loops %-6s width %.3f (median of %d)%s\n", $noise, $loops,
        scalar median(@widths), $n,
        $noise eq 'common' ? q{} : '; holds the truth in ' . share($holds, $n);
    return;
}

# ---- comparisons ------------------------------------------------------------------------

# Runs of an A/A run, so that their own level is known
sub known_levels {
    my ($noise, %with) = @_;
    my @passes;
    for my $side (1 .. EQUALS) {
        my $short = run_with(noise => $noise, passes => SHORT, %with);
        push @passes, map { { %{$_}, side => $side } } @{ $short->{passes} };
    }
    return equals(sides({ protocol => {}, tests => [], passes => \@passes }));
}

sub pair {
    my ($noise, $with, $factor, $spread) = @_;
    my @machines = map { reduce(run_with(noise => $noise, %{$with}, factor => $_), 'simulated') } 1,
        $factor;
    my $compared = sub { return compare(@machines, $spread)->{rows} };
    return $with->{usual_alone} ? by_the_usual_alone($compared) : $compared->();
}

sub different {
    my (@rows) = @_;
    return grep { $_->{verdict} =~ /er\z/ } @rows;
}

# What is known of equal runs, and how noisy they are
my @SITUATIONS = (
    {
        name  => 'quiet',
        words => 'no A/A run, passes spread by 3 %',
        with  => { spread => SPREAD },
    },
    {
        name  => 'noisy',
        words => 'no A/A run, passes spread by 14 %',
        with  => { spread => NOISY },
    },
    {
        name  => 'usual',
        words => 'the same, by the usual difference alone',
        with  => { spread => NOISY, usual_alone => 1 },
    },
    {
        name  => 'own',
        words => 'own levels of 3 %, an A/A run',
        with  => { spread => SPREAD, level => LEVEL },
        known => {},
    },
    {
        name  => 'no-own',
        words => 'no own levels, an A/A run',
        with  => { spread => SPREAD },
        known => {},
    },
    {
        name  => 'loops-noisy',
        words => 'reference loops, 14 %',
        with  => { spread => NOISY, loops => 'around' },
    },
    {
        name  => 'moved',
        words => 'machine moved by 8 %, no loops, 3 %',
        with  => { spread => SPREAD, machine => MOVED },
    },
    {
        name  => 'loops-moved',
        words => 'moved by 8 %, levels of 1.8 %, loops, 3 %',
        with  => { spread => SPREAD, machine => MOVED, loops => 'around', level => LATER },
    },
    {
        name  => 'loops-within',
        words => 'reference loops within the passes, 14 %',
        with  => { spread => NOISY, loops => 'within' },
    },
    {
        name  => 'loops-half',
        words => 'as moved, tests follow loops by half',
        with  => {
            spread  => SPREAD,
            machine => MOVED,
            loops   => 'within',
            level   => LATER,
            times   => 2
        },
    },
    {
        name  => 'loops-known',
        words => 'the same, an A/A run, levels of 0.9 % in it',
        with  => { spread => SPREAD, machine => MOVED, loops => 'around', level => LATER },
        known => { level  => SOON },
    },
);

# As compare() takes it
sub spread_in {
    my ($situation, $noise) = @_;
    return { usual => USUAL } if !$situation->{known};
    return {
        usual  => USUAL,
        equals => known_levels($noise, %{ $situation->{with} }, %{ $situation->{known} })
    };
}

sub situations {
    my @some = grep { $wanted{ $_->{name} } || $wanted{loops} && $_->{with}{loops} } @SITUATIONS;
    return @some ? @some : grep { !$_->{with}{usual_alone} } @SITUATIONS;
}

sub equal_runs {
    my $pairs = int($runs / 2);
    print "Equal runs, $pairs pairs of ", TESTS, " tests: pairs in which any test is called\n",
        "different (family-wise error), and tests that are inconclusive\n\n";
    for my $situation (situations()) {
        print "$situation->{words}\n";
        for my $noise (@noises) {
            my ($wrong, $open, $n) = (0, 0, 0);
            for (1 .. $pairs) {
                my $rows = pair($noise, $situation->{with}, 1, spread_in($situation, $noise));
                $wrong++ if different(@{$rows});
                $open += grep { $_->{verdict} eq 'inconclusive' } @{$rows};
                $n    += @{$rows};
            }
            printf "%-10s %-24s inconclusive %s\n", $noise, share($wrong, $pairs), share($open, $n);
        }
    }
    print "\n";
    return;
}

# The shares of tests that are found different, by the planted difference
sub power {
    my $pairs = max(1, int($runs / 20));
    print "Planted differences of all tests, $pairs pairs each: tests that are found\n\n";
    printf "%-52s%s\n", q{}, join q{}, map { sprintf '%7.0f%%', 100 * $_ } @{ +PLANTED };
    for my $situation (situations()) {
        for my $noise (grep { /^(?:normal|ar0.5|common)\z/ } @noises) {
            my @found;
            for my $planted (@{ +PLANTED }) {
                my @rows = map {
                    @{
                        pair(
                            $noise, $situation->{with},
                            1 - $planted, spread_in($situation, $noise)
                        )
                    }
                } 1 .. $pairs;
                push @found, sprintf '%7.0f%%', 100 * different(@rows) / @rows;
            }
            printf "%-52s%s\n", "$noise, $situation->{words}", join q{}, @found;
        }
    }
    print "\n";
    return;
}

# ---------------------------------------------------------------------------------------

my %PART = (
    intervals => \&intervals,
    steadied  => \&steadied_intervals,
    equals    => \&equal_runs,
    power     => \&power,
);
my %known = map { $_ => 1 } keys %PART, noises(), 'loops', map { $_->{name} } @SITUATIONS;
my @unknown = grep { !$known{$_} } @parts;
die "simulate.pl: unknown parts: @unknown; there are @{[ sort keys %known ]}\n" if @unknown;
my @chosen = grep { $wanted{$_} } keys %PART;
@chosen = keys %PART if !@chosen;
for my $part (qw(intervals steadied equals power)) {
    $PART{$part}->() if grep { $_ eq $part } @chosen;
}
