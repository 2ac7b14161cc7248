# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Numbers;

# Statistics of samples, and what the statistical model (t/model/model.py) is made of.  Pure
# functions, of values in any order unless said; undef, or an empty list, where they are too few.
#
#   mean, median, geometric_mean (values) -> number
#   around(logarithm, half of its interval) -> (value, low, high)
#   disturbed_z(least deviation, values or undef) -> for each value, in order, how many standard
#       deviations it is above the undisturbed level; 0 where it, or all but two are unknown
#   trimmed(values) -> (mean of the values without those at either end, [values in the order
#       given, those of the ends replaced by the nearest that is left], share that is left)
#   lag1(values in order of time) -> correlation of neighbours, corrected for its bias; 0
#       under 6 values and where they are equal
#   t_quantile(p two-sided, degrees of freedom) -> the t that is exceeded, in either
#       direction, with this probability

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(mean median geometric_mean around disturbed_z trimmed lag1
    t_quantile CONSTANT MOST);

use constant {
    TRIM         => 0.05,     # share of the values at either end, one at least
    UNCUT        => 10,       # values, below which none is cut
    FEWEST       => 6,        # values that have a correlation
    FEWEST_KNOWN => 3,        # values, to compare one with the others
    MOST         => 0.95,     # correlation
    CONSTANT     => 1e-18,    # variance, or sum of squares, below which values are equal
    FINE         => 0.5,      # width of a part of an integral, in standard deviations, at most
    NOTHING      => 30,       # logarithm: so much less than its largest value is a density of 0
    CLOSE        => 1e-9,     # a step of Newton's method that ends it
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
    my @s = sort { $a <=> $b } grep { defined } @values;
    return (0) x @values if @s < FEWEST_KNOWN;
    my @lower = @s[ 0 .. $#s / 2 ];
    my $middle = median(@lower);
    my $sigma = max($least, median(map { abs $_ - $middle } @lower) / 0.399);
    my $level = $middle + 0.674 * $sigma;
    return map { defined $_ ? ($_ - $level) / $sigma : 0 } @values;
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

# ---- Student's distribution ----
#
# With t = sqrt(degrees of freedom) sinh(u) the density of u is proportional to
# cosh(u) ** -degrees, and its tail is convex: Newton's method comes near from below.

my %known_quantile;

sub t_quantile {
    my ($p, $degrees) = @_;
    return $known_quantile{"$p $degrees"} ||= found_quantile($p, $degrees);
}

sub found_quantile {
    my ($p, $degrees) = @_;
    my $far = exp(NOTHING / $degrees);
    my $whole = area($degrees, 0, log($far + sqrt($far**2 - 1)));
    my ($u, $tail, $step) = (0, $whole, 1);
    while ($step > CLOSE) {
        $step = ($tail - $p * $whole) / density($degrees, $u);
        $tail -= area($degrees, $u, $step);
        $u    += $step;
    }
    return sqrt($degrees) * (exp($u) - exp -$u) / 2;
}

sub density {
    my ($degrees, $u) = @_;
    return ((exp($u) + exp -$u) / 2)**-$degrees;
}

# The points of a part, from its middle in halves of its width, and their weights (Gauss)
my @POINTS = (
    [ -0.906179845938664, 0.236926885056189 ],
    [ -0.538469310105683, 0.478628670499366 ],
    [ 0, 0.568888888888889 ],
    [ 0.538469310105683, 0.478628670499366 ],
    [ 0.906179845938664, 0.236926885056189 ],
);

# The integral of the density
sub area {
    my ($degrees, $from, $width) = @_;
    my $parts = 1 + int $width * sqrt($degrees) / FINE;
    my $half = $width / $parts / 2;
    my $sum = 0;
    for my $part (1 .. $parts) {
        my $middle = $from + (2 * $part - 1) * $half;
        $sum += $_->[1] * density($degrees, $middle + $_->[0] * $half) for @POINTS;
    }
    return $sum * $half;
}

1;
