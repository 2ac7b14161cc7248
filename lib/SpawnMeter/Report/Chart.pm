# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Chart;

# Pictures of pages, as figures with a caption, and their axes.  They are SVG without scripts,
# attributes of style and addresses.  Places along x are per cent of the width and places along y
# are pixels, so that a picture fits a phone and a wide screen with the same letters.  The text
# alternative is the caption; a table has the figures.
#
#   rows(caption, scale => along x, rows => [row], words => of the axis, or undef, columns => [per
#       cent of the width for names, for texts]) -> HTML
#       row: { head => a line above rows } or { name, text => at the right, marks => [mark] }
#       mark: { bar => [from, to], range => [low, high], dot => value } or some of these, hollow =>
#       true for a doubtful dot, square => true for a square one, class => "k0" to "k5" (colours of
#       series), behind => [values]: small grey dots.  What lies beyond the scale is an arrow
#   intervals(caption, rows => [ { head } or { name, text, value, low, high => or undef, and hollow,
#       square, class, behind of its mark } ], label => sub (value) -> text of a tick, scale => one
#       for others than these values, and what rows() takes) -> HTML: dots with their intervals on
#       one axis, which is logarithmic where the largest value is over four times the smallest
#   panels(caption, x => scale, words => of x, panels => [ { words => above it, y => scale,
#       height => pixels, series => [series] } ]) -> HTML: one below the other
#       series: { name => at the end of its line, ink => number of its colour, points => [ { x, y,
#       low, high, hollow } ], joined => true for a line through them, square, dashed, across =>
#       [ [y, class] ]: lines from end to end }
#   style() -> the rules that the pictures need, and the colours of the page
#
#   scale(low, high, ticks => [ [value, label] ], log => true) -> an axis; of a logarithmic one low
#       is above 0
#   number_scale(low, high, sub (value) -> label or undef, ticks at most or undef): a linear one
#   time_scale([microseconds], true for a logarithmic one, ticks at most or undef): around these
#       times, from 0 where it is linear
#   place(scale, value) -> thousandths of the axis (FULL), from its low end

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max min);
use POSIX                      qw(ceil floor);
use SpawnMeter::Report::Escape qw(html prose);
use SpawnMeter::Util::Format   qw(duration shortened);

our @EXPORT_OK = qw(rows intervals panels style scale number_scale time_scale place INKS);

