# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Numbers qw(median quantile mad interval geometric_mean
    outliers disturbed_z);

is(median(3, 1, 2), 2, 'median of an odd number');
is(median(4, 1, 2, 3), 2.5, 'median of an even number');
is(scalar median(), undef, 'no median of nothing');
is(quantile(0.25, 0 .. 4), 1, 'quantile');
is(mad(1, 1, 2, 2, 4, 6, 9), 1, 'MAD, the textbook example');
cmp_ok(abs(geometric_mean(1, 10, 100) - 10), '<', 1e-9, 'geometric mean');
is(scalar geometric_mean(1, 0), undef, 'no geometric mean with a zero');

# Tables of order-statistic intervals (e.g. Conover, table A3): n => rank
my %rank = (
    6  => 1,
    8  => 1,
    9  => 2,
    11 => 2,
    12 => 3,
    15 => 4,
    17 => 5,
    20 => 6,
    25 => 8,
    30 => 10,
    35 => 12
);
for my $n (sort { $a <=> $b } keys %rank) {
    is_deeply(
        [ interval(reverse 1 .. $n) ],
        [ $rank{$n}, $n + 1 - $rank{$n} ],
        "interval of $n values"
    );
}
is_deeply([ interval(1 .. 5) ], [], 'no interval of 5 values');
is_deeply([ interval(1 .. 1000) ], [ 469, 532 ], 'interval of 1000 values');

is_deeply([ outliers(10, 11, 10, 9, 10, 11, 9, 100) ], [ (0) x 7, 1 ], 'an outlier is flagged');
is_deeply([ outliers(5, 5, 5, 9) ], [ 0, 0, 0, 0 ], 'no spread, no outlier');

my @half = (map({ 1 + $_ / 1000 } 1 .. 10), map { 2 + $_ / 10 } 1 .. 10);
my @z = disturbed_z(0.001, @half);
is(scalar(grep { $_ > 5 } @z[ 10 .. 19 ]),
    10, 'half of the values may be disturbed, and all are found');
is(scalar(grep { $_ > 5 } @z[ 0 .. 9 ]), 0, 'and none of the others');
is(scalar(grep { $_ > 5 } disturbed_z(0.1, 1, 1, 1, 1, 1.2)),
    0, 'less than the least deviation is no disturbance');
subtest 'too few values' => sub {
    my @no_values = map { [$_] } SpawnMeter::Stats::Numbers::mad(), disturbed_z(1),
        SpawnMeter::Stats::Numbers::geometric_mean(1, 0);
    is_deeply(\@no_values, [], 'there is no figure');
    is(SpawnMeter::Stats::Numbers::mean(), undef, 'and no mean');
    is_deeply([ disturbed_z(0, 4, 4, 4) ], [ 0, 0, 0 ], 'equal values: none is disturbed');
};
done_testing;
