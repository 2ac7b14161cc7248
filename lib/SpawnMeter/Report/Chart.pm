# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Chart;

# Pictures as SVG that stands in a page: no script, no attribute of style, no address.  Places
# along x are per cent of the width and places along y are pixels, so that a picture fits a phone
# and a wide screen with the same letters; lines and dots have the same width on both.
#
#   rows(alt => what the picture shows, scale => along x, rows => [row], words => of the axis, or
#       undef, columns => [per cent of the width for names, for texts], thin => true for many rows
#       without names and texts) -> SVG
#       row: { head => a line above rows } or { name, text => at the right, marks => [mark] }
#       mark: { bar => [from, to] }, { range => [low, high] } or { dot => value }, with hollow =>
#       true for a doubtful value, square => true for a square dot, class => "k0" to "k5" (colours
#       of series) or another of STYLE,
#       and title => what a pointer on it shows
#   Many rows become several pictures, one below the other, on one scale
#   xy(alt, x, y => scales, series => [series], words => [of x, of y], height => pixels of the
#       plot) -> SVG
#       series: { name, ink => number of its colour, points => [ { x, y, low, high, hollow,
#       apart => true for one that no line leads to } ],
#       joined => true for a line through them, square => true for squares instead of circles,
#       bare => true for one without dots, lines => [ [x, y, x, y, class or undef] ] }
#   strips(alt, x => scale, words => of x, strips => [ { name, y => scale, series => [series] } ])
#       -> SVG: one below the other
#   file(SVG of one of these, width in pixels, title) -> the same as a file of its own
#   style() -> the rules that the pictures need, and the colours of the page

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max min);
use POSIX                      ();
use SpawnMeter::Report::Escape qw(html);
use SpawnMeter::Report::Scale  qw(FULL place);
use SpawnMeter::Util::Format   qw(shortened);

our @EXPORT_OK = qw(rows strips xy file style INKS);

