# SPDX-License-Identifier: GPL-2.0-or-later
# Against the tables of the distributions.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Distribution qw(beta_share t_two_sided t_quantile);

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
