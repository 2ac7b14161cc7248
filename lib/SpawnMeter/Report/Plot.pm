# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# The pictures of a sweep: data and arguments for plots/sweep.gp.
#
#   figures(run, analysis of SpawnMeter::Analysis::Points) -> [ { name => ending of
#       the files ('' or '-linear'), form => names, log or linear, caption, data, arguments =>
#       [those after the terminal], and what figure() takes } ]
#   as_text(picture in characters) -> lines for a report
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
use SpawnMeter::Analysis::Quantity qw(words_of);
use SpawnMeter::Report::Scale      qw(linear log_range logarithmic of_bytes of_values);
use SpawnMeter::Report::Escape     qw(plain_csv_line);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(read_bytes write_bytes);
use SpawnMeter::Util::Format qw(duration shortened signed_duration visible);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(bars);

use constant {
    SPAN    => 20,      # largest over smallest value; above it the axis of x is logarithmic
    ROOM    => 1.3,     # beside what is drawn, on a logarithmic axis
    MARGIN  => 0.06,    # the same on a linear one, as a share
    TIMES   => 4,       # largest over smallest time of categories; above it: logarithmic
    AROUND  => 170,     # pixels of a picture of categories without them
    PER_DOT => 13,      # pixels of a dot in it
    PER_KEY => 16,      # pixels of a line of its key, which has two series or so in a line
};

sub figures {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @points = points($sweep, $analysis->{points});
    return [] if !@points;
    return [ categories($run, \@points) ] if grep { !defined } @{ $sweep->{x} };
    my @figures = numbers($run, \@points);
    push @figures, straight($run, \@points, $analysis)
        if grep { $analysis->{lines}{$_} } @{ $sweep->{series} };
    return \@figures;
}

# [ { series, label, place => of the label, x, time, low, high, disturbed } ]
sub points {
    my ($sweep, $of) = @_;
    my @points;
    for my $series (@{ $sweep->{series} }) {
        for my $i (0 .. $#{ $sweep->{values} }) {
            my $label = $sweep->{values}[$i];
            my $point = $of->{$series}{$label};
            next if !$point || !defined $point->{time_us};
            my ($time, $low, $high) = @{$point}{qw(time_us time_low time_high)};
            push @points,
                {
                series    => $series,
                label     => $label,
                place     => $i,
                x         => $sweep->{x}[$i],
                time      => $time,
                low       => defined $low  ? $low  : $time,
                high      => defined $high ? $high : $time,
                disturbed => $point->{disturbed},
                };
        }
    }
    return @points;
}

# ---- the three forms ----------------------------------------------------------------

sub numbers {
    my ($run, $points) = @_;
    my $sweep = $run->{sweep};
    my @x = map { $_->{x} } @{$points};
    my @above = grep { $_ > 0 } @x;
    my $is_log = @above && max(@above) >= SPAN * min(@above) ? 1 : 0;
    my $zero = $is_log && min(@x) <= 0 ? min(@above) / 4 : 0;
    my %at = map { $_ => $_ > 0 || !$is_log ? $_ : $zero } @x;
    my @dots = map { { %{$_}, at => [ $at{ $_->{x} }, @{$_}{qw(time low high)} ] } } @{$points};
    my ($low, $high) = ends($points, 1);
    return figure(
        $run,
        name   => q{},
        form   => 'log',
        log    => $is_log,
        x      => $is_log ? log_range(values %at) : linear_range(@x),
        y      => [ $low, $high ],
        xticks =>
            of_values({ map { $_->{label} => $at{ $_->{x} } } @{$points} }, @{ $sweep->{values} }),
        yticks => logarithmic($low, $high),
        broken => $zero ? $zero * 2 : 0,
        dots   => \@dots,
        series => [ series_of($sweep) ],
    );
}

# What was published of a series has its colour
sub series_of {
    my ($sweep) = @_;
    my $of = exists $sweep->{published} ? $sweep->{published} : {};    # the keys are locked
    my @own = grep { !defined $of->{$_} } @{ $sweep->{series} };
    my %ink = map { $own[$_] => $_ } 0 .. $#own;
    return map { {
        name      => $_,
        ink       => $ink{ defined $of->{$_} ? $of->{$_} : $_ },
        published => defined $of->{$_} ? 1 : 0
    } } @{ $sweep->{series} };
}