use constant {
    INKS   => 6,      # colours of series
    ROW    => 20,     # pixels
    BAR    => 0.6,    # of a row
    ALL    => 260,    # pixels of thin rows together
    HEAD   => 24,     # a line above rows
    STRIP  => 62,     # with the room above it
    LETTER => 6.2,    # width of a letter, about, on a phone
    PHONE  => 360,    # pixels of its page
    NAME   => 28,     # letters at the end of a line
    BESIDE => 13,     # between names at the ends of lines
    ROWS   => 34,     # at most in one part of a picture, which fits a printed page
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
.chart .k0,.chart .faster { --k: var(--k0); }
.chart .k1,.chart .slower { --k: var(--k1); }
.chart .k2 { --k: var(--k2); }
.chart .k3 { --k: var(--k3); }
.chart .k4 { --k: var(--k4); }
.chart .k5 { --k: var(--k5); }
.chart path { fill: none; stroke: var(--k); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.chart .axis { stroke: var(--line); stroke-width: 1; }
.chart .zero { stroke: var(--ink); stroke-width: 1; }
.chart .bar { fill: var(--k); stroke-width: 1; print-color-adjust: exact; }
.chart .hollow { fill: var(--paper); stroke-width: 1.5; }
.chart .thin { stroke-width: 1; stroke-dasharray: 3 3; }
.chart .dash { stroke-dasharray: 6 3; }
.chart .over { stroke: var(--ink); }
.chart .dot { stroke-width: 6; stroke-linecap: round; }
.chart .big { stroke-width: 9; }
.chart .hole { stroke: var(--paper); stroke-width: 3; }
.chart .big.hole { stroke-width: 6; }
.chart .square { stroke-linecap: square; }
.chart .lead { stroke: var(--soft); stroke-width: .7; }
@media (max-width:40rem) {
  .chart .under text:nth-child(even):not(:nth-child(2):last-child) { display: none; }
}
END

sub style { return $STYLE }

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

# ---- shapes ----
#
# A shape is [classes, path]: x as place() has it, y in pixels.

# -> elements, of which each has all shapes of the same classes
sub drawn {
    my (@shapes) = @_;
    my (@order, %path);
    for my $shape (grep { length $_->[1] } @shapes) {
        push @order, $shape->[0] if !defined $path{ $shape->[0] };
        $path{ $shape->[0] } .= $shape->[1];
    }
    return join q{}, map { element('path', class => $_, d => $path{$_}) } @order;
}

# From one place to the next, with what stands between them
sub steps {
    my ($begin, $between, @places) = @_;
    my ($first, @others) = @places or return q{};
    my ($x, $y) = @{$first};
    my $path = "M$x $y$begin";
    for my $place (@others) {
        my ($right, $down) = ($place->[0] - $x, short($place->[1] - $y));
        $path .= $between . $right . ($down < 0 ? $down : " $down") . $begin;
        ($x, $y) = @{$place};
    }
    return $path;
}

sub short { my ($number) = @_; return sprintf('%.1f', $number) =~ s/[.]0\z//r }

sub line {
    my ($x1, $y1, $x2, $y2) = @_;
    return $y1 == $y2 ? "M$x1 ${y1}H$x2" : "M$x1 ${y1}L$x2 $y2";
}

# Without places that are, but for a pixel, on the line between those beside them
sub bends {
    my ($first, @others) = @_;
    my @kept = $first || ();
    for my $i (0 .. $#others) {
        my ($before, $at, $after) = ($kept[-1], @others[ $i, $i + 1 ]);
        my $share = $after ? ($at->[0] - $before->[0]) / (($after->[0] - $before->[0]) || 1) : 0;
        my $between = $before->[1] + $share * ($after ? $after->[1] - $before->[1] : 0);
        push @kept, $at if !$after || abs($at->[1] - $between) > 1;
    }
    return @kept;
}

# A line of no length, which has round or square ends; a doubtful one has a hole
sub dots {
    my ($class, @dots) = @_;
    return ([ $class => steps('h0', 'm', map { $_->{at} } @dots) ],
        [ "$class hole" => steps('h0', 'm', map { $_->{at} } grep { $_->{hollow} } @dots) ]);
}

# ---- the picture ----

sub picture {
    my ($alt, $height, @parts) = @_;
    return
        sprintf '<svg class="chart" width="100%%" height="%d" role="img" aria-label="%s">%s</svg>'
        . "\n", $height, html($alt), join q{}, @parts;
}

# Shapes, which are stretched to the width that they have here, and texts, which are not
sub plot_area {
    my ($from, $width, $shapes, $texts) = @_;
    my %place = (x => "$from%", width => "$width%");
    my %stretched =
        (height => FULL, viewBox => "0 0 @{[FULL, FULL]}", preserveAspectRatio => 'none');
    return element('svg', %place, %stretched, inner => $shapes)
        . element('svg', %place, inner => $texts);
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
    return in_parts(%of) if !$of{thin} && @{ $of{rows} } > ROWS;
    my ($names, $texts) = $of{thin} ? (0, 3) : @{ $of{columns} || [ 26, 26 ] };
    my $row_height = $of{thin} ? max(2, ALL / (@{ $of{rows} } || 1)) : ROW;
    my $letters = max(8, int(PHONE * $names / 100 / LETTER));
    my ($y, $left, $right, @shapes) = (2, q{}, q{});
    for my $row (@{ $of{rows} }) {
        if (defined $row->{head}) {
            $left .= words(undef, $y + HEAD - 7, $row->{head}, class => 'head');
            $y += HEAD;
            next;
        }
        my $middle = $y + $row_height / 2;
        push @shapes, map { mark($of{scale}, $middle, $row_height * BAR, $_) } @{ $row->{marks} };
        $y += $row_height;
        next if $of{thin};
        $left  .= words(undef, $middle + 4, shortened($row->{name}, $letters));
        $right .= words(undef, $middle + 4, $row->{text});
    }
    $y = POSIX::ceil($y);
    return picture(
        $of{alt},
        $y + (defined $of{words} ? 36 : 20),
        plot_area(
            $names,
            100 - $names - $texts,
            drawn(grid($of{scale}, $y), grep { ref } @shapes) . join(q{}, grep { !ref } @shapes),
            labels_below($of{scale}, $y + 14)
        ),
        $left,
        element('svg', x => (100.5 - $texts) . q{%}, inner => $right),
        words(undef, $y + 33, $of{words}, class => 'soft')
    );
}

# Several pictures on one scale; none ends with the head of what is in the next
sub in_parts {
    my (%of) = @_;
    my @rows = @{ $of{rows} };
    my @first = splice @rows, 0, ROWS;
    unshift @rows, pop @first while defined $first[-1]{head};
    return rows(%of, rows => \@first)
        . rows(%of, rows => \@rows, alt => 'The rest of that picture');
}

# Vertical lines at the ticks
sub grid {
    my ($scale, $bottom) = @_;
    return
        map { [ $_ == $scale->{zero} ? 'zero' : 'axis', 'M' . place($scale, $_) . " 0v$bottom" ] }
        map { $_->[0] } @{ $scale->{ticks} };
}

sub labels_below {
    my ($scale, $y) = @_;
    my $texts = join q{},
        map { words(place($scale, $_->[0]) / 10 . q{%}, undef, $_->[1]) } @{ $scale->{ticks} };
    return qq{<g class="under" transform="translate(0,$y)">$texts</g>};
}

# -> shapes, or one element with a title
sub mark {
    my ($scale, $y, $height, $mark) = @_;
    my $class = $mark->{class} || 'k0';
    my @shapes;
    if (my $bar = $mark->{bar}) {
        my ($from, $to) = map { place($scale, $_) } sort { $a <=> $b } @{$bar};
        my ($top, $down, $width) = (short($y - $height / 2), short($height), $to - $from);
        push @shapes,
            [
            $mark->{hollow} ? "$class bar hollow" : "$class bar",
            "M$from ${top}h${width}v${down}h-${width}z"
            ];
    }
    if (my $range = $mark->{range}) {
        my ($low, $high) = map { place($scale, $_) } @{$range};

        # one that goes on beyond the scale has no stop there
        my @stops = grep { $_ >= $scale->{low} && $_ <= $scale->{high} } @{$range};
        push @shapes,
            [
            $mark->{over} ? 'over' : $class,
            join q{},
            "M$low ${y}H$high",
            map { 'M' . place($scale, $_) . q{ } . ($y - 4) . 'v8' } @stops
            ];
    }
    my $dot = $mark->{square} ? "$class dot big square" : "$class dot big";
    push @shapes,
        dots($dot, { at => [ place($scale, $mark->{dot}), $y ], hollow => $mark->{hollow} })
        if defined $mark->{dot};
    return @shapes if !defined $mark->{title};
    return element('g', inner => element('title', inner => html($mark->{title})) . drawn(@shapes));
}

# ---- along two axes ----

sub xy {
    my (%of) = @_;
    my $top = defined $of{words}[1] ? 22 : 8;
    my $height = $of{height} || 260;
    my $bottom = $top + $height;
    my ($shapes, $labels) = panel($of{x}, $of{y}, $bottom, $height, @{ $of{series} });
    my $letters =
        max(map { defined $_->{name} ? min(NAME, length $_->{name}) : 0 } @{ $of{series} });
    my $beside = short(max(4, 100 * ($letters * LETTER + BESIDE) / PHONE));
    my @ends = ends_of($of{y}, $bottom, $height, @{ $of{series} });
    my @ticks =
        map { [ zero => 'M' . place($of{x}, $_->[0]) . " ${bottom}v4" ] } @{ $of{x}{ticks} };
    my @leads = map { [ lead => line(place($of{x}, $_->{x}), $_->{from}, 1030, $_->{y}) ] } @ends;
    return picture(
        $of{alt},
        $bottom + (defined $of{words}[0] ? 38 : 20),
        words(undef, 13, $of{words}[1], class => 'soft'),
        plot_area(
            14,
            86 - $beside,
            drawn(@{$shapes}, @ticks, @leads),
            join q{},
            $labels,
            labels_below($of{x}, $bottom + 16),
            map { words('103.5%', $_->{y} + 4, shortened($_->{name}, NAME)) } @ends
        ),
        words(undef, $bottom + 35, $of{words}[0], class => 'soft')
    );
}

# One below the other, with one axis along x
sub strips {
    my (%of) = @_;
    my ($y, $names, $labels, @shapes) = (0, q{}, q{});
    for my $strip (@{ $of{strips} }) {
        $names .= words(undef, $y + 14, $strip->{name});
        $y += HEAD + STRIP;
        my ($own, $ticks) = panel($of{x}, $strip->{y}, $y, STRIP - 10, @{ $strip->{series} });
        push @shapes, @{$own};
        $labels .= $ticks;
    }
    my @grid = map { [ axis => $_->[1] ] } grid($of{x}, $y);
    return picture($of{alt}, $y + 36,
        plot_area(17, 80, drawn(@grid, @shapes), $labels . labels_below($of{x}, $y + 14)),
        $names, words(undef, $y + 33, $of{words}, class => 'soft'));
}

# -> ([shapes], labels at the left)
sub panel {
    my ($x, $y, $bottom, $height, @series) = @_;
    my ($labels, @shapes) = (q{});
    for my $tick (@{ $y->{ticks} }) {
        my $at = down($y, $bottom, $height, $tick->[0]);
        push @shapes, [ axis => "M0 ${at}h" . FULL ];
        $labels .= words(undef, $at + 4, $tick->[1]);
    }
    push @shapes, [ zero => "M0 ${bottom}h" . FULL ];
    push @shapes, map {
        one_series($_, $x, sub { return down($y, $bottom, $height, $_[0]) })
    } @series;
    return (\@shapes, qq{<g class="left">$labels</g>});
}

sub down {
    my ($scale, $bottom, $height, $value) = @_;
    return sprintf '%.0f', $bottom - $height * place($scale, $value) / FULL;
}

sub one_series {
    my ($series, $x, $down) = @_;
    my $ink = $series->{ink} || 0;
    my $class = 'k' . $ink % INKS;
    my $line = $ink >= INKS || $series->{dashed} ? "$class dash" : $class;
    my @points =
        map { { %{$_}, at => [ place($x, $_->{x}), $down->($_->{y}) ] } } @{ $series->{points} };
    my @through = $series->{joined} ? grep { !$_->{apart} } @points : ();
    my @shapes = [ $line => steps(q{}, 'l', bends(map { $_->{at} } @through)) ];
    for my $of (@{ $series->{lines} || [] }) {
        my ($x1, $y1, $x2, $y2, $thin) = @{$of};
        push @shapes,
            [
            $thin ? "$class $thin" : $line,
            line(place($x, $x1), $down->($y1), place($x, $x2), $down->($y2))
            ];
    }
    push @shapes,
        map { [ $class => "M$_->{at}[0] " . $down->($_->{low}) . 'V' . $down->($_->{high}) ] }
        grep { defined $_->{low} && defined $_->{high} } @points;
    return @shapes if $series->{bare};
    return (@shapes, dots($series->{square} ? "$class dot square" : "$class dot", @points));
}

# Those that would cover each other are moved apart, and a thin line leads to them
sub ends_of {
    my ($scale, $bottom, $height, @series) = @_;
    my @ends;
    for my $series (grep { @{ $_->{points} } && defined $_->{name} } @series) {
        my ($last) = sort { $b->{x} <=> $a->{x} } @{ $series->{points} };
        my $y = down($scale, $bottom, $height, $last->{y});
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
    return @ends;
}

1;
