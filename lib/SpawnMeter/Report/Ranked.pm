# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Ranked;

# Many machines as text in ASCII: a table for 1 copy, and one for a copy on each CPU.
#
#   text(comparison with a ranking) -> the tables, of the comparison's width or 72 columns, and what
#       differs between the machines as letters;  markdown(comparison) -> the same as Markdown
#   columns(table of the ranking, [runs], letters) -> [ [head, sub (row) -> text] ], the place and
#       the name first;  rate_of(table, test) -> such a column, with the unit in its cells
#   letters(runs) -> ({ number of a run => letters }, lines that say what they mean)
#   notes_of(comparison) -> (lines below the tables);  paragraphs(texts) -> text, without empty ones

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max min sum);
use SpawnMeter::Analysis::Names     qw(series);
use SpawnMeter::Analysis::Ranking   qw(members);
use SpawnMeter::Analysis::Results   qw(grouped);
use SpawnMeter::Report::Columns     qw(widths);
use SpawnMeter::Report::Differences qw(words_of_block index_of mark_of_run markdown_table);
use SpawnMeter::Report::Escape      qw(ascii in_markdown);
use SpawnMeter::Util::Format        qw(folded percent rate);

our @EXPORT_OK = qw(columns letters notes_of paragraphs rate_of);

use constant {
    WIDTH  => 72,
    NAMED  => 18,    # columns that a name has, at least
    NARROW => 65,    # a terminal without room for two rates
};

sub text {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my @members = map { members($_) } @runs;
    my $of = @members > @runs ? @runs . ' groups, ' : q{};
    my ($letters, @facts) = letters(@runs);
    my $text = paragraphs("Ranking of $of" . @members . " runs.  ratio: to $runs[0]{called}");
    for my $table (@{ $comparison->{ranking} }) {
        my @columns = @{ columns($table, \@runs, $letters) };
        $text .= "\n" . paragraphs(words_of_block($table) . ': ' . index_of($table));
        $text .= in_columns($comparison, \@columns, $table);
        $text .= each_test($comparison, $table) if $comparison->{verbose};
    }
    return $text . "\n" . paragraphs(notes_of($comparison), @facts);
}

sub notes_of {
    my ($comparison) = @_;
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{ranking} };
    my @notes;
    push @notes, '95 %: interval of the score by the passes of the run; of a group over its runs.'
        if grep { ($_->{score} || {})->{low} } @rows;
    push @notes,
          'A place is one more than the number of machines that are faster by more than two runs '
        . 'of one machine can differ ('
        . percent(exp(max(map { $_->{half} } @rows)) - 1) . ').'
        if grep { $rows[$_]{place} == $rows[ $_ - 1 ]{place} } 1 .. $#rows;
    my %is = map { mark_of_run($_) => 1 } @{ $comparison->{runs} };
    push @notes, '*: other processes were busy beside some results.' if $is{q{*}};
    push @notes, '!: some results were disturbed.' if $is{q{!}};
    return @notes;
}

# The tables in Markdown
sub markdown {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($letters, @facts) = letters(@runs);
    my @parts = 'ratio: to ' . in_markdown($runs[0]{called}) . "\n";
    for my $table (@{ $comparison->{ranking} }) {
        my ($place, $name, @columns) = @{ columns($table, \@runs, $letters) };
        @columns = ($name, [ 'place', $place->[1] ], @columns);
        my @rows = map { cells_of_line($_, @columns) } @{ $table->{rows} };
        push @parts, in_markdown(words_of_block($table) . ': ' . index_of($table)) . "\n",
            markdown_table([ map { $_->[0] } @columns ], @rows);
    }
    return join "\n", @parts, join q{},
        map { '- ' . in_markdown($_) . "\n" } notes_of($comparison), @facts;
}

# The columns of a table: [head, sub (row) -> text], the first ones of which must fit
sub columns {
    my ($table, $runs, $letters) = @_;
    my @rows = @{ $table->{rows} };
    my @columns = (
        [ q{}, sub { $_[0]{place} } ],
        [ 'machine', sub { name_of($runs->[ $_[0]{run} ], $_[0]{members}) } ],
    );
    push @columns, [ 'copies', sub { $_[0]{copies} } ] if $table->{each};
    push @columns,
        [ 'score', sub { defined $_[0]{score} ? sprintf '%.1f', $_[0]{score}{value} : q{-} } ]
        if defined $table->{tests};
    push @columns, [ '95 %', sub { ends($_[0]{score}) } ]
        if grep { ($_->{score} || {})->{low} } @rows;
    push @columns,
        [ 'ratio', sub { defined $_[0]{ratio} ? sprintf '%.2f', $_[0]{ratio}{value} : q{-} } ];
    for my $test (@{ $table->{columns} }) {
        push @columns, [ "$test/s", sub { rate($_[0]{rates}{$test}, 'lps') =~ s{/s\z}{}r } ];
    }
    push @columns, [ q{}, sub { $letters->{ $_[0]{run} } } ] if %{$letters};
    return \@columns;
}

