# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Numbers;

# Statistics of samples, and what the statistical model (t/model/model.py) is made of.  Pure
# functions, of values in any order unless said; undef, or an empty list, where they are too few.
#
#   mean, median, geometric_mean (values) -> number
#   around(logarithm, half of its interval) -> (value, low, high)
#   disturbed_z(least deviation, values) -> for each value, in order, how many standard
#       deviations it is above the undisturbed level
#   trimmed(values) -> (mean of the values without those at either end, [values in the order
#       given, those of the ends replaced by the nearest that is left], share that is left)
#   lag1(values in order of time) -> correlation of neighbours, corrected for its bias; 0
#       under 6 values and where they are equal
#   beta_share(x, a, b) -> the share of the beta distribution up to x, 0 <= x <= 1
#   t_quantile(p two-sided, degrees of freedom) -> the t that is exceeded, in either
#       direction, with this probability

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(mean median geometric_mean around disturbed_z trimmed lag1
    beta_share t_quantile CONSTANT MOST);

use constant {
    TRIM     => 0.05,     # share of the values at either end, one at least
    UNCUT    => 10,       # values, below which none is cut
    FEWEST   => 6,        # values that have a correlation
    MOST     => 0.95,     # correlation
    CONSTANT => 1e-18,    # variance, or sum of squares, below which values are equal
    SMALLEST => 1e-30,    # instead of a divisor of 0
    STEPS    => 300,      # of a continued fraction, and of Newton's method, at most
    CLOSE    => 1e-12,    # the relative change that ends them
};

sub mean { return @_ ? sum(@_) / @_ : undef }

sub median {
    my @s = sort { $a <=> $b } @_;
    return if !@s;
    my $i = int $#s / 2;
    return $s[$i] + ($s[ -1 - $i ] - $s[$i]) / 2;
}

sub around {
    my ($center, $half) = @_;
    return map { exp } $center, $center - $half, $center + $half;
}

# undef if any value is not above 0
sub geometric_mean {
    my @values = @_;
    return if !@values || min(@values) <= 0;
    return exp(sum(map { log } @values) / @values);
}

# Disturbance only adds to a value, and up to half of the values may be disturbed: level and
# deviation are those of the lower half.  For a normal distribution the median of that half
# is 0.674 sigma under the median, and the MAD within it is 0.399 sigma.  A deviation below
# the least one (in the values' unit) is taken for that.
sub disturbed_z {
    my ($least, @values) = @_;
    return if !@values;
    my @s = sort { $a <=> $b } @values;
    my @lower = @s[ 0 .. $#s / 2 ];
    my $middle = median(@lower);
    my $sigma = max($least, median(map { abs $_ - $middle } @lower) / 0.399);
    my $level = $middle + 0.674 * $sigma;
    return map { $sigma > 0 ? ($_ - $level) / $sigma : 0 } @values;
}

sub trimmed {
    my (@values) = @_;
    my @s = sort { $a <=> $b } @values;
    my $cut = @s < UNCUT ? 0 : max(1, int TRIM * @s);
    my ($low, $high) = @s[ $cut, $#s - $cut ];
    return (
        mean(@s[ $cut .. $#s - $cut ]),
        [ map { min(max($_, $low), $high) } @values ],
        (@s - 2 * $cut) / @s
    );
}

# Marriott and Pope, Biometrika 41, 1954: the expectation of r is r - (1 + 3 r) / n
sub lag1 {
    my (@values) = @_;
    my ($n, $mean) = (scalar @values, mean(@values));
    my $variance = mean(map { ($_ - $mean)**2 } @values);
    return 0 if $n < FEWEST || $variance < CONSTANT;
    my $r = mean(map { ($values[$_] - $mean) * ($values[ $_ - 1 ] - $mean) } 1 .. $#values);
    return max(-1, min(MOST, ($n * $r / $variance + 1) / ($n - 3)));
}

# ---- distributions ----

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

my %known_quantile;

sub t_quantile {
    my ($p, $degrees) = @_;
    return $known_quantile{"$p $degrees"} ||= found_quantile($p, $degrees);
}

# Newton's method for the logarithm of the probability P(|T| >= t), a concave function of that of t,
# whose derivative is -2 beta_front() / probability
sub found_quantile {
    my ($p, $degrees) = @_;
    my ($log, $step) = (0, 1);
    for (1 .. STEPS) {
        last if abs($step) < CLOSE;
        my $t = exp $log;
        my @of_t = ($degrees / ($degrees + $t * $t), $degrees / 2, 0.5);
        my $share = beta_share(@of_t);
        $step = max(-1, min(1, log($share / $p) * $share / 2 / beta_front(@of_t)));
        $log += $step;
    }
    return exp $log;
}

1;
