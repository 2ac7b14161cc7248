# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
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
