# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Distribution;

# Probabilities and quantiles of the distributions that tests and intervals need.  Pure
# functions.
#
#   beta_share(x, a, b) -> the share of the beta distribution up to x, 0 <= x <= 1
#   t_two_sided(t, degrees of freedom) -> P(|T| >= |t|) of Student's t
#   t_quantile(p two-sided, degrees of freedom) -> the t that is exceeded, in either
#       direction, with this probability

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);

our @EXPORT_OK = qw(beta_share t_two_sided t_quantile);

use constant {
    SMALLEST => 1e-30,    # instead of a divisor of 0
    STEPS    => 300,      # of a continued fraction, and of Newton's method, at most
    CLOSE    => 1e-12,    # the relative change that ends them
};

# The logarithm of the gamma function by Stirling's series, above 8; x > 0
sub log_gamma {
    my ($x) = @_;
    my $shift = 0;
    while ($x < 8) { $shift -= log $x++ }
    my $pi = 4 * atan2 1, 1;
    my $series = 1 / (12 * $x) - 1 / (360 * $x**3) + 1 / (1260 * $x**5);
    return $shift + ($x - 0.5) * log($x) - $x + log(2 * $pi) / 2 + $series;
}

# The continued fraction of Abramowitz and Stegun 26.5.8, evaluated by Lentz's method
sub beta_share {
    my ($x, $a, $b) = @_;
    return $x <= 0 ? 0 : 1 if $x <= 0 || $x >= 1;
    return 1 - beta_share(1 - $x, $b, $a) if $x > ($a + 1) / ($a + $b + 2);
    my ($c, $d) = (1, 1 / (1 - ($a + $b) * $x / ($a + 1) || SMALLEST));
    my $fraction = $d;
    for my $m (1 .. STEPS) {
        my $even = $m * ($b - $m) * $x / (($a + 2 * $m - 1) * ($a + 2 * $m));
        my $odd = -($a + $m) * ($a + $b + $m) * $x / (($a + 2 * $m) * ($a + 2 * $m + 1));
        my $change = 1;
        for my $term ($even, $odd) {
            $d = 1 / (1 + $term * $d || SMALLEST);
            $c = 1 + $term / $c || SMALLEST;
            $change = $c * $d;
            $fraction *= $change;
        }
        last if abs($change - 1) < CLOSE;
    }
    return beta_front($x, $a, $b) * $fraction / $a;
}

# x ** a (1 - x) ** b / B(a, b)
sub beta_front {
    my ($x, $a, $b) = @_;
    return
        exp(log_gamma($a + $b) - log_gamma($a) - log_gamma($b) + $a * log($x) + $b * log(1 - $x));
}

sub t_two_sided {
    my ($t, $degrees) = @_;
    return beta_share($degrees / ($degrees + $t * $t), $degrees / 2, 0.5);
}

{
    my %known;

    sub t_quantile {
        my ($p, $degrees) = @_;
        return $known{"$p $degrees"} ||= found_quantile($p, $degrees);
    }
}

# Newton's method for the logarithm of the probability, a concave function of that of t, whose
# derivative is -2 beta_front() / probability
sub found_quantile {
    my ($p, $degrees) = @_;
    my ($log, $step) = (0, 1);
    for (1 .. STEPS) {
        last if abs($step) < CLOSE;
        my $t = exp $log;
        my $share = t_two_sided($t, $degrees);
        my $front = beta_front($degrees / ($degrees + $t * $t), $degrees / 2, 0.5);
        $step = max(-1, min(1, log($share / $p) * $share / 2 / $front));
        $log += $step;
    }
    return exp $log;
}

1;
