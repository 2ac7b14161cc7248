# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Two runs, or two groups of runs, on one page: a picture of all differences, a table of them, and
# in what the two differ.
#
#   render(comparison of two runs) -> the page
#   forest(caption, words of the axis, rows as those of Analysis::Comparison or Analysis::Pairs) ->
#       HTML: for each number of copies a picture with a row for each difference, in per cent, with
#       its interval; empty without rows
#   ab(summary of Analysis::Pairs, run) -> page of Report::HTML: likewise of the two sides of a run

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max min);
use SpawnMeter::Analysis::Findings  qw(finding_of);
use SpawnMeter::Analysis::Results   qw(by_copies);
use SpawnMeter::Report::Paired      ();
use SpawnMeter::Report::Chart       qw(intervals number_scale);
use SpawnMeter::Report::Differences qw(cells_of_row words_of_copies rows_of_table short_names
    called_and_file loops system_of);
use SpawnMeter::Report::Verdicts ();
use SpawnMeter::Report::Escape   qw(html prose);
use SpawnMeter::Report::HTML     qw(doubts);
use SpawnMeter::Report::HTML::Page
    qw(anchor details heading linked page section soft table to_copy);
use SpawnMeter::Util::Format qw(change duration);

our @EXPORT_OK = qw(forest);

sub render {
    my ($comparison) = @_;
    my ($pair) = @{ $comparison->{pairs} };
    my @names = short_names($comparison);
    my $sentence = SpawnMeter::Report::Verdicts::sentence($pair, reverse @names);
    my ($title, $counts) = split /: (?=\d)/, $sentence =~ s/[.]\z//r;
    my $about = join ': ', 'Two runs, or groups of runs, compared', grep { defined } $counts;
    my @rows = rows_of_table($pair);
    my $markdown = SpawnMeter::Report::Differences::markdown($comparison);
    my @parts = (
        heading($title, "$about.", []),
        runs($comparison),
        forest('Difference of each test.', 'to the right: faster, better', @rows),
        doubts(findings($comparison)),
        tables([ 'Change', @names ], \@rows, sub { cells_of_row($_[0]) }),
        in_background(
            sprintf 'All intervals of the tests hold together, and verdicts are read off '
                . 'them (same: within %g %%).',
            100 * $pair->{margin}
        ),
        costs($pair, @names),
        facts($comparison),
        to_copy('This comparison as Markdown, to copy', $markdown)
    );
    return page($title, "$about.", join q{}, @parts);
}

sub in_background {
    return join q{}, map { soft(prose(s/  +/ /gr)) } grep { length } @_;
}

