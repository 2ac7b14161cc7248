# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::TwoSamples;

# Two samples of the same quantity, old and new: how far apart are they?  Pure functions.
#
#   center(values, effective number of values or undef for all) -> { log => the trimmed mean
#       of their logarithms, error => its standard error, degrees => of freedom }; undef where
#       they are under 6 or one is not above 0
#   center_of_logs(logarithms, effective number or undef) -> the same of 6 or more
#   ratio(old, new) -> { ratio, low, high => its 95 % interval, error => standard error of
#       its logarithm, degrees => of freedom, p => probability of a ratio that is at least as
#       far from 1 between equals }; undef where a sample has no center.  A sample: { values,
#       effective => number or undef }
#   ratio_of_intervals({ rate, low, high } of old, of new) -> the same where only 95 %
#       intervals are known: their larger halves, as logarithms, are taken for 1.96 errors;
#       undef where one is unknown
#   apart(ratio, error, degrees) -> { low, high, p } by Student's t
#   combined_degrees({ error, degrees }, ...) -> of the sum of these
#   adjusted(p, ...) -> the same for a family of tests (Holm), in order
#
# The centers are means of the logarithms without the lowest and the highest twentieth of the
# values, and at least one of ten at either end, which Yuen's test compares (Biometrika 61,
# 1974): outliers do not move them, and between runs they differ less than medians do (make
# simulate).  Samples count with the
# number of independent values that they are worth (Analysis::Serial).  The degrees of freedom
# are combined as by Welch and Satterthwaite (Biometrika 34, 1947).

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(min max sum);
use SpawnMeter::Stats::Distribution qw(t_two_sided t_quantile);

our @EXPORT_OK = qw(center center_of_logs ratio ratio_of_intervals apart adjusted combined_degrees);

use constant {
    FEWEST   => 6,        # values of a sample
    HALF     => 1.96,     # errors in half of an interval
    MANY     => 1000,     # degrees of freedom where they are unknown
    TRIMMED  => 0.05,     # share of the values at each end; one value at least
    ENOUGH   => 10,       # values, so that one at each end can be left out
    OUTSIDE  => 0.05,     # probability outside the interval
    ROUNDING => 1e-12,    # equal ratios differ by less than this
};

sub center {
    my ($values, $effective) = @_;
    return if @{$values} < FEWEST || min(@{$values}) <= 0;
    return center_of_logs([ map { log } @{$values} ], $effective);
}

sub center_of_logs {
    my ($values, $effective) = @_;
    my $n = @{$values};
    my @logs = sort { $a <=> $b } @{$values};
    my $cut = $n < ENOUGH ? 0 : max(1, int TRIMMED * $n);
    my @middle = @logs[ $cut .. $#logs - $cut ];

    # winsorized: the trimmed values count as their neighbours
    my @all = (@middle, ($middle[0]) x $cut, ($middle[-1]) x $cut);
    my $mean = sum(@all) / $n;
    my $variance = sum(map { ($_ - $mean)**2 } @all) / $n;
    my $worth = defined $effective ? $effective : $n;

    # of so many independent values, these are left of the middle ones; of one or two that would
    # be too little error
    my $left = max(2, $worth * @middle / $n);
    my $square = max($variance * $worth / ($left * ($left - 1)), $variance / $worth);
    return {
        log     => sum(@middle) / @middle,
        error   => sqrt $square,
        degrees => $left - 1,
    };
}

sub ratio {
    my ($old, $new) = @_;
    my @centers = map { center($_->{values}, $_->{effective}) || return } $old, $new;
    my %found = (
        ratio   => exp($centers[1]{log} - $centers[0]{log}),
        error   => sqrt(sum(map { $_->{error}**2 } @centers)),
        degrees => combined_degrees(@centers),
    );
    return { %found, %{ apart(@found{qw(ratio error degrees)}) } };
}

sub ratio_of_intervals {
    my ($old, $new) = @_;
    my $squares = 0;
    for my $of ($old, $new) {
        return if grep { !defined || $_ <= 0 } @{$of}{qw(rate low high)};
        my $half = max(log($of->{rate} / $of->{low}), log($of->{high} / $of->{rate}));
        $squares += ($half / HALF)**2;
    }
    my %found = (ratio => $new->{rate} / $old->{rate}, error => sqrt $squares, degrees => MANY);
    return { %found, %{ apart(@found{qw(ratio error degrees)}) } };
}

# Of the sum of variances { error, degrees }
sub combined_degrees {
    my (@errors) = @_;
    my $below = sum(map { $_->{error}**4 / $_->{degrees} } @errors);
    return min(map { $_->{degrees} } @errors) if $below <= 0;
    return sum(map { $_->{error}**2 } @errors)**2 / $below;
}

sub apart {
    my ($ratio, $error, $degrees) = @_;
    return { low => $ratio, high => $ratio, p => abs($ratio - 1) < ROUNDING ? 1 : 0 }
        if $error <= 0;
    my $width = $error * t_quantile(OUTSIDE, sprintf '%.1f', max(1, $degrees));
    return {
        low  => exp(log($ratio) - $width),
        high => exp(log($ratio) + $width),
        p    => t_two_sided(log($ratio) / $error, max(1, $degrees)),
    };
}

# S. Holm, Scandinavian Journal of Statistics 6, 1979
sub adjusted {
    my (@p) = @_;
    my @order = sort { $p[$a] <=> $p[$b] } 0 .. $#p;
    my ($largest, @adjusted) = (0);
    for my $i (0 .. $#order) {
        $largest = max($largest, min(1, (@p - $i) * $p[ $order[$i] ]));
        $adjusted[ $order[$i] ] = $largest;
    }
    return @adjusted;
}

1;
