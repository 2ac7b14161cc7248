#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth, how often equal groups of runs are called different, and
# which differences are found: simulated runs through the schedule and the results that real runs
# go through, and simulated groups through Stats::Numbers and Stats::Difference (make simulate).
#
# usage: simulate.pl [RUNS [PART ...]]
#        RUNS   results for each row of `intervals`, comparisons for each cell of the others;
#               2000 by default
#        PART   intervals, lines, compare, orders, split, strata, known, paired or needed; all by
#               default
#
# Shares are in per cent.  Those of `intervals` and `lines` have their 95 % interval (Wilson); of
# RUNS comparisons, 5 % has a standard error of 22 / sqrt(RUNS) %.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Simulation                    qw(noises measured describe normal share);
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Stats::Difference qw(compare_groups with_verdicts half_width more_runs);
use SpawnMeter::Stats::Numbers    qw(estimate estimates half index_of line t_quantile);

use constant {
    RUNS   => 2000,
    TESTS  => 8,                    # of a run
    PASSES => 35,                   # of a test with a fixed number
    SPREAD => 0.03,                 # standard deviation of the passes
    ALL    => 54,                   # passes a side, divided among the runs
    GROUPS => [ 1, 2, 3, 4, 6 ],    # runs a side
    SLOWER => [ 3, 5, 8 ],          # per cent, planted
    SEED   => 20_101,
};

# Standard deviations: of the passes, of the level that all tests of a run share, of each test's
# own; of a step of a random walk over the runs (drift); of one step where the side first
# changes.  trend: what each run has more than the one before it
my @SCENES = (
    { words => 'passes 3 %, no levels', spread        => 0.03 },
    { words => 'shared level 1 %', spread             => 0.03, shared => 0.01 },
    { words => 'shared level 2 %', spread             => 0.03, shared => 0.02 },
    { words => 'own levels 2 %', spread               => 0.03, own    => 0.02 },
    { words => 'shared 2 %, own 1 %', spread          => 0.03, shared => 0.02, own => 0.01 },
    { words => 'shared level 5 %', spread             => 0.03, shared => 0.05 },
    { words => 'passes 7 %, shared 3, own 1', spread  => 0.07, shared => 0.03, own => 0.01 },
    { words => 'passes 13 %, shared 4, own 1', spread => 0.13, shared => 0.04, own => 0.01 },
);

my ($runs, @parts) = @ARGV;
$runs = RUNS if !defined $runs;
my %PART = (
    intervals => \&intervals,
    lines     => \&lines,
    compare   => \&comparisons,
    orders    => \&orders,
    split     => \&splits,
    strata    => \&strata,
    known     => \&known,
    paired    => \&paired,
    needed    => \&needed,
);
my @ORDER = qw(intervals lines compare orders split strata known paired needed);
die 'usage: simulate.pl [RUNS [', join('|', @ORDER), " ...]]\n"
    if $runs !~ /^[1-9]\d{0,6}\z/ || grep { !$PART{$_} } @parts;
my $random = \(my $state = SEED);
local $| = 1;
$PART{$_}->() for @parts ? @parts : @ORDER;

# ---- intervals ------------------------------------------------------------------------

sub intervals {
    print "Intervals: how often they hold the truth, of $runs results each\n\n";
    printf "%-48s %-26s %-26s %6s %7s %s\n", 'noise', PASSES . ' passes', 'until settled', 'passes',
        'speeds', 'index of a run of ' . PASSES . ' passes';
    for my $noise (noises()) {
        my $fixed = sum_of_runs($noise, passes => PASSES);
        my $settled = sum_of_runs($noise);
        printf "%-48s %-26s %-26s %6.1f %5.1f %% %s\n", substr(describe($noise), 0, 48),
            map({ share(@{$_}{qw(holds n)}) } $fixed, $settled),
            $settled->{passes} / $settled->{n}, 100 * $fixed->{levels} / $fixed->{n},
            share(@{$fixed}{qw(indexes runs)});
    }
    return;
}

