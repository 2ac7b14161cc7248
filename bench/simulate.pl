#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth, how often equal runs are called different, and which
# differences are found: simulated runs go through the schedule, the results and the
# comparison that real runs go through (make simulate).
#
# usage: simulate.pl [RUNS [PART ...]]
#        RUNS   results for each row of the first table, 2000 by default; comparisons for each
#               row of the second: a tenth of it
#        PART   intervals, compare, or the name of a noise; all by default
#
# Each share has its 95 % interval (Wilson) behind it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Simulation                       qw(noises measured describe normal share);
use SpawnMeter::Analysis::Comparison qw(reduce compare);
use SpawnMeter::Analysis::Results    qw(results);
use SpawnMeter::Util::Random;

use constant {
    RUNS    => 2000,
    TESTS   => 8,                       # of a run
    PASSES  => 35,                      # of a test with a fixed number
    SPREAD  => 0.03,                    # standard deviation of the passes
    ALL     => 54,                      # passes a side, divided among the runs
    GROUPS  => [ 1, 2, 3, 4, 6 ],       # runs a side
    PLANTED => [ 0.97, 0.95, 0.92 ],    # of the rate of one test
    SEED    => 20_101,
};

# Standard deviations of the passes, of each test's own level in a run and of the level that all
# tests share
my @LEVELS = (
    { words => 'passes 3 %', spread            => 0.03 },
    { words => 'common 1 %', spread            => 0.03, machine => 0.01 },
    { words => 'common 2 %', spread            => 0.03, machine => 0.02 },
    { words => 'own 2 %', spread               => 0.03, level   => 0.02 },
    { words => 'own 1, common 2 %', spread     => 0.03, level   => 0.01, machine => 0.02 },
    { words => 'common 5 %', spread            => 0.03, machine => 0.05 },
    { words => 'passes 7, 1, 3 %', spread      => 0.07, level   => 0.01, machine => 0.03 },
    { words => 'passes 13, own 1, 4 %', spread => 0.13, level   => 0.01, machine => 0.04 },
);

my ($runs, @parts) = @ARGV;
$runs = RUNS if !defined $runs;
die "usage: simulate.pl [RUNS [PART ...]]\n" if $runs !~ /^[1-9]\d{0,6}\z/;
my %wanted = map { $_ => 1 } @parts;
my @noises = grep { $wanted{$_} } noises();
my $all = !@parts;
@noises = noises() if $all || $wanted{intervals} && !@noises;
my $random = SpawnMeter::Util::Random->new(SEED);
local $| = 1;

sub run_with { my (%with) = @_; return measured(tests => TESTS, random => $random, %with) }

# ---- intervals ------------------------------------------------------------------------

sub intervals {
    print "Intervals: how often they hold the truth, of $runs results each\n\n";
    printf "%-48s %-26s %-26s %6s %7s\n", 'noise', PASSES . ' passes', 'until settled', 'passes',
        'speeds';
    for my $noise (@noises) {
        my $fixed = sum_of_runs($noise, passes => PASSES);
        my $settled = sum_of_runs($noise);
        printf "%-48s %-26s %-26s %6.1f %5.1f %%\n", substr(describe($noise), 0, 48),
            map({ share(@{$_}{qw(holds n)}) } $fixed, $settled),
            $settled->{passes} / $settled->{n}, 100 * $fixed->{levels} / $fixed->{n};
    }
    return;
}

sub sum_of_runs {
    my ($noise, %until) = @_;
    my %sum = map { $_ => 0 } qw(holds n passes levels);
    while ($sum{n} < $runs) {
        my $run = run_with(noise => $noise, spread => SPREAD, %until);
        my $truth = $run->{simulated}{truth};
        for my $r (@{ results($run) }) {
            $sum{n}++;
            $sum{holds}++
                if $r->{low} <= $truth->{ $r->{test} } && $truth->{ $r->{test} } <= $r->{high};
            $sum{levels}++ if $r->{levels};
            $sum{passes} += $r->{used};
        }
    }
    return \%sum;
}

# ---- comparisons ----------------------------------------------------------------------

# Two groups of so many runs in turn; one test of the second is slower
sub groups {
    my ($k, $factor, %with) = @_;
    my @groups = ([], []);
    for my $i (0 .. 2 * $k - 1) {
        my $run = run_with(noise => 'normal', passes => int(ALL / $k), %with);
        for my $pass (grep { $i % 2 && $_->{test} eq 'test0' } @{ $run->{passes} }) {
            $pass->{rate} *= $factor;
        }
        push @{ $groups[ $i % 2 ] }, reduce({ %{$run}, started => 1 + $i }, 'x');
    }
    return @groups;
}

sub comparisons {
    my $n = int($runs / 10) || 1;
    print "\nComparisons of ", ALL,
        " passes a side, $n each: tables with a false call, and a test\n",
        'slower by ', join(', ', map { sprintf '%g', 100 - 100 * $_ } @{ +PLANTED }),
        " % found, per cent\n\n";
    for my $levels (@LEVELS) {
        my %with = %{$levels};
        printf "%-24s", delete $with{words};
        for my $k (@{ +GROUPS }) {
            my ($false, @found) = (0);
            for my $i (0 .. $#{ +PLANTED }) {
                for (1 .. $n) {
                    my ($slow, @others) = @{ compare(groups($k, PLANTED->[$i], %with))->{rows} };
                    $found[$i]++ if $slow->{verdict} eq 'slower';
                    $false++ if grep { $_->{verdict} =~ /er\z/ } @others;
                }
            }
            printf '  k=%d %4.1f:%s', $k, 100 * $false / $n / @{ +PLANTED },
                join q{},
                map { sprintf ' %3.0f', 100 * ($found[$_] || 0) / $n } 0 .. $#{ +PLANTED };
        }
        print "\n";
    }
    return;
}

intervals() if @noises;
comparisons() if $all || $wanted{compare};
