# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# A sweep, or a published experiment beside its repetition, as pictures: for a page, which also
# has tables, for files by gnuplot, and in characters.
#
#   figures(run, analysis of SpawnMeter::Analysis::Points) -> [figure]: { name => ending of the
#       files ('' or '-linear'), form => names, log or linear, title, under => machine and date,
#       caption, words => [of what is varied, of the times], x, y => scales of Report::Chart,
#       broken => where the axis of x is broken, or 0, height => pixels of the file or undef,
#       series => [those of Report::Chart, whose points also have { series => name, label, row,
#       time, ink, square }], rows => [points] of the form names, in their order }
#   swept({ run, analysis, figures } of each part) -> HTML
#   drawn(figure) -> HTML: its picture
#   answer(run, analysis) -> what the sweep says, in a sentence
#   claims(claims of Analysis::Points) -> HTML: a list with the verdict on each
#   draw(figure, terminal: svg or png, plots/sweep.gp) -> (bytes of the picture, undef) or (undef,
#       reason)
#   bars(sweep record, points of SpawnMeter::Analysis::Points) -> text of at most 78 columns:
#       for each value and series a bar from 0 to the median, and its interval
#
# Values that are names are categories: a row for each, with a dot and its interval.
# Values that are numbers have a picture with logarithmic axes, and one with linear axes, in
# which a straight line is one, with the slopes.  A logarithmic axis has no 0: it is drawn at
# a quarter of the smallest value, and the axis is broken before it.

use strict;
use warnings;
use Exporter 'import';
use File::Spec                     ();
use List::Util                     qw(max min);
use POSIX                          ();
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Report::Chart      qw(INKS log_range number_scale panels rows scale time_scale);
use SpawnMeter::Report::Escape     qw(html plain_csv_line);
use SpawnMeter::Report::HTML::Page qw(anchor section table);
use SpawnMeter::Report::Sweep      qw(in_words);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(read_bytes write_bytes);
use SpawnMeter::Util::Format qw(duration percent shortened signed_duration visible);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(figures swept drawn answer claims draw bars);

use constant {
    STRAIGHT => 0.9,     # R2 above which a line describes the points
    SPAN     => 20,      # largest over smallest value; above it the axis of x is logarithmic
    MARGIN   => 0.06,    # beside what is drawn, on a linear axis, as a share
    APART    => 0.12,    # ticks at values on a linear axis, as a share
    TIMES    => 4,       # largest over smallest time of categories; above it: logarithmic
    AROUND   => 190,     # pixels of a picture of categories without them
    PER_ROW  => 18,      # pixels of a row in it
};

sub figures {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @series = series($sweep, $analysis->{points});
    return [] if !@series;
    return [ categories($run, @series) ] if grep { !defined } @{ $sweep->{x} };
    return [
        numbers($run, @series),
        grep({ $_ } values %{ $analysis->{lines} }) ? straight($run, $analysis, @series) : (),
    ];
}

# What was published of a series has its colour
sub series {
    my ($sweep, $points) = @_;
    my $of = $sweep->{published} || {};
    my @own = own($sweep);
    my %ink = map { $own[$_] => $_ } 0 .. $#own;
    my @series;
    for my $name (@{ $sweep->{series} }) {
        my $as = $of->{$name};
        my %looks = (ink => $ink{ defined $as ? $as : $name }, square => defined $as);
        my @points = map { { %{$_}, %looks } } points($sweep, $name, $points->{$name}) or next;
        my %line = map { $_ => defined $as } qw(dashed joined);
        push @series, { %looks, %line, name => $name, points => \@points };
    }
    return @series;
}

sub points {
    my ($sweep, $series, $of) = @_;
    my @points;
    for my $row (0 .. $#{ $sweep->{values} }) {
        my ($x, $label) = ($sweep->{x}[$row], $sweep->{values}[$row]);
        my $point = $of->{$label} || {};
        my $time = $point->{time_us};
        next if !defined $time;
        my ($low, $high) = map { defined() ? $_ : $time } @{$point}{qw(time_low time_high)};
        my %point = (series => $series, label => $label, row => $row, time => $time, x => $x);
        push @points,
            { %point, y => $time, low => $low, high => $high, hollow => $point->{disturbed} };
    }
    return @points;
}

sub by_row {
    return sort { $a->{row} <=> $b->{row} } map { @{ $_->{points} } } @_;
}

# ---- the three forms ----------------------------------------------------------------

