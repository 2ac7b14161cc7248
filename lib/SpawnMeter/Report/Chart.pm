# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Chart;

# Pictures as SVG that stands in a page: no script, no attribute of style, no address.  Places
# along x are per cent of the width and places along y are pixels, so that a picture fits a phone
# and a wide screen with the same letters.
#
#   rows(alt => what the picture shows, scale => along x, rows => [row], words => of the axis, or
#       undef, columns => [per cent of the width for names, for texts], thin => true for many rows
#       without names and texts) -> SVG
#       row: { head => a line above rows } or { name, text => at the right, marks => [mark] }
#       mark: { bar => [from, to] }, { range => [low, high] } or { dot => value }, with hollow =>
#       true for a doubtful value, square => true for a square dot, class => "k0" to "k5" (colours
#       of series) or another of STYLE,
#       and title => what a pointer on it shows
#   xy(alt, x, y => scales, series => [series], words => [of x, of y], height => pixels of the
#       plot, small => true for one without names of its series) -> SVG
#       series: { name, ink => number of its colour, points => [ { x, y, low, high, hollow,
#       apart => true for one that no line leads to } ],
#       joined => true for a line through them, square => true for squares instead of circles,
#       size => their radius, lines => [ [x, y, x, y, class or undef] ] }
#   file(SVG of one of these, width in pixels, title) -> the same as a file of its own
#   style() -> the rules that the pictures need, and the colours of the page
#   scale(low, high, ticks => [ [value, label] ], log => true, zero => value of no difference, 0
#       if not given) -> a scale; of a logarithmic one low must be above 0
#   number_scale(low, high, sub (value) -> label, number of ticks at most, or undef) -> a linear
#       scale
#   time_scale([microseconds], true for a logarithmic one, ticks at most of a linear one or undef)
#       -> a scale around these times, from
#       0 where it is linear

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max min);
use POSIX                      ();
use SpawnMeter::Report::Escape qw(html);
use SpawnMeter::Util::Format   qw(shortened);

our @EXPORT_OK = qw(rows xy file style scale number_scale time_scale INKS
    logarithmic linear of_bytes of_values log_range);

