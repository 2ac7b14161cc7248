package SpawnMeter::Analysis::TwoSamples;

# Two samples of one thing, before and after.  Pure functions.
#
#   ratio_interval(\@old, \@new, \%memory) -> (low, high): the 95 % bootstrap interval
#       of median(new) / median(old); empty under 6 values in either.  The memory is
#       where what follows from the old values is kept, for their next comparison
#   mann_whitney(\@old, \@new) -> p: how probable a difference of ranks as large as
#       this is between equals (two-sided); undef under 6 values in either
#
# The bootstrap of a median needs no random numbers: which order statistics become
# the median of a resample, and how often, follows from the binomial distribution
# (Maritz and Jarrett, JASA 73, 1978; Efron and Tibshirani, An Introduction to the
# Bootstrap, 1993, problem 10.7).  The interval is the percentile one.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(ratio_interval mann_whitney);

use constant {
    FEWEST => 6,
    POINTS => 32,      # the values that a median's distribution is reduced to
    RARE   => 1e-5,    # what is rarer is left out
};

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

# How probable it is that at least k of n draws fall into a share of the values
sub at_least {
    my ($n, $k, $share) = @_;
    return $share >= 1 ? 1 : 0 if $share <= 0 || $share >= 1;
    my $total = 0;
    $total += exp(log_choose($n, $_) + $_ * log($share) + ($n - $_) * log(1 - $share)) for $k .. $n;
    return min(1, $total);
}

# The weights of the medians of resamples of n values: [ i, j, weight ], the mean of
# the i-th and the j-th value (from 0) in order
{
    my %known;

    sub weights {
        my ($n) = @_;
        return $known{$n} ||= $n % 2 ? odd_weights($n) : even_weights($n);
    }
}

sub odd_weights {
    my ($n) = @_;
    my $half = ($n + 1) / 2;
    my @up_to = map { at_least($n, $half, $_ / $n) } 0 .. $n;
    return [
        grep { $_->[2] > RARE }
        map  { [ $_, $_, $up_to[ $_ + 1 ] - $up_to[$_] ] } 0 .. $n - 1
    ];
}

# The two values in the middle: i is the largest of the lower half, j the smallest
# of the upper one
sub even_weights {
    my ($n) = @_;
    my $half = $n / 2;
    my $ways = log_choose($n, $half);
    my $power = sub { my ($x) = @_; return ($x / $n)**$half };
    my @up_to = map { at_least($n, $half, $_ / $n) } 0 .. $n;
    my @weights;
    for my $i (0 .. $n - 1) {
        my $lower = $power->($i + 1) - $power->($i);
        my $apart = 0;
        for my $j ($i + 1 .. $n - 1) {
            my $w = exp($ways) * $lower * ($power->($n - $j) - $power->($n - $j - 1));
            $apart += $w;
            push @weights, [ $i, $j, $w ] if $w > RARE;
        }
        my $same = $up_to[ $i + 1 ] - $up_to[$i] - $apart;
        push @weights, [ $i, $i, $same ] if $same > RARE;
    }
    return \@weights;
}

# The distribution of the median of resamples: [ value, weight ] in order
sub medians {
    my (@values) = @_;
    my @s = sort { $a <=> $b } @values;
    my @points = sort { $a->[0] <=> $b->[0] }
        map { [ ($s[ $_->[0] ] + $s[ $_->[1] ]) / 2, $_->[2] ] } @{ weights(scalar @s) };
    return @points <= POINTS ? @points : reduced(@points);
}

# Neighbours joined, so that few points of about equal weight are left
sub reduced {
    my (@points) = @_;
    my $most = sum(map { $_->[1] } @points) / POINTS;
    my @few;
    for my $p (@points) {
        my $last = $few[-1];
        if (!$last || $last->[1] + $p->[1] > $most) { push @few, [ @{$p} ]; next }
        my $weight = $last->[1] + $p->[1];
        @{$last} = (($last->[0] * $last->[1] + $p->[0] * $p->[1]) / $weight, $weight);
    }
    return @few;
}

sub ratio_interval {
    my ($old, $new, $memory) = @_;
    return if @{$old} < FEWEST || @{$new} < FEWEST || min(@{$old}) <= 0;
    my $below = ($memory ||= {})->{medians} ||= [ medians(@{$old}) ];
    my $above = [ medians(@{$new}) ];
    my @ends = ($above->[0][0] / $below->[-1][0], $above->[-1][0] / $below->[0][0]);
    return map { quantile_of_ratio($_, $above, $below, @ends) } 0.025, 0.975;
}

# Where the probability that above/below is no larger reaches the share: the range is
# halved until it is as narrow as a millionth
sub quantile_of_ratio {
    my ($share, $above, $below, $low, $high) = @_;
    my $all = sum(map { $_->[1] } @{$above}) * sum(map { $_->[1] } @{$below});
    while ($high - $low > 1e-6 * $high) {
        my $middle = ($low + $high) / 2;
        if   (no_larger($middle * (1 + 1e-12), $above, $below) < $share * $all) { $low = $middle }
        else                                                                    { $high = $middle }
    }
    return $high;
}

# Both are in order, so the values of `below` that are too small for the ratio only
# get more
sub no_larger {
    my ($ratio, $above, $below) = @_;
    my ($i, $left) = (0, sum(map { $_->[1] } @{$below}));
    my $total = 0;
    for my $point (@{$above}) {
        my $least = $point->[0] / $ratio;
        while ($i < @{$below} && $below->[$i][0] < $least) { $left -= $below->[ $i++ ][1] }
        last if $i == @{$below};
        $total += $point->[1] * $left;
    }
    return $total;
}

# By the normal approximation, with the correction for ties and for continuity
# (Conover, Practical Nonparametric Statistics); good from some 8 values on
sub mann_whitney {
    my ($old, $new) = @_;
    my ($m, $n) = (scalar @{$old}, scalar @{$new});
    return if $m < FEWEST || $n < FEWEST;

    # u: in how many pairs the new value is the larger; equal ones count a half
    my %times;
    my $u = 0;
    my @x = sort { $a <=> $b } @{$old};
    my @y = sort { $a <=> $b } @{$new};
    $times{$_}++ for @x, @y;
    my ($below, $equal) = (0, 0);
    for my $value (@y) {
        $below++ while $below < $m && $x[$below] < $value;
        $equal = $below if $equal < $below;
        $equal++ while $equal < $m && $x[$equal] == $value;
        $u += ($below + $equal) / 2;
    }
    my $ties = sum(0, map { $_**3 - $_ } grep { $_ > 1 } values %times);
    my $total = $m + $n;
    my $variance = $m * $n / 12 * ($total + 1 - $ties / ($total * ($total - 1)));
    return 1 if $variance <= 0;
    my $z = max(0, abs($u - $m * $n / 2) - 0.5) / sqrt $variance;
    return min(1, 2 * upper_tail($z));
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
