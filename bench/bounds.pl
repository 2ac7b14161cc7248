#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests that know more than a run shows find of two levels and of slowdowns: what can be asked
# of those that do not (make simulate).
#
# usage: bounds.pl [RUNS]
#        RUNS   half of the simulated results for each line, twice the pairs of runs; 2000 by
#               default
#
# Each share has its 95 % interval (Wilson) behind it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use List::Util                  qw(sum max);
use Simulation                  qw(measured normal share);
use SpawnMeter::Analysis::Stats qw(mean);
use SpawnMeter::Util::Random;

use constant {
    RUNS   => 2000,
    TESTS  => 8,        # of a run
    PASSES => 35,       # of a test
    NOISY  => 0.14,     # standard deviation of the passes of a busy virtual machine
    APART  => 4,        # standard deviations
    SEED   => 20_101,
};

my ($runs, @more) = @ARGV;
$runs = RUNS if !defined $runs;
die "usage: bounds.pl [RUNS]\n" if @more || $runs !~ /^[1-9]\d{0,6}\z/;
my $random = SpawnMeter::Util::Random->new(SEED);
local $| = 1;

# ---- slowdowns without reference loops ------------------------------------------------------

# One that knows how far equal runs of such a machine differ: it calls a difference above a limit
# which the largest one of eight equal tests exceeds in 5 % of pairs
sub bound_of_drift {
    my ($pairs, $slower) = (max(20, int($runs / 2)), 0.8);
    my @of_pairs = map { [ drifting_pair() ] } 1 .. $pairs;
    my @largest = sort { $a <=> $b } map {
        max(map { abs } @{$_})
    } @of_pairs;
    my $limit = $largest[ int 0.95 * $pairs ];
    my @all = map { @{$_} } @of_pairs;
    my $found = grep { $_ + log($slower) < -$limit } @all;
    printf
        "Slower by 20 %% without reference loops, passes spread by %.0f %%, half of it drift that "
        . "all\ntests share: found by a limit with 5 %% of %d equal pairs above it: %s\n\n",
        100 * NOISY, $pairs, share($found, scalar @all);
    return;
}

sub drifting_run {
    return measured(
        noise  => 'common',
        spread => NOISY,
        passes => PASSES,
        tests  => TESTS,
        random => $random
    );
}

# The differences of equal tests
sub drifting_pair {
    my @means = map {
        my %of;
        push @{ $of{ $_->{test} } }, log $_->{rate} for @{ drifting_run()->{passes} };
        +{ map { $_ => mean(@{ $of{$_} }) } keys %of }
    } 1, 2;
    return map { $means[1]{$_} - $means[0]{$_} } keys %{ $means[0] };
}

# ---- two levels -----------------------------------------------------------------------------

# By the ratio of the likelihoods of two distributions, of which only the middle and the width of
# all passes are unknown: they are those of the passes, or a little beside them.
sub bound_of_levels {
    my $n = 2 * $runs;
    print "Two levels 4 standard deviations apart: found by a test that knows the distance and\n",
        "the shares, with 2 % of false alarms among normal passes; $n simulated results each\n\n";
    for my $passes (30, PASSES, 40) {
        for my $share (0.5, 0.6) {
            my @alarms = sort { $a <=> $b }
                map {
                knowing_ratio($share, map { normal($random) } 1 .. $passes)
                } 1 .. $n;
            my $needed = $alarms[ int 0.98 * $n ];
            my $found = grep { $_ > $needed }
                map { knowing_ratio($share, two_levels_of($share, $passes)) } 1 .. $n;
            printf "%d passes, %d:%d  %s\n", $passes, 100 * $share, 100 - 100 * $share,
                share($found, $n);
        }
    }
    print "\n";
    return;
}

sub two_levels_of {
    my ($share, $passes) = @_;
    my $below = sub { return $random->below(1000) < 1000 * $share };
    return map { normal($random) + ($below->() ? 0 : APART) } 1 .. $passes;
}

# The logarithm of the likelihood of two levels, the larger one at either side, less that of one
sub knowing_ratio {
    my ($share, @x) = @_;
    my $mean = mean(@x);
    my $deviation = sqrt mean(map { ($_ - $mean)**2 } @x);
    my $of_both = sqrt(1 + $share * (1 - $share) * APART**2);
    my @z = map { ($_ - $mean) / $deviation * $of_both } @x;
    my @found;
    for my $below ($share == 0.5 ? $share : ($share, 1 - $share)) {
        for my $width (0.8, 0.9, 1, 1.1, 1.2) {
            for my $shift (-0.6, -0.3, 0, 0.3, 0.6) {
                push @found,
                    likelihood($below, map { $_ * $width + $shift } @z) +
                    @z * log($width * $of_both);
            }
        }
    }
    return max(@found) + @x / 2;
}

sub likelihood {
    my ($below, @z) = @_;
    my ($low, $high) = (-(1 - $below) * APART, $below * APART);
    return sum(
        map { log($below * exp(-($_ - $low)**2 / 2) + (1 - $below) * exp(-($_ - $high)**2 / 2)) }
            @z);
}

bound_of_drift();
bound_of_levels();
