# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Numbers qw(median quantile mad geometric_mean
    outliers disturbed_z beta_share t_two_sided t_quantile);

is(median(3, 1, 2), 2, 'median of an odd number');
is(median(4, 1, 2, 3), 2.5, 'median of an even number');
is(scalar median(), undef, 'no median of nothing');
is(quantile(0.25, 0 .. 4), 1, 'quantile');
is(mad(1, 1, 2, 2, 4, 6, 9), 1, 'MAD, the textbook example');
cmp_ok(abs(geometric_mean(1, 10, 100) - 10), '<', 1e-9, 'geometric mean');
is(scalar geometric_mean(1, 0), undef, 'no geometric mean with a zero');

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

# Against the tables of the distributions
sub near {
    my ($got, $expected, $name) = @_;
    return cmp_ok(abs($got - $expected), '<', 1e-4 * (1 + abs $expected), $name)
        || diag "$got, expected $expected";
}

near(beta_share(0.3, 2, 5), 0.579825, 'beta');
near(beta_share(0.5, 3.3, 3.3), 0.5, 'beta: symmetric');
near(beta_share(0.5, 12 - 2, 2 + 1), 79 / 4096, 'beta: at most 2 of 12 heads');
is_deeply([ beta_share(0, 2, 2), beta_share(1, 2, 2) ], [ 0, 1 ], 'beta: its ends');
near(t_quantile(0.05, 5), 2.5706, 't: 5 degrees');
near(t_quantile(0.05, 1), 12.7062, 't: 1 degree');
near(t_quantile(0.01, 30), 2.7500, 't: 1 %');
near(t_two_sided(-2.5706, 5), 0.05, 't: both tails');
done_testing;
