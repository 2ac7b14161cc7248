# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Sweep;

# A sweep, or a published experiment beside its repetition, as text and as CSV.
#
#   text(run, analysis of SpawnMeter::Analysis::Points) -> text: a table of times, one of
#       their intervals, the periods of the target's start-up, what each value adds to
#       "none", the slopes of the lines through them, then what was not measured
#   csv(run, analysis) -> CSV: value, x, then for each series the median, low and high of
#       the microseconds of an iteration, then, where several copies run at once, the rate of
#       all for each series; then p50 and p99 of the periods of the start-up
#   trouble(sweep record, points) -> a line for each cell that was lost
#   ending(run) -> a line where the run is incomplete
#   published(experiment, found and claims of SpawnMeter::Analysis::Points) -> text
#   claims(experiment, claims) -> their part of it, below the name of the experiment
#   in_words(claim that is judged) -> what it says, and what was found here
#   counts(claims) -> a line: how many agree, differ ...

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Quantity    qw(periods words_of);
use SpawnMeter::Report::Escape        qw(csv_line known number);
use SpawnMeter::Report::Text::Quality qw(warning_of);
use SpawnMeter::Util::Format qw(duration folded percent rate signed_duration visible visible_lines);

our @EXPORT_OK = qw(published claims counts in_words);

use constant { WIDTH => 78, CELL => 9 };    # columns

# The percentiles of the start-up that are printed, and their places in a result's list
my @PERCENTILES = ([ 'p50', 0 ], [ 'p99', 2 ]);

sub text {
    my ($run, $analysis) = @_;
    my ($sweep, $points) = ($run->{sweep}, $analysis->{points});
    my $title = visible("$sweep->{title}: " . words_of($sweep->{quantity}) . ", by $sweep->{axis}");
    my @threads = $analysis->{threads} ? (' or thread', ' and threads') : (q{}, q{});
    $title .= ", as each copy$threads[0] sees it" if $analysis->{together};
    return join q{}, q{-} x 72 . "\n$title\n\n",
        table($sweep, $points, \&time_cell),
        $analysis->{together}
        ? ("\nRate of all copies$threads[1] together\n\n", table($sweep, $points, \&rate_cell))
        : (),
        "\n+/- of these times (half of the 95 % interval of the trimmed mean)\n\n",
        table($sweep, $points, \&interval_cell),
        start_table($sweep, $points), disturbed($points), added($analysis->{added}),
        slopes($sweep, $analysis), trouble($sweep, $points), ending($run);
}

sub time_cell {
    my ($point) = @_;
    return q{-} if !$point;
    return defined $point->{time_us} ? duration($point->{time_us}) : $point->{status};
}

sub rate_cell { my ($point) = @_; return $point ? rate(@{$point}{qw(rate unit)}) : q{-} }

sub interval_cell {
    my ($point) = @_;
    return percent($point->{plus_minus}) . ($point->{disturbed} ? q{!} : q{});
}

# What "!" means, as in the report of a run
sub disturbed {
    my ($points) = @_;
    my @all = grep { defined $_->{time_us} } map { values %{$_} } values %{$points};
    my $warning = warning_of('times (marked with !)', @all);
    return length $warning ? "\n$warning" : q{};
}

# Rows, the first of which is the heads: of columns that are this wide, and as wide as their heads
sub columns {
    my ($first, $least, $heads, @rows) = @_;
    my (undef, @width) = map { max($least, length($_) + 1) } @{$heads};
    my $cells = join q{}, map { " %${_}s" } @width;
    return visible_lines(join q{}, map { sprintf "%-${first}s$cells\n", @{$_} } $heads, @rows);
}

# A line for each value, a column for each series
sub table {
    my ($sweep, $points, $cell_text) = @_;
    my @series = @{ $sweep->{series} };
    my @rows = map {
        my $label = $_;
        [ scalar visible($label), map { $cell_text->($points->{$_}{$label}) } @series ]
    } @{ $sweep->{values} };
    return columns(
        max(5, map { length $_->[0] } @rows), CELL,
        [ q{}, map { scalar visible($_) } @series ], @rows
    );
}