# A line is drawn where its interval is known
sub straight {
    my ($run, $points, $analysis) = @_;
    my $sweep = $run->{sweep};
    my $most = max(map { $_->{x} } @{$points});
    my $high = max(map { $_->{high} } @{$points}) * (1 + MARGIN);
    my @series;
    for my $series (series_of($sweep)) {
        my $name = $series->{name};
        my $line = $analysis->{lines}{$name};
        $line = undef if $line && !defined $line->{low};
        my $last = max(0, map { $_->{x} } grep { $_->{series} eq $name } @{$points});
        push @series,
            {
            %{$series},
            title => $line ? titled($name, $line, $analysis->{per}) : $name,
            ends  => $line && [ map { $line->{intercept} + $last * $line->{$_} } qw(low high) ],
            line  => $line && [ map { [ $_, $line->{intercept} + $_ * $line->{slope} ] } 0, $last ],
            };
    }
    return figure(
        $run,
        name   => '-linear',
        form   => 'linear',
        log    => 0,
        x      => [ 0, $most * (1 + MARGIN) || 1 ],
        y      => [ 0, $high ],
        xticks => of_bytes($most, $sweep->{axis}),
        yticks => linear($high),
        broken => 0,
        dots   => [ map { { %{$_}, at => [ @{$_}{qw(x time low high)} ] } } @{$points} ],
        series => \@series,
    );
}

sub titled {
    my ($name, $line, $per) = @_;
    return "$name: " . signed_duration($per->{amount} * $line->{slope}) . " $per->{words}";
}

