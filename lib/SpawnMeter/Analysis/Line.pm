# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Line;

# A straight line through the times of a sweep.  Pure functions.
#
#   line(x => [numbers], passes => [ [times of the passes at this x], ... ], effective =>
#       [ how many independent passes those at this x are worth, ... ] or undef for all) ->
#       { slope, intercept, low, high => 95 % interval of the slope, undef where a value of x
#       has under six passes, r2 => share of the spread that the line explains, undef where
#       there is no spread }; undef where there are under three values of x, or all of them
#       are equal.  Times and slopes have the caller's units
#
# A point is the median of its passes.  The slope is Theil and Sen's: the median of the
# slopes of all pairs of points, so that one disturbed point does not move it (Sen, JASA 63,
# 1968).  Pairs are weighted by their distance, since distant points determine the slope
# best (Jaeckel, Annals of Mathematical Statistics 43, 1972).  The interval is the
# percentile bootstrap over the passes; a resample has as many passes as they are worth
# (Stats::Estimate).  Under six passes it would be too narrow, and with one it would have no
# width; a median has no interval under six, either.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Stats qw(median mean quantile);
use List::Util                  qw(sum);
use SpawnMeter::Util::Random;

our @EXPORT_OK = qw(line);

use constant {
    FEWEST    => 3,       # values of x
    ENOUGH    => 6,       # passes of each, for an interval
    RESAMPLES => 200,
    SEED      => 1,       # fixed: a run always has the same interval
    LOW_END   => 0.025,
    HIGH_END  => 0.975,
};

# The value at which half of the weight is reached
sub weighted_median {
    my (@points) = sort { $a->{value} <=> $b->{value} } @_;
    my $left = sum(map { $_->{weight} } @points) / 2;
    for my $point (@points) {
        $left -= $point->{weight};
        return $point->{value} if $left <= 0;
    }
    return $points[-1]{value};
}

sub slope_of {
    my ($x, $y) = @_;
    my @slopes;
    for my $i (0 .. $#{$x}) {
        for my $j ($i + 1 .. $#{$x}) {
            my $distance = $x->[$j] - $x->[$i] or next;
            my $slope = ($y->[$j] - $y->[$i]) / $distance;
            push @slopes, { value => $slope, weight => abs $distance };
        }
    }
    return @slopes ? weighted_median(@slopes) : undef;
}

sub resampled_slopes {
    my ($x, $passes, $effective) = @_;
    my $random = SpawnMeter::Util::Random->new(SEED);
    my @slopes;
    for (1 .. RESAMPLES) {
        my @y = map { median($random->resampled($passes->[$_], $effective->[$_])) } 0 .. $#{$x};
        push @slopes, slope_of($x, \@y);
    }
    return @slopes;
}

# R squared
sub explained {
    my ($y, $residuals) = @_;
    my $mean = mean(@{$y});
    my $spread = sum(map { ($_ - $mean)**2 } @{$y});
    my $rest = sum(map { $_**2 } @{$residuals});
    return $spread > 0 ? 1 - $rest / $spread : undef;
}

sub line {
    my (%with) = @_;
    my ($x, $passes) = @with{qw(x passes)};
    return if @{$x} < FEWEST;
    my @y = map { median(@{$_}) } @{$passes};
    my $slope = slope_of($x, \@y);
    return if !defined $slope;
    my $intercept = median(map { $y[$_] - $slope * $x->[$_] } 0 .. $#y);
    my @residuals = map { $y[$_] - $intercept - $slope * $x->[$_] } 0 .. $#y;
    my $enough = !grep { @{$_} < ENOUGH } @{$passes};
    my @slopes = $enough ? resampled_slopes($x, $passes, $with{effective} || []) : ();
    return {
        slope     => $slope,
        intercept => $intercept,
        r2        => explained(\@y, \@residuals),
        low       => scalar quantile(LOW_END, @slopes),
        high      => scalar quantile(HIGH_END, @slopes),
    };
}

1;
