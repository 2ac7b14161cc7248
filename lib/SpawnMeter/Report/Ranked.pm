# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Ranked;

# Many machines, ranked: a table for 1 copy, and one for a copy on each CPU.
#
#   text(comparison with a ranking) -> the tables, of the comparison's width or 72 columns, and what
#       differs between the machines as letters, in ASCII
#   markdown(comparison) -> the same as Markdown
#   words_of_block(table of Analysis::Ranking) -> "1 copy: System index, partial: execl spawn"

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Fingerprint qw(series);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Analysis::Results     qw(grouped);
use SpawnMeter::Report::Differences   qw(cells markdown_table name_of_index paragraphs text_table
    words_of_copies);
use SpawnMeter::Report::Escape        qw(in_markdown);
use SpawnMeter::Report::Text::Quality qw(sign_of_doubt);
use SpawnMeter::Util::Format          qw(percent rate);

our @EXPORT_OK = qw(words_of_block);

use constant {
    WIDTH  => 72,
    NARROW => 65,    # a terminal without room for two rates
    TESTS  => 4,     # columns of a table of all tests
};

sub text {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($letters, @facts) = letters(@runs);
    my $width = $comparison->{width} || WIDTH;
    my $text = paragraphs('Ranking of ' . @runs . " machines.  ratio: to $runs[0]{called}");
    for my $table (@{ $comparison->{ranking} }) {
        my ($machine, @columns) = columns($table, \@runs, $letters);
        my @rates = grep { $columns[ $_ - 1 ][0] =~ m{/s\z} } 1 .. @columns;
        splice @rates, 0, 2 if $width >= NARROW;
        $text .= "\n" . paragraphs(words_of_block($table));
        $text .= text_table($width, \@rates, in_cells($table, $machine, @columns));
        my @tests = $comparison->{verbose} ? rates($table) : ();
        while (my @some = splice @tests, 0, TESTS) {
            $text .= "\n" . text_table($width, [], in_cells($table, $machine, @some));
        }
    }
    return $text . "\n" . paragraphs(notes($comparison), @facts);
}

sub markdown {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($letters, @facts) = letters(@runs);
    my @parts = 'ratio: to ' . in_markdown($runs[0]{called}) . "\n";
    for my $table (@{ $comparison->{ranking} }) {
        my ($machine, @columns) = columns($table, \@runs, $letters);
        push @parts, in_markdown(words_of_block($table)) . "\n",
            map { markdown_table(in_cells($table, $machine, @{$_})) } \@columns,
            $comparison->{verbose} ? [ rates($table) ] : ();
    }
    return join "\n", @parts, join q{},
        map { '- ' . in_markdown($_) . "\n" } notes($comparison), @facts;
}

# -> (the heads, the cells of each machine ...)
sub in_cells {
    my ($table, @columns) = @_;
    my @rows = [ map { $_->[0] } @columns ];
    for my $row (@{ $table->{rows} }) {
        push @rows, [ map { $_->[1]->($row) } @columns ];
    }
    return @rows;
}

# The columns of all tests, each in its unit
sub rates {
    my ($table) = @_;
    my $units = $table->{units};
    return map {
        my $test = $_;
        [ $test, sub { rate($_[0]{rates}{$test}, $units->{$test}) } ]
    } sort keys %{$units};
}

sub words_of_block {
    my ($table) = @_;
    my $block = $table->{each} ? 'A copy on each CPU' : words_of_copies($table->{copies});
    my @tests = @{ $table->{tests} || [] } or return "$block: no index";
    my $index = "$block: " . name_of_index($table->{title});
    return "$index, partial: @tests" if $table->{partial};
    return "$index of " . @tests . (@tests == 1 ? ' test' : ' tests');
}

# The columns of a table: [head, sub (row) -> text]
sub columns {
    my ($table, $runs, $letters) = @_;
    my @rows = @{ $table->{rows} };
    my @columns = (
        [ 'machine', sub { name_of($runs->[ $_[0]{run} ], $_[0]{members}) } ],
        [ 'place', sub { $_[0]{place} // q{-} } ]
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
    return @columns;
}

sub name_of {
    my ($run, $here) = @_;
    my $all = members($run);
    my $runs = !$run->{members} ? q{} : $here == $all ? " ($all)" : " ($here of $all)";
    return $run->{called} . $runs . mark_of_run($run);
}

sub mark_of_run { my ($run) = @_; return sign_of_doubt(cells($run)) }

sub ends {
    my ($range) = @_;
    return $range && defined $range->{low} ? sprintf '%.1f..%.1f', @{$range}{qw(low high)} : q{-};
}

sub notes {
    my ($comparison) = @_;
    my @rows = map { @{ $_->{rows} } } @{ $comparison->{ranking} };
    my $apart = percent(exp(max(map { $_->{half} } @rows)) - 1);
    return (
        (grep { ($_->{score} || {})->{low} } @rows)
        ? '95 %: interval of the score by the passes of the run; of a group over its runs.'
        : (),
        'A place is one more than the number of machines that are faster by more than two runs of '
            . "one machine can differ ($apart).",
        (grep { length mark_of_run($_) } @{ $comparison->{runs} })
        ? 'Behind a name: *, other processes were busy beside some results; !, some were disturbed.'
        : ()
    );
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

1;
