# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Numbers qw(line);

# Points with an error of 1 % and 8 degrees of freedom
sub line_through {
    my (@xy) = @_;
    return
        scalar line([ map { { x => $_->[0], y => $_->[1], se => $_->[1] / 100, df => 8 } } @xy ]);
}

subtest 'points that their errors do not explain' => sub {
    my $good = line_through(map { [ $_, 5 + 3 * $_ ] } 0 .. 8);
    my $bad = line_through(map { [ $_, (5 + 3 * $_) * ($_ == 4 ? 2 : 1) ] } 0 .. 8);
    cmp_ok($bad->{high} - $bad->{low}, '>', 5 * ($good->{high} - $good->{low}), 'widen it');
    cmp_ok($bad->{low}, '<', 3, 'so that it still holds the slope');
    cmp_ok($bad->{high}, '>', 3, 'at both ends');
    cmp_ok($bad->{r2}, '<', 0.9, 'r2 shows it');
};

subtest 'where there is no line' => sub {
    is(line_through([ 1, 1 ], [ 2, 2 ]), undef, 'two values');
    is(line_through([ 4, 1 ], [ 4, 2 ], [ 4, 3 ]), undef, 'all at one x');
    is(line_through([ 1, 7 ], [ 2, 7 ], [ 3, 7 ])->{r2}, undef, 'no r2 where all times are equal');
};
done_testing;