# For each series, the microseconds that each value adds to "none"
sub added {
    my ($added) = @_;
    return q{} if !@{$added};
    my $text = <<'END';

Added to "none": the ratio of the trimmed means, less 1, times the median of
"none" (its 95 % interval); with too few passes the difference of the medians
END
    my $series = q{};
    for my $one (@{$added}) {
        $text .= "\n" . visible($one->{series}) . "\n" if $one->{series} ne $series;
        $series = $one->{series};
        $text .= sprintf "  %-12s %9s  (%s)\n", visible($one->{label}),
            with_interval(1, @{$one}{qw(us low high)});
    }
    return $text;
}

sub with_interval {
    my ($factor, @values) = @_;
    my ($value, @ends) = map { signed_duration($factor * $_) } grep { defined } @values;
    return ($value, @ends ? join ' to ', @ends : 'too few passes');
}

sub slopes {
    my ($sweep, $analysis) = @_;
    my @series = grep { $analysis->{lines}{$_} } @{ $sweep->{series} };
    return q{} if !@series;
    return join q{}, "\nFitted straight lines (slope, its 95 % interval):\n",
        map({ slope($_, $analysis->{lines}{$_}, $analysis->{per}) } @series),
        "R2: the share of the variation that the line explains.  Not printed where it\n",
        "  explains none, as with times that do not change.\n";
}

sub slope {
    my ($series, $line, $per) = @_;
    my ($slope, $interval) = with_interval($per->{amount}, @{$line}{qw(slope low high)});
    my $r2 = defined $line->{r2} && $line->{r2} > 0 ? sprintf(', R2 %.4f', $line->{r2}) : q{};
    return sprintf "%-12s %9s %s (%s)%s\n", visible($series), $slope, $per->{words}, $interval, $r2;
}

sub trouble {
    my ($sweep, $points) = @_;
    my %wanted = map { $_ => 1 } @{ $sweep->{cells} || [] };
    my $text = q{};
    for my $series (@{ $sweep->{series} }) {
        for my $label (@{ $sweep->{values} }) {
            my $point = $points->{$series}{$label};

            # a published experiment does not measure each test at each value
            next if !$point && $sweep->{cells} && !$wanted{"$label $series"};
            next if $point && $point->{status} eq 'ok';
            my $why = $point ? "$point->{status}: " . known($point->{reason}) : 'not measured';
            $text .= visible("$series, $label: $why") . "\n";
        }
    }
    return length $text ? "\n$text" : q{};
}

sub ending {
    my ($run) = @_;
    return $run->{complete} ? q{} : 'INCOMPLETE: ' . visible(known($run->{reason})) . "\n";
}

# ---- the start-up of the targets (--phases), by period ----

# For each series p50 and p99 of each period at each value
sub start_table {
    my ($sweep, $points) = @_;
    my @series = stamped($sweep, $points) or return q{};
    my $text =
          "\nStart-up of the target by period, from the call: first instruction, main(), end;\n"
        . "then dynamic loader, entry point to main(), main() to its end\n";
    for my $series (@series) {
        my @rows = map { start_rows($_, $points->{$series}{$_}) } @{ $sweep->{values} };
        my $first = max(map { length visible($_) } @{ $sweep->{values} }) + 4;
        $text .= "\n" . columns($first, CELL - 1, [ scalar visible($series), periods() ], @rows);
    }
    return $text;
}

sub stamped {
    my ($sweep, $points) = @_;
    return grep {
        my $of = $points->{$_};
        grep { $_->{start} } values %{ $of || {} }
    } @{ $sweep->{series} };
}

sub start_rows {
    my ($label, $point) = @_;
    my $start = $point && $point->{start} or return;
    return map {
        my ($name, $i) = @{$_};
        [ visible($label) . " $name", map { duration(($start->{$_} || [])->[$i]) } periods() ]
    } @PERCENTILES;
}

# ---- csv ----

sub csv {
    my ($run, $analysis) = @_;
    my ($sweep, $points) = ($run->{sweep}, $analysis->{points});
    my @columns = columns_of_csv($sweep, $analysis);
    my $csv = csv_line('value', 'x', map { visible("$_->[0]$_->[1]") } @columns);
    for my $i (0 .. $#{ $sweep->{values} }) {
        my $label = $sweep->{values}[$i];
        my @fields = map { field($points->{ $_->[0] }{$label}, @{$_}[ 2, 3 ]) } @columns;
        $csv .= csv_line(visible($label), $sweep->{x}[$i], @fields);
    }
    return $csv;
}

