# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# A sweep, or a published experiment beside its repetition, as a picture: for a page, which also
# has tables, and for files by gnuplot.
#
#   figure(run, analysis of SpawnMeter::Analysis::Points) -> undef where nothing was measured, or {
#       title, under => machine and date, caption, words => [of what is varied, of the times], x, y
#       => scales of Report::Chart, height => pixels of the file, series => [those of Report::Chart,
#       whose points also have { series => name, label, row, ink, square }], rows => [points] in
#       their order where the values are names, x then being their place along y; else undef }
#   page(experiment or undef, its claims, { run, analysis } of each part) -> page of Report::HTML
#   swept({ run, analysis } of each part) -> HTML
#   drawn(figure) -> HTML: its picture
#   answer(run, analysis) -> what the sweep says, in a sentence
#   claims(claims of Analysis::Points) -> HTML: a list with the verdict on each
#   data(figure), arguments(figure) -> what plots/sweep.gp draws it from: text, and (arguments)
#
# Values that are names are categories: a row for each, with a dot and its interval.  Values that
# are numbers lie along an axis, which is logarithmic, as that of the times, where they differ
# much; 0 then stands at its low end.  Fitted lines are drawn with the interval of their slope.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max min);
use POSIX                          ();
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Report::Chart      qw(INKS intervals panels place scale time_scale value_at);
use SpawnMeter::Report::Escape     qw(csv_line html);
use SpawnMeter::Report::HTML::Page qw(anchor section table);
use SpawnMeter::Report::Curve      qw(counts_of_verdicts findings time_of_point claim_in_words);
use SpawnMeter::Util::Format       qw(duration);

our @EXPORT_OK = qw(figure page swept drawn answer data arguments);

use constant {
    STRAIGHT => 0.9,    # R2 above which a line describes the points
    SPAN     => 20,     # largest over smallest value; above it the axis of x is logarithmic
    TIMES    => 4,      # largest over smallest time; above it: logarithmic
    ROOM     => 1.1,    # beside what is drawn
    APART    => 60,     # ticks at values, in thousandths of the axis
    CURVE    => 16,     # steps of a fitted line
    HEIGHT   => 520,    # pixels of a file
    AROUND   => 190,    # pixels of one of categories without them
    PER_ROW  => 18,     # pixels of a row in it
};

sub figure {
    my ($run, $analysis) = @_;
    my ($sweep, $system) = ($run->{sweep}, $run->{system} || {});
    my @series = series($sweep, $analysis->{points}) or return;
    my %axes =
        grep({ !defined } @{ $sweep->{x} }) ? categories(@series) : numbers($analysis, @series);
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = $run->{started} && POSIX::strftime('%Y-%m-%d', gmtime $run->{started});
    my @words = ($sweep->{axis}, words_of($sweep->{quantity}));
    return {
        height => HEIGHT,
        %axes,
        title   => $sweep->{title},
        under   => join(', ', grep { $_ } $run->{host}, $system->{cpu_model}, $kernel, $date),
        words   => \@words,
        caption => "$sweep->{title}: $words[1], by $words[0]",
    };
}

