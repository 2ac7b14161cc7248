# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Settling;

use constant PRECISION => 0.03;

# Adds passes with these rates to two tests in turn -> (settling, looks at the first)
sub looked {
    my (@rates) = @_;
    my $settling = SpawnMeter::Analysis::Settling->new(PRECISION);
    my @looks;
    for my $i (0 .. $#rates) {
        for my $name (qw(a b)) {
            my %pass = (
                rate    => $rates[$i],
                status  => 'ok',
                results => [],
                at      => 2 * $i + ($name eq 'b')
            );
            my $look = $settling->add($name, \%pass);
            push @looks, { %{$look}, passes => $i + 1 } if $look && $name eq 'a';
        }
    }
    return ($settling, @looks);
}

sub settled { my ($settling) = looked(@_); return $settling->settled('a') }

# Without pattern, within two thousandths
sub quiet {
    my ($n) = @_;
    return map { 1000 + $_ * 7 % 5 / 2 } 1 .. $n;
}

subtest 'looks' => sub {
    my (undef, @looks) = looked(quiet(20));
    is_deeply([ map { $_->{passes} } @looks ], [ 12, 15, 18 ], 'after 12 passes, then every 3');
    is($looks[0]{rate}, 1001, 'rate: the median');
    cmp_ok($looks[0]{plus_minus}, '<', 0.002, 'plus_minus: the larger half');
};

subtest 'settled at two looks running' => sub {
    is(settled(quiet(12)), 0, 'one good look');
    is(settled(quiet(14)), 0, 'passes between the looks');
    is(settled(quiet(15)), 1, 'two good looks');
    is(settled(quiet(17)), 1, 'and two passes more');
    my @noisy = (500, 1500) x 4;
    is(settled(@noisy, quiet(7)), 0, 'a good look after a bad one');
    is(settled(), 0, 'no passes');
    my $settling = SpawnMeter::Analysis::Settling->new(PRECISION);
    $settling->add('a', { rate => $_, status => 'ok', results => [] }) for quiet(23);
    is($settling->settled('a'), 0, 'a test by itself: under 24 passes do not show correlation');
    $settling->add('a', { rate => 1000, status => 'ok', results => [] });
    is($settling->settled('a'), 1, 'a test by itself: 24 passes');
};

# Simulated passes at two levels, each in half of them on average, 4 standard deviations apart
my @HIDDEN = qw(1086 1089 1012 1097 923 977 969 991 1052 934 968 933 976 978 985
    943 1079 990 947 914 1004 920 958 992 1096 1107 918 971 1039 946
    987 1051 927 911 977 951 1045 976 914);

subtest 'two levels' => sub {
    my (undef, @hidden) = looked(@HIDDEN);
    cmp_ok($_->{plus_minus}, '<', PRECISION, "after $_->{passes} passes the interval is narrow")
        for @hidden[ -2, -1 ];
    is($hidden[-1]{settled}, 0, 'levels of which few passes are at one');
    my @levels = map { $_ * 5 % 7 < 3 ? 1000 : 1100 } 1 .. 34;
    is(settled(@levels), 0, 'two levels do not settle');
    is(settled((1000) x 13, 1100, 1000), 0, 'nor does a pass at another one, of so few');
    is(settled((quiet(16), 1100) x 2, quiet(8)), 1, 'two of forty passes can be strays');
};

subtest 'flagged passes' => sub {
    my $settling = SpawnMeter::Analysis::Settling->new(PRECISION);
    my $n = 0;
    for my $rate (quiet(30)) {
        my %pass = (rate => $rate, status => 'ok', results => [], at => ++$n);
        $pass{machine} = { steal => 0.1 } if $n <= 6;
        $pass{rate} = 500 if $n <= 6;
        $settling->add('a', \%pass);
    }
    is($settling->settled('a'), 1, 'are left out');
};
done_testing;
