# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot::Bars;

# Times of categories as bars of characters.
#
#   bars(sweep record, points of SpawnMeter::Analysis::Sweep) -> text of at most 78 columns:
#       for each value and series a bar from 0 to the median, and its interval

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max min);
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Util::Format       qw(duration shortened visible);

our @EXPORT_OK = qw(bars);

use constant {
    WIDTH => 78,
    LABEL => 20,    # columns of a value or a series at most
    TIME  => 8,     # columns of the time behind a bar, with a blank
};

sub bars {
    my ($sweep, $points) = @_;
    my @labels = @{ $sweep->{values} };
    my @series = @{ $sweep->{series} };
    my ($first, $second) = map { width_of(@{$_}) } \@labels, \@series;
    my $most = max(0, map { highest($points->{$_}) } @series) or return q{};
    my $scale = (WIDTH - $first - $second - TIME - 3) / $most;
    my $text = visible("$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}")
        . "\n\n";
    for my $label (@labels) {
        my $name = visible($label);
        for my $series (grep { $points->{$_}{$label} } @series) {
            my $point = $points->{$series}{$label};
            next if !defined $point->{time_us};
            $text .= sprintf "%-*s %-*s |%s %s%s\n", $first, shortened($name, $first), $second,
                shortened(visible($series), $second), bar($point, $scale),
                duration($point->{time_us}), $point->{disturbed} ? q{!} : q{};
            $name = q{};
        }
    }
    my $marks =
        grep({ $_->{disturbed} } map { values %{$_} } values %{$points})
        ? '; !: disturbed'
        : q{};
    return "$text\n=: up to the median; -: its 95 % interval$marks\n";
}

sub width_of {
    return min(LABEL, max(map { length visible($_) } @_));
}

sub highest {
    my ($of) = @_;
    return max(0, map { $_->{time_high} || $_->{time_us} || 0 } values %{ $of || {} });
}

sub bar {
    my ($point, $scale) = @_;
    my ($time, $low, $high) = map { defined $_ ? int($_ * $scale + 0.5) : undef }
        @{$point}{qw(time_us time_low time_high)};
    ($low, $high) = ($time, $time) if !defined $low || !defined $high;
    return q{=} x $low . q{-} x ($high - $low) if $low < $high;
    return q{=} x $time;
}

1;
