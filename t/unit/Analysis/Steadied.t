# SPDX-License-Identifier: GPL-2.0-or-later
# A machine whose level moves, and a test that follows it with a known power.
use strict;
use warnings;
use Test::More;
use Scalar::Util                   qw(refaddr);
use SpawnMeter::Analysis::Steadied qw(covariates points coefficients steadied_rates);
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(7);

# Nearly normal, with this standard deviation
sub noise {
    my ($deviation) = @_;
    my $sum = -6;
    $sum += $random->below(1_000_001) / 1e6 for 1 .. 12;
    return $deviation * $sum;
}

# Passes of a run: level(i) is the logarithm of the machine's speed, noise that of a reading
sub passes {
    my ($count, $power, $level, $noise) = @_;
    return map {
        my $at = $level->($_);
        my @read = map { { sparse_faults => 3e5 * exp($at + noise($noise)) } } 1 .. 2;
        {
            test    => 'fork',
            status  => 'ok',
            at      => 2 * $_,
            rate    => 9000 * exp($power * $at + noise(0.01)),
            results => [ { references => \@read } ],
        }
    } 1 .. $count;
}

sub points_of { my (@passes) = @_; return points(\@passes, covariates(\@passes, 'sparse_faults')) }

subtest 'the coefficient' => sub {
    my $moves = sub { return 0.15 * sin($_[0] / 8) };
    for my $power (0.7, 1, 1.3) {
        my $found =
            coefficients([ [ points_of(passes(60, $power, $moves, 0.04)) ] ], 'sparse_faults')->[0];
        cmp_ok(abs($found->{b} - $power), '<', 0.15, "power $power, in spite of noisy readings");
        cmp_ok($found->{error}, '<', 0.15, 'and its error is small');
    }
    my $still =
        coefficients([ [ points_of(passes(60, 2, sub { 0 }, 0.04)) ] ], 'sparse_faults')->[0];
    cmp_ok(abs($still->{b} - 1), '<', 0.2, 'a machine that does not move says nothing: about 1');
    cmp_ok($still->{error}, '>', 0.15, 'and the error is large');
    my $none = coefficients([ [ [] ] ], 'sparse_faults')->[0];
    is($none->{b}, 1, 'no points: what is known beforehand');
};

subtest 'steadied rates' => sub {
    my @points = map { { y => log(1000) + $_ / 10, x => $_ / 10 } } -2 .. 2;
    my $rates = steadied_rates(\@points, 1, 0);
    ok(!(grep { abs($_ - 1000) > 1e-6 } @{$rates}), 'all of the movement is taken out');
    is_deeply(
        [ map { sprintf '%.0f', $_ } @{ steadied_rates(\@points, 0, 0) } ],
        [qw(819 905 1000 1105 1221)],
        'none of it with a coefficient of 0'
    );
};

subtest 'covariates' => sub {
    my @passes = passes(10, 1, sub { $_[0] / 100 }, 0);
    my $of = covariates(\@passes, 'sparse_faults');
    is(scalar keys %{$of}, 10, 'of each pass');
    is(scalar keys %{ covariates(\@passes, 'arithmetic') }, 0, 'none of a loop that did not run');
    push @passes, { %{ $passes[0] }, status => 'failed' }, { %{ $passes[0] }, results => [] };
    is(scalar keys %{ covariates(\@passes, 'sparse_faults') }, 10, 'none of a pass without');
    my @two =
        map { ($_, { %{$_}, test => 'vfork' }) } passes(10, 1, sub { $_[0] == 5 ? -3 : 0 }, 0);
    my $smooth = covariates(\@two, 'sparse_faults');
    cmp_ok(abs($smooth->{ refaddr $two[0] }[0] - log 3e5), '<', 1e-9, 'a median of neighbours');
};

done_testing;
