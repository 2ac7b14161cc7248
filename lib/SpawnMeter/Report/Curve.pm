# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Curve;

# A sweep, or a published experiment beside its repetition, as text and as CSV.
#
#   text(run, analysis of SpawnMeter::Analysis::Points) -> text: tables of the times with their
#       intervals (of the width that the sweep states, or 78 columns), of the periods of the
#       target's start-up, and of what each value adds to "none", the slopes of the lines through
#       the times, then what was not measured
#   findings(analysis) -> that its times are busy or disturbed (Analysis::Findings)
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

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity    qw(periods words_of);
use SpawnMeter::Analysis::Findings    qw(finding);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Report::Escape        qw(csv_line known number);
use SpawnMeter::Report::Columns       qw(field_at widths);
use SpawnMeter::Report::Text::Quality qw(ending in_lines warnings sign_of_doubt);
use SpawnMeter::Util::Format          qw(duration folded percent rate);

our @EXPORT_OK = qw(findings claims counts_of_verdicts between table table_of time_of_point);

use constant { WIDTH => 78, BETWEEN => 2 };    # columns

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
    return warnings('times',
        grep { defined $_->{time_us} } map { values %{$_} } values %{ $analysis->{points} });
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

1;
