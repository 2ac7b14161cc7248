# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::TwoSamples;

# Two samples of the same quantity, old and new: how far apart are they?  Pure functions
# of lists of numbers.
#
#   ratio_interval(\@old, \@new, \%memory) -> (low, high): the 95 % bootstrap interval of
#       median(new) / median(old); empty where a sample has under 6 values or the old one a
#       value that is not above 0.  The optional memory belongs to the old sample: the
#       distribution of its medians is kept there for the next comparison
#   interval_of_intervals({ rate, low, high } of old, of new) -> (low, high) of the ratio new
#       over old, where only 95 % intervals are known: their larger halves, as logarithms, are
#       added in squares, as are those of independent errors; empty where one is unknown
#   mann_whitney(\@old, \@new) -> p: the probability of a difference of ranks at least as
#       large between samples of one distribution (two-sided); undef where a sample has
#       under 6 values
#
# The bootstrap of a median needs no random numbers: the probability of each order
# statistic to be the median of a resample follows from the binomial distribution
# (Maritz and Jarrett, JASA 73, 1978; Efron and Tibshirani, An Introduction to the
# Bootstrap, 1993, problem 10.7).  The interval is the percentile one.
#
# A distribution: { values => [in rising order], weights => [of each value],
#     from => [for each value, the weights of it and of all larger ones] }

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(ratio_interval interval_of_intervals mann_whitney);

use constant {
    FEWEST     => 6,                   # values of a sample
    POINTS     => 32,                  # values that a distribution is reduced to
    NEGLIGIBLE => 1e-5,                # order statistics with a smaller weight are left out
    ENDS       => [ 0.025, 0.975 ],    # quantiles that bound the interval
    PRECISION  => 1e-6,                # of these quantiles, as a share of them
    ROUNDING   => 1e-12,               # equal ratios differ by less than this
};

sub interval_of_intervals {
    my ($old, $new) = @_;
    my $squares = 0;
    for my $of ($old, $new) {
        return if grep { !defined || $_ <= 0 } @{$of}{qw(rate low high)};
        my $half = max(log($of->{rate} / $of->{low}), log($of->{high} / $of->{rate}));
        $squares += $half**2;
    }
    my $ratio = $new->{rate} / $old->{rate};
    return ($ratio * exp(-sqrt $squares), $ratio * exp sqrt $squares);
}

# log of n over k
{
    my @log_factorial = (0);

    sub log_choose {
        my ($n, $k) = @_;
        push @log_factorial, $log_factorial[-1] + log scalar @log_factorial
            while @log_factorial <= $n;
        return $log_factorial[$n] - $log_factorial[$k] - $log_factorial[ $n - $k ];
    }
}

# The probability that at least k of n draws fall into a share of the values
sub at_least {
    my ($n, $k, $share) = @_;
    return $share >= 1 ? 1 : 0 if $share <= 0 || $share >= 1;
    my $total = 0;
    $total += exp(log_choose($n, $_) + $_ * log($share) + ($n - $_) * log(1 - $share)) for $k .. $n;
    return min(1, $total);
}

# The medians of resamples of n values: [ { lower, upper, weight } ], where the median is
# the mean of the values with the ranks lower and upper (from 0)
{
    my %known;

    sub weights {
        my ($n) = @_;
        return $known{$n} ||= [ grep { $_->{weight} > NEGLIGIBLE } all_weights($n) ];
    }
}

sub all_weights {
    my ($n) = @_;
    return $n % 2 ? odd_weights($n) : even_weights($n);
}

# The value in the middle is one of the i smallest with the probability up_to[i]
sub odd_weights {
    my ($n) = @_;
    my $half = ($n + 1) / 2;
    my @up_to = map { at_least($n, $half, $_ / $n) } 0 .. $n;
    return
        map { { lower => $_, upper => $_, weight => $up_to[ $_ + 1 ] - $up_to[$_] } } 0 .. $n - 1;
}

# The two values in the middle: i is the largest of the lower half, j the smallest
# of the upper one
sub even_weights {
    my ($n) = @_;
    my $half = $n / 2;
    my $ways = exp log_choose($n, $half);
    my $power = sub { my ($x) = @_; return ($x / $n)**$half };
    my @up_to = map { at_least($n, $half, $_ / $n) } 0 .. $n;
    my @weights;
    for my $i (0 .. $n - 1) {
        my $below = $power->($i + 1) - $power->($i);
        my $different = 0;
        for my $j ($i + 1 .. $n - 1) {
            my $weight = $ways * $below * ($power->($n - $j) - $power->($n - $j - 1));
            $different += $weight;
            push @weights, { lower => $i, upper => $j, weight => $weight };
        }
        my $same = $up_to[ $i + 1 ] - $up_to[$i] - $different;
        push @weights, { lower => $i, upper => $i, weight => $same };
    }
    return @weights;
}

