# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Serial qw(series correlation combined effective);

sub passes {
    my (@rates) = @_;
    return [ map { { rate => $rates[$_], at => 2 * $_ } } 0 .. $#rates ];
}

sub series_of { my ($passes) = @_; return series($passes, $passes) }

subtest 'a series' => sub {
    my $passes = passes(5, 6, 7, 8);
    my $series = series($passes, [ @{$passes}[ 3, 0, 2 ] ]);
    is_deeply($series->{values}, [ 5, 7, 8 ], 'in order of time');
    is_deeply($series->{times}, [ 0, 4, 6 ], 'with gaps where passes do not count');
    my @untimed = map { { rate => $_ } } 5 .. 8;
    is_deeply(
        series(\@untimed, [ @untimed[ 0, 3 ] ])->{times},
        [ 0, 3 ],
        'without times their numbers'
    );
};

subtest 'correlation of neighbours' => sub {
    my $slow = correlation(series_of(passes(1 .. 20)));
    cmp_ok($slow->{r}, '>', 0.9, 'a slow drift');
    is($slow->{gap}, 2, 'distance of neighbours');
    cmp_ok(correlation(series_of(passes((1, 2) x 10)))->{r}, '<', -0.8, 'alternating');
    is(correlation(series_of(passes((3) x 20)))->{r}, 0, 'equal values');
    is(correlation(series_of(passes(1 .. 5))), undef, 'under six values');
    my $outlier = correlation(series_of(passes(1 .. 19, 1e9)));
    is(sprintf('%.3f', $outlier->{r}), sprintf('%.3f', $slow->{r}), 'an outlier changes nothing');

    # two halves of a drift with a long gap between them, across which nothing is compared
    my $all = passes(map { $_ % 2 ? 1 : 9 } 1 .. 20);
    my @halves = @{$all}[ 0 .. 6, 13 .. 19 ];
    my $joined = correlation(series($all, \@halves));
    cmp_ok($joined->{r}, '<', -0.8, 'no pair across a gap');
    is($joined->{gap}, 2, 'nor is the gap counted');
};

subtest 'several tests together' => sub {
    my @all = map { { r => $_, n => 20, gap => 2 } } 0.3, 0.4, 0.5, 0.4;
    cmp_ok(abs(combined($all[0], \@all)->{r} - 0.4),
        '<', 1e-9, 'differences that chance explains: the mean');
    my @apart = map { { r => $_, n => 20, gap => 2 } } -0.5, 0.9, 0.8, -0.6;
    cmp_ok(combined($apart[1], \@apart)->{r}, '>', 0.6, 'others: nearly their own');
    is(combined($all[0], [ $all[0] ]), $all[0], 'a test by itself');
    is(combined(undef, \@all), undef, 'of an unknown one');
};

subtest 'the effective number' => sub {
    my $series = { times => [ map { 2 * $_ } 1 .. 1000 ] };
    my $at =
        sub { my ($r, $margin) = @_; return effective($series, { r => $r, gap => 2 }, $margin) };
    is($at->(0, 0), 1000, 'of independent values');
    is($at->(-0.5, 0), 1000, 'a negative correlation gives no credit');
    cmp_ok(abs($at->(0.5, 0) - 1000 / 3), '<', 2, 'AR(1): n (1 - r) / (1 + r)');
    cmp_ok($at->(0.5, 1), '<', $at->(0.5, 0), 'with a margin they are fewer');
    my $sparse = { times => [ map { 20 * $_ } 1 .. 1000 ] };
    cmp_ok(effective($sparse, { r => 0.5, gap => 2 }, 0),
        '>', 990, 'passes ten times as far apart are nearly independent');
    is(effective($series, undef, 1), 1000, 'of an unknown correlation');
};
done_testing;