# What was published of a series has its colour
sub series {
    my ($sweep, $points) = @_;
    my $published = $sweep->{published} || {};
    my @own = own($sweep);
    my %ink = map { $own[$_] => $_ } 0 .. $#own;
    my @series;
    for my $name (@{ $sweep->{series} }) {
        my $as = $published->{$name};
        my %looks = (ink => $ink{ $as // $name }, square => defined $as);
        my @points = map { { %{$_}, %looks } } points($sweep, $name, $points->{$name}) or next;
        push @series, { %looks, dashed => defined $as, name => $name, points => \@points };
    }
    return @series;
}

sub points {
    my ($sweep, $series, $points_of_label) = @_;
    my @points;
    for my $row (0 .. $#{ $sweep->{values} }) {
        my ($x, $label) = ($sweep->{x}[$row], $sweep->{values}[$row]);
        my $point = $points_of_label->{$label} || {};
        my $time = $point->{time_us};
        next if !defined $time;
        my ($low, $high) = map { defined() ? $_ : $time } @{$point}{qw(time_low time_high)};
        my %point = (series => $series, label => $label, row => $row, x => $x, y => $time);
        push @points, { %point, low => $low, high => $high, hollow => $point->{disturbed} };
    }
    return @points;
}

# A figure over numbers.  A series has its fitted line where the interval of its slope is known,
# else a line from point to point
sub numbers {
    my ($analysis, @series) = @_;
    my @points = map { @{ $_->{points} } } @series;
    my %label = map { $_->{x} => $_->{label} } @points;
    my @x = sort { $a <=> $b } keys %label;
    my ($least) = grep { $_ > 0 } @x, 1;
    my $is_log = $x[-1] >= SPAN * $least ? 1 : 0;
    my $low = !$is_log ? 0 : $x[0] > 0 ? $least / ROOM : $least / 4;
    my $x = scale($low, ROOM * $x[-1] || 1, log => $is_log);
    my $before = -APART;

    for my $value (@x) {
        next if place($x, $value) - $before < APART;
        push @{ $x->{ticks} }, [ $value, $label{$value} ];
        $before = place($x, $value);
    }
    my ($lines, $per) = @{$analysis}{qw(lines per)};
    return (
        x      => $x,
        y      => axis_of_times(@points),
        series => [ map { with_line($_, $lines->{ $_->{name} }, $per, $x) } @series ],
    );
}

sub axis_of_times {
    my @ends = map { @{$_}{qw(low high)} } @_;
    return time_scale(\@ends, max(@ends) > TIMES * min(@ends));
}

sub with_line {
    my ($series, $line, $per, $x) = @_;
    my @points = @{ $series->{points} };
    return { %{$series}, lines => [ { at => [ map { [ @{$_}{qw(x y)} ] } @points ] } ] }
        if !$line || !defined $line->{low};
    my $last = max(map { $_->{x} } @points);
    my @x = ((grep { $_ < $last } map { value_at($x, $_ / CURVE) } 0 .. CURVE), $last);
    my @lines;
    for my $name (qw(slope low high)) {
        my @at = map { [ $_, $line->{intercept} + $line->{$name} * $_ ] } @x;
        push @lines, { class => $name eq 'slope' ? q{} : 'thin', at => \@at };
    }
    my $slope = duration($per->{amount} * $line->{slope}) . " $per->{words}";
    return { %{$series}, slope => $slope, lines => \@lines };
}

# Times along x, and a row for each value and series
sub categories {
    my (@series) = @_;
    my @rows = sort { $a->{row} <=> $b->{row} } map { @{ $_->{points} } } @series;
    my %values = map { $_->{label} => 1 } @rows;
    $rows[$_]{x} = -$_ for 0 .. $#rows;
    my @name = @series == 1 ? 'label' : keys %values == 1 ? 'series' : qw(label series);
    my @ticks = map { [ $_->{x}, join ': ', @{$_}{@name} ] } @rows;
    return (
        x      => axis_of_times(@rows),
        y      => scale(-$#rows - 0.6, 0.6, ticks => \@ticks),
        height => AROUND + PER_ROW * @rows,
        series => \@series,
        rows   => \@rows,
    );
}

# ---- pages ----

sub page {
    my ($experiment, $claims, @parts) = @_;
    if ($experiment) {
        my $title = join ': ', $experiment->{title}, join ', ', counts_of_verdicts(@{$claims});
        my $about = 'A published experiment, repeated on this machine, and its claims.';
        my %html = (picture => swept(@parts), body => claims($claims));
        return { %html, title => $title, about => $about };
    }
    my ($run, $analysis) = @{ $parts[0] }{qw(run analysis)};
    my ($sweep, $points, $figure) = ($run->{sweep}, $analysis->{points}, figure($run, $analysis));
    my $about = ucfirst words_of($sweep->{quantity}) . ", by $sweep->{axis}";
    return {
        title    => title($run, $analysis),
        about    => "$about: the sweep $sweep->{name}.",
        findings => [ findings($analysis) ],
        picture  => $figure ? drawn($figure) : q{},
        body     => table_of($sweep, $points),
    };
}

# What the sweep says, where no point is busy and at most half of them are disturbed
sub title {
    my ($run, $analysis) = @_;
    my @points =
        grep { defined $_->{time_us} } map { values %{$_} } values %{ $analysis->{points} };
    my $disturbed = grep { $_->{disturbed} } @points;
    return answer($run, $analysis)
        if 2 * $disturbed <= @points && !grep { defined $_->{busy} } @points;
    my $sweep = $run->{sweep};
    return "$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}";
}

sub swept {
    my (@parts) = @_;
    my $html = q{};
    for my $part (@parts) {
        my ($run, $analysis) = @{$part}{qw(run analysis)};
        my $figure = figure($run, $analysis);
        my $shown = $figure ? drawn($figure) : q{};
        $shown .= table_of($run->{sweep}, $analysis->{points});
        $html  .= section(title($run, $analysis), $shown, anchor($run->{sweep}{name}));
    }
    return $html;
}

sub drawn {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my ($axis, $words) = map { ucfirst } @{ $figure->{words} };
    $words =~ s/,.*//;
    my %picture = (caption => $figure->{caption} . marks(@series), words => $axis);
    my %panel = (words => "$words; lower is better", height => max(260, 14 * @series));
    return panels(%picture, x => $figure->{x}, panels => [ { %{$figure}, %panel } ])
        if !$figure->{rows};
    @picture{qw(scale columns words)} = ($figure->{x}, [ 34, 18 ], "$words; shorter is better");
    return intervals(%picture, rows => rows_of($figure, @series));
}

sub rows_of {
    my ($figure, @series) = @_;
    my ($value, @rows) = (q{});
    for my $point (@{ $figure->{rows} }) {
        my ($label, $name) = @{$point}{qw(label series)};
        push @rows, { head => $label } if @series > 1 && $label ne $value;
        $value = $label;
        my %row = map { $_ => $point->{$_} } qw(low high hollow square);
        @row{qw(name value class)} =
            (@series > 1 ? $name : $label, $point->{y}, 'k' . $point->{ink} % INKS);
        push @rows, { %row, text => duration($point->{y}) };
    }
    return \@rows;
}

sub marks {
    my (@series) = @_;
    my @marks = '. A vertical or horizontal line is the 95 % interval';
    push @marks, 'hollow: disturbed' if grep { $_->{hollow} } map { @{ $_->{points} } } @series;
    push @marks, 'squares and dashes: published' if grep { $_->{square} } @series;
    push @marks, 'dashed lines: the interval of the slope'
        if grep { @{ $_->{lines} || [] } > 1 } @series;
    return join('; ', @marks) . q{.};
}

sub table_of {
    my ($sweep, $points) = @_;
    my @series = grep { $points->{$_} } @{ $sweep->{series} };
    my @rows;
    for my $label (@{ $sweep->{values} }) {
        my @texts =
            map { $_ ? html(time_of_point($_)) : q{} } map { $points->{$_}{$label} } @series;
        push @rows, [ $label, map { \s{ ([+]/-.*)}{<br><span class="soft">$1</span>}r } @texts ];
    }
    return table($sweep->{title}, [ ucfirst $sweep->{axis}, @series ], \@rows);
}

sub claims {
    my ($claims) = @_;
    my $html = q{};
    for (@{$claims}) {
        my $words = html($_->{kind} ? claim_in_words($_) : $_->{words});
        my $verdict = html($_->{verdict});
        $html .= $_->{kind} ? "<li><b>$verdict</b>: $words</li>\n" : "</ul><p>$words</p><ul>\n";
    }
    $html = "<ul>$html</ul>" =~ s{<ul>\s*</ul>}{}gr;
    return length $html ? section('Claims', $html) : q{};
}

# The sentence of a sweep, by what was measured, not published: the first slope that a straight
# line describes, or what adds most to "none"
sub answer {
    my ($run, $analysis) = @_;
    my ($sweep, $points, $lines, $per) = ($run->{sweep}, @{$analysis}{qw(points lines per)});
    my @slopes = grep { defined $lines->{$_}{r2} && ($lines->{$_}{low} || 0) > 0 }
        grep { $lines->{$_} } own($sweep);
    my ($name) = ((grep { $lines->{$_}{r2} > STRAIGHT } @slopes), @slopes);
    if (defined $name) {
        my $each = $per->{words} =~ s/^per //r;
        $each .= " ($sweep->{axis})" if $each =~ /\d/;
        my @cost = map { duration($per->{amount} * $_) } @{ $lines->{$name} }{qw(slope low high)};
        return sprintf '%s costs %s for each %s (%s to %s)', $name, $cost[0], $each, @cost[ 1, 2 ];
    }
    my @added;
    for my $series (own($sweep)) {
        my %points_of_label = %{ $points->{$series} || {} };
        push @added, map { [ $series, $_, @{ $points_of_label{$_}{added} } ] }
            grep { (($points_of_label{$_}{added} || [])->[1] || 0) > 0 } keys %points_of_label;
    }
    my ($most) = sort { $b->[2] <=> $a->[2] } @added;
    return "$sweep->{title}: " . words_of($sweep->{quantity}) if !$most;
    my ($series, $label, @us) = @{$most};
    return sprintf '%s: %s adds %s (%s to %s)', $series, $label, map { duration($_) } @us;
}

sub own {
    my ($sweep) = @_;
    my $published = $sweep->{published} || {};
    return grep { !defined $published->{$_} } @{ $sweep->{series} };
}

# ---- gnuplot ----
#
# A figure as plots/sweep.gp takes it: blocks of lines, parted by two empty lines.  Axes are those
# of the page, from 0 to 1000.

sub data {
    my ($figure) = @_;
    my ($x, $y, @series) = (@{$figure}{qw(x y)}, @{ $figure->{series} });
    my (@points, @lines);
    for my $series (@series) {
        my ($line) = @{ $series->{lines} || [] };
        push @lines,
            lines(map { [ place($x, $_->[0]), place($y, $_->[1]) ] } @{ $line->{at} || [] });
        my $name = join ': ', grep { defined } @{$series}{qw(name slope)};
        push @points, lines([$name], map { row($figure, $_) } @{ $series->{points} });
    }
    return join "\n\n", @points, @lines, map {
        my $axis = $_;
        lines(map { [ place($axis, $_->[0]), $_->[1] ] } @{ $axis->{ticks} })
    } $x, $y;
}

# Its place, and the ends of its intervals along x and y
sub row {
    my ($figure, $point) = @_;
    my @ends = ([ @{$point}{qw(x x x)} ], [ @{$point}{qw(y low high)} ]);
    my ($x, $y) = $figure->{rows} ? reverse @ends : @ends;
    my @along = map { place($figure->{x}, $_) } @{$x};
    my @up = map { place($figure->{y}, $_) } @{$y};
    return [ $along[0], $up[0], @along[ 1, 2 ], @up[ 1, 2 ], $point->{hollow} ? 1 : 0 ];
}

# gnuplot takes a backslash in a text of its data as the beginning of an escape
sub literal { my ($text) = @_; return $text =~ s/\\/\\\\/gr }

# A block without a point has one that is none
sub lines {
    my @rows = @_ ? @_ : [ ('NaN') x 2 ];
    return join q{}, map({ csv_line(map({ literal($_) } @{$_})) } @rows);
}

sub arguments {
    my ($figure) = @_;
    my ($axis, $times) = @{ $figure->{words} };
    my @axes = $figure->{rows} ? ($times, q{}) : ($axis, $times);
    my @ink = map { $_->{ink} || 0 } @{ $figure->{series} };
    return (@{$figure}{qw(title under)}, @axes, "$figure->{height} @ink");
}

1;
