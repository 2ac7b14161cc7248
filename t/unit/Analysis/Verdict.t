# SPDX-License-Identifier: GPL-2.0-or-later
# What is concluded from the rows of a comparison.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Verdict qw(judged);

use constant USUAL => 0.12;

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

done_testing;
