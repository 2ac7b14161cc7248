# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot::Published;

# The published times of an experiment as points of its picture.
#
#   published_points(sweep record, [ { machine, times => { series => { label => microseconds } }
#       } ] of SpawnMeter::Analysis::Published::Sides, or undef) -> [ { series => "fork (laptop)",
#       of => "fork", label, place => of the label, x, time, low, high } ] of what the sweep
#       measures
#   inks([series of the sweep], points) -> [ { name, ink, open => true } ]: of the series of these
#       points, in the colours of those that they belong to

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(published_points inks);

use constant NAMED => 3;    # machines that have a series each; more are one

sub published_points {
    my ($sweep, $published) = @_;
    my %place = map { $sweep->{values}[$_] => $_ } 0 .. $#{ $sweep->{values} };
    my @machines = @{ $published || [] };
    my @points;
    for my $series (@{ $sweep->{series} }) {
        for my $machine (@machines) {
            my $times = $machine->{times}{$series} || {};
            my $name = @machines == 1 || @machines > NAMED ? 'published' : $machine->{machine};
            push @points, map { point($sweep, $series, $name, $place{$_}, $times->{$_}) }
                sort { $place{$a} <=> $place{$b} } grep { defined $place{$_} } keys %{$times};
        }
    }
    return \@points;
}

sub point {
    my ($sweep, $series, $name, $place, $time) = @_;
    return {
        series => "$series ($name)",
        of     => $series,
        label  => $sweep->{values}[$place],
        place  => $place,
        x      => $sweep->{x}[$place],
        map { $_ => $time } qw(time low high)
    };
}

sub inks {
    my ($series, $points) = @_;
    my %ink = map { $series->[$_] => $_ } 0 .. $#{$series};
    my %seen;
    return [
        map  { { name => $_->{series}, ink => $ink{ $_->{of} }, open => 1 } }
        grep { !$seen{ $_->{series} }++ } @{$points}
    ];
}

1;
