# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Pair;

# Pages that compare.
#
#   render(comparison) -> of two runs, or groups of runs, the page with a picture of all
#       differences, a table of them, and in what the two differ; of more that of their ranking.
#       A run also has page => address of its page relative to this one, or undef
#   forest(caption, words of the axis, rows as those of Analysis::Comparison or Analysis::Pairs) ->
#       HTML: for each number of copies a picture with a row for each difference, in per cent, with
#       its interval; empty without rows
#   ab(summary of Analysis::Pairs, run) -> page of Report::HTML: likewise of the two sides of a run

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max min);
use SpawnMeter::Analysis::Results   qw(by_copies);
use SpawnMeter::Report::Paired      ();
use SpawnMeter::Report::Chart       qw(intervals number_scale);
use SpawnMeter::Report::Differences qw(about cells_of_row differences loops rows_of_table
    short_names words_of_copies);
use SpawnMeter::Report::Verdicts ();
use SpawnMeter::Report::Escape   qw(html prose);
use SpawnMeter::Report::HTML::Page
    qw(anchor details heading linked page section soft table to_copy);
use SpawnMeter::Report::Ranked qw(mark_of_run notes tables);
use SpawnMeter::Util::Format   qw(change duration);

our @EXPORT_OK = qw(forest);

use constant {
    DRAWN => 100,    # machines at most in one picture
    SHORT => 24,     # letters of a name in a picture
};

sub render {
    my ($comparison) = @_;
    my ($title, $about, @parts) =
        $comparison->{ranking} ? of_many($comparison) : of_two($comparison);
    my $markdown = SpawnMeter::Report::Verdicts::markdown($comparison);
    return page($title, $about, join q{}, heading($title, $about, []),
        @parts, to_copy('As Markdown, to copy', $markdown));
}

sub of_two {
    my ($comparison) = @_;
    my ($pair) = @{ $comparison->{pairs} };
    my @names = short_names($comparison);
    my ($sentence) = SpawnMeter::Report::Verdicts::sentences($comparison, @names);
    my ($title, $counts) = split /: (?=\d)/, $sentence =~ s/[.]\z//r;
    my $about = join ': ', 'Two runs, or groups of runs, compared', grep { defined } $counts;
    my @rows = rows_of_table($pair);
    my @runs;

    for my $run (@{ $comparison->{runs} }) {
        my ($called, @more) = about($run);
        my $name = '<b>' . html($names[@runs]) . '</b>: ' . linked($called, $run->{page});
        push @runs, join '; ', $name, map { html($_) } @more;
    }
    return (
        $title,
        "$about.",
        soft(join "<br>\n", @runs),
        forest('Difference of each test.', 'to the right: faster, better', @rows),
        table_of_pair([ 'Change', @names ], \@rows, \&cells_of_row),
        in_background(
            sprintf 'All intervals of the tests hold together, and verdicts are read off '
                . 'them (same: within %g %%).',
            100 * $pair->{margin}
        ),
        costs($pair, @names),
        section('What differs', in_background(facts($comparison)))
    );
}

# In what the two differ
sub facts {
    my ($comparison) = @_;
    my ($pair, $facts) = map { $_->[0] } @{$comparison}{qw(pairs differences)};
    my @differ = differences($facts);
    my @unknown = @{ $facts->{unknown} };
    return (
        @differ  ? @differ : SpawnMeter::Report::Verdicts::identity($facts),
        @unknown ? 'Known for only one of the two: ' . join(', ', @unknown) . q{.} : (),
        SpawnMeter::Report::Verdicts::levels($pair, $comparison->{equals}),
        loops($pair)
    );
}

sub in_background {
    return join q{}, map { soft(prose(s/  +/ /gr)) } @_;
}

# ---- the differences of two ----

# The verdicts that say what differs, and the colour of each
my %CLASS =
    (map({ $_ => 'k0' } qw(faster shorter less fewer)), map { $_ => 'k1' } qw(slower longer more));

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
sub table_of_pair {
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

# ---- many machines, ranked ----

sub of_many {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my @tables = tables($comparison);
    my @pictures = map { picture($_, @runs) } grep { $_->{ranked}{tests} } @tables;
    my @sections = map {
        section($_->{title},
            machines($_, 'rows', @runs) . details('Each test', machines($_, 'tests', @runs)))
    } @tables;
    return (
        title_of_many(\@tables, @runs),
        'Index scores with 1 copy of each test and with a copy on each CPU; more is better.',
        '<div class="plots">',
        @pictures,
        "</div>\n",
        @sections,
        soft(join '<br>', map { prose($_) } notes($comparison))
    );
}

# The fastest machine, only where no other one can be as fast
sub title_of_many {
    my ($tables, @runs) = @_;
    my $many = @runs . ' machines';
    my ($table) = grep { $_->{ranked}{tests} } @{$tables} or return $many;
    my ($first, @others) = @{ $table->{ranked}{rows} };
    my $alike = grep { ($_->{place} // 0) == 1 } @others;
    return sprintf '%s %s (%s %.1f)', $runs[ $first->{run} ]{called},
        $alike ? "leads $many, and $alike of them can be as fast" : "is the fastest of $many",
        $table->{title}, $first->{score}{value};
}

# A table of Report::Ranked, whose names link to the page of each run
sub machines {
    my ($table, $which, @runs) = @_;
    my ($heads, @lines) = @{ $table->{$which} };
    my @rows;
    for my $row (@{ $table->{ranked}{rows} }) {
        my $run = $runs[ $row->{run} ];
        my ($name, @cells) = @{ shift @lines };
        push @rows,
            [
            { length mark_of_run($run) ? (class => 'bad') : () },
            \linked($name, $run->{page}), @cells
            ];
    }
    return table($table->{title}, $heads, \@rows);
}

# Dots, the best machine first; of a group also its runs.  Two lines overlap where two runs of one
# machine can differ as much
sub picture {
    my ($table, @runs) = @_;
    my ($ranked, @rows) = $table->{ranked};
    my @scored = grep { $_->{score} } @{ $ranked->{rows} };
    my @names = short(map { $runs[ $_->{run} ]{called} } @scored);
    for my $row (@scored) {
        my ($value, @points) = ($row->{score}{value}, @{ $row->{score}{points} || [] });
        my $copies = $ranked->{each} ? " ($row->{copies})" : q{};
        my %range = (low => $value * exp -$row->{half} / 2, high => $value * exp $row->{half} / 2);
        $range{behind} = \@points if @points > 1;
        my %words = (name => shift @names, text => sprintf '%.1f%s', $value, $copies);
        push @rows, { %range, %words, value => $value, class => 'k0' };
    }
    my $caption = "$table->{title}. Machines whose lines overlap can be equally fast.";
    $caption .= ' The best ' . DRAWN . q{.} if @rows > DRAWN;
    splice @rows, DRAWN if @rows > DRAWN;
    my %ticks = (label => sub { $_[0] < 1000 ? $_[0] : $_[0] / 1000 . 'k' });
    return intervals(caption => $caption, rows => \@rows, columns => [ 42, 23 ], %ticks);
}

# Without the maker; of names that begin alike the last part
sub short {
    my @names = map { s/\A(?:Intel|AMD|ARM) //r } @_;
    my %times;
    $times{ substr $_, 0, SHORT }++ for @names;
    return map { substr $times{ substr $_, 0, SHORT } > 1 ? s/.*, //r : $_, 0, SHORT } @names;
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
        body     => table_of_pair(\@heads, \@rows, $cells),
    };
}

1;