use constant {
    INKS   => 6,       # colours of series
    ROW    => 20,      # pixels
    BAR    => 0.6,     # of a row
    ALL    => 260,     # pixels of thin rows together
    HEAD   => 24,      # a line above rows
    SMALL  => 2.6,     # radius of many dots, which STYLE sets
    LETTER => 6.2,     # width of a letter, about, on a phone
    PHONE  => 360,     # pixels of its page
    BESIDE => 13,      # between names at the ends of lines
    ROOM   => 1.3,     # beside what is drawn, on a logarithmic axis
    MARGIN => 0.06,    # the same on a linear one, as a share
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
.chart text { fill: var(--ink); font: 12px system-ui,sans-serif; }
.chart .soft,.chart .left text,.chart .under text { fill: var(--soft); }
.chart .left { text-anchor: end; transform: translate(-5px,0); }
.chart .under { text-anchor: middle; }
.chart .head { font-weight: 600; }
.chart .title { font-size: 16px; font-weight: 600; }
.chart .axis { stroke: var(--line); }
.chart .zero { stroke: var(--ink); }
.chart .k0,.chart .faster { --k: var(--k0); }
.chart .k1,.chart .slower { --k: var(--k1); }
.chart .k2 { --k: var(--k2); }
.chart .k3 { --k: var(--k3); }
.chart .k4 { --k: var(--k4); }
.chart .k5 { --k: var(--k5); }
.chart .k line,.chart polyline { stroke: var(--k); stroke-width: 1.5; }
.chart circle { r: 2.6px; }
.chart circle[r="3"] { r: 3px; }
.chart circle[r="4"] { r: 4px; }
.chart polyline { fill: none; vector-effect: non-scaling-stroke; }
.chart .k .thin { stroke-width: 1; stroke-dasharray: 3 3; }
.chart .k.dash line,.chart .k.dash polyline { stroke-dasharray: 6 3; }
.chart .k rect,.chart .k circle { fill: var(--k); stroke: var(--k); print-color-adjust: exact; }
.chart .k .hollow { fill: var(--paper); stroke-width: 1.5; }
.chart .square rect { transform: translate(-2.5px,0); }
.chart .k .over { stroke: var(--ink); stroke-width: 1.5; }
.chart .lead { stroke: var(--soft); stroke-width: .7; }
@media (max-width:40rem) { .chart .under text:nth-child(even) { display: none; } }
END

sub style { return $STYLE }

# ---- scales ----

sub scale {
    my ($low, $high, %with) = @_;
    return { zero => 0, ticks => [], %with, low => $low, high => $high };
}

# Per cent of the width (or share of the height, as per cent) from the low end
sub place {
    my ($scale, $value) = @_;
    my ($low, $high) = @{$scale}{qw(low high)};
    $value = max($low, min($high, $value));
    ($low, $high, $value) = map { log } $low, $high, $value if $scale->{log};
    return $high > $low ? 100 * ($value - $low) / ($high - $low) : 0;
}

sub across {
    my ($scale, $value) = @_;
    return sprintf('%.1f', place($scale, $value)) =~ s/[.]?0+\z//r . q{%};
}

sub number_scale {
    my ($low, $high, $label, $some) = @_;
    my $room = ($high - $low) || abs $high || 1;
    my $step = step($room, $some);
    my @ticks = map { $_ * $step } POSIX::ceil($low / $step - 1e-9) .. $high / $step + 1e-9;
    return scale($low, $low + $room, ticks => [ map { [ $_, $label->($_) ] } @ticks ]);
}

sub time_scale {
    my ($times, $is_log, $some) = @_;
    my @known = grep { defined && $_ > 0 } @{$times};
    @known = (1) if !@known;
    my ($low, $high) = (min(@known), max(@known));
    return scale(0, $high * (1 + MARGIN), ticks => linear($high, $some)) if !$is_log;
    my @ends = @{ log_range($low, $high) };
    return scale(@ends, log => 1, ticks => logarithmic(@ends));
}

sub log_range { my (@x) = @_; return [ min(@x) / ROOM, max(@x) * ROOM ] }

# ---- elements ----

sub element {
    my ($name, %attribute) = @_;
    my $inner = delete $attribute{inner};
    my $text = join q{}, map { defined $attribute{$_} ? qq{ $_="$attribute{$_}"} : () }
        sort keys %attribute;
    return defined $inner ? "<$name$text>$inner</$name>" : "<$name$text/>";
}

# Texts of the caller become HTML here and nowhere else
sub words {
    my ($x, $y, $text, %attribute) = @_;
    return q{} if !defined $text || !length $text;
    return element('text', x => $x, y => $y, %attribute, inner => html($text));
}

sub line {
    my ($x1, $y1, $x2, $y2, $class) = @_;
    return element('line', x1 => $x1, y1 => $y1, x2 => $x2, y2 => $y2, class => $class);
}

sub picture {
    my ($alt, $height, @parts) = @_;
    return
        sprintf '<svg class="chart" width="100%%" height="%d" role="img" aria-label="%s">%s</svg>'
        . "\n", $height, html($alt), join q{}, @parts;
}

sub plot_area {
    my ($from, $width, @parts) = @_;
    return element(
        'svg',
        x        => "$from%",
        width    => "$width%",
        overflow => 'visible',
        inner    => join q{},
        @parts
    );
}

sub file {
    my ($svg, $width, $title) = @_;
    my ($height, $alt, $inner) =
        $svg =~ m{\A<svg class="chart" width="100%" height="(\d+)"([^>]*)>(.*)}s;
    $height += 2 * ROW + HEAD;
    my $open =
        sprintf '<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%d" '
        . 'height="%d" viewBox="-%d -%d %d %d"', $width + 2 * ROW, $height, ROW, ROW,
        $width + 2 * ROW, $height;
    my $paper = sprintf '<rect x="-%d" y="-%d" width="200%%" height="200%%" fill="var(--paper)"/>',
        ROW, ROW;
    my $head = words(0, 8, $title, class => 'title');
    $inner =~ s{</svg>\n\z}{</g></svg>\n};
    return "$open$alt><style>\n$STYLE</style>$paper$head"
        . sprintf '<g transform="translate(0,%d)">%s', HEAD, $inner;
}

# ---- rows ----

sub rows {
    my (%of) = @_;
    my ($names, $texts) = $of{thin} ? (0, 3) : @{ $of{columns} || [ 26, 26 ] };
    my $row_height = $of{thin} ? max(2, ALL / (@{ $of{rows} } || 1)) : ROW;
    my $bar_height = $row_height * BAR;
    my $width = 100 - $names - $texts;
    my $letters = max(8, int(PHONE * $names / 100 / LETTER));
    my ($y, $beside, $plot) = (2, q{}, q{});
    for my $row (@{ $of{rows} }) {
        if (defined $row->{head}) {
            $beside .= words(0, $y + HEAD - 7, $row->{head}, class => 'head');
            $y += HEAD;
            next;
        }
        my $middle = $y + $row_height / 2;
        $plot .= join q{}, map { mark($of{scale}, $middle, $bar_height, $_) } @{ $row->{marks} };
        $y += $row_height;
        next if $of{thin};
        $beside .= words(0, $middle + 4, shortened($row->{name}, $letters));
        $beside .= words((100.5 - $texts) . q{%}, $middle + 4, $row->{text});
    }
    $y = POSIX::ceil($y);
    return picture(
        $of{alt}, $y + (defined $of{words} ? 36 : 20),
        $beside,
        plot_area($names, $width, grid($of{scale}, $y), $plot),
        words(0, $y + 33, $of{words}, class => 'soft')
    );
}

# Vertical lines at the ticks, their labels below
sub grid {
    my ($scale, $bottom) = @_;
    my ($svg, $below) = (q{}, q{});
    for my $tick (@{ $scale->{ticks} }) {
        my $x = across($scale, $tick->[0]);
        $svg   .= line($x, 0, $x, $bottom, $tick->[0] == $scale->{zero} ? 'zero' : 'axis');
        $below .= words($x, undef, $tick->[1]);
    }
    return sprintf '%s<g class="under" transform="translate(0,%s)">%s</g>', $svg, $bottom + 14,
        $below;
}

sub mark {
    my ($scale, $y, $height, $mark) = @_;
    my $svg = q{};
    if (my $bar = $mark->{bar}) {
        my ($from, $to) = map { place($scale, $_) } sort { $a <=> $b } @{$bar};
        $svg .= element(
            'rect',
            x      => sprintf('%.1f%%', $from),
            y      => sprintf('%.4g', $y - $height / 2),
            width  => sprintf('%.1f%%', $to - $from),
            height => sprintf('%.3g', $height),
            class  => $mark->{hollow} ? 'hollow' : undef
        );
    }
    if (my $range = $mark->{range}) {
        my ($low, $high) = map { across($scale, $_) } @{$range};
        $svg .= line($low, $y, $high, $y, $mark->{over} ? 'over' : undef);

        # one that goes on beyond the scale has no stop there
        my @stops = grep { $_ >= $scale->{low} && $_ <= $scale->{high} } @{$range};
        $svg .= line($_, $y - 4, $_, $y + 4, $mark->{over} ? 'over' : undef)
            for map { across($scale, $_) } @stops;
    }
    $svg .= dots({ size => 4, square => $mark->{square} },
        { x => across($scale, $mark->{dot}), y => $y, of => $mark })
        if defined $mark->{dot};
    my $title = defined $mark->{title} ? element('title', inner => html($mark->{title})) : q{};
    return element(
        'g',
        class => join(q{ }, 'k', $mark->{class} || 'k0', $mark->{square} ? 'square' : ()),
        inner => "$title$svg"
    );
}

# ---- along two axes ----

sub xy {
    my (%of) = @_;
    my ($left, $right) = $of{small} ? (17, 3) : (14, 25);
    my $top = defined $of{words}[1] ? 22 : 8;
    my $height = $of{height} || 260;
    my $bottom = $top + $height;
    my $down = sub { return sprintf '%.1f', $bottom - $height * place($of{y}, $_[0]) / 100 };
    my $plot = q{};
    my ($beside, $below, $ends) = (q{}) x 3;
    $plot .= '<g class="axis">';

    for my $tick (@{ $of{y}{ticks} }) {
        my $y = $down->($tick->[0]);
        $plot   .= element('line', y1 => $y, x2 => '100%', y2 => $y);
        $beside .= words(undef, $y + 4, $tick->[1]);
    }
    $plot .= '</g><g class="zero">' . element('line', y1 => $bottom, x2 => '100%', y2 => $bottom);
    for my $tick (@{ $of{x}{ticks} }) {
        my $x = across($of{x}, $tick->[0]);
        $plot  .= line($x, $bottom, $x, $bottom + 4);
        $below .= words($x, undef, $tick->[1]);
    }
    $plot .= '</g>';
    $plot .= '<g class="left">' . "$beside</g>";
    $plot .= sprintf '<g class="under" transform="translate(0,%s)">%s</g>', $bottom + 16, $below;
    $plot .= join q{}, map { one_series($_, $of{x}, $down) } @{ $of{series} };
    $plot .= names_at_ends($of{x}, $down, $bottom, @{ $of{series} }) if !$of{small};
    return picture(
        $of{alt},
        $bottom + (defined $of{words}[0] ? 38 : 20),
        words(0, 13, $of{words}[1], class => 'soft'),
        plot_area($left, 100 - $left - $right, $plot),
        words(0, $bottom + 35, $of{words}[0], class => 'soft')
    );
}

sub class_of {
    my ($series) = @_;
    my $ink = $series->{ink} || 0;
    return
          'k k'
        . $ink % INKS
        . ($ink >= INKS || $series->{dashed} ? ' dash'   : q{})
        . ($series->{square}                 ? ' square' : q{});
}

sub one_series {
    my ($series, $x, $down) = @_;
    my @points = map { { x => across($x, $_->{x}), y => $down->($_->{y}), of => $_ } }
        @{ $series->{points} };
    my $svg = $series->{joined} ? curve(grep { !$_->{of}{apart} } @points) : q{};
    for my $line (@{ $series->{lines} || [] }) {
        my ($x1, $y1, $x2, $y2, $class) = @{$line};
        $svg .= line(across($x, $x1), $down->($y1), across($x, $x2), $down->($y2), $class);
    }
    for my $point (grep { defined $_->{of}{low} && defined $_->{of}{high} } @points) {
        $svg .=
            line($point->{x}, $down->($point->{of}{low}), $point->{x}, $down->($point->{of}{high}));
    }
    return element('g', class => class_of($series), inner => $svg . dots($series, @points));
}

# Circles, or squares of the same size; none of size 0
sub dots {
    my ($series, @points) = @_;
    my $r = defined $series->{size} ? $series->{size} : 3;
    return q{} if !$r;
    my $svg = q{};
    for my $point (@points) {
        my $class = $point->{of}{hollow} ? 'hollow' : undef;
        my ($x, $y) = @{$point}{qw(x y)};
        $svg .=
            $series->{square}
            ? element('rect', class   => $class, x  => $x, y  => $y - 2.5, width => 5, height => 5)
            : element('circle', class => $class, cx => $x, cy => $y, r => $r == SMALL ? undef : $r);
    }
    return $svg;
}

# In a picture of its own, whose width is 100 wherever it stands
sub curve {
    my (@points) = @_;
    my $places = join q{ }, map { $_->{x} =~ s/%/,/r . $_->{y} } @points;
    my $inner = element('polyline', points => $places);
    return element(
        'svg',
        width               => '100%',
        height              => 100,
        viewBox             => '0 0 100 100',
        preserveAspectRatio => 'none',
        overflow            => 'visible',
        inner               => $inner
    );
}

# Those that would cover each other are moved apart, and a thin line leads to them
sub names_at_ends {
    my ($x, $down, $bottom, @series) = @_;
    my @ends;
    for my $series (grep { @{ $_->{points} } && defined $_->{name} } @series) {
        my ($last) = sort { $b->{x} <=> $a->{x} } @{ $series->{points} };
        my $y = $down->($last->{y});
        push @ends, { name => $series->{name}, x => $last->{x}, from => $y, y => $y };
    }
    @ends = sort { $a->{y} <=> $b->{y} } @ends;
    for my $i (1 .. $#ends) {
        $ends[$i]{y} = max($ends[$i]{y}, $ends[ $i - 1 ]{y} + BESIDE);
    }
    my $most = $bottom;
    for my $end (reverse @ends) {
        $end->{y} = min($end->{y}, $most);
        $most = $end->{y} - BESIDE;
    }
    return join q{}, map {
              line(across($x, $_->{x}), $_->{from}, '101.5%', $_->{y}, 'lead')
            . words('102%', $_->{y} + 4, shortened($_->{name}, 30))
    } @ends;
}

# ---- ticks ----
#
# The ticks of an axis: [ [ position, label ] ].  All labels of an axis have one notation.
#
#   logarithmic(low, high): of times in microseconds, at 1, 2 and 5 times powers of ten
#   linear(high, number at most, or undef): of times from 0, in one unit
#   of_bytes(high, words of the axis): of what is varied from 0; in MB or KB where the words
#       contain "bytes"
#   of_values({ label => position }, labels in order): at these labels

use constant {
    MANY => 7,    # ticks; with more only powers of ten are labelled
    SOME => 5,    # ticks of a linear axis, about
};

my @TIMES = ([ 1e6, 's' ], [ 1e3, 'ms' ], [ 1, 'us' ]);

# [ amount, words ] of the largest unit that is not above the number
sub unit {
    my ($number, @units) = @_;
    my ($unit) = grep { $_->[0] <= $number } @units;
    return $unit || $units[-1];
}

sub time_label {
    my ($us, $unit) = @_;
    $unit ||= unit($us, @TIMES);
    return sprintf '%.3g%s', $us / $unit->[0], $unit->[1];
}

sub logarithmic {
    my ($low, $high) = @_;
    my @all;
    for my $power (POSIX::floor(log($low) / log 10) .. POSIX::ceil(log($high) / log 10)) {
        push @all, grep { $_ >= $low && $_ <= $high } map { $_ * 10**$power } 1, 2, 5;
    }
    my @powers = grep { sprintf('%e', $_) =~ /^1[.]0+e/ } @all;
    my @some = @all > MANY && @powers > 1 ? @powers : @all;
    return [ map { [ $_, time_label($_) ] } @some ];
}

# The smallest of 1, 2 and 5 times a power of ten that makes no more than SOME steps, or so many
sub step {
    my ($high, $some) = @_;
    $some ||= SOME;
    my $power = 10**POSIX::floor(log($high / $some) / log 10);
    my ($step) = grep { $_ * $some >= $high } map { $_ * $power } 1, 2, 5, 10;
    return $step;
}

sub multiples {
    my ($high, $some) = @_;
    my $step = step($high, $some);
    return map { $_ * $step } 0 .. POSIX::floor($high / $step + 1e-9);
}

sub linear {
    my ($high, $some) = @_;
    my $unit = unit($high, @TIMES);
    my ($amount) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? time_label($_ * $amount, $unit) : 0 ] }
            multiples($high / $amount, $some) ];
}

sub of_bytes {
    my ($high, $words) = @_;
    return [ [ 0, 0 ] ] if $high <= 0;
    my $unit = $words =~ /bytes/ ? unit($high, [ 1024**2, ' MB' ], [ 1024, ' KB' ]) : [ 1, q{} ];
    my ($amount, $name) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? sprintf('%.6g%s', $_, $name) : 0 ] }
            multiples($high / $amount) ];
}

sub of_values {
    my ($at, @labels) = @_;
    return [ map { [ $at->{$_}, $_ ] } grep { defined $at->{$_} } @labels ];
}

1;