use constant {
    INKS   => 6,       # colours of series
    FULL   => 1000,    # the length of an axis, whatever it is in pixels
    ROW    => 20,      # pixels
    LINE   => 15,      # the height of a name that stands above
    BAR    => 12,      # the height of a bar
    HEAD   => 24,      # a line above rows
    ABOVE  => 30,      # the room above a panel
    LETTER => 6.2,     # width of a letter, about, on a phone
    PHONE  => 360,     # pixels of its page
    WHOLE  => 54,      # letters on all of its width
    NAME   => 28,      # letters at the end of a line
    BESIDE => 13,      # between names at the ends of lines
    ROOM   => 1.3,     # beside what is drawn, on a logarithmic axis
    MARGIN => 1.06,    # the same on a linear one
    TIMES  => 4,       # largest over smallest value; above it an axis of dots is logarithmic
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
.chart .bar { fill: var(--k); stroke-width: 1; print-color-adjust: exact; }
.chart .thin { stroke-width: 1; stroke-dasharray: 3 3; }
.chart .dash { stroke-dasharray: 6 3; }
.chart .dot { stroke-width: 6; stroke-linecap: round; }
.chart .big { stroke-width: 9; }
.chart .hole { stroke: var(--paper); stroke-width: 3; }
.chart .big.hole { stroke-width: 6; }
.chart .square { stroke-linecap: square; }
.chart .behind { stroke: var(--soft); stroke-opacity: .3; }
.chart .arrow { fill: var(--k); }
.chart .lead { stroke: var(--soft); stroke-width: .7; }
@media (max-width:40rem) {
  .chart .under text:nth-child(even):not(:nth-child(2):last-child) { display: none; }
}
END

sub style {
    return join q{}, $STYLE, map { ".chart .k$_ { --k: var(--k$_); }\n" } 0 .. INKS - 1;
}

# ---- axes ----

sub scale {
    my ($low, $high, %options) = @_;
    return { ticks => [], %options, low => $low, high => $high };
}

sub place {
    my ($scale, $value) = @_;
    my ($low, $high) = @{$scale}{qw(low high)};
    $value = max($low, min($high, $value));
    ($low, $high, $value) = map { log } $low, $high, $value if $scale->{log};
    return $high > $low ? sprintf '%.0f', FULL * ($value - $low) / ($high - $low) : 0;
}

# An axis whose ticks are multiples of 1, 2 or 5 times a power of ten
sub number_scale {
    my ($low, $high, $label, $some) = @_;
    $some  ||= SOME;
    $label ||= sub { $_[0] };
    my $length = ($high - $low) || abs $high || 1;
    my $power = 10**floor(log($length / $some) / log 10);
    my ($step) = grep { $_ * $some >= $length } map { $_ * $power } 1, 2, 5, 10;
    my @at = map { $_ * $step } ceil($low / $step - 1e-9) .. ($low + $length) / $step + 1e-9;
    my @ticks = map { [ $_, $label->($_) ] } @at;
    return scale($low, $low + $length, ticks => \@ticks);
}

sub time_scale {
    my ($times, $is_log, $some) = @_;
    my @known = grep { defined && $_ > 0 } @{$times};
    @known = 1 if !@known;
    return $is_log
        ? logarithmic(\&time_label, $some || MANY, @known)
        : number_scale(0, MARGIN * max(@known), \&time_label, $some);
}

# An axis around values
sub value_scale {
    my ($label, @values) = @_;
    my ($low, $high) = (min(@values), max(@values));
    return logarithmic($label, SOME, @values) if $low > 0 && $high > TIMES * $low;
    my $room = ($high - $low) / 20 || 1;
    return number_scale($low < $room ? min(0, $low) : $low - $room, $high + $room, $label);
}

sub time_label {
    my ($us) = @_;
    my ($amount, $unit) = duration($us) =~ /([\d.]+)(.+)/;
    return $us ? $amount + 0 . $unit : 0;
}

# With ticks at 1, 2 and 5 times powers of ten, or where these are more than so many at the powers
sub logarithmic {
    my ($label, $most, @values) = @_;
    my ($low, $high) = (min(@values) / ROOM, max(@values) * ROOM);
    my @powers = map { 10**$_ } floor(log($low) / log 10) .. ceil(log($high) / log 10);
    my @all = grep { $_ >= $low && $_ <= $high } map { ($_, 2 * $_, 5 * $_) } @powers;
    my @few = grep { $_ >= $low && $_ <= $high } @powers;
    my @at = @all > $most && @few > 1 ? @few : @all;
    return scale($low, $high, log => 1, ticks => [ map { [ $_, $label->($_) ] } @at ]);
}

# ---- elements and shapes ----
#
# A shape is [classes, path]: x as place() has it, y in pixels.

# An element of text; what callers give becomes HTML here and in picture()
sub words {
    my ($x, $y, $text, $class) = @_;
    return q{} if !defined $text || !length $text;
    my @known = grep { defined $_->[1] } [ x => $x ], [ y => $y ], [ class => $class ];
    return join q{}, '<text', map({ qq{ $_->[0]="$_->[1]"} } @known), '>', html($text), '</text>';
}

# -> elements, of which each has all shapes of the same classes
sub drawn {
    my (@shapes) = @_;
    my (@order, %path);
    for my $shape (grep { length $_->[1] } @shapes) {
        push @order, $shape->[0] if !defined $path{ $shape->[0] };
        $path{ $shape->[0] } .= $shape->[1];
    }
    return join q{}, map { qq{<path class="$_" d="$path{$_}"/>} } @order;
}

# A path from one place to the next
sub steps {
    my ($begin, $between, @places) = @_;
    my ($first, @others) = @places or return q{};
    my ($x, $y) = @{$first};
    my $path = "M$x $y$begin";
    for my $place (@others) {
        my ($right, $down) = ($place->[0] - $x, $place->[1] - $y);
        $path .= $between . $right . ($down < 0 ? $down : " $down") . $begin;
        ($x, $y) = @{$place};
    }
    return $path;
}

# Dots are lines of no length with round or square ends; a doubtful one has a hole
sub dots {
    my ($class, @dots) = @_;
    return ([ $class => steps('h0', 'm', map { $_->{at} } @dots) ],
        [ "$class hole" => steps('h0', 'm', map { $_->{at} } grep { $_->{hollow} } @dots) ]);
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
    my $place = qq{x="$picture{from}%" width="$picture{width}%"};
    my $stretched = 'height="1000" viewBox="0 0 1000 1000" preserveAspectRatio="none"';
    my $high = $bottom + (defined $picture{words} ? 39 : 20);
    return join q{}, '<figure><figcaption>', prose($picture{caption}), "</figcaption>\n",
        qq{<svg class="chart" width="100%" height="$high" role="img" aria-label="$alt">},
        "<svg $place $stretched>", drawn(@lines, @{ $picture{shapes} }), '</svg>',
        qq{<svg $place>$picture{texts}<g class="under">$labels</g></svg>$picture{beside}},
        words(undef, $bottom + 34, $picture{words}, 'soft'), "</svg>\n</figure>\n";
}

# ---- rows ----

sub rows {
    my (%picture) = @_;
    my ($names, $texts) = @{ $picture{columns} || [ 26, 26 ] };
    my $letters = int(PHONE * $names / 100 / LETTER);
    my ($y, $left, $right, $arrows, @shapes) = (2, q{}, q{}, q{});
    for my $row (@{ $picture{rows} }) {
        if (defined $row->{head}) {
            $left .= words(undef, $y + HEAD - 7, $row->{head}, 'head');
            $y += HEAD;
            next;
        }

        # a name for which a phone has no room stands above its marks
        my $above = length $row->{name} > $letters ? LINE : 0;
        my $middle = $y + $above + ROW / 2;
        push @shapes, map { mark($picture{scale}, $middle, $_) } @{ $row->{marks} };
        $arrows .= join q{}, map { arrows($picture{scale}, $middle, $_) } @{ $row->{marks} };
        $y += $above + ROW;
        $left  .= words(undef, $middle - $above + 4, shortened($row->{name}, WHOLE));
        $right .= words(undef, $middle + 4, $row->{text});
    }
    return picture(
        %picture,
        x      => $picture{scale},
        top    => 0,
        bottom => $y,
        from   => $names,
        width  => 100 - $names - $texts,
        shapes => \@shapes,
        texts  => $arrows,
        beside => qq{$left<svg x="@{[101.5 - $texts]}%">$right</svg>},
    );
}

sub intervals {
    my (%picture) = @_;
    my (@rows, @all);
    for my $row (@{ $picture{rows} }) {
        my %mark = map { $_ => $row->{$_} } qw(hollow square class behind);
        @mark{qw(dot range)} = ($row->{value}, [ @{$row}{qw(low high)} ]);
        push @rows, { %{$row}, marks => [ \%mark ] };
        push @all, grep { defined } @{$row}{qw(value low high)}, @{ $row->{behind} || [] };
    }
    return q{} if !@all;
    my $scale = $picture{scale} || value_scale($picture{label} || sub { $_[0] }, @all);
    return rows(%picture, rows => \@rows, scale => $scale);
}

sub mark {
    my ($scale, $y, $mark) = @_;
    my $class = $mark->{class} || 'k0';
    my @behind = map { { at => [ place($scale, $_), $y ] } } @{ $mark->{behind} || [] };
    my @shapes = dots('behind dot', @behind);
    if (my $bar = $mark->{bar}) {
        my ($from, $to) = map { place($scale, $_) } sort { $a <=> $b } @{$bar};
        my ($top, $high, $width) = ($y - BAR / 2, BAR, $to - $from);
        push @shapes, [ "$class bar", "M$from ${top}h${width}v${high}h-${width}z" ];
    }
    my @range = grep { defined } @{ $mark->{range} || [] };
    if (@range == 2) {
        my ($low, $high) = map { place($scale, $_) } @range;

        # one that goes on beyond the scale has no stop there
        my @stops = grep { $_ >= $scale->{low} && $_ <= $scale->{high} } @range;
        my $stops = join q{}, map { 'M' . place($scale, $_) . q{ } . ($y - 4) . 'v8' } @stops;
        push @shapes, [ $class, "M$low ${y}H$high$stops" ];
    }
    my $value = $mark->{dot};
    return @shapes if !defined $value || $value < $scale->{low} || $value > $scale->{high};
    my $at = [ place($scale, $value), $y ];
    $class .= ' dot big' . ($mark->{square} ? ' square' : q{});
    return @shapes, dots($class, { at => $at, hollow => $mark->{hollow} });
}

# They keep their shape, as texts do, whatever the width of the picture
sub arrows {
    my ($scale, $y, $mark) = @_;
    my @places = grep { defined } map({ @{ $_ || [] } } @{$mark}{qw(range bar)}), $mark->{dot};
    my $class = ($mark->{class} || 'k0') . ' arrow';
    my @ends = (
        [ 0, 'm-4 0l8-5v10z', min(@places) < $scale->{low} ],
        [ 100, 'm4 0l-8-5v10z', max(@places) > $scale->{high} ]
    );
    return map { qq{<svg x="$_->[0]%" y="$y"><path class="$class" d="M0 0$_->[1]"/></svg>} }
        grep { $_->[2] } @ends;
}

# ---- panels ----

sub panels {
    my (%picture) = @_;
    my $x = $picture{x};
    my @names = map { $_->{name} || q{} } map { @{ $_->{series} } } @{ $picture{panels} };
    my $letters = max(map { min(NAME, length) } @names);
    my $beside = max(4, sprintf '%.1f', 100 * ($letters * LETTER + BESIDE) / PHONE);
    my ($bottom, $above, $left, $right, @shapes) = (0, q{}, q{}, q{});
    for my $panel (@{ $picture{panels} }) {
        my ($y, $height) = @{$panel}{qw(y height)};
        my $top = $bottom + ABOVE;
        $bottom = $top + $height;
        my $down = sub { return sprintf '%.0f', $bottom - $height * place($y, $_[0]) / FULL };
        $above .= words(undef, $top - 10, $panel->{words});
        for my $tick (@{ $y->{ticks} }) {
            my $at = $down->($tick->[0]);
            push @shapes, [ axis => "M0 ${at}h" . FULL ];
            $left .= words(undef, $at + 4, $tick->[1]);
        }
        push @shapes, [ zero => "M0 ${bottom}h" . FULL ];
        push @shapes, map { one_series($_, $x, $down) } @{ $panel->{series} };
        for my $end (ends_of($down, $bottom, @{ $panel->{series} })) {
            push @shapes, [ lead => 'M' . place($x, $end->{x}) . " $end->{from}L1030 $end->{y}" ];
            $right .= words('103.5%', $end->{y} + 4, shortened($end->{name}, NAME));
        }
    }
    return picture(
        %picture,
        top    => ABOVE,
        bottom => $bottom,
        from   => 17,
        width  => 83 - $beside,
        shapes => \@shapes,
        texts  => qq{<g class="left">$left</g>$right},
        beside => $above,
    );
}

sub one_series {
    my ($series, $x, $down) = @_;
    my $ink = $series->{ink} || 0;
    my $class = 'k' . $ink % INKS;
    my $line = $ink >= INKS || $series->{dashed} ? "$class dash" : $class;
    my @points =
        map { { %{$_}, at => [ place($x, $_->{x}), $down->($_->{y}) ] } } @{ $series->{points} };
    my @shapes =
        $series->{joined} ? [ $line, steps(q{}, 'l', map { $_->{at} } @points) ] : ();
    push @shapes,
        map { [ $_->[1] ? "$class $_->[1]" : $line, 'M0 ' . $down->($_->[0]) . 'l1000 0' ] }
        @{ $series->{across} || [] };
    push @shapes,
        map { [ $class => "M$_->{at}[0] " . $down->($_->{low}) . 'V' . $down->($_->{high}) ] }
        grep { defined $_->{low} && defined $_->{high} } @points;
    return (@shapes, dots($series->{square} ? "$class dot square" : "$class dot", @points));
}

# Names that would cover each other are moved apart, and a thin line leads to them
sub ends_of {
    my ($down, $bottom, @series) = @_;
    my @ends;
    for my $series (grep { @{ $_->{points} } && defined $_->{name} } @series) {
        my ($last) = sort { $b->{x} <=> $a->{x} } @{ $series->{points} };
        my $y = $down->($last->{y});
        push @ends, { name => $series->{name}, x => $last->{x}, from => $y, y => $y };
    }
    @ends = sort { $a->{y} <=> $b->{y} } @ends;
    $ends[$_]{y} = max($ends[$_]{y}, $ends[ $_ - 1 ]{y} + BESIDE) for 1 .. $#ends;
    my $most = $bottom;
    for my $end (reverse @ends) {
        $end->{y} = min($end->{y}, $most);
        $most = $end->{y} - BESIDE;
    }
    return @ends;
}

1;
