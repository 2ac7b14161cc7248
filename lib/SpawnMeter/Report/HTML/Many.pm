# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Many;

# render(comparison with a ranking) -> one HTML page that compares machines and needs nothing
# from elsewhere: the index scores of 1 copy and of a copy on each CPU as pictures side by side, a
# table of each, the rates of all tests, and the facts that differ.
#
# A machine also has page => address of its page relative to this one, or undef.

use strict;
use warnings;
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(values_of_facts);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Report::Chart         qw(intervals);
use SpawnMeter::Report::Differences   qw(index_of mark_of_run words_of_block);
use SpawnMeter::Report::Escape        qw(html prose);
use SpawnMeter::Report::HTML::Page qw(bar details heading linked page section soft table to_copy);
use SpawnMeter::Report::Ranked     qw(columns letters notes_of rate_of);

use constant {
    DRAWN => 100,    # machines at most in one picture
    SHORT => 24,     # letters of a fact that stands in the matrix, and of a name in a picture
};

sub render {
    my ($comparison) = @_;
    my ($tables, $runs) = @{$comparison}{qw(ranking runs)};
    my $title = title($tables, $runs);
    my ($letters, @facts) = letters(@{$runs});
    my @scored = grep { $_->{tests} } @{$tables};
    my $body = head($title, $runs) . '<div class="plots">';
    $body .= join(q{}, map { picture($_, $runs) } @scored) . "</div>\n";
    for my $table (@{$tables}) {
        my ($place, $name, @columns) = @{ columns($table, $runs, $letters) };
        my @rows = map { row_of($runs, $_, $place, @columns) } @{ $table->{rows} };
        my @heads = ('Machine', map { ucfirst $_->[0] } @columns);
        my $head = words_of_block($table) . ': ' . index_of($table);
        $body .= section($head, table($head, \@heads, \@rows) . tests($table, $runs, $place));
    }
    $body .= soft(join '<br>', map { prose($_) } notes_of($comparison), @facts);
    $body .= details('Facts that differ', facts(@{$runs}));
    my $markdown = SpawnMeter::Report::Ranked::markdown($comparison);
    return page("SpawnMeter: $title", $title, $body . to_copy('As Markdown, to copy', $markdown));
}

# Only where no other machine can be as fast
sub title {
    my ($tables, $runs) = @_;
    my $many = @{$runs} . ' machines';
    my ($table) = grep { $_->{tests} } @{$tables} or return $many;
    my ($first, @others) = @{ $table->{rows} };
    my $name = $runs->[ $first->{run} ]{called};
    my $score = sprintf '%s, %s %.1f', words_of_block($table), index_of($table),
        $first->{score}{value};
    my $alike = grep { $_->{place} == 1 } @others;
    return "$name is the fastest of $many ($score)" if !$alike;
    return "$name leads $many, and $alike of them can be as fast ($score)";
}

sub head {
    my ($title, $runs) = @_;
    my @members = map { members($_) } @{$runs};
    my @days = sort map { POSIX::strftime('%Y-%m-%d', gmtime $_) }
        grep { $_ } map { $_->{head}{started} } @members;
    my @lines = @days ? "Measured $days[0] to $days[-1]." : ();
    my $about = "Index scores of @{[ scalar @members ]} runs, ranked with 1 copy of each test and "
        . 'with a copy on each CPU; more is better.';
    my $disturbed = grep { length mark_of_run($_) } @{$runs};
    my $words = "results of $disturbed of the machines, whose names end in * (busy) or !.";
    return heading($title, $about, \@lines) . bar($disturbed ? (Disturbed => $words) : ());
}

# Dots, the best machine first; of a group also its runs.  Two lines overlap where two runs of one
# machine can differ as much
sub picture {
    my ($table, $runs) = @_;
    my @rows;
    my @names = short(map { $runs->[ $_->{run} ]{called} } @{ $table->{rows} });
    for my $row (@{ $table->{rows} }) {
        my ($value, @points) = ($row->{score}{value}, @{ $row->{score}{points} || [] });
        my $copies = $table->{each} ? " ($row->{copies})" : q{};
        my %range = (low => $value * exp -$row->{half} / 2, high => $value * exp $row->{half} / 2);
        $range{behind} = \@points if @points > 1;
        my %words = (name => shift @names, text => sprintf '%.1f%s', $value, $copies);
        push @rows, { %range, %words, value => $value, class => 'k0' };
    }
    my $caption = words_of_block($table) . ($table->{each} ? ' (their number): ' : ': ');
    $caption .= index_of($table) . '. Machines whose lines overlap can be equally fast.';
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

sub row_of {
    my ($runs, $row, $place, @columns) = @_;
    my $run = $runs->[ $row->{run} ];
    my $mark = mark_of_run($run);
    my $name = $place->[1]->($row) . q{. } . linked($run->{called}, $run->{page}) . $mark;
    return [ { length $mark ? (class => 'bad') : () }, \$name, map { $_->[1]->($row) } @columns ];
}

# The rates of all tests, folded away
sub tests {
    my ($table, $runs, $place) = @_;
    my %unit = %{ $table->{units} };
    my @columns = map { rate_of($table, $_) } sort keys %unit;
    my @rows = map { row_of($runs, $_, $place, @columns) } @{ $table->{rows} };
    return details('Each test', table('Each test', [ 'Machine', sort keys %unit ], \@rows));
}

# ---- facts ----

my $MEANING =
      'The facts in which the machines differ. Results of machines that differ in one of '
    . 'the facts without a star do not differ by their speed alone; a fact with a star may explain '
    . 'a difference. A value that differs from the first row is marked.';

# A matrix of the facts that differ; a long value has a number, and stands in full below
sub facts {
    my (@runs) = @_;
    my (@long, @heads, @rows);
    for my $fact (@{ values_of_facts(\@runs) }) {
        my @values = @{ $fact->{values} };
        next if @values < 2 && !$fact->{unknown} && !$fact->{mixed};
        push @heads, $fact->{fact} . ($fact->{matters} ? q{} : q{ *});
        if (grep { length > SHORT } @values) {
            push @long, map { [ "$fact->{fact}: value " . ($_ + 1), $values[$_] ] } 0 .. $#values;
            @values = map { "value $_" } 1 .. @values;
        }
        my @values_of_runs = map { defined() ? $values[$_] : 'unknown' } @{ $fact->{of} };
        push @{ $rows[$_] }, $values_of_runs[$_] eq $values_of_runs[0]
            ? $values_of_runs[0]
            : \('<b>' . html($values_of_runs[$_]) . '</b>')
            for 0 .. $#values_of_runs;
    }
    return "<p>The machines do not differ in any fact that is known.</p>\n" if !@heads;
    @rows = map { [ $runs[$_]{called}, @{ $rows[$_] } ] } 0 .. $#runs;
    my $html = soft(html($MEANING)) . table('Facts', [ 'Machine', @heads ], \@rows, 'text');
    return @long ? $html . table('Values', undef, \@long) : $html;
}

1;
