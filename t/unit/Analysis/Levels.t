# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 'bench';
use Test::More;
use Simulation                   qw(normal);
use SpawnMeter::Analysis::Levels qw(levels possible doubtful);
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(7);

# 60 of 100 passes at a low level, in an order without pattern
sub mixed {
    my ($low, $high, $spread) = @_;
    return map {
        my $level = $_ * 7 % 20 < 12 ? $low : $high;
        $level * (1 + $spread * normal($random))
    } 1 .. 40;
}

subtest 'two levels' => sub {
    my $levels = levels(mixed(24_100, 33_900, 0.02));
    is(scalar @{ $levels || [] }, 2, 'are found') or return;
    is_deeply(
        [ map { sprintf '%.2f', $_->{share} } @{$levels} ],
        [ '0.60', '0.40' ],
        'their shares'
    );
    cmp_ok(abs($levels->[0]{rate} / 24_100 - 1), '<', 0.02, 'the lower one');
    cmp_ok(abs($levels->[1]{rate} / 33_900 - 1), '<', 0.02, 'the higher one');
};

subtest 'no two levels' => sub {
    is(levels(mixed(1000, 1000, 0.03)), undef, 'one level');
    is(levels(mixed(1000, 1010, 0.001)), undef, 'levels within 3 %');
    is(levels((1000) x 38, 2000, 2000), undef, 'two outliers');
    is(levels(map { 1000 + 10 * $_ } 1 .. 40), undef, 'a drift');
    is(levels(map { exp(-$_ / 20) } map { -10 * log(1 - $_ * 17 % 41 / 41) } 1 .. 40),
        undef, 'a skewed distribution');
    is(levels((1000) x 40), undef, 'equal values');
    is(levels(1000, 2000, 1000, 2000), undef, 'too few values');
};

# Simulated passes at two levels, each in half of them on average, 4 standard deviations apart
my @HIDDEN = qw(1086 1089 1012 1097 923 977 969 991 1052 934 968 933 976 978 985
    943 1079 990 947 914 1004 920 958 992 1096 1107 918 971 1039 946
    987 1051 927 911 977 951 1045 976 914);

subtest 'levels that are possible' => sub {
    is(levels(@HIDDEN), undef, 'levels of which few passes are at one: not reported');
    ok(possible(@HIDDEN), 'but possible');
    ok(possible(mixed(24_100, 33_900, 0.02)), 'those that are reported are possible');
    ok(!possible(map { 1000 + 10 * $_ } 1 .. 40), 'a drift');
    ok(!possible((1000) x 40), 'equal values');
    ok(!possible(map { 1000 + $_ * 7 % 41 } 1 .. 41), 'one level');
};

subtest 'levels that more values would decide about' => sub {
    my @near = mixed(1000, 1120, 0.03);
    ok(!doubtful(@near[ 0 .. 7 ]), 'too few values');
    my @doubts = grep { doubtful(@near[ 0 .. $_ - 1 ]) } 9 .. 40;
    ok(scalar(@doubts), 'some of the values do not decide');
    ok(levels(@near), 'all of them do');
    ok(!doubtful(mixed(24_100, 33_900, 0.02)), 'levels that are certain');
    ok(!doubtful(map { 1000 + 10 * $_ } 1 .. 40), 'a drift');
    ok(!doubtful((1000) x 40), 'equal values');
    my @close = mixed(1000, 1015, 0.0035);
    ok(!(grep { doubtful(@close[ 0 .. $_ - 1 ]) } 9 .. 40), 'levels too close to be reported');
};
done_testing;