# What each of the two is, in a line or two
sub runs {
    my ($comparison) = @_;
    my @names = short_names($comparison);
    my @lines = map {
        my (undef, @more) = (called_and_file($_), grep { length } system_of($_->{head}));
        my $name =
            '<b>' . html(shift @names) . '</b>: ' . linked($_->{called} // $_->{name}, $_->{page});
        join '; ', $name, map { html($_) } @more
    } @{ $comparison->{runs} };
    return soft(join "<br>\n", @lines);
}

sub findings {
    my ($comparison) = @_;
    my @names = short_names($comparison);
    my @findings;
    for my $run (@{ $comparison->{runs} }) {
        my $name = shift @names;
        push @findings,
            map { { %{ finding_of($_) }, where => $name } }
            SpawnMeter::Report::Differences::doubts($run);
    }
    return \@findings;
}

# ---- the differences ----

# The verdicts that say what differs, and the colour of each
my %CLASS =
    (map({ $_ => 'k0' } qw(faster shorter less)), map { $_ => 'k1' } qw(slower longer more));

sub forest {
    my ($caption, $words, @rows) = @_;
    my $html = q{};
    for (by_copies(grep { defined $_->{ratio} } @rows)) {
        my ($copies, @own) = @{$_};
        my @shown;
        for my $row (@own) {
            my ($class, @places) =
                ($CLASS{ $row->{verdict} }, map { in_percent($row->{$_}) } qw(ratio low high));
            my %looks = (class => $class || 'none', hollow => !$class);
            @looks{qw(value low high)} = @places;
            push @shown,
                { %looks, name => $row->{test}, text => change($row->{ratio}) =~ s/%/ %/r };
        }
        $html .= intervals(
            caption => ucfirst words_of_copies($own[0])
                . ". $caption The line is the 95 % interval; "
                . 'coloured: the verdict is a difference.',
            scale   => scale_of(map { @{$_}{qw(value low high)} } @shown),
            rows    => \@shown,
            words   => "Difference in per cent; $words",
            columns => [ 26, 16 ]
        );
    }
    return $html;
}

sub in_percent { my ($ratio) = @_; return defined $ratio ? 100 * ($ratio - 1) : undef }

# An axis of differences in per cent, which ends at +/- 100 at most
use constant { FAR => 100, NEAR => 1, ROOM => 1.05 };

sub scale_of {
    my @ends = grep { defined } @_;
    my ($low, $high) = (max(-FAR, min(-NEAR, @ends)), min(FAR, max(NEAR, @ends)));
    return number_scale(ROOM * $low, ROOM * $high, sub { $_[0] ? sprintf '%+g', $_[0] : 0 });
}

# For each number of copies what the rows say.  The first head is that of the change; cells: sub
# (row) -> (old, new, change, interval, verdict, more)
sub tables {
    my ($heads, $rows, $cells) = @_;
    my ($change, @others) = @{$heads};
    my $html = q{};
    for (by_copies(@{$rows})) {
        my ($copies, @own) = @{$_};
        my $title = ucfirst words_of_copies($own[0]);
        my @lines;
        for my $row (@own) {
            my $id = anchor(@{$row}{qw(test copies)});
            my ($old, $new, $difference, $interval, $verdict, @more) = $cells->($row);
            $verdict = \qq{<span class="bad">$verdict</span>} if ($CLASS{$verdict} || q{}) eq 'k1';
            my $link = qq{<a href="#$id">} . html($row->{test}) . '</a>';
            push @lines,
                [ { id => $id }, \$link, $difference, $interval, $verdict, $old, $new, @more ];
        }
        my @heads = ('Test', $change, '95 %', 'Verdict', @others);
        $html .= section($title, table($title, \@heads, \@lines));
    }
    return $html;
}

# CPU time, page faults and blocked time, folded away
sub costs {
    my ($pair, @names) = @_;
    my $in_words = sub { return defined $_[1] ? duration($_[0]) : sprintf '%.1f', $_[0] };
    my @blocked = map { { %{$_}, what => 'blocked' } } @{ $pair->{blocked} || [] };
    my @lines;
    for my $row (@{ $pair->{costs} || [] }, @blocked) {
        my @cells = cells_of_row($row, words => $in_words);
        push @lines, [ @{$row}{qw(test copies what)}, @cells[ 2 .. 4, 0, 1 ] ];
    }
    my @heads = (qw(Test Copies What Change), '95 %', 'Verdict', @names);
    my $title = 'CPU time, page faults and blocked time of one process';
    return @lines ? details($title, table($title, \@heads, \@lines)) : q{};
}

# ---- in what the two differ ----

sub facts {
    my ($comparison) = @_;
    my ($facts, $pair) = map { $_->[0] } @{$comparison}{qw(differences pairs)};
    my ($html, @notes) = (q{});
    for ([ incomparable => 'Can change the results' ], [ notable => 'May explain a difference' ]) {
        my ($kind, $title) = @{$_};
        my @rows = map { [ @{$_}{qw(fact old new)} ] } @{ $facts->{$kind} } or next;
        $html .= "<h3>$title</h3>\n"
            . table($title, [ 'Fact', short_names($comparison) ], \@rows, 'text');
    }
    my @unknown = @{ $facts->{unknown} };
    push @notes, SpawnMeter::Report::Verdicts::identity($facts) if !length $html;
    push @notes, 'Known for only one of the two: ' . join(', ', @unknown) . q{.}
        if @unknown && length $html;
    push @notes, SpawnMeter::Report::Verdicts::levels($pair, $comparison->{equals});
    return section('What differs', $html . in_background(@notes, loops($pair)));
}

# ---- ab ----

sub ab {
    my ($summary, $run) = @_;
    my @rows = @{ $summary->{rows} };
    my @sides = map { html("$_->{name}: " . SpawnMeter::Report::Paired::side($_, $run)) }
        @{ $summary->{sides} };
    my $cells = sub { (SpawnMeter::Report::Paired::cells($_[0]))[ 0 .. 8 ] };
    my @heads = ('B/A', qw(A B), 'CPU A', 'CPU B', 'p50 A', 'p50 B');
    return {
        title   => SpawnMeter::Report::Paired::answer($summary),
        about   => 'Two states of one machine, A and B, measured in turn.',
        picture => soft(join "<br>\n", @sides)
            . forest('How B differs from A.', 'to the right: B is faster', @rows),
        findings => [ SpawnMeter::Report::Paired::findings($summary) ],
        body     => tables(\@heads, \@rows, $cells),
    };
}

1;
