# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Added;

# What each value of a sweep adds to its first one, "none".  Pure functions.
#
#   added(sweep record, points of SpawnMeter::Analysis::Sweep) -> [ { series, label, us, low,
#       high } ] in the order of the sweep: microseconds of the difference, and its 95 %
#       interval; empty unless the sweep's first value is "none".  Left out where
#       either has no median; without low and high where either has too few passes
#   difference(point, point) -> (microseconds that the second takes longer than the first, low,
#       high); the first alone where either has too few passes
#   estimate_of(point) -> estimate (Stats::Estimate) of the logarithm of its rate; undef where it
#       has too few passes
#   quotient(point, point) -> the same of the time of the second over that of the first
#
# The difference is the quotient of the centers less 1, times the median without anything; where
# a point has no center it is that of the medians.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Disturbance qw(sound_rates);
use SpawnMeter::Stats::Difference     qw(between);
use SpawnMeter::Stats::Estimate       qw(estimate);

our @EXPORT_OK = qw(added difference quotient estimate_of);

use constant NOTHING => 'none';

sub added {
    my ($sweep, $points) = @_;
    my ($first, @labels) = @{ $sweep->{values} };
    return [] if $first ne NOTHING;
    return [ map { added_of_series($_, $points->{$_}, @labels) } @{ $sweep->{series} } ];
}

sub added_of_series {
    my ($series, $points, @labels) = @_;
    my $base = $points->{ +NOTHING };
    return if !$base || !defined $base->{time_us};
    my @added;
    for my $label (grep { $points->{$_} && defined $points->{$_}{time_us} } @labels) {
        my ($us, $low, $high) = difference($base, $points->{$label});
        push @added, { series => $series, label => $label, us => $us, low => $low, high => $high };
    }
    return @added;
}

sub difference {
    my ($from, $to) = @_;
    return map { ($_ - 1) * $from->{time_us} } quotient($from, $to);
}

sub quotient {
    my ($from, $to) = @_;
    my @estimates = map { estimate_of($_) || () } $from, $to;
    return $to->{time_us} / $from->{time_us} if @estimates < 2;
    my ($d, $half) = between(reverse @estimates);
    my $times = creators($to) / creators($from);
    return map { $times * exp } $d, $d - $half, $d + $half;
}

sub estimate_of {
    my ($point) = @_;
    return if !$point->{rates};
    my @rates = grep { $_ > 0 } @{ sound_rates($point) };
    return scalar estimate([ map { log } @rates ], $point->{correlation});
}

sub creators { my ($point) = @_; return $point->{creators} || $point->{copies} || 1 }

1;
