# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Interval qw(median_interval estimate);

subtest 'independent values' => sub {

    # the ranks of Conover's table are 2, 3 and 8 of 9, 12 and 25; interpolation goes inwards
    for my $case ({ n => 9, rank => 2 }, { n => 12, rank => 3 }, { n => 25, rank => 8 }) {
        my ($n, $rank) = @{$case}{qw(n rank)};
        my ($low, $high) = median_interval($n, 1 .. $n);
        cmp_ok($low, '>=', $rank, "of $n: not below rank $rank");
        cmp_ok($low, '<', $rank + 1, 'nor up to the next');
        cmp_ok(abs($low + $high - $n - 1), '<', 1e-9, 'symmetric');
    }
    is_deeply([ median_interval(5, 1 .. 5) ], [], 'of five: none');
    is(sprintf('%.0f', (median_interval(6, 1 .. 6))[0]), '1', 'of six: their range');
};

subtest 'dependent values' => sub {
    my @widths = map {
        my ($low, $high) = median_interval($_, 1 .. 30);
        $high - $low
    } 30, 25.5, 20, 10, 6;
    is_deeply(\@widths, [ sort { $a <=> $b } @widths ], 'fewer effective values: wider');
    is_deeply([ median_interval(4, 1 .. 30) ], [ 1, 30 ], 'too few: the range');
};

subtest 'of passes' => sub {
    my @passes = map { { rate => 1000 + $_ * 7 % 20, at => 2 * $_ } } 0 .. 19;
    my $of = estimate(\@passes, \@passes);
    is($of->{median}, 1009.5, 'the median');
    is($of->{gap}, 2, 'seconds between neighbours');
    is($of->{few}, 0, 'not too few');
    my @drift = map { { rate => 1000 + $_, at => 2 * $_ } } 0 .. 19;
    my $slow = estimate(\@drift, \@drift);
    is($slow->{few}, 1, 'a drift over the whole run: too few');
    is_deeply([ @{$slow}{qw(low high)} ], [ 1000, 1019 ], 'the interval is the range');
    is(estimate([ @passes[ 0 .. 4 ] ], [ @passes[ 0 .. 4 ] ])->{plus_minus}, undef,
        'of five: none');
};
done_testing;
