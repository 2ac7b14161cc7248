# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB::Markdown;

# render(summary of Analysis::AB, run) -> Markdown: what the sides are, and a table

use strict;
use warnings;
use SpawnMeter::Report::AB::Parts qw(side change interval costs);
use SpawnMeter::Report::Escape    qw(markdown);
use SpawnMeter::Util::Format      qw(rate duration copies);

sub render {
    my ($summary, $run) = @_;
    my $text = join q{},
        map { '- **' . markdown($_->{name}) . '**: ' . markdown(side($_, $run)) . "\n" }
        @{ $summary->{sides} };
    my @steadied = $summary->{loops} ? ('steadied', '95 %') : ();
    $text .= "\n"
        . line(
        'test', 'copies', 'A', 'B', 'B/A', '95 %', 'verdict', 'CPU A',
        'CPU B', 'p50 A', 'p50 B', 'p99 A', 'p99 B', @steadied
        );
    $text .= '|---|' . '--:|' x 5 . '---|' . '--:|' x (6 + @steadied) . "\n";
    $text .= row($_, scalar @steadied) for @{ $summary->{rows} };
    $text .= loops(%{ $summary->{loops} }) if $summary->{loops};
    return $text if $run->{complete};
    return "$text\nIncomplete: " . markdown(defined $run->{reason} ? $run->{reason} : '?') . "\n";
}

# How the sides differ in what the steadied differences are made at one rate of
sub loops {
    my (%loops) = @_;
    my @words = map {
        copies($_) . q{: } . change($loops{$_}{ratio}) . ' (95 %: ' . interval($loops{$_}) . ')'
    } sort { $a <=> $b } keys %loops;
    return @words ? "\nPage faults, " . join(q{; }, @words) . "\n" : q{};
}

sub line { return '| ' . join(' | ', @_) . " |\n" }

sub row {
    my ($row, $steadied) = @_;
    my $of = $row->{steadied};
    my @steadied = $of ? (change($of->{ratio}), interval($of)) : (q{-}, q{-});
    return line(
        markdown($row->{title}),
        $row->{copies},
        map({ rate($_ ? $_->{rate} : undef, $row->{unit}) } @{$row}{qw(a b)}),
        defined $row->{ratio} ? change($row->{ratio}) : q{-},
        interval($row),
        $row->{verdict},
        map({ duration($_) } costs($row)),
        $steadied ? @steadied : ()
    );
}

1;