sub sum_of_runs {
    my ($noise, %until) = @_;
    my %sum = map { $_ => 0 } qw(holds n passes levels runs indexes);
    while ($sum{n} < $runs) {
        my $run = measured(
            tests  => TESTS,
            random => $random,
            noise  => $noise,
            spread => SPREAD,
            %until
        );
        my $truth = $run->{simulated}{truth};
        $sum{runs}++;
        $sum{indexes}++ if index_holds($run->{passes}, values %{$truth});
        for my $r (@{ results($run) }) {
            $sum{n}++;
            $sum{holds}++
                if $r->{low} <= $truth->{ $r->{test} } && $truth->{ $r->{test} } <= $r->{high};
            $sum{levels}++ if $r->{speeds};
            $sum{passes} += $r->{used};
        }
    }
    return \%sum;
}

# Whether the interval of the mean of all tests, which have one truth, holds it
sub index_holds {
    my ($passes, $truth) = @_;
    my %stratum;
    push @{ $stratum{ $_->{test} } }, { at => $_->{at}, y => log $_->{rate} } for @{$passes};
    my $index = index_of(\%stratum);
    return abs($index->{center} - log $truth) <= half($index);
}

# ---- lines ----------------------------------------------------------------------------

# Points of a sweep, whose times are 100 us and 5 for each unit: passes, and how far each point lies
# off the line by itself
sub lines {
    print "\nLines: how often the interval of the slope holds it, of $runs lines each\n\n";
    my %axis = (evenly => [ 0 .. 5 ], powers => [ 0, 1, 10, 100, 300, 1000 ]);
    for my $axis (sort keys %axis) {
        for my $passes (6, 12) {
            for my $off (0, 0.01, 0.03) {
                my $holds = grep { slope_held($passes, $off, @{ $axis{$axis} }) } 1 .. $runs;
                printf "%s, %2d passes, points off by %g %%  %s\n", $axis, $passes, 100 * $off,
                    share($holds, $runs);
            }
        }
    }
    return;
}

sub slope_held {
    my ($passes, $off, @x) = @_;
    my @points = map {
        my $truth = (100 + 5 * $_) * exp($off * normal($random));
        my $of = estimate([ map { SPREAD * normal($random) } 1 .. $passes ]);
        my $us = $truth * exp $of->{center};
        { x => $_, y => $us, se => $us * $of->{se}, df => $of->{df} }
    } @x;
    my $line = line(\@points);
    return $line->{low} <= 5 && 5 <= $line->{high};
}

# ---- groups ---------------------------------------------------------------------------

# The estimates of a run of so many passes of each test
sub run_of {
    my ($passes, $level, $scene) = @_;
    my %stratum;
    for my $test (0 .. TESTS - 1) {
        my $own = $level + ($scene->{own} || 0) * normal($random);
        $stratum{$test} =
            [ map { { at => $_, y => $own + $scene->{spread} * normal($random) } } 1 .. $passes ];
    }
    return estimates(\%stratum);
}

# Equal runs of two groups, in this order of A and B -> what compare_groups() says.  with: passes of
# a run; equal => number of further equal runs, of equal_passes each; level => the levels of the
# runs (of two strata that share them); machines => by what machines differ, of which each has a
# run of A and the next one of B
sub compared {
    my ($order, $scene, %with) = @_;
    my $passes = $with{passes} || int(2 * ALL / length $order);
    my $first = length(($order =~ /^(A+|B+)/)[0]);
    my ($walk, $machine, %group) = (0, 0);
    for my $i (0 .. -1 + length $order) {
        $walk += $scene->{trend} if $scene->{trend};
        $walk += $scene->{drift} * normal($random) if $scene->{drift};
        $walk += $scene->{step} * normal($random) if $scene->{step} && $i == $first;
        $machine = $with{machines} * normal($random) if $with{machines} && $i % 2 == 0;
        my $level = $machine +
            ($with{level} ? $with{level}[$i] : $walk + ($scene->{shared} || 0) * normal($random));
        push @{ $group{ substr $order, $i, 1 } }, run_of($passes, $level, $scene);
    }
    my @equal =
        map { run_of($with{equal_passes}, ($scene->{shared} || 0) * normal($random), $scene) }
        1 .. $with{equal} || 0;
    return compare_groups(
        a      => $group{A},
        b      => $group{B},
        order  => $order,
        equals => @equal ? [ \@equal ] : [],
        paired => $with{paired},
    );
}

