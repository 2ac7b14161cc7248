# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::TwoSamples qw(center ratio apart adjusted combined_degrees);

sub rounded {
    return map { sprintf '%.4f', $_ } @_;
}

sub sample { my ($values, $effective) = @_; return { values => $values, effective => $effective } }

subtest 'the center of a sample' => sub {
    my $of = center([ map { exp } 1 .. 20 ]);
    is(sprintf('%.4f', $of->{log}), '10.5000', 'the mean of the logarithms');
    my $with_outlier = center([ map { exp } 1 .. 19, 500 ]);
    is(sprintf('%.4f', $with_outlier->{log}), '10.5000', 'an outlier does not move it');
    is(sprintf('%.4f', $with_outlier->{error}), sprintf('%.4f', $of->{error}), 'nor its error');
    my $half = center([ map { exp } 1 .. 20 ], 10);
    cmp_ok($half->{error} / $of->{error}, '>', 1.4, 'half as many values have a larger error');
    is($half->{degrees}, 8, 'and, of those in the middle, fewer degrees of freedom');
    my $one = center([ map { exp } 1 .. 20 ], 1);
    cmp_ok($one->{error}, '>', 5.5, 'worth a single one: its error is the spread of the values');
    my $ten = center([ map { exp } 1 .. 9, 500 ]);
    is(sprintf('%.2f', $ten->{log}), '5.50', 'of ten values one at each end does not count');
    is(center([ 1 .. 5 ]), undef, 'under six values');
    is(center([ 0 .. 9 ]), undef, 'a value of 0');
};

subtest 'the ratio of two samples' => sub {
    my @old = map { 100 + $_ } 1 .. 20;
    my $found = ratio(sample(\@old), sample([ map { 0.9 * $_ } @old ]));
    is(sprintf('%.6f', $found->{ratio}), '0.900000', 'values times 0.9');
    cmp_ok($found->{high}, '<', 1, 'the interval excludes 1');
    is(sprintf('%.4f', $found->{low} * $found->{high}), '0.8100', 'it is one of logarithms');
    my $back = ratio(sample([ map { 0.9 * $_ } @old ]), sample(\@old));
    is(sprintf('%.6f', $back->{p}), sprintf('%.6f', $found->{p}), 'both directions agree');
    is(
        sprintf('%.6f', $back->{low}),
        sprintf('%.6f', 1 / $found->{high}),
        'in their intervals, too'
    );
    is(ratio(sample(\@old), sample([ 1 .. 5 ])), undef, 'under six values: nothing to say');
    my $constant = ratio(sample([ (5) x 9 ]), sample([ (10) x 9 ]));
    is_deeply(
        [ rounded(@{$constant}{qw(ratio low high p)}) ],
        [qw(2.0000 2.0000 2.0000 0.0000)],
        'no spread: no width'
    );
    is(ratio(sample([ (5) x 9 ]), sample([ (5) x 9 ]))->{p}, 1, 'equal values');
};

subtest 'Student\'s t' => sub {
    my $apart = apart(exp 0.2571, 0.1, 5);
    is(sprintf('%.3f', $apart->{p}), '0.050', 'two-sided');
    is(sprintf('%.3f', $apart->{low}), '1.000', 'the interval ends where p is 5 %');

    # the published example of Welch's formula, two equal errors: the sum of the degrees
    is(sprintf('%.1f', combined_degrees(map { { error => 1, degrees => 10 } } 1, 2)),
        '20.0', 'degrees of two equal errors');
    is(combined_degrees({ error => 1, degrees => 7 }, { error => 0, degrees => 3 }),
        7, 'degrees where one error is 0');
};

subtest 'Holm' => sub {
    is_deeply(
        [ rounded(adjusted(0.01, 0.04, 0.03, 0.005)) ],
        [qw(0.0300 0.0600 0.0600 0.0200)],
        'as R\'s p.adjust'
    );
    is_deeply([ rounded(adjusted(0.9, 0.8)) ], [qw(1.0000 1.0000)], 'never above 1');
    is_deeply([ adjusted() ], [], 'of none');
};
done_testing;