# The distribution of the medians of resamples
sub medians {
    my ($sample) = @_;
    my @s = sort { $a <=> $b } @{$sample};
    my @points = sort { $a->{value} <=> $b->{value} }
        map { { value => ($s[ $_->{lower} ] + $s[ $_->{upper} ]) / 2, weight => $_->{weight} } }
        @{ weights(scalar @s) };
    return distribution(@points <= POINTS ? @points : reduced(@points));
}

# Neighbours are joined, so that few points of about equal weight are left
sub reduced {
    my (@points) = @_;
    my $most = sum(map { $_->{weight} } @points) / POINTS;
    my @few;
    for my $point (@points) {
        my $last = $few[-1];
        my $weight = $last ? $last->{weight} + $point->{weight} : undef;
        if (!$last || $weight > $most) {
            push @few, $point;
            next;
        }
        my $sum = $last->{value} * $last->{weight} + $point->{value} * $point->{weight};
        @{$last}{qw(value weight)} = ($sum / $weight, $weight);
    }
    return @few;
}

sub distribution {
    my (@points) = @_;
    my @weights = map { $_->{weight} } @points;
    my @from = (sum(@weights));
    push @from, $from[-1] - $_ for @weights[ 0 .. $#weights - 1 ];
    return { values => [ map { $_->{value} } @points ], weights => \@weights, from => \@from };
}

sub ratio_interval {
    my ($old, $new, $memory) = @_;
    return if @{$old} < FEWEST || @{$new} < FEWEST || min(@{$old}) <= 0;
    my $below = ($memory ||= {})->{medians} ||= medians($old);
    my $above = medians($new);
    return map { quantile_of_ratio($_, $above, $below) } @{ +ENDS };
}

# The ratio that above/below does not exceed with the probability `share`, by bisection
sub quantile_of_ratio {
    my ($share, $above, $below) = @_;
    my $low = $above->{values}[0] / $below->{values}[-1];
    my $high = $above->{values}[-1] / $below->{values}[0];
    my $enough = $share * $above->{from}[0] * $below->{from}[0];
    while ($high - $low > PRECISION * $high) {
        my $middle = ($low + $high) / 2;
        if   (weight_up_to($middle * (1 + ROUNDING), $above, $below) < $enough) { $low = $middle }
        else                                                                    { $high = $middle }
    }
    return $high;
}

# The weight of all pairs whose ratio is at most this.  Both lists rise, so the search in
# `below` goes on where it ended for the value of `above` before.
sub weight_up_to {
    my ($ratio, $above, $below) = @_;
    my ($values, $from) = @{$below}{qw(values from)};
    my $weights = $above->{weights};
    my ($i, $k, $total) = (0, 0, 0);
    for my $value (@{ $above->{values} }) {
        my $least = $value / $ratio;
        $i++ while $i < @{$values} && $values->[$i] < $least;
        last if $i == @{$values};
        $total += $weights->[ $k++ ] * $from->[$i];
    }
    return $total;
}

# By the normal approximation, with the correction for ties and for continuity
# (Conover, Practical Nonparametric Statistics); accurate from about 8 values on
sub mann_whitney {
    my ($old, $new) = @_;
    my ($m, $n) = (scalar @{$old}, scalar @{$new});
    return if $m < FEWEST || $n < FEWEST;
    my %times;
    $times{$_}++ for @{$old}, @{$new};
    my $ties = sum(0, map { $_**3 - $_ } grep { $_ > 1 } values %times);
    my $total = $m + $n;
    my $variance = $m * $n / 12 * ($total + 1 - $ties / ($total * ($total - 1)));
    return 1 if $variance <= 0;
    my $distance = abs(pairs_with_larger_new($old, $new) - $m * $n / 2);
    return min(1, 2 * upper_tail(max(0, $distance - 0.5) / sqrt $variance));
}

# Equal pairs count a half
sub pairs_with_larger_new {
    my ($old, $new) = @_;
    my @x = sort { $a <=> $b } @{$old};
    my ($pairs, $below, $up_to) = (0, 0, 0);
    for my $value (sort { $a <=> $b } @{$new}) {
        $below++ while $below < @x && $x[$below] < $value;
        $up_to++ while $up_to < @x && $x[$up_to] <= $value;
        $pairs += ($below + $up_to) / 2;
    }
    return $pairs;
}

# P(Z > z) of the standard normal distribution, to 1.2e-7 of itself: the
# complementary error function by Chebyshev (Numerical Recipes, section 6.2)
sub upper_tail {
    my ($z) = @_;
    my $x = $z / sqrt 2;
    my $t = 1 / (1 + $x / 2);
    my @c = (
        -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807,
        -1.13520398, 1.48851587, -0.82215223, 0.17087277
    );
    my $sum = 0;
    $sum = $sum * $t + $_ for reverse @c;
    return $t * exp(-$x * $x + $sum) / 2;
}

1;
