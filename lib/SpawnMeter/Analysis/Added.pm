# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Added;

# What each value of a sweep adds to its first one, "none".  Pure functions.
#
#   added(sweep record, points of SpawnMeter::Analysis::Sweep) -> [ { series, label, us, low,
#       high } ] in the order of the sweep: microseconds of the difference, and its 95 %
#       interval; empty unless the sweep's first value is "none".  Left out where
#       either has no median; without low and high where either has too few passes
#
# The difference is the ratio of SpawnMeter::Analysis::TwoSamples less 1, times the median
# without anything; where there is no ratio that of the medians.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Disturbance qw(sound_rates);
use SpawnMeter::Analysis::TwoSamples  qw(ratio);

our @EXPORT_OK = qw(added);

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
        my $ratio = ratio(map { sample($_) } $base, $points->{$label});
        my ($us, $low, $high) =
            map { ($_ - 1) * $base->{time_us} }
            grep { defined } @{ $ratio || {} }{qw(ratio low high)};
        push @added,
            {
            series => $series,
            label  => $label,
            us     => defined $us ? $us : $points->{$label}{time_us} - $base->{time_us},
            low    => $low,
            high   => $high,
            };
    }
    return @added;
}

sub sample {
    my ($point) = @_;
    my @times = map { 1e6 / $_ } grep { $_ > 0 } @{ sound_rates($point) };
    return { values => \@times, effective => $point->{effective} };
}

1;