sub numbers {
    my ($run, @series) = @_;
    my @points = map { @{ $_->{points} } } @series;
    my @x = map { $_->{x} } @points;
    my @above = grep { $_ > 0 } @x;
    my $is_log = @above && max(@above) >= SPAN * min(@above) ? 1 : 0;
    my $zero = $is_log && min(@x) <= 0 ? min(@above) / 4 : 0;
    my %at = map { $_ => $_ > 0 || !$is_log ? $_ : $zero } @x;
    my %label = map { $at{ $_->{x} } => $_->{label} } @points;
    my $room = MARGIN * (max(@x) - min(@x)) || 1;
    my @range = $is_log ? log_range(values %at) : (min(@x) - $room, max(@x) + $room);
    my @ticks = map { [ $_, $label{$_} ] } sort { $a <=> $b } keys %label;

    for my $series (@series) {
        my @moved = map { { %{$_}, x => $at{ $_->{x} }, apart => $zero && $_->{x} <= 0 } }
            @{ $series->{points} };
        $series = { %{$series}, joined => 1, points => \@moved };
    }
    return figure(
        $run, 'log',
        x      => scale(@range, log => $is_log, ticks => \@ticks),
        y      => time_scale([ map { @{$_}{qw(low high)} } @points ], 1),
        broken => $zero * 2,
        series => \@series,
    );
}

