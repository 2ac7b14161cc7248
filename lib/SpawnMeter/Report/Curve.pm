# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Curve;

# A sweep, or a published experiment beside its repetition, as text, as CSV and as a page.
#
#   text(run, analysis of SpawnMeter::Analysis::Points) -> text: tables of the times with their
#       intervals (of the width that the sweep states, or 78 columns), of the periods of the
#       target's start-up, and of what each value adds to "none", the slopes of the lines through
#       the times, then what was not measured
#   csv(run, analysis) -> CSV: value, x, then for each series the median, low and high of
#       the microseconds of an iteration, then, where several copies run at once, the rate of
#       all for each series; then p50 and p99 of the periods of the start-up
#   published(experiment, found and claims of SpawnMeter::Analysis::Points, run or undef) -> text:
#       the same of each part, and the claims; of a run also what was not measured
#   claims(experiment, claims) -> their part of it, below the name of the experiment
#   counts_of_verdicts(claims) -> ("agrees: 3", ...)
#   table_of(sweep, points, sub (point or undef) -> text) -> text: a line for each value, a column
#       for each series;  time_of_point(point or undef) -> for it: the time with its +/-, or why
#       there is none; "?" where the +/- is 100 % or more
#   table(columns of a line, 78 at most and if undef, [cells of the head], [cells of a row] ...) ->
#       text
#   between(low, high: microseconds) -> "1.20us to 1.31us", or that these are unknown
#   page(experiment or undef, its claims, { run, analysis } of each part) -> page of Report::HTML
#   drawn(run, analysis) -> HTML: its picture, empty where nothing was measured
#   answer(run, analysis) -> what the sweep says, in a sentence: a slope, or what it is about

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min);
use SpawnMeter::Analysis::Quantity    qw(periods words_of);
use SpawnMeter::Analysis::Findings    qw(finding);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Report::Chart         qw(INKS rows curves place value_scale);
use SpawnMeter::Report::Escape        qw(csv_line known number);
use SpawnMeter::Report::Columns       qw(field_at widths);
use SpawnMeter::Report::Text::Quality qw(ending in_lines warnings sign_of_doubt);
use SpawnMeter::Util::Format          qw(duration folded percent rate);

our @EXPORT_OK =
    qw(claims counts_of_verdicts between table table_of time_of_point page drawn answer);

use constant {
    WIDTH    => 78,     # columns
    BETWEEN  => 2,      # between two of a table
    STRAIGHT => 0.9,    # R2 above which a line describes the points
    SPAN     => 20,     # largest over smallest value; above it the axis of x is logarithmic
    TIMES    => 4,      # largest over smallest time, up to which their axis begins at 0
    ROOM     => 1.1,    # beside what is drawn
    APART    => 60,     # ticks at values, in thousandths of the axis
};

my $AGAIN = 'Measure again on a quiet machine (see ./Run doctor).';
my $UNKNOWN = '?: the interval is wider than the time.  End the other work, or measure for longer: '
    . '--max-time.';

sub text {
    my ($run, $analysis) = @_;
    return join q{}, q{-} x 72, "\n", tables($run, $analysis),
        trouble($run->{sweep}, $analysis->{points}), ending($run);
}

