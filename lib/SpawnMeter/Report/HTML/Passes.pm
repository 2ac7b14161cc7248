# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Passes;

# The passes of a test as an inline SVG picture: a dot for each pass along the axis of
# rates, a ring for a flagged one; a line at the median, a band for the 95 % interval of
# their trimmed mean.
#
#   figure(result) -> HTML

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(min max);
use SpawnMeter::Report::Escape qw(html);
use SpawnMeter::Util::Format   qw(percent);

our @EXPORT_OK = qw(figure);

# In units of the picture
use constant {
    LEFT   => 10,     # ends of the axis
    RIGHT  => 330,
    TOP    => 10,     # of the dots
    HEIGHT => 36,
    FEW    => 100,    # below it a rate has one decimal
    ROWS   => 7,      # of dots: the height only keeps neighbours apart
};

sub figure {
    my ($result) = @_;
    my $scale = scale(@{ $result->{rates} });
    my $label = html("$result->{title}: passes");
    my $svg = qq{<svg viewBox="0 0 340 74" role="img" aria-label="$label">};
    $svg .= band($result, $scale);
    $svg .= sprintf '<line class="axis" x1="%d" y1="50" x2="%d" y2="50"/>', LEFT, RIGHT;
    $svg .= median($result, $scale);
    $svg .= dots($result, $scale);
    $svg .= ends($result, $scale) . '</svg>';
    return "<figure>$svg<figcaption>" . html(caption($result)) . "</figcaption></figure>\n";
}

# The rates at both ends of the axis: those of the passes, and some room, but none below 0
sub scale {
    my (@rates) = @_;
    my ($low, $high) = (min(@rates), max(@rates));
    my $room = ($high - $low) * 0.04 || $high * 0.01 || 1;
    return { low => max(0, $low - $room), high => $high + $room };
}

sub x_of {
    my ($rate, $scale) = @_;
    return LEFT + (RIGHT - LEFT) * ($rate - $scale->{low}) / ($scale->{high} - $scale->{low});
}

sub band {
    my ($result, $scale) = @_;
    return q{} if !defined $result->{low};
    my ($from, $to) = map { sprintf '%.1f', x_of($_, $scale) } @{$result}{qw(low high)};
    return sprintf '<rect class="band" x="%s" y="6" width="%.1f" height="44"/>', $from, $to - $from;
}

sub median {
    my ($result, $scale) = @_;
    my $rate = $result->{rate};
    return q{} if $rate < $scale->{low} || $rate > $scale->{high};
    my $x = sprintf '%.1f', x_of($rate, $scale);
    return qq{<line class="mark" x1="$x" y1="4" x2="$x" y2="52"/>};
}

sub dots {
    my ($result, $scale) = @_;
    my @rates = @{ $result->{rates} };
    my $svg = q{};
    for my $i (0 .. $#rates) {
        my $y = TOP + HEIGHT * ($i % ROWS) / (ROWS - 1);
        my $class = $result->{flags}[$i] ? 'flag' : 'dot';
        $svg .= sprintf '<circle class="%s" cx="%.1f" cy="%.1f" r="2.6"/>', $class,
            x_of($rates[$i], $scale), $y;
    }
    return $svg;
}

sub ends {
    my ($result, $scale) = @_;
    my ($low, $high) = map { html(in_unit($_, $result->{unit})) } @{$scale}{qw(low high)};
    return sprintf '<text x="%d" y="67">%s</text><text x="%d" y="67" text-anchor="end">%s</text>',
        LEFT, $low, RIGHT, $high;
}

# Like the result in the table
sub in_unit {
    my ($rate, $unit) = @_;
    my $text = $rate < FEW ? sprintf('%.1f', $rate) : sprintf '%.0f', $rate;
    return $text . (defined $unit ? " $unit" : q{});
}

sub caption {
    my ($result) = @_;
    my $interval =
        defined $result->{plus_minus}
        ? '+/- ' . percent($result->{plus_minus})
        : 'too few passes for an interval';
    return "$result->{title} ($interval)";
}

1;
