# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Runs;

# The list of stored runs.
#
#   entry(summary, columns) -> some lines about one run
#   csv(summaries) -> CSV, a row for each run and index
#
# A summary is what SpawnMeter::Command::Runs makes of a run: { name, label, kind, started,
# machine => text, tests => number of tests, scores => [ { copies, title, score, partial } ],
# results, disturbed => numbers of results, complete, reason, problem => why it cannot be
# read }

use strict;
use warnings;
use List::Util                 qw(max);
use SpawnMeter::Report::Escape qw(csv_line);
use SpawnMeter::Util::Format   qw(copies folded visible);

use constant NARROWEST => 30;    # columns

my %KIND = (equals => 'equal run', ab => 'A/B run', sweep => 'sweep', run => 'run');

sub entry {
    my ($of, $columns) = @_;
    my $width = max(NARROWEST, $columns) - 1;
    my $date = date($of->{started});
    my $title = $of->{name} . (defined $of->{label} ? " ($of->{label})" : q{});
    my $text = folded("$date  ", visible($title), $width);
    return $text . folded(q{    }, visible("cannot be read: $of->{problem}"), $width)
        if defined $of->{problem};
    $text .= folded(q{    }, visible($_), $width)
        for grep { length } what($of), scores($of), $of->{machine};
    return $text;
}

sub date {
    my ($time) = @_;
    return 'unknown date    ' if !$time;
    my ($minute, $hour, $day, $month, $year) = (localtime $time)[ 1 .. 5 ];
    return sprintf '%04d-%02d-%02d %02d:%02d', $year + 1900, $month + 1, $day, $hour, $minute;
}

sub what {
    my ($of) = @_;
    my $what = $KIND{ $of->{kind} } || $of->{kind};
    $what .= " $of->{sweep}" if defined $of->{sweep};
    my @parts = ($what, $of->{tests} == 1 ? '1 test' : "$of->{tests} tests");
    push @parts, sprintf 'DISTURBED: %d of %d results', @{$of}{qw(disturbed results)}
        if $of->{disturbed};
    push @parts, 'INCOMPLETE: ' . (defined $of->{reason} ? $of->{reason} : 'unknown')
        if !$of->{complete};
    return join ', ', @parts;
}

# "1 copy: System 317.9 (partial), Process 321.7; 2 copies: ..."
sub scores {
    my ($of) = @_;
    my (@order, %of_copies);
    for my $score (@{ $of->{scores} }) {
        push @order, $score->{copies} if !$of_copies{ $score->{copies} };
        my $title = defined $score->{title} ? $score->{title} =~ s/ Benchmarks\z//r : 'final score';
        push @{ $of_copies{ $score->{copies} } },
            sprintf '%s %.1f%s', $title, $score->{score}, $score->{partial} ? ' (partial)' : q{};
    }
    return join '; ', map { copies($_) . ': ' . join ', ', @{ $of_copies{$_} } } @order;
}

sub csv {
    my (@summaries) = @_;
    my $csv = csv_line(qw(name label started kind machine copies index score partial results),
        qw(disturbed complete));
    for my $of (grep { !defined $_->{problem} } @summaries) {
        my @scores = @{ $of->{scores} } ? @{ $of->{scores} } : {};
        $csv .= csv_line(
            map({ visible($_) } @{$of}{qw(name label started kind machine)}),
            map({ visible($_) } @{$_}{qw(copies title)}),
            defined $_->{score} ? sprintf('%.1f', $_->{score}) : undef,
            @{$_}{'partial'},
            @{$of}{qw(results disturbed)},
            $of->{complete} ? 1 : 0
        ) for @scores;
    }
    return $csv;
}

1;
