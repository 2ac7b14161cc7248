# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many::Tests;

# tests([tests of Analysis::Ranking], ranking) -> HTML: for each number of copies a
# small picture of each test, all with the machines in one order from top to bottom, that of the
# first table of the ranking; along the axis the rate, from 0, with its interval as a line, and
# each of several runs as a dot.

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max);
use SpawnMeter::Report::Escape qw(html);
use SpawnMeter::Util::Format   qw(copies rate shortened);

our @EXPORT_OK = qw(tests);

# In units of the picture
use constant {
    WIDTH    => 340,
    LEFT     => 6,
    RIGHT    => 334,
    NAMES    => 110,    # room for names, where there are few machines
    NAMED    => 12,     # machines at most that are named
    ROW      => 15,     # height of a row with a name
    HEIGHT   => 260,    # of all rows without names, at most
    THINNEST => 2,
    LETTERS  => 16,     # of a name
};

my $MEANING =
      'Machines from top to bottom as in the first table; the rate from 0 to the right, the '
    . 'line is its 95 % interval, a dot is a run.';

sub tests {
    my ($tests, $ranking) = @_;
    my @machines = @{ $ranking->{machines} };
    my %place = places($ranking);
    my ($html, $copies) = (q{});
    for my $test (@{$tests}) {
        if (!defined $copies || $copies != $test->{copies}) {
            $html .= "</div>\n" if defined $copies;
            $copies = $test->{copies};
            $html .= '<h2>Each test: ' . html(copies($copies)) . "</h2>\n";
            $html .= '<p class="soft">' . html($MEANING) . qq{</p>\n<div class="plots">\n};
        }
        $html .= figure($test, \@machines, \%place);
    }
    return defined $copies ? "$html</div>\n" : q{};
}

# { number of a machine => its place from the top }
sub places {
    my ($ranking) = @_;
    my @first = map { $_->{machine} } map { @{ $_->{rows} } } @{ $ranking->{tables} };
    my %place;
    for my $machine (@first, 0 .. $#{ $ranking->{machines} }) {
        $place{$machine} = keys %place if !defined $place{$machine};
    }
    return %place;
}

sub figure {
    my ($test, $machines, $place) = @_;
    my $number = @{$machines};
    my $named = $number <= NAMED;
    my $row = $named ? ROW : max(THINNEST, HEIGHT / $number);
    my $most = max(
        map {
            grep { defined } $_->{high}, @{ $_->{points} }
        } @{ $test->{rows} }
    );
    my $from = $named ? NAMES : LEFT;
    my %with = (
        row   => $row,
        named => $named,
        x     => sub { return sprintf '%.1f', $from + (RIGHT - $from) * $_[0] / ($most || 1) },
    );
    my $bottom = $row * $number + ROW / 2;
    my $label = html("$test->{title}: rates of the machines");
    my $svg = sprintf '<svg viewBox="0 0 %d %d" role="img" aria-label="%s">', WIDTH,
        $bottom + ROW, $label;
    $svg .= line('axis', $_, $bottom) for $from, RIGHT;
    for my $of (sort { $place->{ $a->{machine} } <=> $place->{ $b->{machine} } } @{ $test->{rows} })
    {
        my $y = $row * ($place->{ $of->{machine} } + 0.5) + ROW / 4;
        $svg .= machine($of, $machines->[ $of->{machine} ]{name}, sprintf('%.1f', $y), \%with);
    }
    $svg .= sprintf '<text x="%d" y="%.1f">0</text>', $from, $bottom + ROW - 3;
    $svg .= sprintf '<text x="%d" y="%.1f" text-anchor="end">%s</text>', RIGHT,
        $bottom + ROW - 3, html(rate($most, $test->{unit}));
    return "<figure>$svg</svg><figcaption>" . html($test->{title}) . "</figcaption></figure>\n";
}

sub line {
    my ($class, $x, $bottom) = @_;
    return sprintf '<line class="%s" x1="%d" y1="0" x2="%d" y2="%.1f"/>', $class, $x, $x, $bottom;
}

sub machine {
    my ($of, $name, $y, $with) = @_;
    my $x = $with->{x};
    my $svg = q{};
    $svg .= sprintf '<text x="0" y="%.1f">%s</text>', $y + 4, html(shortened($name, LETTERS))
        if $with->{named};
    $svg .= sprintf '<line class="range" x1="%s" y1="%s" x2="%s" y2="%s"/>', $x->($of->{low}),
        $y, $x->($of->{high}), $y
        if defined $of->{low} && defined $of->{high};
    my $radius = sprintf '%.1f', $with->{row} > 6 ? 2.6 : 1.3;
    $svg .= sprintf '<circle class="point" cx="%s" cy="%s" r="%s"/>', $x->($_), $y, $radius
        for @{ $of->{points} };
    return '<g><title>' . html("$name: " . sprintf '%.0f', $of->{value}) . "</title>$svg</g>";
}

1;
