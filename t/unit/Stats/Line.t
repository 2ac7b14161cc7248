# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Stats::Estimate qw(line);

# Points with an error of 1 % and 8 degrees of freedom
sub line_through {
    my (@xy) = @_;
    return
        scalar line([ map { { x => $_->[0], y => $_->[1], se => $_->[1] / 100, df => 8 } } @xy ]);
}

subtest 'an exact line' => sub {
    my $line = line_through(map { [ $_, 5 + 3 * $_ ] } 0, 1, 2, 10);
    my %expected = (slope => 3, intercept => 5, r2 => 1);
    is(sprintf('%.9f', $line->{$_}), sprintf('%.9f', $expected{$_}), $_) for sort keys %expected;
    cmp_ok($line->{low}, '<', 3, 'its interval is that of the errors');
    cmp_ok($line->{high}, '>', 3, 'on either side');
};

subtest 'points that their errors do not explain' => sub {
    my $good = line_through(map { [ $_, 5 + 3 * $_ ] } 0 .. 8);
    my $bad = line_through(map { [ $_, (5 + 3 * $_) * ($_ == 4 ? 2 : 1) ] } 0 .. 8);
    cmp_ok($bad->{high} - $bad->{low}, '>', 5 * ($good->{high} - $good->{low}), 'widen it');
    cmp_ok($bad->{low}, '<', 3, 'so that it still holds the slope');
    cmp_ok($bad->{high}, '>', 3, 'at both ends');
    cmp_ok($bad->{r2}, '<', 0.9, 'r2 shows it');
};

# Numbers from a normal distribution, by the sum of twelve
subtest 'coverage' => sub {
    srand 7;
    my $inside = 0;
    for (1 .. 400) {
        my @points = map {
            my ($y, $noise) = (5 + 3 * $_, -6);
            $noise += rand for 1 .. 12;
            { x => $_, y => $y * (1 + 0.01 * $noise), se => 0.01 * $y, df => 50 }
        } 0, 1, 4, 16, 64;
        my $line = line(\@points);
        $inside++ if $line->{low} <= 3 && $line->{high} >= 3;
    }
    cmp_ok($inside, '>=', 368, '92 % of intervals at least hold the slope (fixed seed)');
};

subtest 'where there is no line' => sub {
    is(line_through([ 1, 1 ], [ 2, 2 ]), undef, 'two values');
    is(line_through([ 4, 1 ], [ 4, 2 ], [ 4, 3 ]), undef, 'all at one x');
    is(line_through([ 1, 7 ], [ 2, 7 ], [ 3, 7 ])->{r2}, undef, 'no r2 where all times are equal');
};
done_testing;