# A line is drawn where its interval is known, and the lines by both ends of its slope
sub straight {
    my ($run, $analysis, @series) = @_;
    my $per = $analysis->{per};
    my @points = map { @{ $_->{points} } } @series;
    my $most = max(map { $_->{x} } @points);
    for my $series (@series) {
        my $line = $analysis->{lines}{ $series->{name} };
        next if !$line || !defined $line->{low};
        my $last = max(0, map { $_->{x} } @{ $series->{points} });
        my ($from, @to) = (
            $line->{intercept}, map { $line->{intercept} + $last * $line->{$_} } qw(slope low high)
        );
        my $slope = signed_duration($per->{amount} * $line->{slope});
        $series = {
            %{$series},
            name  => "$series->{name}: $slope $per->{words}",
            lines => [ map { [ 0, $from, $last, $to[$_], $_ ? 'thin' : () ] } 0 .. $#to ],
        };
    }
    my %label = map { $_->{x} => $_->{label} } @points;
    my ($before, @ticks) = -$most;
    for my $x (sort { $a <=> $b } keys %label) {
        next if $x - $before < APART * $most;
        push @ticks, [ $x, $label{$x} ];
        $before = $x;
    }
    return figure(
        $run, 'linear',
        x      => scale(0, (1 + MARGIN) * $most || 1, ticks => \@ticks),
        y      => time_scale([ map { $_->{high} } @points ], 0),
        series => \@series,
    );
}

# Times along x, and a row for each value and series
sub categories {
    my ($run, @series) = @_;
    my @rows = by_row(@series);
    my $is_one = @{ $run->{sweep}{values} } == 1;
    for my $i (0 .. $#rows) { @{ $rows[$i] }{qw(x y)} = ($rows[$i]{time}, -$i) }
    my @name = @series == 1 ? 'label' : $is_one ? 'series' : qw(label series);
    my @ticks = map { [ $_->{y}, join ': ', @{$_}{@name} ] } @rows;
    my @ends = map { @{$_}{qw(low high)} } @rows;
    return figure(
        $run, 'names',
        x      => time_scale(\@ends, max(@ends) > TIMES * min(@ends)),
        y      => scale(-$#rows - 0.6, 0.6, ticks => \@ticks),
        height => AROUND + PER_ROW * @rows,
        series => \@series,
        rows   => \@rows,
    );
}

sub figure {
    my ($run, $form, %of) = @_;
    my ($title, $axis, $words) =
        (@{ $run->{sweep} }{qw(title axis)}, words_of($run->{sweep}{quantity}));
    my %more = (log => ' (logarithmic axes)', linear => ' (linear axes, with fitted lines)');
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = $run->{started} && POSIX::strftime('%Y-%m-%d', gmtime $run->{started});
    return {
        %of,
        form    => $form,
        name    => $form eq 'linear' ? '-linear' : q{},
        title   => $title,
        under   => join(', ', grep { $_ } $run->{host}, $system->{cpu_model}, $kernel, $date),
        words   => [ $axis, $words ],
        caption => visible("$title: $words, by $axis" . ($more{$form} || q{})),
    };
}

# ---- pages ----

sub swept {
    my (@parts) = @_;
    my $html = q{};
    for my $part (@parts) {
        my ($run, $analysis) = @{$part}{qw(run analysis)};
        my $pictures = join q{}, map { drawn($_) } @{ $part->{figures} };
        $html .= section(
            answer($run, $analysis),
            $pictures . table_of($run->{sweep}, $analysis->{points}),
            anchor($run->{sweep}{name})
        );
    }
    return $html;
}

sub drawn {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my ($axis, $words) = map { ucfirst } @{ $figure->{words} };
    $words =~ s/,.*//;
    my %with = (caption => $figure->{caption} . marks(@series), words => $axis);
    my %panel = (words => "$words; lower is better", height => max(260, 14 * @series));
    return panels(%with, x => $figure->{x}, panels => [ { %{$figure}, %panel } ])
        if !$figure->{rows};
    @with{qw(scale columns words)} = ($figure->{x}, [ 34, 18 ], "$words; shorter is better");
    return rows(%with, rows => rows_of($figure, @series));
}

# A published series stands below its own one with the name of its machine alone
sub rows_of {
    my ($figure, @series) = @_;
    my ($value, $own, @rows) = (q{}, q{});
    for my $point (@{ $figure->{rows} }) {
        my ($label, $name) = @{$point}{qw(label series)};
        push @rows, { head => $label } if @series > 1 && $label ne $value;
        $value = $label;
        my ($machine) = $name =~ /\A\Q$own\E [(](.+)[)]\z/;
        $own = $name if !defined $machine;
        $name = @series == 1 ? $label : defined $machine ? $machine : $name;
        my %mark = map { $_ => $point->{$_} } qw(hollow square);
        @mark{qw(dot range class)} =
            ($point->{time}, [ @{$point}{qw(low high)} ], 'k' . $point->{ink} % INKS);
        push @rows, { name => $name, text => duration($point->{time}), marks => [ \%mark ] };
    }
    return \@rows;
}

sub marks {
    my (@series) = @_;
    my @marks = '. A vertical or horizontal line is the 95 % interval';
    push @marks, 'hollow: disturbed' if grep { $_->{hollow} } map { @{ $_->{points} } } @series;
    push @marks, 'squares and dashes: published' if grep           { $_->{square} } @series;
    push @marks, 'dashed lines: the interval of the slope' if grep { $_->{lines} } @series;
    return join('; ', @marks) . q{.};
}

sub table_of {
    my ($sweep, $points) = @_;
    my @series = grep { $points->{$_} } @{ $sweep->{series} };
    my @rows;
    for my $label (@{ $sweep->{values} }) {
        push @rows, [ $label, map { cell($points->{$_}{$label}) } @series ];
    }
    return table($sweep->{title}, [ ucfirst $sweep->{axis}, @series ], \@rows);
}

sub cell {
    my ($point) = @_;
    return q{} if !$point;
    return $point->{status} || q{-} if !defined $point->{time_us};
    my $more = defined $point->{plus_minus} ? ' +/- ' . percent($point->{plus_minus}) : q{};
    return duration($point->{time_us}) . $more . ($point->{disturbed} ? q{!} : q{});
}

sub claims {
    my ($claims) = @_;
    my $html = join q{}, map {
        $_->{kind}
            ? '<li><b>' . html($_->{verdict}) . '</b>: ' . html(in_words($_)) . "</li>\n"
            : '</ul><p>'
            . html($_->{words})
            . "</p><ul>\n"
    } @{$claims};
    $html = "<ul>$html</ul>" =~ s{<ul>\s*</ul>}{}gr;
    return length $html ? section('Claims', $html) : q{};
}

# Of own series, not of what was published; the first one that a straight line describes
sub answer {
    my ($run, $analysis) = @_;
    my ($sweep, $per) = ($run->{sweep}, $analysis->{per});
    my ($slope) =
        sort { ($b->{r2} > STRAIGHT) <=> ($a->{r2} > STRAIGHT) }
        grep { defined $_->{r2} && defined $_->{low} && $_->{low} > 0 }
        map  { $analysis->{lines}{$_} ? { %{ $analysis->{lines}{$_} }, name => $_ } : () }
        own($sweep);
    if ($slope) {
        my $each = $per->{words} =~ s/^per //r;
        $each .= " ($sweep->{axis})" if $each =~ /\d/;
        my ($cost, @ends) =
            map { signed_duration($per->{amount} * $slope->{$_}) } qw(slope low high);
        return sprintf '%s costs %s for each %s (%s to %s)', $slope->{name}, $cost, $each, @ends;
    }
    my ($added) =
        sort { $b->{us} <=> $a->{us} }
        grep { defined $_->{low} && $_->{low} > 0 } @{ $analysis->{added} };
    return extremes($sweep, $analysis->{points}) if !$added;
    return sprintf '%s: %s adds %s (%s to %s)', @{$added}{qw(series label)},
        map { signed_duration($_) } @{$added}{qw(us low high)};
}

sub own {
    my ($sweep) = @_;
    my $published = $sweep->{published} || {};
    return grep { !defined $published->{$_} } @{ $sweep->{series} };
}

# Of the series that differs most by what is varied
sub extremes {
    my ($sweep, $points) = @_;
    my @ends;
    for my $series (own($sweep)) {
        my @points = points($sweep, $series, $points->{$series});
        my ($fast, @slow) = sort { $a->{time} <=> $b->{time} } @points or next;
        my @words = map { ($_->{label}, duration($_->{time})) } $fast, $slow[-1] || next;
        push @ends, [ $slow[-1]{time} / $fast->{time}, $series, @words ];
    }
    my ($most) = sort { $b->[0] <=> $a->[0] } @ends;
    return "$sweep->{title}: " . words_of($sweep->{quantity}) if !$most;
    return sprintf '%s: %s takes %s, and %s takes %s', @{$most}[ 1 .. 5 ];
}

# ---- bars of characters ----

use constant {
    LABEL => 16,    # columns of a value and of a series
    BARS  => 35,    # of the longest bar
};

sub bars {
    my ($sweep, $points) = @_;
    my @points = by_row(series($sweep, $points)) or return q{};
    my $scale = BARS / (max(map { $_->{high} } @points) || 1);
    my $text = visible("$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}");
    $text = "\n$text\n\n";
    for my $point (@points) {
        my ($low, $high) = map { int($point->{$_} * $scale + 0.5) } qw(low high);
        my @names = map { shortened(visible($_), LABEL) } @{$point}{qw(label series)};
        my @time = (duration($point->{time}), $point->{hollow} ? q{!} : q{});
        $text .= sprintf "%-16s %-16s |%s%s %s%s\n", @names, q{=} x $low, q{-} x ($high - $low),
            @time;
    }
    my $marks = grep({ $_->{hollow} } @points) ? '; !: disturbed' : q{};
    return "$text\n=: up to the median, or where its 95 % interval (-) begins$marks\n";
}

# ---- gnuplot ----
#
# A figure as plots/sweep.gp takes it: blocks of lines, parted by two empty lines.

use constant {
    HEIGHT => 520,    # pixels of a picture
    LIMIT  => 60,     # seconds, after which gnuplot is killed
};

sub arguments {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my @numbers = (
        scalar @series,
        $figure->{form},
        $figure->{x}{log} || 0,
        map({ @{ $figure->{$_} }{qw(low high)} } qw(x y)),
        $figure->{height} || HEIGHT,
        $figure->{broken} || 0,
        map { $_->{ink} || 0 } @series
    );
    my ($axis, $words) = @{ $figure->{words} };
    return (map({ visible($_) } @{$figure}{qw(title under)}, $axis), "@numbers", $words);
}

sub data {
    my ($figure) = @_;
    my @series = @{ $figure->{series} };
    my @disturbed =
        map { [ @{$_}{qw(x y)} ] } grep { $_->{hollow} } map { @{ $_->{points} } } @series;
    return join "\n\n", map({ block_of($_) } @series),
        map({ lines(@{ $figure->{$_}{ticks} }) } qw(x y)),
        plain_csv_line(@disturbed ? 'disturbed (!)' : q{ }) . lines(@disturbed), map {
        my ($line) = @{ $_->{lines} || [] };
        lines($line ? ([ @{$line}[ 0, 1 ] ], [ @{$line}[ 2, 3 ] ]) : ())
        } @series;
}

# An empty line parts points that no line joins: the broken axis has none between its parts, and a
# place of the axis none to itself, where another machine's time was published
sub block_of {
    my ($series) = @_;
    my ($text, $before) = (plain_csv_line(literal($series->{name})));
    for my $point (@{ $series->{points} }) {
        $text .= "\n"
            if $before && ($before->{apart} || $point->{apart} || $before->{x} == $point->{x});
        $text .= lines([ @{$point}{qw(x y low high)} ]);
        $before = $point;
    }
    return $text;
}

# gnuplot takes a backslash in a text of its data as the beginning of an escape
sub literal { my ($text) = @_; return visible($text) =~ s/\\/\\\\/gr }

# A block without a point has one that is none
sub lines {
    my (@rows) = @_;
    return "NaN,NaN,NaN,NaN\n" if !@rows;
    return join q{}, map {
        plain_csv_line(map { literal($_) } @{$_})
    } @rows;
}

sub draw {
    my ($figure, $terminal, $script) = @_;
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot');
    return (undef, 'gnuplot is not installed') if !defined $gnuplot;
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    my ($data, $out) = ("$folder/data", "$folder/picture");
    return (undef, $@ =~ s/\n\z//r) if !eval { write_bytes($data, data($figure)); 1 };
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my ($status, $words) = SpawnMeter::Util::Process::output_of({
        line    => [ $gnuplot, '-c', $script, $data, $out, $terminal, arguments($figure) ],
        seconds => LIMIT,
    });
    my $picture = read_bytes($out);
    return ($picture, undef) if $status == 0 && defined $picture && length $picture;
    my ($first) = grep { /\S/ && !/^\s*\^/ } split /\n/, $words;
    return (undef, 'gnuplot failed' . (defined $first ? ": $first" : q{}));
}

1;
