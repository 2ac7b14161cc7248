# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AA;

# How much equal runs differ.
#
#   render(summary of SpawnMeter::Analysis::AA, further => number of stored runs that count,
#       incomplete => why the run is, or undef; label => that of usual runs) -> text

use strict;
use warnings;
use SpawnMeter::Analysis::AA qw(SIDES);
use SpawnMeter::Util::Format qw(rate percent visible copies folded);

use constant { STARS => q{*} x 60 . "\n", WIDTH => 72 };

sub render {
    my ($summary, %with) = @_;
    my @rows = @{ $summary->{rows} };
    return nothing() . incomplete($with{incomplete}) if !@rows;
    my $runs = $summary->{runs} - ($with{further} || 0);
    my $text = "\nThe same tests in $runs ";
    $text .=
        defined $with{label} ? 'runs, ' . visible($with{label}) : 'short runs, one after the other';
    $text .= ", and in $with{further} stored runs" if $with{further};
    $text .= ".\n\n" . table(@rows) . "\n";
    $text .= folded(q{}, level($_), WIDTH) for @{ $summary->{groups} };
    $text .= resolves(defined $with{label} ? 'such' : 'usual', @{ $summary->{groups} });
    return $text . incomplete($with{incomplete});
}

sub nothing {
    return <<'END';
No test was measured in two runs with three passes that count: nothing to
compare.  Take a longer --max-time.
END
}

sub incomplete {
    my ($why) = @_;
    return defined $why ? STARS . visible("INCOMPLETE: $why") . "\n" . STARS : q{};
}

sub table {
    my (@rows) = @_;
    my $text = sprintf "  %-14s %6s %11s %7s %14s\n", qw(test copies rate +/-), 'runs differ by';
    for my $row (@rows) {
        $text .= sprintf "  %-14s %6d %11s %7s %14s\n", visible($row->{test}), $row->{copies},
            rate($row->{rate}, $row->{unit}), map { percent($_) } @{$row}{qw(plus_minus spread)};
    }
    return $text;
}

sub level {
    my ($group) = @_;
    return sprintf '%s: runs differ by %s that all tests share and by %s that each has for '
        . 'itself (standard deviations, beyond what their passes explain).',
        copies($group->{copies}), map { percent($_) } @{$group}{qw(shared own)};
}

sub resolves {
    my ($what, @groups) = @_;
    my $text = "\nSmallest difference of one test that $what runs can show here:\n\n";
    $text .= sprintf '  %-16s', 'runs a side';
    $text .= join(q{}, map { sprintf ' %7d', $_ } SIDES) . "\n";
    for my $group (@groups) {
        $text .= sprintf '  %-16s', copies($group->{copies});
        $text .= join(q{}, map { sprintf ' %7s', percent($group->{resolves}{$_}) } SIDES) . "\n";
    }
    return $text;
}

1;