# Adds what these tables (of rows with half) would have said.  The interval of a slower test is
# that of an equal one, moved
sub count {
    my ($sum, $rows, @all) = @_;
    $sum->{n}++;
    $sum->{false}++ if grep { abs $_->{d} > $_->{half} } @{$rows};
    $sum->{same}  += grep { abs($_->{d}) + $_->{half} <= log 1.05 } @{$rows};
    $sum->{rows}  += @{$rows};
    $sum->{wrong} += abs $_->{d} > $_->{half} for @all;
    for my $slower (@{ +SLOWER }) {
        my $moved = log(1 - $slower / 100);
        $sum->{found}{$slower}++ if $rows->[0]{d} + $moved + $rows->[0]{half} < 0;
        $sum->{all}{$slower}++ if @all && $all[0]{d} + $moved + $all[0]{half} < 0;
    }
    return;
}

sub rows_of {
    my ($found) = @_;
    return map { $found->{rows}{$_} } sort keys %{ $found->{rows} };
}

sub percent { my ($hits, $of) = @_; return sprintf '%.0f', 100 * ($hits || 0) / $of }

# "1.5 2.0: 12 45 90 (70) 20": false tables, false rows of all tests, found, in brackets the row of
# all tests at 5 %, same
sub cell {
    my ($sum) = @_;
    my $n = $sum->{n};
    my $false = join q{ }, map { sprintf '%4.1f', 100 * $_ / $n } $sum->{false} || 0,
        grep { defined } $sum->{wrong};
    return sprintf '%s: %11s (%3s) %3s', $false,
        join(q{ }, map { percent($sum->{found}{$_}, $n) } @{ +SLOWER }),
        percent($sum->{all}{5}, $n), percent($sum->{same}, $sum->{rows});
}

sub head {
    my ($text) = @_;
    print "\n$text, of $runs comparisons each.  In per cent: tables of ", TESTS,
        " equal tests\nwith a false call, false calls by the row of all tests: a test slower by ",
        join(', ', @{ +SLOWER }), " %\nfound (all tests by 5 %, by their row), equal tests called ",
        "the same within 5 %\n\n";
    return;
}

# The cell of so many comparisons
sub tried {
    my @how = @_;
    my %sum;
    for (1 .. $runs) {
        my $found = compared(@how);
        count(\%sum, [ with_verdicts([ rows_of($found) ], 1, 0) ], $found->{group}{all});
    }
    return cell(\%sum);
}

sub comparisons {
    head(ALL . ' passes a side, in k runs');
    for my $scene (@SCENES) {
        printf "%-30s", $scene->{words};
        print "\n  k = $_  ", tried('AB' x $_, $scene) for @{ +GROUPS };
        print "\n";
    }
    return;
}

# One run against several, blocks and turns, on a machine that is steady, drifts, slows down, or
# changes once
sub orders {
    my %level = (spread => 0.03, shared => 0.01);
    my @scenes = ({}, { drift => 0.02 }, { trend => -0.02 }, { step => 0.05 });
    head('Runs of 13 passes in this order; shared level 1 %: steady; a random walk by 2 % a run; '
            . "-2 %\na run; a step of 5 % where the side first changes");
    for my $order (qw(AB ABB ABBB ABBBB BBABB ABBBBBBBB AABB ABAB ABBA),
        qw(AAAABBBB ABABABAB ABBABAAB)) {
        print "$order\n";
        print '    ', tried($order, { %level, %{$_} }, passes => 13), "\n" for @scenes;
    }
    return;
}

# ---- open points of the model ----------------------------------------------------------

# The error of 5 % of a table, divided between what all tests share and what each has for itself
sub splits {
    head('Splits of the error');
    my @splits = ([ 0.04, 0.01 ], [ 0.035, 0.01 ], [ 0.03, 0.02 ], [ 0.025, 0.025 ]);
    for my $scene (@SCENES[ 0, 2, 4, 5 ]) {
        for my $k (2, 4, 6) {
            my @sums = map { {} } @splits;
            for (1 .. $runs) {
                my @rows = rows_of(compared('AB' x $k, $scene));
                for my $i (0 .. $#splits) {
                    count($sums[$i],
                        [ map { { %{$_}, half => half_by($_, @{ $splits[$i] }) } } @rows ]);
                }
            }
            printf "%-28s k = %d  %s\n", $scene->{words}, $k,
                sprintf('%g + %g %%', map { 100 * $_ } @{ $splits[$_] }) . q{  } . cell($sums[$_])
                for 0 .. $#splits;
        }
    }
    return;
}

