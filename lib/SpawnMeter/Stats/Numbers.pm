# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Numbers;

# Statistics of samples, and what the statistical model (t/model/model.py) is made of.  Pure
# functions of lists of numbers in any order; undef, or an empty list, where they are too few.
#
#   mean, median, geometric_mean (values) -> number
#   mad(values) -> median absolute deviation from the median, unscaled
#   quantile(share, values) -> number
#   interval(values) -> (low, high): 95 % interval of the median; empty under 6 values
#   outliers(values) -> 1 or 0 for each value, in order
#   disturbed_z(least deviation, values) -> for each value, in order, how many standard
#       deviations it is above the undisturbed level
#   trimmed(values) -> (mean of the values without those at either end, [values in the order
#       given, those of the ends replaced by the nearest that is left], share that is left)
#   lag1(values in order of time) -> correlation of neighbours, corrected for its bias; 0
#       under 6 values and where they are equal

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(mean median geometric_mean mad quantile interval outliers disturbed_z
    trimmed lag1 CONSTANT MOST);

use constant {
    TRIM     => 0.05,     # share of the values at either end, one at least
    UNCUT    => 10,       # values, below which none is cut
    FEWEST   => 6,        # values that have a correlation
    MOST     => 0.95,     # correlation
    CONSTANT => 1e-18,    # variance, or sum of squares, below which values are equal

    # hyperfine's rule (after Iglewicz and Hoaglin, 1993): |x - median| / MAD > 14.8
    OUTLIER_DISTANCE => 14.8,
};

sub sorted {
    return sort { $a <=> $b } @_;
}

sub mean { return @_ ? sum(@_) / @_ : undef }

sub median { return quantile(0.5, @_) }

# Linear between order statistics, as most tools do
sub quantile {
    my ($share, @values) = @_;
    return if !@values;
    my @s = sorted(@values);
    my $at = $share * $#s;
    my $i = int $at;
    return $s[$i] if $i == $#s;
    return $s[$i] + ($at - $i) * ($s[ $i + 1 ] - $s[$i]);
}

sub mad {
    my @values = @_;
    return if !@values;
    my $middle = median(@values);
    return median(map { abs $_ - $middle } @values);
}

# Rank k (from 1) such that the interval from the k-th smallest to the k-th
# largest value covers the median with probability at least $level: the largest
# k with 2 P(B <= k-1) <= 1 - level, B binomial (n, 1/2).  0: no such rank.
# Source: Conover, Practical Nonparametric Statistics, confidence interval for
# a quantile; recommended for benchmarks by Hoefler and Belli, SC15.
{
    my %rank;

    sub interval_rank {
        my ($n, $level) = @_;
        return $rank{"$n $level"} if defined $rank{"$n $level"};
        my ($k, $below, $log) = (0, 0, -$n * log 2);
        for my $i (0 .. $n) {
            $below += exp $log;
            last if 2 * $below > 1 - $level;
            $k = $i + 1;
            $log += log(($n - $i) / ($i + 1)) if $i < $n;
        }
        return $rank{"$n $level"} = $k;
    }
}

sub interval {
    my @s = sorted(@_);
    my $k = interval_rank(scalar @s, 0.95);
    return if $k == 0;
    return ($s[ $k - 1 ], $s[ @s - $k ]);
}

# undef if any value is not above 0
sub geometric_mean {
    my @values = @_;
    return if !@values || min(@values) <= 0;
    return exp(sum(map { log } @values) / @values);
}

sub outliers {
    my @values = @_;
    my ($middle, $mad) = (median(@values), mad(@values));
    return map { $mad > 0 && abs($_ - $middle) / $mad > OUTLIER_DISTANCE ? 1 : 0 } @values;
}

# Disturbance only adds to a value, and up to half of the values may be disturbed: level and
# deviation are those of the lower half.  For a normal distribution the median of that half
# is 0.674 sigma under the median, and the MAD within it is 0.399 sigma.  A deviation below
# the least one (in the values' unit) is taken for that.
sub disturbed_z {
    my ($least, @values) = @_;
    return if !@values;
    my @s = sorted(@values);
    my @lower = @s[ 0 .. $#s / 2 ];
    my $sigma = max($least, mad(@lower) / 0.399);
    my $level = median(@lower) + 0.674 * $sigma;
    return map { $sigma > 0 ? ($_ - $level) / $sigma : 0 } @values;
}

sub trimmed {
    my (@values) = @_;
    my @s = sorted(@values);
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

1;
