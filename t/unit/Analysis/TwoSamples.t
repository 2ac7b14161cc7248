# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Stats      qw(median quantile);
use SpawnMeter::Analysis::TwoSamples qw(ratio_interval mann_whitney);

srand 7;
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.28318530717959 * rand) }

# The weights without random numbers, against a bootstrap with them
for my $n (9, 12, 33, 40) {
    my @old = map { 100 + 5 * normal() } 1 .. $n;
    my @new = map { 110 + 5 * normal() } 1 .. $n;
    my @ratios;
    for (1 .. 4000) {
        my @x = map { $old[ rand @old ] } @old;
        my @y = map { $new[ rand @new ] } @new;
        push @ratios, median(@y) / median(@x);
    }
    my ($low, $high) = ratio_interval(\@old, \@new);
    my $width = quantile(0.975, @ratios) - quantile(0.025, @ratios);
    cmp_ok(abs($low - quantile(0.025, @ratios)), '<', 0.12 * $width, "$n values: the lower end");
    cmp_ok(abs($high - quantile(0.975, @ratios)), '<', 0.12 * $width, 'and the upper one');
}
for my $n (6, 7, 20, 33) {
    my $sum = 0;
    $sum += $_->{weight} for @{ SpawnMeter::Analysis::TwoSamples::weights($n) };
    cmp_ok(abs($sum - 1), '<', 1e-4, "$n values: the weights add up to 1");
}

# Published: Mann and Whitney's own example form, and R's wilcox.test(exact=FALSE)
is(sprintf('%.4f', mann_whitney([ 1 .. 10 ], [ 11 .. 20 ])),
    '0.0002', 'apart: p of R, 0.0001827 rounded');
is(sprintf('%.3f', mann_whitney([ 1 .. 10 ], [ 1 .. 10 ])), '1.000', 'equal');

# Against all ways to deal fourteen ranks to two hands of seven
{
    my @sums;
    for my $mask (0 .. 2**14 - 1) {
        my @hand = grep { $mask & (1 << ($_ - 1)) } 1 .. 14;
        next if @hand != 7;
        my $sum = 0;
        $sum += $_ for @hand;
        push @sums, $sum;
    }
    for my $hand (
        [ 1 .. 7 ],
        [ 1, 2, 3, 5, 6, 8, 11 ],
        [ 2, 4, 5, 7, 9, 11, 13 ],
        [ 3, 5, 8, 9, 11, 12, 14 ]
    ) {
        my %in = map { $_ => 1 } @{$hand};
        my $sum = 0;
        $sum += $_ for @{$hand};
        my $exact = (grep { abs($_ - 52.5) >= abs($sum - 52.5) } @sums) / @sums;
        cmp_ok(abs(mann_whitney([ grep { !$in{$_} } 1 .. 14 ], $hand) - $exact),
            '<', 0.01, sprintf 'exact p %.4f', $exact);
    }
}
cmp_ok(abs(SpawnMeter::Analysis::TwoSamples::upper_tail(1.959964) - 0.025),
    '<', 1e-6, 'the normal distribution');

is(scalar(my @none = ratio_interval([ 1 .. 5 ], [ 1 .. 9 ])), 0, 'under six: nothing to say');
is(mann_whitney([ 1 .. 5 ], [ 1 .. 9 ]), undef, 'nor here');
is_deeply(
    [ map { sprintf '%.6f', $_ } ratio_interval([ (5) x 9 ], [ (10) x 9 ]) ],
    [ '2.000000', '2.000000' ],
    'no spread: no width'
);
subtest 'interval of a ratio of which only intervals are known' => sub {
    my $of = sub {
        my ($rate, $share) = @_;
        return { rate => $rate, low => $rate * (1 - $share), high => $rate * (1 + $share) };
    };
    my ($low, $high) =
        SpawnMeter::Analysis::TwoSamples::interval_of_intervals($of->(100, 0.1), $of->(200, 0));
    is(sprintf('%.3f %.3f', $low, $high), '1.800 2.222', 'one of them has an error');
    ($low, $high) =
        SpawnMeter::Analysis::TwoSamples::interval_of_intervals(map { $of->(100, 0.1) } 1 .. 2);
    is(sprintf('%.2f %.2f', $low, $high), '0.86 1.16', 'both: their squares are added');
    is_deeply(
        [ SpawnMeter::Analysis::TwoSamples::interval_of_intervals($of->(1, 0.1), { rate => 1 }) ],
        [], 'one is unknown');
};
done_testing;
