# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Chart;

# Pictures of pages, as figures with a caption, and their axes.  They are SVG without scripts,
# attributes of style and addresses.  Places along x are per cent of the width and places along y
# are pixels, so that a picture fits a phone and a wide screen with the same letters.  The text
# alternative is the caption; a table has the figures.
#
#   rows(caption => text, rows => [row], columns => [per cent of the width for names, for texts],
#       words => of the axis, label => sub (value) -> text of a tick, scale => one for others than
#       the values of the rows) -> HTML, empty without values
#       row: { head => a line above rows } or { name, text => at the right, value => of a dot, low
#       and high => of its interval, hollow => true for a doubtful dot, square => true for a square
#       one, class => "k0" to "k5" (colours of series), behind => [values]: small grey dots, bars =>
#       [ [from, to, class] ] }; name, text, and value or bars must be there.  What lies beyond the
#       scale is an arrow
#   curves(caption => text, x => scale, y => scale, words => of x, above => words of y, height =>
#       pixels, series => [series]) -> HTML
#       series: { name => at the end of its line, ink => number of its colour, published => true for
#       squares and dashes, points => [ { x, y, low, high, hollow } ] }
#   style() -> the rules that the pictures need, and the colours of the page
#
#   A scale is { low, high, ticks => [ [value, label] ], log => true for a logarithmic one }
#   number_scale(low, high, sub (value) -> label): a linear one
#   value_scale(sub (value) -> label, values): around these values, logarithmic where the largest is
#       over four times the smallest
#   place(scale, value) -> thousandths of the axis (FULL), from its low end

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max min);
use POSIX                      qw(ceil floor);
use SpawnMeter::Report::Escape qw(html prose);
use SpawnMeter::Util::Format   qw(shortened);

our @EXPORT_OK = qw(rows curves style number_scale value_scale place INKS);

use constant {
    INKS   => 6,       # colours of series
    FULL   => 1000,    # the length of an axis, whatever it is in pixels
    ROW    => 20,      # pixels
    LINE   => 15,      # the height of a name that stands above
    HEAD   => 24,      # a line above rows
    ABOVE  => 30,      # the room above curves
    LETTER => 6.2,     # width of a letter, about, on a phone
    PHONE  => 360,     # pixels of its page
    WHOLE  => 54,      # letters on all of its width
    NAME   => 28,      # letters at the end of a line
    BESIDE => 13,      # between names at the ends of lines
    ROOM   => 1.3,     # beside what is drawn, on a logarithmic axis
    SHARE  => 0.05,    # the same on a linear one
    TIMES  => 4,       # largest over smallest value; above it an axis is logarithmic
    MANY   => 7,       # ticks of a logarithmic axis
    SOME   => 5,       # ticks of a linear one, about
};

