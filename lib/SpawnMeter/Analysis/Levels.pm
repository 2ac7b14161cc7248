# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Levels;

# Whether rates lie at two levels, as where the kernel places parent and child on one CPU or
# on two.  A pure function.
#
#   levels(rates in order of time) -> [ { rate, share }, { rate, share } ], the lower one
#       first, or undef
#   possible(the same) -> true where one level is hardly likelier than two that lie apart like
#       those of levels(): a median of these values may be at either
#   doubtful(the same) -> true where two levels are neither far likelier than one nor the
#       contrary: more values can decide it
#
# Two normal distributions of the logarithms with one variance are fitted by expectation and
# maximization (Dempster, Laird and Rubin, JRSS B 39, 1977), and one normal distribution and
# exponential ones to either side by maximum likelihood: skewness alone is no second level.
# Two levels are reported where twice the difference of the log-likelihoods is above the 98 %
# quantile of chi squared with 2 degrees of freedom (Wolfe 1971 for mixtures), the rarer level
# has a fifth of the passes, and the levels are 3 % and 2.8 standard deviations apart.  Slow
# drift leaves values between two levels and changes sides rarely; where the values change
# sides more rarely than chance explains, the likelihood must differ by more.

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(sum min max);
use SpawnMeter::Analysis::Stats qw(median);

our @EXPORT_OK = qw(levels possible doubtful);

use constant {
    FEWEST     => 9,       # values
    ROUNDS     => 15,      # of the fit
    LIKELIER   => 7.82,    # twice the difference of the log-likelihoods
    POSSIBLE   => 3.5,     # the same, where two levels may be
    UNLIKELY   => 2,       # the same, below which more values are not expected to show them
    CLEAR      => 12,      # and above which they are not expected to change it
    LASTING    => 6,       # more, where the sides change rarely
    RARELY     => 2,       # standard deviations of the number of changes
    RARER      => 0.2,     # share of the rarer level, at least
    MAYBE      => 0.15,    # the same, where more values may change it
    APART      => 2.8,     # standard deviations
    SEEMS      => 2.4,     # the same, where more values may change it
    DIFFERENT  => 0.03,    # of the logarithms
    NEAR       => 0.8,     # times that, where more values may change it
    NARROWEST  => 1e-4,    # variance of a level as a share of that of all values
    LEAST_PART => 0.02,    # share of a level during the fit
};

my $LOG_2_PI = log(8 * atan2 1, 1);

sub levels {
    my (@rates) = @_;
    my $found = levels_apart(LIKELIER, @rates) or return;
    return [ map { level($_, scalar @rates) } parts($found->{middle}, @rates) ];
}

sub possible { my (@rates) = @_; return defined levels_apart(POSSIBLE, @rates) }

sub levels_apart {
    my ($likelier, @rates) = @_;
    my $found = compared(@rates);
    return if !$found || $found->{rarer} < RARER || $found->{difference} < DIFFERENT;
    return if $found->{apart} < APART || $found->{likelier} <= $likelier;
    return $found;
}

# Where there are two levels, more values make them clearer in most cases, and where there is one
# they make two less likely.  Looking only at the end of the doubt keeps false alarms at 2 %
# (make simulate).
sub doubtful {
    my (@rates) = @_;
    my $found = compared(@rates);
    return if !$found || $found->{rarer} < MAYBE || $found->{apart} < SEEMS;
    return if $found->{difference} < NEAR * DIFFERENT;
    return $found->{likelier} > UNLIKELY && $found->{likelier} < CLEAR;
}

# Two levels against one -> { likelier => twice the difference of the log-likelihoods, less
# what slow drift explains, rarer => share of the rarer level, apart => standard deviations,
# difference => of the logarithms, middle => the logarithm between them }, or undef
sub compared {
    my (@rates) = @_;
    return if @rates < FEWEST || min(@rates) <= 0;
    my @x = map { log } @rates;
    my $fit = fit(sort { $a <=> $b } @x) or return;
    my $middle = ($fit->{low} + $fit->{high}) / 2;
    my $lasting = changes_rarely($middle, @x) ? LASTING : 0;
    my $difference = $fit->{high} - $fit->{low};
    return {
        likelier   => 2 * ($fit->{likelihood} - likelihood_of_one_level(@x)) - $lasting,
        rarer      => min($fit->{share}, 1 - $fit->{share}),
        apart      => $difference / sqrt $fit->{variance},
        difference => $difference,
        middle     => $middle,
    };
}

