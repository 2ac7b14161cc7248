#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often ./Run compare --history reports a change of level where there is none, and how often
# it finds one: simulated histories of 16 tests.
#
# usage: bench/history.pl [histories]

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Noise                              qw(normal);
use SpawnMeter::Analysis::ChangePoints qw(changes dependence_together);
use SpawnMeter::Util::Random;

use constant { TESTS => 16, SPREAD => 0.03, MILLION => 1_000_000 };

my ($histories) = (@ARGV, 300);
my $random = SpawnMeter::Util::Random->new(11);

# Correlated numbers of variance 1
sub drifting {
    my ($runs, $r) = @_;
    my @numbers = normal($random);
    push @numbers, $r * $numbers[-1] + sqrt(1 - $r**2) * normal($random) while @numbers < $runs;
    return @numbers;
}

# The levels of a test in so many runs; 0.03 is their standard deviation
sub series {
    my ($runs, $r, $heavy) = @_;
    my $wide = sub { return $heavy && $random->below(MILLION) < 0.1 * MILLION ? 4 : 1 };
    return map { SPREAD * $_ * $wide->() } drifting($runs, $r);
}

# Of all tests; with $shared half of the variance is that of the runs, the same in each
sub tests {
    my ($runs, $r, $heavy, $shared) = @_;
    my @tests = map { [ series($runs, $r, $heavy) ] } 1 .. TESTS;
    return @tests if !$shared;
    my @run = series($runs, $r);
    return map {
        my $own = $_;
        [ map { ($own->[$_] + $run[$_]) / sqrt 2 } 0 .. $#run ]
    } @tests;
}

# Share of the histories in which any test has a change
sub false_alarms {
    my ($runs, @noise) = @_;
    my $number = 0;
    for (1 .. $histories) {
        my $found = 0;
        my @tests = tests($runs, @noise);
        my %with = (tests => TESTS, together => dependence_together(@tests));
        $found += @{ changes($_, %with) } for @tests;
        $number++ if $found;
    }
    return 100 * $number / $histories;
}

# Share of the histories in which a change by this of all tests is found in the first one, at its
# place or one run beside it
sub found {
    my ($runs, $change, $from, $to) = @_;
    my $number = 0;
    for (1 .. $histories) {
        my @tests = tests($runs, 0);
        for my $values (@tests) { $values->[$_] += log(1 + $change) for $from .. $to - 1 }
        my @places = grep { $_ < $runs } $from, $to;
        my %with = (tests => TESTS, together => dependence_together(@tests));
        my $changes = changes($tests[0], %with);
        my $right = 0;
        for my $place (@places) {
            $right++ if grep { abs($_->{at} - $place) <= 1 } @{$changes};
        }
        $number++ if $right == @places;
    }
    return 100 * $number / $histories;
}

my @RUNS = (6, 10, 20, 50, 100);
my %NOISE = (
    'independent'                        => [0],
    'correlation of neighbours 0.3'      => [0.3],
    'correlation of neighbours 0.5'      => [0.5],
    'correlation of neighbours 0.7'      => [0.7],
    'correlation 0.7, half of it in all' => [ 0.7, 0, 1 ],
    'a tenth of the runs 4 times as far' => [ 0, 1 ],
);
print "Histories of 16 tests with a false alarm, in %, of $histories; runs:\n";
printf "%-36s %s\n", q{}, join q{ }, map { sprintf '%6d', $_ } @RUNS;
for my $noise (sort keys %NOISE) {
    printf "%-36s %s\n", $noise, join q{ },
        map { sprintf '%6.1f', false_alarms($_, @{ $NOISE{$noise} }) } @RUNS;
}
print "\nChanges that are found, in %; runs of a test spread by 3 %:\n";
for my $case (
    [ 10, 5, 10 ],
    [ 20, 10, 20 ],
    [ 20, 17, 20 ],
    [ 50, 25, 50 ],
    [ 50, 47, 50 ],
    [ 50, 20, 30 ],
) {
    my ($runs, $from, $to) = @{$case};
    my $where = $to == $runs ? "the last @{[ $to - $from ]}" : "@{[ $to - $from ]} in the middle";
    printf "%-36s %s\n", "$runs runs, $where",
        join q{ }, map { sprintf '%3d %%: %5.1f', 100 * $_, found($runs, $_, $from, $to) } 0.05,
        0.1, 0.15, 0.2;
}