# What was measured, and what follows from it
sub tables {
    my ($run, $analysis) = @_;
    my ($sweep, $points) = ($run->{sweep}, $analysis->{points});
    my $is_rate = ($sweep->{quantity} // q{}) eq 'rate';
    my $unit = $is_rate ? 'processes per second' : words_of($sweep->{quantity});
    my $title = "$sweep->{title}: $unit, by $sweep->{axis}";
    $title .= ', as each copy or thread sees it' if $analysis->{together} && !$is_rate;
    my $text = line(q{}, $title) . "\n";
    $text .= table_of($sweep, $points, sub { time_of_point($_[0], $is_rate) });
    my $rate = sub { return $_[0] ? rate(@{ $_[0] }{qw(rate unit)}) : q{-} };
    $text .= "\nRate of all copies or threads together\n\n" . table_of($sweep, $points, $rate)
        if $analysis->{together} && !$is_rate;
    my @findings = findings($analysis);
    my $advice = $text =~ / [?]/ ? $UNKNOWN : @findings ? $AGAIN : undef;
    push @findings, finding(advice => $advice) if defined $advice;
    return join q{}, $text, @findings ? "\n" : (), in_lines(@findings),
        start_table($sweep, $points), added($sweep, $points), slopes($sweep, $analysis);
}

sub findings {
    my ($analysis) = @_;
    return warnings(times => measured($analysis));
}

sub measured {
    my ($analysis) = @_;
    return grep { defined $_->{time_us} && $_->{passes} }
        map { values %{$_} } values %{ $analysis->{points} };
}

sub time_of_point {
    my ($point, $is_rate) = @_;
    return q{-} if !$point;
    my $us = $point->{time_us};
    return $point->{status} if !defined $us;
    my $half = $point->{plus_minus};
    return q{?} if defined $half && $half >= 1;
    my $text = $is_rate ? rate(1e6 / $us, 'lps') : duration($us);
    $text .= ' +/-' . (defined $half ? percent($half) : q{?}) if defined $half || $point->{passes};
    return $text . sign_of_doubt($point);
}

sub table_of {
    my ($sweep, $points, $cell) = @_;
    my @series = grep { $points->{$_} } @{ $sweep->{series} };
    my @rows;
    for my $value (@{ $sweep->{values} }) {
        push @rows, [ $value, map { $cell->($points->{$_}{$value}) } @series ];
    }
    return table($sweep->{width}, [ q{}, @series ], @rows);
}

# Rows of cells, the first of which are labels.  Columns that do not fit stand below the others
sub table {
    my ($most, @rows) = @_;
    $most = WIDTH if !$most || $most > WIDTH;
    my @widths = widths(@rows);
    my ($text, @columns) = (q{}, 1 .. $#widths);
    while (@columns) {
        my ($width, @shown) = $widths[0];
        while (@columns && (!@shown || $width + BETWEEN + $widths[ $columns[0] ] <= $most)) {
            push @shown, shift @columns;
            $width += BETWEEN + $widths[ $shown[-1] ];
        }
        for my $row (@rows) {
            my @cells = map { sprintf '%*s', BETWEEN + $widths[$_], $row->[$_] } @shown;
            $text .= join(q{}, sprintf('%-*s', $widths[0], $row->[0]), @cells) =~ s/ +\z//r . "\n";
        }
        $text .= "\n" if @columns;
    }
    return $text;
}

sub added {
    my ($sweep, $points) = @_;
    my ($none, @labels) = @{ $sweep->{values} };
    my @series = with(added => $sweep, $points) or return q{};
    my $cell = sub {
        my ($us, @ends) = @{ ($_[0] || {})->{added} || [] };
        return q{-} if !defined $us;
        return time_of_point($_[0]) eq q{?} ? q{?} : duration($us) . ' (' . between(@ends) . ')';
    };
    my %shown = (%{$sweep}, values => \@labels, series => \@series);
    return <<'END' . table_of(\%shown, $points, $cell);

Added to "none": the ratio of the trimmed means, less 1, times the median of
"none" (its 95 % interval); with too few passes the difference of the medians

END
}

sub between {
    my @ends = map { duration($_) } grep { defined } @_;
    return @ends ? join ' to ', @ends : 'too few passes';
}

sub slopes {
    my ($sweep, $analysis) = @_;
    my @series = grep { $analysis->{lines}{$_} } @{ $sweep->{series} } or return q{};
    return join q{}, "\nFitted straight lines (slope, its 95 % interval):\n",
        map({ slope($_, $analysis->{lines}{$_}, $analysis->{per}) } @series),
        "R2: the share of the variation that the line explains.  Not printed where it\n",
        "  explains none, as with times that do not change.\n";
}

sub slope {
    my ($series, $line, $per) = @_;
    my ($slope, @ends) =
        map { $per->{amount} * $_ } grep { defined } @{$line}{qw(slope low high)};
    my $r2 = defined $line->{r2} && $line->{r2} > 0 ? sprintf(', R2 %.4f', $line->{r2}) : q{};
    return sprintf "%-12s %9s %s (%s)%s\n", $series, duration($slope), $per->{words},
        between(@ends), $r2;
}

# The cells that were not measured, and why; those of one reason together
sub trouble {
    my ($sweep, $points) = @_;
    my %wanted = map { $_ => 1 } @{ $sweep->{cells} || [] };
    my @cells;
    for my $series (@{ $sweep->{series} }) {
        for my $label (@{ $sweep->{values} }) {
            my $point = $points->{$series}{$label};

            # a published experiment does not measure each test at each value
            next if !$point && $sweep->{cells} && !$wanted{"$label $series"};
            next if $point && $point->{status} eq 'ok';
            my $why = $point ? "$point->{status}: " . known($point->{reason}) : 'not measured';
            push @cells, { why => $why, words => "$series, $label" };
        }
    }
    my @lines = map {
        my ($why, @alike) = @{$_};
        line(q{}, join('; ', map { $_->{words} } @alike) . ": $why")
    } grouped(why => @cells);
    return @lines ? join q{}, "\n", @lines : q{};
}

# The start-up of the targets (--phases): the median of each period at each value
sub start_table {
    my ($sweep, $points) = @_;
    my @series = with(start => $sweep, $points) or return q{};
    my $text = <<'END';

Start-up of the target by period, from the call: first instruction, main(), end;
then dynamic loader, entry point to main(), main() to its end
END
    for my $series (@series) {
        my @rows;
        for my $value (@{ $sweep->{values} }) {
            my $point = $points->{$series}{$value};
            push @rows, [ $value, map { duration(field_at($point, "start $_ 0")) } periods() ];
        }
        $text .= "\n" . table($sweep->{width}, [ $series, periods() ], @rows);
    }
    return $text;
}

# The series of which a point has this
sub with {
    my ($field, $sweep, $points) = @_;
    return grep { grep({ $_->{$field} } values %{ $points->{$_} || {} }) } @{ $sweep->{series} };
}

# ---- csv ----

# Without an interval the median stands in the place of its ends
sub csv {
    my ($run, $analysis) = @_;
    my ($sweep, $points, @columns) = ($run->{sweep}, $analysis->{points});
    for my $series (@{ $sweep->{series} }) {
        push @columns, [ $series, q{}, 'time_us' ],
            map { [ $series, " $_", "time_$_" ] } qw(low high);
    }
    push @columns, map { [ $_, ' rate', 'rate' ] } @{ $sweep->{series} } if $analysis->{together};
    for my $series (with(start => $sweep, $points)) {
        push @columns,
            map { ([ $series, " $_ p50", "start $_ 0" ], [ $series, " $_ p99", "start $_ 2" ]) }
            periods();
    }
    my $csv = csv_line('value', 'x', map { "$_->[0]$_->[1]" } @columns);
    for my $i (0 .. $#{ $sweep->{values} }) {
        my @fields = ($sweep->{values}[$i], $sweep->{x}[$i]);
        for (@columns) {
            my ($series, undef, $path) = @{$_};
            my $point = $points->{$series}{ $fields[0] };
            my @known = grep { defined } field_at($point, $path),
                $path =~ /^time/ ? field_at($point, 'time_us') : ();
            push @fields, number('%.3f', $known[0]);
        }
        $csv .= csv_line(@fields);
    }
    return $csv;
}

# ---- published experiments ----

sub published {
    my ($experiment, $found, $claims, $run) = @_;
    my @also = @{ $experiment->{also} };
    return join q{}, q{-} x 72, "\n", $experiment->{title}, "\n\n",
        (map { line("$_->[0]: ", $_->[1]) } @{ $experiment->{about} }),
        (map { "\n" . tables(@{$_}{qw(run analysis)}) } @{ $found->{sides} }),
        @also ? "\nAlso published:\n" : (),
        (map { line(q{  }, "$_->[0]: " . join ', ', @{$_}[ 1 .. $#{$_} ]) } @also),
        claims($experiment, $claims),
        $run ? (trouble($run->{sweep}, $found->{points}), ending($run)) : ();
}

sub line {
    my ($mark, $text) = @_;
    return folded($mark, $text, WIDTH, q{   });
}

sub claims {
    my ($experiment, $claims) = @_;
    return q{} if !@{$claims};
    my $text = "\n" . line(q{}, "Claims of $experiment->{name}: $experiment->{title}");
    for (@{$claims}) {
        $text .=
            $_->{kind}
            ? folded(sprintf('    %-13s ', $_->{verdict}), claim_in_words($_), WIDTH)
            : "\n" . line(q{  }, $_->{words});
    }
    return $text;
}

sub claim_in_words {
    my ($claim) = @_;
    my ($here, @ends) = map { amount($claim, $_) } @{ $claim->{here} || [] };
    my @parts = grep { defined } $here, $claim->{why};
    $parts[0] .= @ends ? " ($ends[0] to $ends[1])" : ' (too few passes)' if defined $here;
    my ($published) = grep { defined } $claim->{quoted}, amount($claim, $claim->{published});
    push @parts, "published $published" if defined $published;
    return "$claim->{words}: " . join ', ', @parts;
}

sub amount {
    my ($claim, $value) = @_;
    return $value if !defined $value;
    return duration($value) if $claim->{kind} eq 'slope';
    return $value < 10 ? sprintf('%.2f', $value) : sprintf('%.1f', $value);
}

sub counts_of_verdicts {
    my %number;
    $number{ $_->{verdict} }++ for grep { $_->{kind} } @_;
    return map({ "$_: $number{$_}" } sort keys %number);
}

# ---- the page ----

sub page {
    my ($experiment, $claims, @parts) = @_;
    my $picture = join q{}, map { drawn(@{$_}{qw(run analysis)}) } @parts;
    return {
        title   => join(': ', $experiment->{title}, join ', ', counts_of_verdicts(@{$claims})),
        about   => 'A published experiment, repeated on this machine, and its claims.',
        picture => $picture,
        }
        if $experiment;
    my ($run, $analysis) = @{ $parts[0] }{qw(run analysis)};
    my $sweep = $run->{sweep};
    my @points = measured($analysis);
    my $disturbed = grep { $_->{disturbed} } @points;
    my $is_open = 2 * $disturbed > @points || grep { defined $_->{busy} } @points;
    return {
        title    => $is_open ? subject($sweep) : answer($run, $analysis),
        about    => 'A sweep of this machine, over several values of one thing.',
        findings => [ findings($analysis) ],
        picture  => $picture,
    };
}

sub subject {
    my ($sweep) = @_;
    return "$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}";
}

# The first slope of what was measured, not published, and best one that a straight line describes
sub answer {
    my ($run, $analysis) = @_;
    my ($sweep, $lines, $per) = ($run->{sweep}, @{$analysis}{qw(lines per)});
    my @slopes = grep { defined $lines->{$_}{r2} && ($lines->{$_}{low} || 0) > 0 }
        grep { $lines->{$_} && !($sweep->{published} || {})->{$_} } @{ $sweep->{series} };
    my ($name) = ((grep { $lines->{$_}{r2} > STRAIGHT } @slopes), @slopes);
    return subject($sweep) if !defined $name;
    my $each = $per->{words} =~ s/^per //r;
    $each .= " ($sweep->{axis})" if $each =~ /\d/;
    my @cost = map { duration($per->{amount} * $_) } @{ $lines->{$name} }{qw(slope low high)};
    return sprintf '%s costs %s for each %s (%s to %s)', $name, $cost[0], $each, @cost[ 1, 2 ];
}

# Values that are names are categories: a row for each, with a dot and its interval.  Values that
# are numbers lie along an axis, which is logarithmic, as that of the times, where they differ
# much; 0 then stands at its low end
sub drawn {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @series = series($sweep, $analysis->{points}) or return q{};
    my @points = map { @{ $_->{points} } } @series;
    my @ends = map { @{$_}{qw(low high)} } @points;
    my $words = ucfirst words_of($sweep->{quantity}) =~ s/,.*//r;
    my $is_names = grep { !defined } @{ $sweep->{x} };
    my $x = $is_names ? undef : axis_of_values(@points);
    my $caption = subject($sweep) . '. The line through a dot is the 95 % interval';
    $caption .= '; hollow: disturbed' if grep             { $_->{hollow} } @points;
    $caption .= '; squares and dashes: published' if grep { $_->{published} } @series;
    return rows(
        caption => "$caption.",
        label   => \&duration,
        rows    => rows_of($sweep, @series),
        words   => "$words; shorter is better",
        columns => [ 34, 18 ]
    ) if !$x;
    push @ends, 0 if max(@ends) <= TIMES * min(@ends);
    return curves(
        caption => "$caption.",
        x       => $x,
        y       => value_scale(\&duration, @ends),
        words   => ucfirst $sweep->{axis},
        above   => "$words; lower is better",
        height  => max(260, 14 * @series),
        series  => \@series
    );
}

# What was published of a series has its colour
sub series {
    my ($sweep, $points) = @_;
    my (@series, %ink);
    for my $name (@{ $sweep->{series} }) {
        my $as = ($sweep->{published} || {})->{$name};
        my $of = $as // $name;
        $ink{$of} = keys %ink if !defined $ink{$of};
        my %looks = (ink => $ink{$of}, published => defined $as);
        my @points = points($sweep, $points->{$name}) or next;
        push @series, { %looks, name => $name, points => \@points };
    }
    return @series;
}

sub points {
    my ($sweep, $points_of_label) = @_;
    my @points;
    for my $i (0 .. $#{ $sweep->{values} }) {
        my ($x, $label) = ($sweep->{x}[$i], $sweep->{values}[$i]);
        my $point = $points_of_label->{$label} || {};
        my $time = $point->{time_us};
        next if !defined $time;
        my ($low, $high) = map { $_ // $time } @{$point}{qw(time_low time_high)};
        my %place = (label => $label, x => $x, y => $time, low => $low, high => $high);
        push @points, { %place, hollow => $point->{disturbed} };
    }
    return @points;
}

sub axis_of_values {
    my %label = map { $_->{x} => $_->{label} } @_;
    my @x = sort { $a <=> $b } keys %label;
    my ($least) = grep { $_ > 0 } @x, 1;
    my $is_log = $x[-1] >= SPAN * $least ? 1 : 0;
    my $low = !$is_log ? 0 : $x[0] > 0 ? $least / ROOM : $least / 4;
    my $x = { low => $low, high => ROOM * $x[-1] || 1, log => $is_log, ticks => [] };
    my $before = -APART();
    for my $value (@x) {
        next if place($x, $value) - $before < APART;
        push @{ $x->{ticks} }, [ $value, $label{$value} ];
        $before = place($x, $value);
    }
    return $x;
}

# A row for each value and series; of several series the values are heads
sub rows_of {
    my ($sweep, @series) = @_;
    my @rows;
    for my $label (@{ $sweep->{values} }) {
        my @of_value;
        for my $series (@series) {
            my ($point) = grep { $_->{label} eq $label } @{ $series->{points} } or next;
            my %row = (name => @series > 1 ? $series->{name} : $label, value => $point->{y});
            @row{qw(text class)} = (duration($point->{y}), 'k' . $series->{ink} % INKS);
            push @of_value, { %{$point}, %row, square => $series->{published} };
        }
        push @rows, { head => $label } if @series > 1 && @of_value;
        push @rows, @of_value;
    }
    return \@rows;
}

1;