# The rates of a test in its unit
sub rate_of {
    my ($table, $test) = @_;
    return [ $test, sub { rate($_[0]{rates}{$test}, $table->{units}{$test}) } ];
}

# Names are cut, and of the rates the last ones left out, where there is no room
sub in_columns {
    my ($comparison, $columns, $table) = @_;
    my ($width, @columns) = ($comparison->{width} || WIDTH, @{$columns});
    my @rows = @{ $table->{rows} };
    my @lines = ([ map { $_->[0] } @columns ], map { cells_of_line($_, @columns) } @rows);
    my @widths = widths(@lines);
    my $least = min($widths[1], max(NAMED, to_differ(map { $_->[1] } @lines[ 1 .. $#lines ])));
    my $room = $width - sum(@widths, $#widths) + $widths[1];
    my @rates = grep { $columns[$_][0] =~ m{/s\z} } 0 .. $#columns;

    while ($room < $least && @rates > ($width < NARROW ? 0 : 2)) {
        my $last = pop @rates;
        $room += 1 + splice @widths, $last, 1;
        splice @{$_}, $last, 1 for @lines;
    }
    $widths[1] = max($least, min($room, $widths[1]));
    return join q{}, map { line_of(\@widths, @{$_}) } @lines;
}

# The number of letters by which all names differ
sub to_differ {
    my (@names) = @_;
    for my $letters (1 .. max(map { length } @names)) {
        my %cut = map { substr($_, 0, $letters) => 1 } @names;
        return $letters if keys %cut == @names;
    }
    return 0;
}

sub cells_of_line {
    my ($row, @columns) = @_;
    return [ map { $_->[1]->($row) } @columns ];
}

# The name and the letters are left-justified
sub line_of {
    my ($widths, @cells) = @_;
    my @texts = map {
        my $cell = $cells[$_];
        $_ == 1 || $_ == $#cells && $cell =~ /\A[a-zA-Z]*\z/
            ? sprintf '%-*s', $widths->[$_], substr $cell, 0, $widths->[$_]
            : sprintf '%*s', $widths->[$_], $cell
    } 0 .. $#cells;
    return join(q{ }, @texts) =~ s/ +\z//r . "\n";
}

sub name_of {
    my ($run, $here) = @_;
    my $all = members($run);
    my $runs = !$run->{members} ? q{} : $here == $all ? " ($all)" : " ($here of $all)";
    return ascii($run->{called}) . $runs . mark_of_run($run);
}

sub ends {
    my ($range) = @_;
    return $range && defined $range->{low} ? sprintf '%.1f..%.1f', @{$range}{qw(low high)} : q{-};
}

# The rates of all tests of a table
sub each_test {
    my ($comparison, $table) = @_;
    my @tests = sort keys %{ $table->{units} };
    my (@first) = @{ columns($table, $comparison->{runs}, {}) }[ 0 .. ($table->{each} ? 2 : 1) ];
    my $text = q{};
    while (my @some = splice @tests, 0, 4) {
        my @columns = (@first, map { rate_of($table, $_) } @some);
        $text .= "\n" . in_columns($comparison, \@columns, $table);
    }
    return $text;
}

# ---- what differs between many machines, as letters ----

my @LETTERED = (
    [ 'suite', sub { $_[0]{suite} } ],
    [ 'kernel', \&series ],
    [ 'C library', sub { part_of_build($_[0], -1) } ],
    [ 'compiler', sub { part_of_build($_[0], 0) } ],
    (
        map {
            my $fact = $_;
            [ $fact, sub { ($_[0]{system} || {})->{$fact} } ]
        } qw(mitigations hypervisor container)
    ),
);

sub part_of_build {
    my ($head, $i) = @_;
    return ((@{ $head->{build} || [] })[$i] // q{}) =~ /\A([^,]+)/ ? $1 : undef;
}

# -> ({ number of a run => letters }, lines that say what they mean)
sub letters {
    my (@runs) = @_;
    my (%letters, @lines);
    my @free = ('a' .. 'z', 'A' .. 'Z');
    for my $fact (@LETTERED) {
        my ($what, $value) = @{$fact};
        my @known = grep { defined $_->{value} }
            map { { run => $_, value => scalar $value->($runs[$_]{head}) } } 0 .. $#runs;
        my ($usual, @others) = sort { @{$b} <=> @{$a} } grouped(value => @known);
        next if !@others || @others > @free;
        my @marked;
        for (@others) {
            my ($own, @with) = @{$_};
            my $letter = shift @free;
            push @marked, "$letter $own";
            $letters{ $_->{run} } .= $letter for @with;
        }
        my $unmarked = @known < @runs ? "unmarked $usual->[0] or unknown" : "unmarked $usual->[0]";
        push @lines, "$what: " . join '; ', @marked, $unmarked;
    }
    $letters{$_} //= q{} for %letters ? 0 .. $#runs : ();
    return (\%letters, @lines);
}

sub paragraphs {
    return join q{}, map { folded(q{}, ascii($_), WIDTH) } grep { length } @_;
}

1;
