# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::ChangePoints qw(changes dependence_together);

# Values within 2 of 100, in an order without pattern
sub quiet {
    my ($n) = @_;
    return map { 100 + ($_ * 7 % 11 - 5) / 2.5 } 1 .. $n;
}

sub places {
    my (@values) = @_;
    return [ map { $_->{at} } @{ changes(\@values) } ];
}

subtest 'where the level changed' => sub {
    my @values = quiet(30);
    is_deeply(places(@values), [], 'nowhere');
    is_deeply(places(@values[ 0 .. 9 ], map { $_ + 20 } @values[ 10 .. 19 ]), [10], 'once');
    is_deeply(places(@values[ 0 .. 9 ], map { $_ + 20 } @values[ 10 .. 12 ]),
        [10], 'before the last three');
    is_deeply(places(@values[ 0 .. 9 ], map { $_ + 20 } @values[ 10 .. 11 ]),
        [], 'two values are no level');
    is_deeply(
        places(@values[ 0 .. 9 ], (map { $_ + 20 } @values[ 10 .. 14 ]), @values[ 15 .. 29 ]),
        [ 10, 15 ],
        'to a level and back'
    );
    is_deeply(
        places(
            @values[ 0 .. 9 ],
            (map { $_ + 20 } @values[ 10 .. 19 ]),
            map { $_ + 40 } @values[ 20 .. 29 ]
        ),
        [ 10, 20 ],
        'twice upwards'
    );
    is_deeply(places(@values[ 0 .. 9 ], 200, @values[ 11 .. 29 ]), [], 'an outlier is no level');
};

subtest 'short and special series' => sub {
    is_deeply(places(), [], 'no value');
    is_deeply(places(1, 1, 1, 9, 9), [], 'five values');
    is_deeply(places((5) x 20), [], 'equal values');
    is_deeply(places((5) x 5, (6) x 5), [5], 'two levels without spread');
    is_deeply(changes([ map { $_ / 1e3 } quiet(6) ], least => 1), [], 'below the error of a value');
};

subtest 'probability' => sub {
    my @values = quiet(20);
    $_ += 8 for @values[ 10 .. 19 ];
    my ($one) = @{ changes(\@values) };
    my ($many) = @{ changes(\@values, tests => 16) };
    cmp_ok($one->{p}, '<', 0.01, 'of a clear change');
    cmp_ok(abs($many->{p} / $one->{p} - 16), '<', 1e-6, 'in each of several series: their number');
    my ($drifting) = @{ changes(\@values, together => 0.6) };
    cmp_ok($drifting->{p}, '>', $one->{p}, 'larger where other tests of these runs drift');
    my @drifts = map {
        my $phase = $_;
        [ map { sin($_ / 5 + $phase) } 1 .. 20 ]
    } 1 .. 4;
    cmp_ok(dependence_together(@drifts), '>', 0.8, 'the correlation of series that drift');
    is(dependence_together(map { [ quiet(20) ] } 1 .. 4), 0, 'nor of others');
    is(dependence_together([ 1, 9, 8, 7, 6, 5 ]), 0, 'of short ones it is not known');
    my @slow = map { 100 + 5 * sin $_ / 4 } 1 .. 40;
    is_deeply(places(@slow), [], 'slow drift is no change of level');
};
done_testing;