sub half_by {
    my ($row, $common, $own) = @_;
    return
        sqrt(($row->{common} * t_quantile($common, $row->{df_common}))**2 +
            ($row->{own} * t_quantile($own / TESTS, $row->{df_own}))**2);
}

# Two numbers of copies in the same runs, whose shared levels are equal or independent: judged
# apart, each with half of the error, or by one common error with the degrees of freedom of both
sub strata {
    head('Two strata');
    for my $of ([ equal => 0.02, 0.02 ], [ apart => 0.02, 0.02 ], [ apart => 0.01, 0.03 ]) {
        my ($how, @shared) = @{$of};
        for my $k (2, 4) {
            my (%apart, %pooled);
            for (1 .. $runs) {
                my @level = map { $shared[0] * normal($random) } 1 .. 2 * $k;
                my @rows = map {
                    my %scene = (spread => 0.03, own => 0.01, shared => $_);
                    rows_of(compared('AB' x $k, \%scene, $how eq 'equal' ? (level => \@level) : ()))
                } @shared;
                count(\%apart, [ with_verdicts(\@rows, 2, 0) ]);
                my $common = sqrt(($rows[0]{common}**2 + $rows[-1]{common}**2) / 2);
                for my $row (@rows) {
                    my %one = (%{$row}, common => $common, df_common => 2 * $row->{df_common});
                    $row->{half} = half_width(\%one, 2, scalar @rows);
                }
                count(\%pooled, \@rows);
            }
            printf "levels %s, %g and %g %%, k = %d  apart %s, pooled %s\n", $how,
                map({ 100 * $_ } @shared), $k, cell(\%apart), cell(\%pooled);
        }
    }
    return;
}

# One run a side of 35 passes: by the prior, and with six equal runs of a third (noise)
sub known {
    head('One run a side of ' . PASSES . ' passes, alone and with six equal runs of 11');
    my $step = 'shared 1 %, a step of 3 % between';
    for my $scene (@SCENES, { words => $step, spread => 0.03, shared => 0.01, step => 0.03 }) {
        printf "%-33s", $scene->{words};
        print q{  }, tried('AB', $scene, passes => PASSES, equal => $_, equal_passes => 11)
            for 0, 6;
        print "\n";
    }
    return;
}

# Machines that differ by 10 %, each with a run of both states
sub paired {
    head('Pairs of runs on machines that differ by 10 %, and the same as two groups');
    for my $k (2, 3, 4, 6, 10) {
        my %how = (passes => 13, machines => 0.1);
        printf "%2d machines  paired %s  groups %s\n", $k,
            map { tried('AB' x $k, $SCENES[4], %how, paired => $_) } 1, 0;
    }
    return;
}

# Of a comparison with two runs a side: how many it says would resolve 5 %, and how often as many
# as the median have intervals within 5 %
sub needed {
    print
        "\nRuns a side that two a side say would resolve 5 %, of $runs comparisons, and per cent\n",
        "of rows whose interval is within 5 % with the median of these\n\n";
    for my $scene (@SCENES[ 0 .. 6 ]) {
        my @needed;
        for (1 .. $runs) {
            my $found = compared('ABAB', $scene, passes => 13);
            my ($row) = with_verdicts([ rows_of($found) ], 1, 0);
            my $k = more_runs($found->{group}, $row, 1, TESTS, log 1.05);
            push @needed, defined $k ? $k : 41;
        }
        my ($low, $k, $high) = (sort { $a <=> $b } @needed)[ map { $_ * $#needed } 0.1, 0.5, 0.9 ];
        my ($rows, $within) = (0, 0);
        for (1 .. ($k > 40 ? 0 : 1 + $runs / 4)) {
            my @rows = with_verdicts([ rows_of(compared('AB' x $k, $scene, passes => 13)) ], 1, 0);
            $rows   += @rows;
            $within += grep { $_->{half} <= log 1.05 } @rows;
        }
        printf "%-28s %d (80 %%: %d to %d)  %s\n", $scene->{words}, $k, $low, $high,
            $rows ? percent($within, $rows) : q{-};
    }
    return;
}
