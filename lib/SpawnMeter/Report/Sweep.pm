# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Sweep;

# A sweep as text and as CSV.
#
#   text(run, analysis of SpawnMeter::Analysis::Points) -> text: a table of times, one of
#       their intervals, the periods of the target's start-up, what each value adds to
#       "none", the slopes of the lines through them, then what was not measured
#   csv(run, analysis) -> CSV: value, x, then for each series the median, low and high of
#       the microseconds of an iteration, then, where several copies run at once, the rate of
#       all for each series; then p50 and p99 of the periods of the start-up
#   trouble(sweep record, points) -> a line for each cell that was lost
#   ending(run) -> a line where the run is incomplete

use strict;
use warnings;
use List::Util                        qw(max);
use SpawnMeter::Analysis::Quantity    qw(periods words_of);
use SpawnMeter::Report::Escape        qw(csv_line);
use SpawnMeter::Report::Text::Quality qw(warning_of);
use SpawnMeter::Util::Format qw(duration percent rate signed_duration visible visible_lines);

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
        start_table($sweep, $points), disturbed($points), added($sweep, $analysis->{added}),
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

# A line for each value, a column for each series
sub table {
    my ($sweep, $points, $cell_text) = @_;
    my @series = @{ $sweep->{series} };
    my %shown = map { $_ => scalar visible($_) } @series, @{ $sweep->{values} };
    my $first = max(5, map { length($shown{$_}) } @{ $sweep->{values} });
    my %width = map { $_ => max(9, length($shown{$_}) + 1) } @series;
    my $text =
        q{ } x $first . join(q{}, map { sprintf " %$width{$_}s", $shown{$_} } @series) . "\n";
    for my $label (@{ $sweep->{values} }) {
        $text .= sprintf "%-${first}s", $shown{$label};
        $text .= sprintf " %$width{$_}s", $cell_text->($points->{$_}{$label}) for @series;
        $text .= "\n";
    }
    return visible_lines($text);
}

# For each series, the microseconds that each value adds to "none"
sub added {
    my ($sweep, $added) = @_;
    return q{} if !@{$added};
    my @labels = map { scalar visible($_->{label}) } @{$added};
    my $width = max(map { length($_) } @labels);
    my $text = <<'END';

Added to "none": the ratio of the trimmed means, less 1, times the median of
"none" (its 95 % interval); with too few passes the difference of the medians
END
    my $series = q{};
    for my $one (@{$added}) {
        $text .= "\n" . visible($one->{series}) . "\n" if $one->{series} ne $series;
        $series = $one->{series};
        my ($us, @interval) = map { signed_duration($_) } grep { defined } @{$one}{qw(us low high)};
        my $interval = @interval ? "($interval[0] to $interval[1])" : '(too few passes)';
        $text .= sprintf "  %-${width}s %9s  %s\n", shift(@labels), $us, $interval;
    }
    return visible_lines($text);
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
    my ($slope, @ends) = map { signed_duration($per->{amount} * $_) }
        grep { defined } @{$line}{qw(slope low high)};
    my $interval = @ends ? join(' to ', @ends) : 'too few passes';
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
            $text .= visible("$series, $label: " . why_lost($point)) . "\n";
        }
    }
    return length $text ? "\n$text" : q{};
}

sub why_lost {
    my ($point) = @_;
    return 'not measured' if !$point;
    return "$point->{status}: " . (defined $point->{reason} ? $point->{reason} : 'unknown');
}

sub ending {
    my ($run) = @_;
    return q{} if $run->{complete};
    return 'INCOMPLETE: ' . visible(defined $run->{reason} ? $run->{reason} : 'unknown') . "\n";
}

sub csv {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @series = @{ $sweep->{series} };
    my @together = $analysis->{together} ? @series : ();
    my $csv = csv_line(
        'value', 'x',
        map({ ($_, "$_ low", "$_ high") } map { visible($_) } @series),
        map({ visible("$_ rate") } @together),
        start_heads($sweep, $analysis->{points})
    );
    for my $i (0 .. $#{ $sweep->{values} }) {
        my $label = $sweep->{values}[$i];
        my @points = map { $analysis->{points}{$_}{$label} } @series;
        my @rates = map { $_ && $_->{rate} } @together ? @points : ();
        $csv .= csv_line(
            visible($label),
            $sweep->{x}[$i],
            map({ numbers_of($_) } @points),
            map({ defined($_) ? sprintf '%.3f', $_ : undef } @rates),
            start_fields($sweep, $analysis->{points}, $label)
        );
    }
    return $csv;
}

# Without an interval the median stands in its place
sub numbers_of {
    my ($point) = @_;
    my $median = $point && $point->{time_us};
    return (undef, undef, undef) if !defined $median;
    my @numbers = map { defined $_ ? $_ : $median } @{$point}{qw(time_us time_low time_high)};
    return map { sprintf '%.3f', $_ } @numbers;
}

# ---- start ----
#
# The start-up of the targets of a sweep (--phases), by period.
#
#   start_table(sweep record, points) -> for each series a table: p50 and p99 of each period
#       at each value; empty where nothing was stamped
#   start_heads(sweep, points) -> heads of its columns in CSV
#   start_fields(sweep, points, label) -> the fields of the label's row

use constant TIME => 9;    # columns of a time

# The percentiles that are printed, and their places in a result's list
my @PERCENTILES = ([ 'p50', 0 ], [ 'p99', 2 ]);

sub start_table {
    my ($sweep, $points) = @_;
    my @series = stamped($sweep, $points) or return q{};
    my @shown = map { visible($_) } @{ $sweep->{values} };
    my $first = max(map { length } @shown) + 4;
    my $text =
          "\nStart-up of the target by period, from the call: first instruction, main(), end;\n"
        . "then dynamic loader, entry point to main(), main() to its end\n";
    for my $series (@series) {
        $text .= "\n" . sprintf("%-*s", $first, visible($series));
        $text .= join(q{}, map { sprintf '%*s', TIME, $_ } periods()) . "\n";
        $text .= join q{}, map { rows($_, $first, $points->{$series}{$_}) } @{ $sweep->{values} };
    }
    return visible_lines($text);
}

sub stamped {
    my ($sweep, $points) = @_;
    return grep {
        my $of = $points->{$_};
        grep { $_->{start} } values %{ $of || {} }
    } @{ $sweep->{series} };
}

sub rows {
    my ($label, $width, $point) = @_;
    my $start = $point && $point->{start} or return q{};
    return join q{}, map {
        my ($name, $i) = @{$_};
        sprintf("%-*s", $width, visible($label) . " $name")
            . join(q{}, map { sprintf '%*s', TIME, duration(($start->{$_} || [])->[$i]) } periods())
            . "\n"
    } @PERCENTILES;
}

sub start_heads {
    my ($sweep, $points) = @_;
    my @heads;
    for my $series (stamped($sweep, $points)) {
        for my $period (periods()) {
            push @heads, map { visible("$series $period $_->[0]") } @PERCENTILES;
        }
    }
    return @heads;
}

sub start_fields {
    my ($sweep, $points, $label) = @_;
    my @fields;
    for my $series (stamped($sweep, $points)) {
        my $start = ($points->{$series}{$label} || {})->{start} || {};
        for my $period (periods()) {
            my $times = $start->{$period};
            push @fields,
                map { $times ? sprintf('%.3f', $times->[ $_->[1] ]) : undef } @PERCENTILES;
        }
    }
    return @fields;
}

1;
