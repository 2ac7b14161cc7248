# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# The pictures of a sweep, which Report::HTML::Sweep draws for a page, and gnuplot for files.
#
#   figures(run, analysis of SpawnMeter::Analysis::Points) -> [figure]: { name => ending of the
#       files ('' or '-linear'), form => names, log or linear, title, under => machine and date,
#       caption, words => [of what is varied, of the times], x, y => scales of Report::Scale,
#       broken => where the axis of x is broken, or 0, height => pixels of the file or undef,
#       series => [those of Report::Chart, whose points also have { series => name, label, row,
#       time }] }
#   draw(figure, terminal: svg, png or dumb, plots/sweep.gp) -> (bytes of the
#       picture, undef) or (undef, reason)
#   bars(sweep record, points of SpawnMeter::Analysis::Points) -> text of at most 78 columns:
#       for each value and series a bar from 0 to the median, and its interval
#
# Values that are names are categories: dots with intervals, and no lines between them.
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
use SpawnMeter::Report::Scale      qw(linear log_range logarithmic of_bytes scale);
use SpawnMeter::Report::Escape     qw(plain_csv_line);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(read_bytes write_bytes);
use SpawnMeter::Util::Format qw(duration shortened signed_duration visible);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(bars);

use constant {
    SPAN    => 20,      # largest over smallest value; above it the axis of x is logarithmic
    MARGIN  => 0.06,    # beside what is drawn, on a linear axis, as a share
    TIMES   => 4,       # largest over smallest time of categories; above it: logarithmic
    AROUND  => 170,     # pixels of a picture of categories without them
    PER_DOT => 13,      # pixels of a dot in it
    PER_KEY => 16,      # pixels of a line of its key, which has two series or so in a line
};

sub figures {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @series = series($sweep, $analysis->{points});
    return [] if !grep                           { @{ $_->{points} } } @series;
    return [ categories($run, @series) ] if grep { !defined } @{ $sweep->{x} };
    my @figures = numbers($run, @series);
    push @figures, straight($run, $analysis, @series)
        if grep { $analysis->{lines}{$_} } @{ $sweep->{series} };
    return \@figures;
}

# What was published of a series has its colour
sub series {
    my ($sweep, $points) = @_;
    my $of = $sweep->{published} || {};
    my @own = grep { !defined $of->{$_} } @{ $sweep->{series} };
    my %ink = map { $own[$_] => $_ } 0 .. $#own;
    return map { {
        name   => $_,
        ink    => $ink{ defined $of->{$_} ? $of->{$_} : $_ },
        points => points($sweep, $_, $points->{$_}),
        (map { $_ => 1 } defined $of->{$_} ? qw(square dashed joined) : ()),
    } } @{ $sweep->{series} };
}

sub points {
    my ($sweep, $series, $of) = @_;
    my @points;
    for my $row (0 .. $#{ $sweep->{values} }) {
        my $label = $sweep->{values}[$row];
        my $point = $of->{$label} || {};
        my $time = $point->{time_us};
        next if !defined $time;
        my ($low, $high) = map { defined $_ ? $_ : $time } @{$point}{qw(time_low time_high)};
        my %point = (series => $series, label => $label, row => $row, time => $time);
        @point{qw(x y low high hollow)} =
            ($sweep->{x}[$row], $time, $low, $high, $point->{disturbed});
        push @points, \%point;
    }
    return \@points;
}

# ---- the three forms ----------------------------------------------------------------

# The series with other points: the sub says what is other in $_
sub moved {
    my ($change, @series) = @_;
    return map { {
        %{$_}, points => [ map { { %{$_}, $change->() } } @{ $_->{points} } ]
    } } @series;
}

sub numbers {
    my ($run, @series) = @_;
    my @points = map { @{ $_->{points} } } @series;
    my @x = map { $_->{x} } @points;
    my @above = grep { $_ > 0 } @x;
    my $is_log = @above && max(@above) >= SPAN * min(@above) ? 1 : 0;
    my $zero = $is_log && min(@x) <= 0 ? min(@above) / 4 : 0;
    my %at = map { $_ => $_ > 0 || !$is_log ? $_ : $zero } @x;
    my %place = map { $_->{label} => $at{ $_->{x} } } @points;
    my @ticks =
        map { [ $place{$_}, $_ ] } grep { defined $place{$_} } @{ $run->{sweep}{values} };
    my $room = MARGIN * (max(@x) - min(@x)) || 1;
    my @range = $is_log ? @{ log_range(values %at) } : (min(@x) - $room, max(@x) + $room);
    my @times = @{ log_range(map { @{$_}{qw(low high)} } @points) };
    return figure(
        $run, 'log',
        x      => scale(@range, log => $is_log, ticks => \@ticks),
        y      => scale(@times, log => 1, ticks       => logarithmic(@times)),
        broken => $zero * 2,
        series => [
            map { { %{$_}, joined => 1 } }
                moved(sub { (x => $at{ $_->{x} }, apart => $zero && $_->{x} <= 0) }, @series)
        ],
    );
}

