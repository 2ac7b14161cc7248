# SPDX-License-Identifier: GPL-2.0-or-later
# What is concluded from the rows of a comparison.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Distribution qw(normal_scores);
use SpawnMeter::Analysis::Verdict   qw(judged limits);

use constant { USUAL => { 1 => { least => 0.12 } }, PASSES => 35 };

sub row {
    my (%with) = @_;
    my $ratio = $with{ratio} || 0.9;
    return {
        test   => 'fork',
        title  => 'Fork',
        copies => 1,
        used   => [ [1], [1] ],
        p      => 1e-9,
        ratio  => $ratio,
        low    => $ratio / 1.01,
        high   => $ratio * 1.01,
        %with
    };
}

sub verdicts {
    my (@rows) = @_;
    return [ map { $_->{verdict} } judged(USUAL, @rows) ];
}

subtest 'by the passes alone' => sub {
    is_deeply(verdicts(row(ratio => 0.8)), ['slower'], 'above the usual difference');
    is_deeply(verdicts(row()), ['inconclusive'], 'below it');
    is_deeply(verdicts(row(p         => 0.06)), ['no difference shown'], 'not significant');
    is_deeply(verdicts(row(of_equals => {})), ['slower'], 'below it, with an A/A run');
};

subtest 'by the passes and the own levels of runs' => sub {
    my ($row) = judged(USUAL, row(beyond => 0.06));
    is_deeply(
        [ @{$row}{qw(verdict why)} ],
        [ 'inconclusive', 'equal runs can differ by as much' ],
        'explained by the levels'
    );
    is_deeply(verdicts(row(beyond => 0.04)), ['slower'], 'not explained, below the usual one');
    is_deeply(verdicts(row(beyond => 0.06, ratio => 0.8)),
        ['inconclusive'], 'explained, above the usual one');
    is_deeply(verdicts(row(p => 0.06, beyond => 0.04)),
        ['no difference shown'], 'not significant by the passes');
};

subtest 'a family of tests' => sub {
    is_deeply(
        verdicts(map { row(p => 0.02, ratio => 0.8) } 1 .. 2),
        [ ('slower') x 2 ],
        'p is corrected'
    );
    is_deeply(
        verdicts(map { row(p => 0.02, ratio => 0.8) } 1 .. 3),
        [ ('no difference shown') x 3 ],
        'for the number of tests'
    );
    is_deeply(verdicts(map { row(beyond => 0.02) } 1 .. 2), [ ('slower') x 2 ], 'so is beyond');
    is_deeply(
        verdicts(map { row(beyond => 0.02) } 1 .. 3),
        [ ('inconclusive') x 3 ],
        'for the number of tests'
    );
    is_deeply(
        verdicts(row(beyond => 0.02), map { row(ratio => 0.8) } 1 .. 2),
        [qw(slower slower slower)],
        'raw rows count in it with p'
    );
    is_deeply(
        verdicts(row(beyond => 0.02), map { row(p => 0.9) } 1 .. 2),
        [ 'inconclusive', ('no difference shown') x 2 ],
        'also where they are equal'
    );
};

# Rates whose logarithms are normal with this standard deviation
sub spread_by {
    my (@spreads) = @_;
    return used => [
        map {
            my $spread = $_;
            [ map { 1000 * exp($spread * $_) } @{ normal_scores(PASSES) } ]
        } @spreads
    ];
}

sub least { my (@rows) = @_; return limits(0.12, @rows)->{1}{least} }

subtest 'limits' => sub {
    is(least(row(used => [ [], [] ])), 0.12, 'the usual one without samples');
    is(least(row(used => [ [ 0, 1, 2 ], [ 0, 1, 2 ] ])), 0.12, 'and where a rate is 0');
    is(least(row(spread_by(0.03, 0.03))), 0.12, 'and where passes spread by 3 %');
    my $noisy = limits(0.12, row(spread_by(0.14, 0.14)))->{1};
    cmp_ok(abs($noisy->{spread} - 0.14), '<', 0.01, 'the spread of 14 %');
    cmp_ok(abs(log(1 + $noisy->{least}) - 1.4 * $noisy->{spread}),
        '<', 1e-9, '1.4 times that, as a logarithm');
    my $of = sub {
        return least(map { row(spread_by($_, $_)) } @_);
    };
    is($of->(0.1, 0.14, 0.3), $of->(0.14), 'the median of the tests');
    my $both = least(row(spread_by(0.1, 0.17)));
    cmp_ok($both, '>', $of->(0.13), 'of both runs');
    cmp_ok($both, '<', $of->(0.15), 'together');
    my $limits = limits(
        0.12,
        row(spread_by(0.03, 0.03)),
        map { row(spread_by(0.2, 0.2), copies => $_) } 2, 4
    );
    is($limits->{1}{least}, 0.12, 'each number of copies has its own');
    cmp_ok($limits->{4}{least}, '>', 0.3, 'where they are noisy');
    my @noisy = map { row(spread_by(0.14, 0.14), ratio => $_) } 0.84, 1.2;
    is_deeply(
        [ map { $_->{verdict} } judged(limits(0.12, @noisy), @noisy) ],
        [qw(inconclusive inconclusive)],
        'noisy passes: below a factor of 1.21'
    );
    @noisy = map { row(spread_by(0.14, 0.14), ratio => $_) } 0.75, 1.4;
    is_deeply([ sort map { $_->{verdict} } judged(limits(0.12, @noisy), @noisy) ],
        [qw(faster slower)], 'no longer above it');
};

done_testing;