sub parts {
    my ($middle, @rates) = @_;
    return ([ grep { log($_) <= $middle } @rates ], [ grep { log($_) > $middle } @rates ]);
}

sub level {
    my ($rates, $all) = @_;
    return { rate => scalar median(@{$rates}), share => @{$rates} / $all };
}

# Two normal distributions, from the division of the sorted values with the least squares
# -> { low, high, share => of the lower one, variance, likelihood }; undef where all values
# are equal
sub fit {
    my (@s) = @_;
    my $variance = variance(@s);
    return if $variance <= 0;
    my $k = best_division(@s);
    my %fit = (
        low   => sum(@s[ 0 .. $k - 1 ]) / $k,
        high  => sum(@s[ $k .. $#s ]) / (@s - $k),
        share => $k / @s,
    );
    $fit{variance} = sum(map { ($s[$_] - ($_ < $k ? $fit{low} : $fit{high}))**2 } 0 .. $#s) / @s;
    my $least = NARROWEST * $variance;
    $fit{variance} = max($fit{variance}, $least);

    for (1 .. ROUNDS) {
        improve(\%fit, @s);
        $fit{variance} = max($fit{variance}, $least);
    }
    return \%fit;
}

sub variance {
    my (@x) = @_;
    my $mean = sum(@x) / @x;
    return sum(map { ($_ - $mean)**2 } @x) / @x;
}

# Where the squares between the two parts are largest
sub best_division {
    my (@s) = @_;
    my ($total, $left, $best, $most) = (sum(@s), 0, 1, -1);
    for my $k (1 .. $#s) {
        $left += $s[ $k - 1 ];
        my $between = $k * (@s - $k) * ($left / $k - ($total - $left) / (@s - $k))**2;
        ($best, $most) = ($k, $between) if $between > $most;
    }
    return $best;
}

sub improve {
    my ($fit, @s) = @_;
    my ($low, $high, $share, $variance) = @{$fit}{qw(low high share variance)};
    my $likelihood = -@s / 2 * ($LOG_2_PI + log $variance);
    my @lower;
    for my $x (@s) {
        my $below = log($share) - ($x - $low)**2 / 2 / $variance;
        my $above = log(1 - $share) - ($x - $high)**2 / 2 / $variance;
        my $most = max($below, $above);
        my $both = $most + log(exp($below - $most) + exp($above - $most));
        $likelihood += $both;
        push @lower, exp($below - $both);
    }
    my $weight = sum(@lower);
    $low = sum(map { $lower[$_] * $s[$_] } 0 .. $#s) / $weight if $weight > 0;
    $high = sum(map { (1 - $lower[$_]) * $s[$_] } 0 .. $#s) / (@s - $weight) if $weight < @s;
    my $squares =
        sum(map { $lower[$_] * ($s[$_] - $low)**2 + (1 - $lower[$_]) * ($s[$_] - $high)**2 }
            0 .. $#s);
    %{$fit} = (
        low        => $low,
        high       => $high,
        share      => min(1 - LEAST_PART, max(LEAST_PART, $weight / @s)),
        variance   => $squares / @s,
        likelihood => $likelihood,
    );
    return;
}

# The largest of a normal distribution and of two exponential ones, whose end is an extreme
# value; their mean distance from it is without bias
sub likelihood_of_one_level {
    my (@x) = @_;
    my $n = @x;
    my $mean = sum(@x) / $n;
    my $normal = -$n / 2 * ($LOG_2_PI + log(variance(@x)) + 1);
    my @exponential =
        map { -$n * log($_ * $n / ($n - 1)) - $n } grep { $_ > 0 } max(@x) - $mean,
        $mean - min(@x);
    return max($normal, @exponential);
}

# The test of runs of Wald and Wolfowitz
sub changes_rarely {
    my ($middle, @x) = @_;
    my $n = @x;
    my $above = grep { $_ > $middle } @x;
    my $changes = grep { ($x[$_] > $middle) != ($x[ $_ - 1 ] > $middle) } 1 .. $#x;
    my $expected = 2 * $above * ($n - $above) / $n;
    my $variance = max(0, $expected * ($expected - 1) / ($n - 1));
    return $changes < $expected - RARELY * sqrt $variance;
}

1;