# Times along x, a row for each name; the series of a row stand below each other
sub categories {
    my ($run, $points) = @_;
    my $sweep = $run->{sweep};
    my ($rows, $dots, @series) = rows($sweep, $points);
    my $low = min(map { $_->{low} } @{$dots});
    my $high = max(map { $_->{high} } @{$dots});
    my $is_log = $high > TIMES * $low ? 1 : 0;
    my $x = $is_log ? [ ends($dots, 1) ] : [ 0, $high * (1 + MARGIN) ];
    my %place = map { $rows->[$_] => -$_ } 0 .. $#{$rows};
    return figure(
        $run,
        name   => q{},
        form   => 'names',
        log    => $is_log,
        x      => $x,
        y      => [ -$#{$rows} - 0.6, 0.6 ],
        xticks => $is_log ? logarithmic(@{$x}) : linear($x->[1]),
        yticks => of_values(\%place, @{$rows}),
        broken => 0,
        height => AROUND + PER_KEY * int(@series / 2) + PER_DOT * @{$rows} * max(2, scalar @series),
        dots   => $dots,
        series => \@series,
    );
}

# -> ([names of the rows], [dots], series).  With one value the methods are the rows.
sub rows {
    my ($sweep, $points) = @_;
    my @here = @{ $sweep->{series} };
    if (@{ $sweep->{values} } == 1) {
        my %place = map { $here[$_] => $_ } 0 .. $#here;
        my @dots =
            map { { %{$_}, series => 'time', at => at($_, -$place{ $_->{series} }) } } @{$points};
        return (\@here, \@dots, { name => 'time', title => $sweep->{values}[0] });
    }
    my %has = map { $_->{series} => 1 } @{$points};
    my @series = grep { $has{ $_->{name} } } series_of($sweep);
    my %shift = map { $series[$_]{name} => ($_ - $#series / 2) * 0.7 / @series } 0 .. $#series;
    my @dots = map { { %{$_}, at => at($_, -$_->{place} - $shift{ $_->{series} }) } } @{$points};
    return ($sweep->{values}, \@dots, @series);
}

sub at {
    my ($point, $row) = @_;
    return [ $point->{time}, $row, @{$point}{qw(low high)} ];
}

# ---- their common parts -------------------------------------------------------------

sub ends {
    my ($points) = @_;
    return (min(map { $_->{low} } @{$points}) / ROOM, max(map { $_->{high} } @{$points}) * ROOM);
}

sub linear_range {
    my (@x) = @_;
    my $room = MARGIN * (max(@x) - min(@x)) || 1;
    return [ min(@x) - $room, max(@x) + $room ];
}

sub as_text { my ($picture) = @_; return "\n" . ($picture =~ s/\f//gr =~ s/ +$//gmr) }

# ---- bars ----
#
# Times of categories as bars of characters.
#
#   bars(sweep record, points of SpawnMeter::Analysis::Points) -> text of at most 78 columns:
#       for each value and series a bar from 0 to the median, and its interval

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

# ---- data ----
#
# A figure as plots/sweep.gp takes it.
#
#   figure(run, name => ending of its files, form => names, log or linear, log => 1 where the
#       axis of x is logarithmic, x, y => [ends of the axes], xticks, yticks => [ticks of
#       SpawnMeter::Report::Scale], broken => where the axis of x is broken, or 0,
#       height => pixels or undef, dots => [ { series, x, disturbed, at => [x, y, low, high] }
#       ], series => [ { name, title, ink => number of its colour (otherwise its
#       place in the list), published => true where they are not of this machine, line => [both
#       ends of a straight line], ends => [where it ends by the interval of its slope] } ])
#       -> { caption, data, arguments, and all of these }

use constant HEIGHT => 520;    # pixels of a picture

sub figure {
    my ($run, %of) = @_;
    my $sweep = $run->{sweep};
    my @numbers = (
        scalar @{ $of{series} },
        @of{qw(form log)},
        @{ $of{x} },
        @{ $of{y} },
        $of{height} || HEIGHT,
        $of{broken}, styles(@{ $of{series} })
    );
    return {
        %of,
        sweep     => $sweep->{title},
        caption   => visible(caption($sweep, $of{form})),
        data      => data(%of),
        arguments => [
            map({ visible($_) } $sweep->{title}, under($run), $sweep->{axis}), "@numbers",
            words_of($sweep->{quantity})
        ],
    };
}

sub styles {
    my (@series) = @_;
    return map { defined $series[$_]{ink} ? $series[$_]{ink} : $_ } 0 .. $#series;
}

sub caption {
    my ($sweep, $form) = @_;
    my %more = (log => ' (logarithmic axes)', linear => ' (linear axes, with fitted lines)');
    return
          "$sweep->{title}: "
        . words_of($sweep->{quantity})
        . ", by $sweep->{axis}"
        . ($more{$form} || q{});
}

# Machine and date
sub under {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release)};
    my $date = q{};
    if ($run->{started}) {
        my ($day, $month, $year) = (gmtime $run->{started})[ 3 .. 5 ];
        $date = sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
    }
    return join ', ', grep { defined && length } $run->{host}, $system->{cpu_model}, $kernel, $date;
}

# Blocks of lines, parted by two empty lines; a block without a point has one that is none
sub data {
    my (%of) = @_;
    my @blocks = map { block_of_series($of{dots}, $_) } @{ $of{series} };
    push @blocks, map { lines(@{$_}) } @of{qw(xticks yticks)};
    my @disturbed = map { [ @{ $_->{at} }[ 0, 1 ] ] } grep { $_->{disturbed} } @{ $of{dots} };
    push @blocks, plain_csv_line(@disturbed ? 'disturbed (!)' : q{ }) . lines(@disturbed);
    push @blocks, map { lines(@{ $_->{line} || [] }) } @{ $of{series} };
    return join "\n\n", @blocks;
}

# The broken axis has no line between its parts: an empty line parts them
sub block_of_series {
    my ($dots, $series) = @_;
    my @own = grep { $_->{series} eq $series->{name} } @{$dots};
    my $title = defined $series->{title} ? $series->{title} : $series->{name};
    my @zero = grep { defined $_->{x} && $_->{x} <= 0 } @own;
    my @rest = grep { !defined $_->{x} || $_->{x} > 0 } @own;
    my $text = plain_csv_line(literal($title));
    $text .= lines(map { $_->{at} } @zero) . "\n" if @zero;
    return $text . lines_apart(map { $_->{at} } @rest);
}

# Nor has one from a place of the axis to itself: a published time of another machine
sub lines_apart {
    my (@rows) = @_;
    return lines(@rows) if @rows < 2;
    my $text = lines($rows[0]);
    for my $i (1 .. $#rows) {
        $text .= "\n" if $rows[$i][0] == $rows[ $i - 1 ][0];
        $text .= lines($rows[$i]);
    }
    return $text;
}

# gnuplot takes a backslash in a text of its data as the beginning of an escape
sub literal { my ($text) = @_; return visible($text) =~ s/\\/\\\\/gr }

sub lines {
    my (@rows) = @_;
    return "NaN,NaN,NaN,NaN\n" if !@rows;
    return join q{}, map {
        plain_csv_line(map { literal($_) } @{$_})
    } @rows;
}

# ---- gnuplot ----
#
# Pictures made by gnuplot.
#
#   draw(script => path, data => text, arguments => [list]) -> (bytes of the picture, undef)
#       or (undef, reason).  The script's arguments are the path of the data, the path of the
#       picture to write, and those of the call

use constant LIMIT => 60;    # seconds, after which gnuplot is killed

sub draw {
    my (%with) = @_;
    my $gnuplot = SpawnMeter::Util::Programs::found('gnuplot');
    return (undef, 'gnuplot is not installed') if !defined $gnuplot;
    my $folder = SpawnMeter::Util::Cleanup::temporary(File::Spec->tmpdir);
    if (!eval { write_bytes("$folder/data", $with{data}); 1 }) {
        return (undef, $@ =~ s/\n\z//r);
    }
    local %ENV = (%ENV, LC_ALL => 'C', HOME => "$folder");
    my ($status, $words) = SpawnMeter::Util::Process::output_of({
        line => [
            $gnuplot, '-c', $with{script}, "$folder/data",
            "$folder/picture", @{ $with{arguments} }
        ],
        seconds => LIMIT,
    });
    my $picture = read_bytes("$folder/picture");
    return ($picture, undef) if $status == 0 && defined $picture && length $picture;
    my ($first) = grep { /\S/ && !/^\s*\^/ } split /\n/, $words;
    return (undef, 'gnuplot failed' . (defined $first ? ": $first" : q{}));
}

1;
