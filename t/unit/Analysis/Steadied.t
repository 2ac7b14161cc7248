# SPDX-License-Identifier: GPL-2.0-or-later
# A machine whose level moves, and a test that follows it with a known power.
use strict;
use warnings;
use Test::More;
use List::Util                     qw(sum);
use Scalar::Util                   qw(refaddr);
use SpawnMeter::Analysis::Steadied qw(covariates points packed unpacked coefficients
    steadied_rates mean_state error_between);
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
    my @once = passes(60, 1, $moves, 0.1);
    pop @{ $_->{results}[0]{references} } for @once;
    is(coefficients([ [ points_of(@once) ] ], 'sparse_faults')->[0]{b},
        1, 'one reading for each pass: its noise is not known, so 1');
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
    push @passes, { %{ $passes[0] }, status => 'failed' }, { %{ $passes[0] }, results => [] },
        { %{ $passes[0] }, results => [ { references => [ {}, { sparse_faults => 3e5 } ] } ] };
    is(scalar keys %{ covariates(\@passes, 'sparse_faults') }, 10, 'none of a pass without');
    my @two =
        map { ($_, { %{$_}, test => 'vfork' }) } passes(10, 1, sub { $_[0] == 5 ? -3 : 0 }, 0);
    my $smooth = covariates(\@two, 'sparse_faults');
    cmp_ok(abs($smooth->{ refaddr $two[0] }[0] - log 3e5), '<', 1e-9, 'a median of neighbours');
};

# Passes with pauses, at these levels in every other pause and in those between
sub with_pauses {
    my (@levels) = @_;
    return map {
        my @within = map { { page_faults => exp $_, sparse_faults => exp $_ - 0.2 } } @{$_};
        { status => 'ok', rate => 1, results => [ @within ? { within => \@within } : {} ] }
    } @levels;
}

# [before, after, how far the loops are apart] of each pass, rounded
sub within_of {
    my $of = covariates(\@_, 'within');
    return map {
        my $levels = $of->{ refaddr $_ };
        $levels ? join q{ }, map { sprintf '%.2f', $_ } @{$levels} : '-'
    } @_;
}

subtest 'covariates of passes with pauses' => sub {
    is_deeply(
        [ within_of(with_pauses([ 1, 2 ], [], [ 3, 4 ])) ],
        [ '0.90 1.90 -0.20', '-', '2.90 3.90 -0.20' ],
        'its own readings, and none of a pass without'
    );
    my ($failed) = with_pauses([ 5, 5 ]);
    is((within_of({ %{$failed}, status => 'failed' }))[0], '-', 'failed passes do not count');
};

subtest 'a machine that moves within the passes' => sub {
    my @passes = map {
        my $at = sin(1e4 * sin $_) / 10;
        my ($pass) = with_pauses([ map { $at + noise(0.02) } 1, 2 ]);
        +{ %{$pass}, at => $_, rate => 1000 * exp(0.8 * $at + noise(0.01)) }
    } 1 .. 60;
    my $points = points(\@passes, covariates(\@passes, 'within'));
    my ($by) = @{ coefficients([ [$points] ], 'within') };
    cmp_ok(abs($by->{b} - 0.8), '<', 0.1, 'the coefficient, in spite of noisy readings');
    my $spread = sub {
        my $mean = sum(@_) / @_;
        return sqrt(sum(map { ($_ - $mean)**2 } @_) / @_);
    };
    my $raw = $spread->(map { $_->{y} } @{$points});
    my $left = $spread->(map { log } @{ steadied_rates($points, $by->{b}, 0) });
    cmp_ok($left, '<', $raw / 2, 'and less than half of the movement is left');
};

subtest 'points' => sub {
    my @passes = passes(10, 1, sub { $_[0] / 100 }, 0.01);
    $_->{page_faults} = 6e5 for map { @{ $_->{results}[0]{references} } } @passes;
    my $points = points(\@passes, covariates(\@passes, 'faults'));
    is(scalar @{$points}, 10, 'of each pass');
    cmp_ok(abs($points->[4]{contrast} - log(0.5) - 0.05), '<', 0.03, 'how far the loops are apart');
    is_deeply(unpacked(packed($points)), $points, 'packed and unpacked');
    my @other = ({ %{ $passes[0] }, results => [] }, $passes[3]);
    is(scalar @{ points(\@other, covariates(\@passes, 'faults')) }, 1, 'not of other passes');
};

subtest 'the error of a difference between two states' => sub {
    my @points = map { { x => $_, contrast => 1 - $_ } } 2, 4;
    is_deeply(mean_state(\@points), { x => 3, contrast => -2 }, 'a state: means');
    my $near = sub { cmp_ok(abs($_[0] - $_[1]), '<', 1e-9, $_[2]) };
    my $of = { error => 0.2 };
    my @states =
        ({ x => 0, contrast => 0 }, { x => -0.5, contrast => 0 }, { x => 0, contrast => 0.1 });
    $near->(error_between($of, @states[ 0, 0 ]), 0, 'the same one');
    $near->(error_between($of, @states[ 0, 1 ]), 0.1, 'by the coefficient');
    $near->(error_between($of, @states[ 2, 0 ]), 0.025, 'by what each loop counts for');
    my $both = { x => -0.5, contrast => 0.4 };
    $near->(error_between($of, $states[0], $both), sqrt(0.1**2 + 0.1**2), 'by both');
};

done_testing;