# Okabe and Ito, Color Universal Design (2008), each where it has a contrast of 3 to 1 to the
# paper (t/unit/Report/Chart.t computes it)
my $STYLE = <<'END';
:root {
  --ink: #1a1a1a; --soft: #5c5c5c; --paper: #fff; --panel: #f3f4f6; --line: #d4d7dc;
  --k0: #0072b2; --k1: #d55e00; --k2: #009e73; --k3: #cc79a7; --k4: #1a1a1a; --k5: #767676;
  --k: var(--soft);
}
@media (prefers-color-scheme:dark) {
  :root {
    --ink: #e8e8e8; --soft: #a8adb5; --paper: #17191c; --panel: #22262b; --line: #3b4048;
    --k0: #56b4e9; --k1: #e69f00; --k2: #009e73; --k3: #cc79a7; --k4: #e8e8e8; --k5: #f0e442;
  }
}
.chart { display: block; max-width: 56rem; }
.chart text {
  fill: var(--ink); font: 12px system-ui,sans-serif; paint-order: stroke; stroke: var(--paper);
  stroke-width: 3px;
}
.chart .soft,.chart .left text,.chart .under text { fill: var(--soft); }
.chart .left { text-anchor: end; transform: translate(-5px,0); }
.chart .under { text-anchor: middle; }
.chart .head { font-weight: 600; }
.chart .title { font-size: 16px; font-weight: 600; }
.chart svg { overflow: visible; }
.chart path { fill: none; stroke: var(--k); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.chart .axis { stroke: var(--line); stroke-width: 1; }
.chart .zero { stroke: var(--ink); stroke-width: 1; }
.chart .bar { stroke-width: 13; }
.chart .dash { stroke-dasharray: 6 3; }
.chart .dot { stroke-width: 8; stroke-linecap: round; }
.chart .hole { stroke: var(--paper); stroke-width: 5; }
.chart .square { stroke-linecap: square; }
.chart .behind { stroke: var(--soft); stroke-width: 6; stroke-opacity: .3; }
.chart .arrow { fill: var(--k); text-anchor: middle; }
@media (max-width:40rem) {
  .chart .under text:nth-child(even):not(:nth-child(2):last-child) { display: none; }
}
END

sub style {
    return join q{}, $STYLE, map { ".chart .k$_ { --k: var(--k$_); }\n" } 0 .. INKS - 1;
}

# ---- axes ----

sub place {
    my ($scale, $value) = @_;
    my ($low, $high) = @{$scale}{qw(low high)};
    $value = max($low, min($high, $value));
    ($low, $high, $value) = map { log } $low, $high, $value if $scale->{log};
    return $high > $low ? sprintf '%.0f', FULL * ($value - $low) / ($high - $low) : 0;
}

# An axis whose ticks are multiples of 1, 2 or 5 times a power of ten
sub number_scale {
    my ($low, $high, $label) = @_;
    my $length = ($high - $low) || 1;
    my $power = 10**floor(log($length / SOME) / log 10);
    my ($step) = grep { $_ * SOME >= $length } map { $_ * $power } 1, 2, 5, 10;
    my @at = map { $_ * $step } ceil($low / $step - 1e-9) .. ($low + $length) / $step + 1e-9;
    return { low => $low, high => $low + $length, ticks => ticks($label, @at) };
}

sub value_scale {
    my ($label, @values) = @_;
    my ($low, $high) = (min(@values), max(@values));
    return logarithmic($label, $low / ROOM, $high * ROOM) if $low > 0 && $high > TIMES * $low;
    my $room = SHARE * ($high - $low || abs $high || 1);
    return number_scale($low >= 0 && $low < $room ? 0 : $low - $room, $high + $room, $label);
}

# With ticks at 1, 2 and 5 times powers of ten, or where these are too many at the powers
sub logarithmic {
    my ($label, $low, $high) = @_;
    my @powers = map { 10**$_ } floor(log($low) / log 10) .. ceil(log($high) / log 10);
    my @all = grep { $_ >= $low && $_ <= $high } map { ($_, 2 * $_, 5 * $_) } @powers;
    my @few = grep { $_ >= $low && $_ <= $high } @powers;
    my $ticks = ticks($label, @all > MANY && @few > 1 ? @few : @all);
    return { low => $low, high => $high, log => 1, ticks => $ticks };
}

# Labels without zeros behind the point: 1ms, not 1.00ms
sub ticks {
    my ($label, @at) = @_;
    return [ map { [ $_, $label ? $label->($_) =~ s/[.]0+(?!\d)//r : $_ ] } @at ];
}

# ---- elements and shapes ----
#
# A shape is [classes, path]: x as place() has it, y in pixels.

# An element of text; what callers give becomes HTML here and in picture()
sub words {
    my ($x, $y, $text, $class) = @_;
    return q{} if !defined $text || !length $text;
    my $of_class = defined $class ? qq{ class="$class"} : q{};
    return qq{<text x="$x" y="$y"$of_class>} . html($text) . '</text>';
}

# Dots at [x, y, true for a doubtful one] are lines of no length with round or square ends; a
# doubtful one has a hole
sub dots {
    my ($class, @dots) = @_;
    my $path = sub {
        join q{}, map { "M$_->[0] $_->[1]h0" } @_;
    };
    return ([ $class => $path->(@dots) ], [ "$class hole" => $path->(grep { $_->[2] } @dots) ]);
}

# ---- the picture ----

# The SVG of shapes, which are stretched to the width that is there, and texts, which are not, with
# vertical lines at the ticks of x, below its caption
sub picture {
    my (%picture) = @_;
    my ($x, $top, $bottom) = @picture{qw(x top bottom)};
    my $alt = html($picture{caption});
    my ($labels, @lines) = (q{});
    for my $tick (@{ $x->{ticks} }) {
        my $at = place($x, $tick->[0]);
        push @lines, [ $tick->[0] == 0 ? 'zero' : 'axis', "M$at ${top}V$bottom" ];
        $labels .= words($at / 10 . q{%}, $bottom + 15, $tick->[1]);
    }
    my $paths = join q{}, map { qq{<path class="$_->[0]" d="$_->[1]"/>} }
        grep { length $_->[1] } @lines, @{ $picture{shapes} };
    my $place = qq{x="$picture{from}%" width="$picture{width}%"};
    my $stretched = 'height="1000" viewBox="0 0 1000 1000" preserveAspectRatio="none"';
    my $high = $bottom + (defined $picture{words} ? 39 : 20);
    return join q{}, '<figure><figcaption>', prose($picture{caption}), "</figcaption>\n",
        qq{<svg class="chart" width="100%" height="$high" role="img" aria-label="$alt">},
        "<svg $place $stretched>$paths</svg>",
        qq{<svg $place>$picture{texts}<g class="under">$labels</g></svg>$picture{beside}},
        words(0, $bottom + 34, $picture{words}, 'soft'), "</svg>\n</figure>\n";
}

# ---- rows ----

sub rows {
    my (%picture) = @_;
    my @values = map { values_of($_) } @{ $picture{rows} } or return q{};
    my $scale = $picture{scale} || value_scale($picture{label}, @values);
    my ($names, $texts) = @{ $picture{columns} };
    my $letters = int(PHONE * $names / 100 / LETTER);
    my ($y, $left, $right, $arrows, @shapes) = (2, q{}, q{}, q{});
    for my $row (@{ $picture{rows} }) {
        if (defined $row->{head}) {
            $left .= words(0, $y + HEAD - 7, $row->{head}, 'head');
            $y += HEAD;
            next;
        }

        # a name for which a phone has no room stands above its marks
        my $above = length $row->{name} > $letters ? LINE : 0;
        my $middle = $y + $above + ROW / 2;
        push @shapes, marks($scale, $middle, $row);
        $arrows .= arrows($scale, $middle + 4, $row);
        $left   .= words(0, $middle - $above + 4, shortened($row->{name}, WHOLE));
        $right  .= words(0, $middle + 4, $row->{text});
        $y += $above + ROW;
    }
    my %inner = (from => $names, width => 100 - $names - $texts, texts => $arrows);
    $inner{beside} = $left . '<svg x="' . (101.5 - $texts) . qq{%">$right</svg>};
    return picture(%picture, %inner, x => $scale, top => 0, bottom => $y, shapes => \@shapes);
}

sub values_of {
    my ($row) = @_;
    my @values = (@{$row}{qw(value low high)}, @{ $row->{behind} || [] });
    return grep { defined } @values, map { @{$_}[ 0, 1 ] } @{ $row->{bars} || [] };
}

# Bars are wide lines; an interval that goes on beyond the scale has no stop there
sub marks {
    my ($scale, $y, $row) = @_;
    my ($class, $value) = ($row->{class} || 'k0', $row->{value});
    my ($least, $most) = @{$scale}{qw(low high)};
    my @shapes = dots('dot behind', map { [ place($scale, $_), $y ] } @{ $row->{behind} || [] });
    for my $bar (@{ $row->{bars} || [] }) {
        my ($from, $to) = map { place($scale, $_) } @{$bar}[ 0, 1 ];
        push @shapes, [ "$bar->[2] bar", "M$from ${y}H$to" ];
    }
    my @range = grep { defined } @{$row}{qw(low high)};
    if (@range == 2) {
        my ($low, $high) = map { place($scale, $_) } @range;
        my $stops = join q{}, map { 'M' . place($scale, $_) . q{ } . ($y - 3) . 'v6' }
            grep { $_ >= $least && $_ <= $most } @range;
        push @shapes, [ $class, "M$low ${y}H$high$stops" ];
    }
    return @shapes if !defined $value || $value < $least || $value > $most;
    my $dot = $row->{square} ? "$class dot square" : "$class dot";
    return (@shapes, dots($dot, [ place($scale, $value), $y, $row->{hollow} ]));
}

sub arrows {
    my ($scale, $y, $row) = @_;
    my @values = values_of($row);
    my $class = ($row->{class} || 'k0') . ' arrow';
    return join q{}, min(@values) < $scale->{low} ? words('0', $y, "\x{2190}", $class)    : (),
        max(@values) > $scale->{high}             ? words('100%', $y, "\x{2192}", $class) : ();
}

# ---- curves ----

sub curves {
    my (%picture) = @_;
    my ($x, $y, $height, $series) = @picture{qw(x y height series)};
    my $letters = max(map { min(NAME, length $_->{name}) } @{$series});
    my $beside = sprintf '%.1f', 100 * ($letters * LETTER + BESIDE) / PHONE;
    my $bottom = ABOVE + $height;
    my $down = sub { return sprintf '%.0f', $bottom - $height * place($y, $_[0]) / FULL };
    my ($left, $right, @shapes) = (q{}, q{}, [ zero => "M0 ${bottom}h" . FULL ]);
    for my $tick (@{ $y->{ticks} }) {
        my $at = $down->($tick->[0]);
        push @shapes, [ axis => "M0 ${at}h" . FULL ];
        $left .= words(0, $at + 4, $tick->[1]);
    }
    push @shapes, map { curve($_, $x, $down) } @{$series};
    for my $end (ends_of($x, $down, $bottom, @{$series})) {
        push @shapes, [ axis => "M$end->{x} $end->{y}L1030 $end->{beside}" ];
        $right .= words('103.5%', $end->{beside} + 4, shortened($end->{name}, NAME));
    }
    my %inner = (from => 17, width => 83 - $beside, shapes => \@shapes);
    @inner{qw(top bottom)} = (ABOVE, $bottom);
    $inner{texts} = qq{<g class="left">$left</g>$right};
    return picture(%picture, %inner, beside => words(0, ABOVE - 10, $picture{above}));
}

sub curve {
    my ($series, $x, $down) = @_;
    my ($ink, $published) = @{$series}{qw(ink published)};
    my $class = 'k' . $ink % INKS;
    my @points = @{ $series->{points} };
    my @places = map { [ place($x, $_->{x}), $down->($_->{y}), $_->{hollow} ] } @points;
    my @shapes = [
        $ink >= INKS || $published ? "$class dash" : $class,
        'M' . join 'L',
        map { "$_->[0] $_->[1]" } @places
    ];
    for my $point (grep { defined $_->{low} && defined $_->{high} } @points) {
        my ($low, $high) = map { $down->($_) } @{$point}{qw(low high)};
        push @shapes, [ $class => 'M' . place($x, $point->{x}) . " ${low}V$high" ];
    }
    return (@shapes, dots($published ? "$class dot square" : "$class dot", @places));
}

# The last point of each series, from the lowest up, and where its name stands: names that would
# cover each other are moved up, and a thin line leads to them
sub ends_of {
    my ($x, $down, $bottom, @series) = @_;
    my @ends;
    for my $series (@series) {
        my ($last) = sort { $b->{x} <=> $a->{x} } @{ $series->{points} };
        my %place = (x => place($x, $last->{x}), y => $down->($last->{y}));
        push @ends, { %place, name => $series->{name} };
    }
    my $most = $bottom;
    @ends = sort { $b->{y} <=> $a->{y} } @ends;
    for my $end (@ends) {
        $end->{beside} = min($end->{y}, $most);
        $most = $end->{beside} - BESIDE;
    }
    return @ends;
}

1;