# A line is drawn where its interval is known
sub straight {
    my ($run, $analysis, @series) = @_;
    my @points = map { @{ $_->{points} } } @series;
    my $most = max(map { $_->{x} } @points);
    my $high = max(map { $_->{high} } @points) * (1 + MARGIN);
    return figure(
        $run, 'linear',
        x => scale(0, $most * (1 + MARGIN) || 1, ticks => of_bytes($most, $run->{sweep}{axis})),
        y => scale(0, $high, ticks                     => linear($high)),
        series => [
            map {
                my $line = $analysis->{lines}{ $_->{name} };
                $line && defined $line->{low} ? with_line($_, $line, $analysis->{per}) : $_
            } @series
        ],
    );
}

# And the lines by both ends of its slope
sub with_line {
    my ($series, $line, $per) = @_;
    my $last = max(0, map { $_->{x} } @{ $series->{points} });
    my ($from, @to) =
        ($line->{intercept}, map { $line->{intercept} + $last * $line->{$_} } qw(slope low high));
    my $slope = signed_duration($per->{amount} * $line->{slope});
    return {
        %{$series},
        name  => "$series->{name}: $slope $per->{words}",
        lines => [ map { [ 0, $from, $last, $to[$_], $_ ? 'thin' : () ] } 0 .. $#to ],
    };
}

# Times along x, a row for each name; the series of a row stand below each other.  With one value
# the methods are the rows
sub categories {
    my ($run, @series) = @_;
    my @rows = @{ $run->{sweep}{values} };
    if (@rows == 1) {
        my ($row, $title) = (0, @rows);
        @rows = map { $_->{name} } @series;
        my @points = map {
            my %own = (series => 'time', row => $row++);
            map { { %{$_}, %own } } @{ $_->{points} }
        } @series;
        @series = { name => $title, points => \@points };
    }
    @series = grep { @{ $_->{points} } } @series;
    my @ends = map { @{$_}{qw(low high)} } map { @{ $_->{points} } } @series;
    my $is_log = max(@ends) > TIMES * min(@ends) ? 1 : 0;
    my @x = $is_log ? @{ log_range(@ends) } : (0, max(@ends) * (1 + MARGIN));
    my $shift = -0.5 * $#series;
    return figure(
        $run, 'names',
        x      => scale(@x, log => $is_log, ticks => $is_log ? logarithmic(@x) : linear($x[1])),
        y      => scale(-$#rows - 0.6, 0.6, ticks => [ map { [ -$_, $rows[$_] ] } 0 .. $#rows ]),
        height => AROUND + PER_KEY * int(@series / 2) + PER_DOT * @rows * max(2, scalar @series),
        series => [
            map {
                my $below = 0.7 / @series * $shift++;
                moved(sub { (x => $_->{time}, y => -$_->{row} - $below) }, $_)
            } @series
        ],
    );
}

sub figure {
    my ($run, $form, %of) = @_;
    my ($title, $axis, $words) =
        (@{ $run->{sweep} }{qw(title axis)}, words_of($run->{sweep}{quantity}));
    my %more = (log => ' (logarithmic axes)', linear => ' (linear axes, with fitted lines)');
    return {
        %of,
        form    => $form,
        name    => $form eq 'linear' ? '-linear' : q{},
        title   => $title,
        under   => under($run),
        words   => [ $axis, $words ],
        caption => visible("$title: $words, by $axis" . ($more{$form} || q{})),
    };
}

# Machine and date
sub under {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = $run->{started} && POSIX::strftime('%Y-%m-%d', gmtime $run->{started});
    return join ', ', grep { $_ } $run->{host}, $system->{cpu_model}, $kernel, $date;
}

# ---- bars of characters ----

use constant {
    WIDTH => 78,
    LABEL => 20,    # columns of a value or a series at most
    TIME  => 8,     # columns of the time behind a bar, with a blank
};

sub bars {
    my ($sweep, $points) = @_;
    my @labels = @{ $sweep->{values} };
    my @series = @{ $sweep->{series} };
    my ($first, $second) =
        map {
        min(LABEL, max(map { length visible($_) } @{$_}))
        } \@labels, \@series;
    my $most = max(0, map { highest($points->{$_}) } @series) or return q{};
    my $scale = (WIDTH - $first - $second - TIME - 3) / $most;
    my $text = "\n"
        . visible("$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}")
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
        map { defined $series[$_]{ink} ? $series[$_]{ink} : $_ } 0 .. $#series
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
    return $before ? $text : $text . lines();
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
