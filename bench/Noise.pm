# SPDX-License-Identifier: GPL-2.0-or-later
package Noise;

# The kinds of noise of simulated runs.
#
#   NOISES() -> [ { name, words => with the truth that is meant, draw => sub (random, number
#       of the test) -> sub (number of the pass) -> a value whose standard deviation is 1,
#       center => trimmed mean of these values, 0 by default } ]
#   normal(random) -> a number

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Stats::Numbers qw(below);

our @EXPORT_OK = qw(NOISES normal);

use constant { MILLION => 1_000_000, PASSES => 35 };    # that fit into a run

sub uniform { my ($random) = @_; return (below($random, MILLION) + 0.5) / MILLION }

# By Box and Muller
sub normal {
    my ($random) = @_;
    my $angle = 8 * atan2(1, 1) * uniform($random);
    return sqrt(-2 * log uniform($random)) * cos $angle;
}

sub ar1 {
    my ($memory) = @_;
    return sub {
        my ($random) = @_;
        my $noise = normal($random);
        return sub {
            my $now = $noise;
            $noise = $memory * $noise + sqrt(1 - $memory**2) * normal($random);
            return $now;
        };
    };
}

sub independent {
    my ($draw) = @_;
    return sub {
        my ($random) = @_;
        return sub { return $draw->($random) }
    };
}

# One period in the passes that fit into a run, and as much independent noise

sub sine {
    my ($random, $test) = @_;
    my $phase = uniform($random);
    return sub {
        my ($number) = @_;
        my $angle = 8 * atan2(1, 1) * ($phase + $number / PASSES);
        return sin($angle) + normal($random) / sqrt 2;
    };
}

# Student's t with 3 degrees of freedom, scaled to a standard deviation of 1
sub heavy_tailed {
    my ($random) = @_;
    my $squares = 0;
    $squares += normal($random)**2 for 1 .. 3;
    return normal($random) / sqrt $squares;
}

# Two levels, so many standard deviations of a level apart, the spread being that of a level
sub two_levels {
    my ($apart, $share) = @_;
    return independent(sub {
        my ($random) = @_;
        return normal($random) + $apart * (uniform($random) < $share ? -0.5 : 0.5);
    });
}

# Half of the variance is a drift that all tests of a run have in common
my ($drift, @drifted);

sub common_drift {
    my ($random, $test) = @_;
    ($drift, @drifted) = ar1(0.8)->($random) if $test == 0;
    return sub {
        my ($number) = @_;
        push @drifted, $drift->() while @drifted <= $number;
        return sqrt(0.5) * ($drifted[$number] + normal($random));
    };
}

# words: with the truth that is meant; draw: sub (random, number of the test) -> sub (number
# of the pass) -> a value whose standard deviation is 1; center: trimmed mean of these values
my @NOISES = (
    { name => 'normal', words => 'independent, normal; the center', draw => independent(\&normal) },
    {
        name   => 'skewed',
        words  => 'independent delays, exponential; the center',
        draw   => independent(sub { return log(2) + log uniform($_[0]) }),
        center => -0.22,    # log 2 + the mean of -Exp(1) without 3 % at either end
    },
    {
        name  => 'heavy',
        words => 'independent, Student\'s t with 3 degrees; the center',
        draw  => independent(\&heavy_tailed),
    },
    {
        name  => 'sine',
        words => 'a sine of one period a run, and noise; its mean over the period',
        draw  => \&sine,
    },
    { name => 'ar0.3', words => 'AR(1), 0.3; the center', draw => ar1(0.3) },
    { name => 'ar0.5', words => 'AR(1), 0.5; the center', draw => ar1(0.5) },
    { name => 'ar0.7', words => 'AR(1), 0.7; the center', draw => ar1(0.7) },
    {
        name  => 'common',
        words => 'half drift of all tests, AR(1) 0.8; the center',
        draw  => \&common_drift,
    },
    {
        name   => '60:40',
        words  => 'two levels, 60:40, 5 standard deviations apart; the center',
        draw   => two_levels(5, 0.6),
        center => -0.5,
    },
    {
        name  => '50:50',
        words => 'two levels, 50:50, 5 standard deviations apart; their center',
        draw  => two_levels(5, 0.5)
    },
    {
        name   => '60:40, 4',
        words  => 'two levels, 60:40, 4 standard deviations apart; the center',
        draw   => two_levels(4, 0.6),
        center => -0.4,
    },
    {
        name  => '50:50, 4',
        words => 'two levels, 50:50, 4 standard deviations apart; their center',
        draw  => two_levels(4, 0.5)
    },
);
sub NOISES { return \@NOISES }

1;