# [series, rest of the head, what field() takes]
sub columns_of_csv {
    my ($sweep, $analysis) = @_;
    my @columns;
    for my $series (@{ $sweep->{series} }) {
        push @columns, [ $series, q{}, 'time_us' ],
            map { [ $series, " $_", "time_$_" ] } qw(low high);
    }
    push @columns, map { [ $_, ' rate', 'rate' ] } @{ $sweep->{series} } if $analysis->{together};
    for my $series (stamped($sweep, $analysis->{points})) {
        for my $period (periods()) {
            push @columns, map { [ $series, " $period $_->[0]", $period, $_->[1] ] } @PERCENTILES;
        }
    }
    return @columns;
}

# Without an interval the median stands in its place
sub field {
    my ($point, $field, $i) = @_;
    my $value = defined $i ? (($point->{start} || {})->{$field} || [])->[$i] : $point->{$field};
    $value = $point->{time_us} if !defined $value && $field =~ /^time_/;
    return number('%.3f', $value);
}

# ---- published experiments ----

sub published {
    my ($experiment, $found, $claims) = @_;
    my @also = @{ $experiment->{also} };
    return join q{}, q{-} x 72, "\n", visible($experiment->{title}), "\n\n",
        (map { line("$_->[0]: ", $_->[1]) } @{ $experiment->{about} }),
        (map { table_beside($_) } @{ $found->{sides} }),
        @also ? "\nAlso published:\n" : (),
        (map { line(q{  }, "$_->[0]: " . join ', ', @{$_}[ 1 .. $#{$_} ]) } @also),
        claims($experiment, $claims);
}

sub line {
    my ($mark, $text) = @_;
    return folded(visible($mark), visible($text), WIDTH, q{   });
}

# The values in columns; below each series what was published of it
sub table_beside {
    my ($side) = @_;
    my ($sweep, $points) = ($side->{run}{sweep}, $side->{analysis}{points});
    my @series = grep { $points->{$_} } @{ $sweep->{series} } or return q{};
    my $is_rate = ($sweep->{quantity} || q{}) eq 'rate';
    my @labels = @{ $sweep->{values} };
    my @widths = (max(map { length } @series), max(CELL, map { length } @labels));
    my $columns = max(1, int((WIDTH - $widths[0]) / ($widths[1] + 1)));
    my $unit = $is_rate ? 'processes per second' : words_of($sweep->{quantity});
    my $text = "\n" . line(q{}, "$sweep->{title}: $unit");

    while (my @shown = splice @labels, 0, $columns) {
        $text .= "\n" . row(@widths, q{}, @shown);
        for my $series (@series) {
            my @points = map { $points->{$series}{$_} } @shown;
            next if !grep { $_ } @points;
            $text .= row(@widths, $series, map { figure($_, $is_rate) } @points);
            $text .=
                row(@widths, '  +/-', map { $_ && $_->{time_us} ? interval_cell($_) : q{} } @points)
                if grep { $_ && defined $_->{plus_minus} } @points;
        }
    }
    return $text;
}

sub row {
    my ($first, $width, $name, @cells) = @_;
    my $text = sprintf '%-*s', $first, $name;
    $text .= sprintf ' %*s', $width, $_ for @cells;
    return visible($text =~ s/ +\z//r) . "\n";
}

sub figure {
    my ($point, $is_rate) = @_;
    return q{} if !$point;
    return rate(1e6 / $point->{time_us}, 'lps') if $is_rate && $point->{time_us};
    return time_cell($point);
}

sub claims {
    my ($experiment, $claims) = @_;
    return join q{},
        @{$claims} ? "\n" . line(q{}, "Claims of $experiment->{name}: $experiment->{title}") : (),
        map { $_->{kind} ? judged($_) : "\n" . line(q{  }, $_->{words}) } @{$claims};
}

sub judged {
    my ($claim) = @_;
    return folded(sprintf('    %-13s ', $claim->{verdict}), visible(in_words($claim)), WIDTH);
}

sub in_words {
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
    return signed_duration($value) if $claim->{kind} eq 'slope';
    return $value < 10 ? sprintf('%.2f', $value) : sprintf('%.1f', $value);
}

sub counts {
    my %number;
    $number{ $_->{verdict} }++ for grep { $_->{kind} } @_;
    return join q{}, "\n", map          { "$_: $number{$_}\n" } sort keys %number;
}

1;
