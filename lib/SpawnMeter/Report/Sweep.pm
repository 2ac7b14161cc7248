package SpawnMeter::Report::Sweep;

# A sweep as text and as CSV.
#
#   text(run, analysis) -> text;  csv(run, analysis) -> CSV: value, x, then for each
#       series the median, low and high of the microseconds of an iteration
#   analysis: { points => of SpawnMeter::Catalog::Sweeps, lines => { series => of
#       SpawnMeter::Analysis::Line }, per => [number, words] that the slopes are given for,
#       remark => text or undef }

use strict;
use warnings;
use List::Util qw(max);
use SpawnMeter::Report::CSV;
use SpawnMeter::Util::Format qw(duration signed_duration percent visible visible_lines);

sub text {
    my ($run, $analysis) = @_;
    my ($sweep, $points) = ($run->{sweep}, $analysis->{points});
    my $text = q{-} x 72 . "\n"
        . visible("$sweep->{title}: time of one creation, by $sweep->{axis}") . "\n\n";
    $text .= table(
        $sweep,
        sub {
            my ($p) = @_;
            return $p ? defined $p->{time_us} ? duration($p->{time_us}) : $p->{status} : q{-};
        },
        $points
    );
    $text .= "\n+/- of these (the larger half of the 95 % interval of the median)\n\n";
    $text .=
        table($sweep,
        sub { my ($p) = @_; return percent($p->{plus_minus}) . ($p->{disturbed} ? '!' : q{}) },
        $points);
    $text .= claim_of_2003($analysis->{claim_of_2003}) if $analysis->{claim_of_2003};
    return $text . slopes($sweep, $analysis) . trouble($sweep, $points) . ending($run);
}

# M. Dillon's mail answers a claim about the parent's image
sub claim_of_2003 {
    my ($ratio) = @_;
    return
        sprintf "\nA mail of 2003 (freebsd-current) quotes the claim that vfork is 3 times faster\n"
        . "than fork from a static parent, and 9 times from a dynamic one: here %.1f and %.1f.\n",
        @{$ratio}{qw(static dynamic)};
}

sub table {
    my ($sweep, $cell, $points) = @_;
    my $first = max(5, map { length } @{ $sweep->{values} });
    my @width = map { max(9, length($_) + 1) } @{ $sweep->{series} };
    my $text = q{ } x $first
        . join(q{}, map { sprintf " %$width[$_]s", $sweep->{series}[$_] } 0 .. $#width) . "\n";
    for my $label (@{ $sweep->{values} }) {
        $text .= sprintf "%-${first}s", $label;
        $text .= sprintf " %$width[$_]s", $cell->($points->{ $sweep->{series}[$_] }{$label})
            for 0 .. $#width;
        $text .= "\n";
    }
    return visible_lines($text);
}

sub slopes {
    my ($sweep, $analysis) = @_;
    my ($per, $words) = @{ $analysis->{per} }{qw(amount words)};
    my $text = q{};
    for my $series (grep { $analysis->{lines}{$_} } @{ $sweep->{series} }) {
        my $line = $analysis->{lines}{$series};
        $text .= sprintf "%-12s %9s %s (%s to %s), R2 %s\n", visible($series),
            signed_duration($per * $line->{slope}), $words,
            map({ signed_duration($per * $line->{$_}) } qw(low high)),
            defined $line->{r2} ? sprintf('%.4f', $line->{r2}) : 'unknown';
    }
    return length $text ? "\nA straight line through them:\n$text" : q{};
}

sub trouble {
    my ($sweep, $points) = @_;
    my $text = q{};
    for my $series (@{ $sweep->{series} }) {
        for my $label (@{ $sweep->{values} }) {
            my $p = $points->{$series}{$label};

            # a published experiment has not every pair
            next if !$p && $sweep->{cells} && !grep { $_ eq "$label $series" } @{ $sweep->{cells} };
            $text .= visible(
                "$series, $label: "
                    . (
                    $p
                    ? "$p->{status}: " . (defined $p->{reason} ? $p->{reason} : 'unknown')
                    : 'not measured'
                    )
                )
                . "\n"
                if !$p || $p->{status} ne 'ok';
        }
    }
    return length $text ? "\n$text" : q{};
}

sub ending {
    my ($run) = @_;
    return $run->{complete}
        ? q{}
        : 'INCOMPLETE: ' . visible(defined $run->{reason} ? $run->{reason} : 'unknown') . "\n";
}

sub csv {
    my ($run, $analysis) = @_;
    my $sweep = $run->{sweep};
    my @rows = [ 'value', 'x', map { ($_, "$_ low", "$_ high") } @{ $sweep->{series} } ];
    for my $i (0 .. $#{ $sweep->{values} }) {
        my $label = $sweep->{values}[$i];
        push @rows,
            [
            $label, $sweep->{x}[$i],
            map { my $p = $analysis->{points}{$_}{$label}; numbers_of($p) } @{ $sweep->{series} }
            ];
    }
    return join q{}, map {
        join(q{,}, map { SpawnMeter::Report::CSV::field($_) } @{$_}) . "\n"
    } @rows;
}

# Without an interval the median stands in its place
sub numbers_of {
    my ($p) = @_;
    return (undef, undef, undef) if !$p || !defined $p->{time_us};
    return
        map { sprintf '%.3f', defined $_ ? $_ : $p->{time_us} }
        @{$p}{qw(time_us time_low time_high)};
}

1;
