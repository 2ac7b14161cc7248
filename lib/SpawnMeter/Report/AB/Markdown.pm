# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB::Markdown;

# render(summary of Analysis::AB, run) -> Markdown: what the sides are, and a table

use strict;
use warnings;
use SpawnMeter::Report::AB::Parts qw(side change interval costs);
use SpawnMeter::Report::Escape    qw(markdown);
use SpawnMeter::Util::Format      qw(rate duration);

sub render {
    my ($summary, $run) = @_;
    my $text = join q{},
        map { '- **' . markdown($_->{name}) . '**: ' . markdown(side($_)) . "\n" }
        @{ $summary->{sides} };
    $text .= "\n"
        . line(
        'test', 'copies', 'A', 'B', 'B/A', '95 %',
        'verdict', 'CPU A', 'CPU B', 'p50 A', 'p50 B', 'p99 A',
        'p99 B', 'steadied', '95 %'
        );
    $text .= '|---|' . '--:|' x 5 . '---|' . '--:|' x 8 . "\n";
    $text .= row($_) for @{ $summary->{rows} };
    return $text if $run->{complete};
    return "$text\nIncomplete: " . markdown(defined $run->{reason} ? $run->{reason} : '?') . "\n";
}

sub line { return '| ' . join(' | ', @_) . " |\n" }

sub row {
    my ($row) = @_;
    return line(
        markdown($row->{title}),
        $row->{copies},
        map({ rate($_ ? $_->{rate} : undef, $row->{unit}) } @{$row}{qw(a b)}),
        defined $row->{ratio} ? change($row->{ratio}) : q{-},
        interval($row),
        $row->{verdict},
        map({ duration($_) } costs($row)),
        $row->{steadied}
        ? (change($row->{steadied}{ratio}), interval($row->{steadied}))
        : ('-', '-')
    );
}

1;
