# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Differences;

# A comparison (record of SpawnMeter::Analysis::Record) for other programs, and what its forms and
# those of an A/B run share.  A run, a pair and a difference are those of
# SpawnMeter::Analysis::Comparison.
#
#   csv(comparison) -> CSV: a row for each test, number of copies and pair of runs
#   json(comparison) -> JSON: machines (facts and settings, without passes), rows, blocked and costs
#       of each pair, means, differences, how much the runs of the groups differ, and names of
#       equal runs
#   rows(comparison) -> the rows of all pairs; each also has the runs' names, from and to
#
#   short_names(comparison) -> names of two runs that fit into a column: the labels, or else the
#       names, or old and new, or A and B of different machines; of more runs what they are called
#   about(run) -> (what it is called, what it is, what makes its results doubtful), in words
#   cells(run) -> the results of all its runs
#   name_of_index(its title) -> "System index"
#   differences(differing facts) -> ("fact: old -> new", ...), the most important ones first
#   loops(pair) -> a sentence about the reference loops, or () of posts, which have none
#   words_of_copies(copies, or row) -> "2 copies", "? copies", "a copy on each CPU: 2 and 8"
#   cells_of_row(row, words => sub (value, unit) -> text: rate if not given, fine => true for two
#       decimals) -> (old, new, change, interval, verdict), in words
#   counts(rows) -> "7 of 8 tests slower, 1 unclear"
#   rows_of_table(pair) -> the rows of its table: at each number of copies those of the indexes, of
#       all tests together, and of each test;  rows_of_indexes(pair) -> the first alone
#   csv_of([fields], rows), markdown_table([heads], rows of cells) -> text
#   text_table(columns of a line, [numbers of those that can be left out, the last one first], rows
#       of cells, the heads first) -> text;  tables_of_pair(columns of a line, [heads], sub (row) ->
#       (cells), rows) -> such a table for each number of copies
#   paragraphs(texts) -> text, without empty ones

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use POSIX                             ();
use SpawnMeter::Analysis::Fingerprint qw(cpu cpus is_short);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Analysis::Results     qw(by_copies);
use SpawnMeter::Report::Columns       qw(widths);
use SpawnMeter::Report::Escape        qw(ascii csv_line in_markdown);
use SpawnMeter::Report::Text::Quality qw(busy_words);
use SpawnMeter::Util::Format          qw(change copies folded interval rate);
use SpawnMeter::Util::File            qw(pretty);

our @EXPORT_OK = qw(name_of_index short_names about cells differences loops cells_of_row counts
    words_of_copies rows_of_table rows_of_indexes csv_of markdown_table text_table tables_of_pair
    paragraphs);

use constant WIDTH => 72;

sub short_names {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    return map { $_->{called} } @runs if @runs > 2;
    my ($old, $new) = my @names = map { $_->{head}{label} // $_->{name} } @runs;
    return @names if $old ne $new && !grep { !is_short($_) } @names;
    my $is_other = grep { /^(?:CPU|architecture)\z/ }
        map { $_->{fact} } @{ $comparison->{differences}[0]{incomparable} };
    return $is_other || $old =~ /\bnew\b/i || $new =~ /\bold\b/i ? qw(A B) : qw(old new);
}

sub cells {
    my ($run) = @_;
    return map { values %{ $_->{cells} } } members($run);
}

sub about {
    my ($run) = @_;
    my ($head, $called) = ($run->{head}, $run->{called} // $run->{name});
    my $system = $head->{system} || {};
    my $suite = ($head->{suite} || 'several versions') =~ s/^(?=\d)/SpawnMeter /r =~
        s/^unknown\z/an unknown version/r;
    my @known = ($run->{name}, $head->{label}, $run->{members} ? members($run) . ' runs' : ());
    push @known, POSIX::strftime('%Y-%m-%d', gmtime $head->{started}) if $head->{started};
    push @known, $suite, join q{ },
        grep { defined } @{$system}{qw(system kernel_release architecture)};
    push @known, join q{, }, grep { defined } cpu($head), cpus($head);
    return ($called, grep({ defined && index($called, $_) < 0 } @known), doubts($run));
}

sub name_of_index {
    my ($title) = @_;
    return length($title // q{}) ? ($title =~ s/ Benchmarks?\b//r) . ' index' : 'index';
}

sub doubts {
    my ($run) = @_;
    my @cells = cells($run);
    my $busy = busy_words('results', @cells);
    my $disturbed = grep { $_->{disturbed} && !defined $_->{busy} } @cells;
    my @lines = length $busy ? "BUSY: $busy" : ();
    push @lines, sprintf 'DISTURBED: %d of %d results', $disturbed, scalar @cells if $disturbed;
    return @lines;
}

# Those that make results incomparable come first; another kernel is another build of it.  Of values
# that are lists ("a, b; c") only the items that the other one lacks are shown
sub differences {
    my ($facts) = @_;
    my @differ = map { @{ $facts->{$_} } } qw(incomparable notable);
    my $is_kernel = grep { $_->{fact} eq 'kernel' } @differ;
    return map {
        my ($fact, $old, $new) = @{$_}{qw(fact old new)};
        my @values = $old eq $new ? $old : (not_in($new, $old), not_in($old, $new));
        "$fact: " . join ' -> ', map { length($_) ? ascii($_) : 'unknown' } @values;
    } grep { !$is_kernel || $_->{fact} ne 'kernel build' } @differ;
}

sub not_in {
    my ($other, $list) = @_;
    my %known = map { $_ => 1 } split /[;,] /, $other;
    return q{} if !length $list;
    my @own = grep { !$known{$_} } split /[;,] /, $list;
    return @own ? join '; ', @own : 'nothing';
}

sub loops {
    my ($pair) = @_;
    my $loops = $pair->{reference};
    return if ($loops->{why} // q{}) =~ /^a posted/;
    return "Reference loops: not used ($loops->{why})." if defined $loops->{why};
    my @levels = map { change($loops->{levels}{$_}) . ' (' . copies($_) . ')' }
        sort { $a <=> $b } keys %{ $loops->{levels} };
    return "Reference loops: $loops->{words} " . join(q{, }, @levels) . ', taken out.';
}

sub words_of_copies {
    my ($of) = @_;
    my ($copies, $other) = ref $of ? @{$of}{qw(copies to_copies)} : $of;
    return "a copy on each CPU: $copies and $other" if defined $other && $other != $copies;
    return $copies ? copies($copies) : '? copies';
}

sub cells_of_row {
    my ($row, %options) = @_;
    my ($unit, $words) = ($row->{unit}, $options{words} || \&rate);
    $words = sub { sprintf '%.1f', $_[0] }
        if ($unit // q{}) eq 'index';
    my @values = map { $words->($_, $unit) } @{$row}{qw(old new)};
    my $change = defined $row->{ratio} ? change($row->{ratio}, $options{fine}) : q{-};
    return (@values, $change, interval($row, $options{fine}), $row->{verdict});
}

sub counts {
    my (@rows) = @_;
    my (%number, %test);
    for my $row (@rows) {
        $number{ $row->{verdict} }++;
        $test{ $row->{test} } = 1;
    }
    my ($first, @others) = map { "$number{$_} $_" } grep { $number{$_} } qw(slower faster same),
        qw(unclear busy), 'not measured';
    my $what = keys %test < @rows ? 'results' : @rows == 1 ? 'test' : 'tests';
    return join q{, }, $first =~ s/ / of @{[ scalar @rows ]} $what /r, @others;
}

# ---- csv and json ----

my @FIELDS = qw(from to copies test title unit old new ratio low high verdict beside
    from_label to_label to_copies);

sub csv { my ($comparison) = @_; return csv_of(\@FIELDS, rows($comparison)) }

sub csv_of {
    my ($fields, @rows) = @_;
    my $csv = csv_line(@{$fields});
    $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$_}{ @{$fields} }) for @rows;
    return $csv;
}

sub rows {
    my ($comparison) = @_;
    my ($first, @others) = @{ $comparison->{runs} };
    my @rows;
    for my $pair (@{ $comparison->{pairs} }) {
        my $to = shift @others;
        my %names = (from => $first->{name}, to => $to->{name});
        @names{qw(from_label to_label)} = map { $_->{head}{label} } $first, $to;
        push @rows, map { { %{$_}, %names } } known_copies(@{ $pair->{rows} });
    }
    return @rows;
}

sub json {
    my ($comparison) = @_;
    my @pairs = @{ $comparison->{pairs} };
    my @runs = map { { name => $_->{name}, %{ $_->{head} } } } @{ $comparison->{runs} };
    my %lists;
    for my $list (qw(blocked costs indexes means groups)) {
        $lists{$list} = [ map { [ known_copies(@{ $_->{$list} || [] }) ] } @pairs ];
    }
    return pretty({
        %lists,
        machines    => \@runs,
        rows        => [ rows($comparison) ],
        references  => [ map { $_->{reference} } @pairs ],
        differences => $comparison->{differences},
        equals      => $comparison->{equals},
        margin      => $pairs[0]{margin},
    });
}

# The rows with an unknown number of copies, which is 0 in a post, as undef
sub known_copies {
    my @rows = map { { %{$_} } } @_;
    for my $row (@rows) {
        $row->{$_} ||= undef for qw(copies to_copies);
    }
    return @rows;
}

# ---- tables ----

sub rows_of_table {
    my ($pair) = @_;
    my @indexes = rows_of_indexes($pair);
    my %is_of_all = map { ("$_->{copies} " . @{ $_->{names} } => 1) } @indexes;
    my @all;
    for my $mean (@{ $pair->{means} }) {
        next if $mean->{tests} == 1 || $is_of_all{"$mean->{copies} $mean->{tests}"};
        my $name = "all $mean->{tests}";
        push @all, { %{$mean}, test => $name, title => "$name tests", verdict => q{} };
    }
    return map {
        my ($copies, @own) = @{$_};
        ((grep { $_->{copies} == $copies } @indexes, @all), @own)
    } by_copies(@{ $pair->{rows} });
}

# The index scores as rows; they have no verdict
sub rows_of_indexes {
    my ($pair) = @_;
    return map {
        my $name = name_of_index($_->{title});
        my $of = $_->{partial} ? ' of ' . join ', ', @{ $_->{names} } : q{};
        +{ %{$_}, unit => 'index', verdict => q{}, test => $name, title => "$name$of" }
    } @{ $pair->{indexes} || [] };
}

sub markdown_table {
    my ($heads, @rows) = @_;
    my @lines = map({ join ' | ', map({ in_markdown($_) } @{$_}) } $heads, @rows);
    my ($head, @others) = map { "| $_ |\n" } @lines;
    return join q{}, $head, '|---|', '--:|' x (@{$heads} - 1), "\n", @others;
}

sub text_table {
    my ($width, $optional, @lines) = @_;
    my @rows = map { [ map { ascii($_) } @{$_} ] } @lines;
    my @widths = widths(@rows);
    my @left = 0 .. $#widths;
    my @out = @{$optional};
    while (@out && sum($#left, @widths[@left]) > $width) {
        my $out = pop @out;
        @left = grep { $_ != $out } @left;
    }

    # what has no head, and the names, are left-justified
    my @justified = map { $_ && length $rows[0][$_] ? $widths[$_] : -$widths[$_] } 0 .. $#widths;
    my $text = q{};
    for my $row (@rows) {
        $text .= join(q{ }, map { sprintf '%*s', $justified[$_], $row->[$_] } @left) . "\n";
    }
    return $text =~ s/ +$//gmr;
}

sub tables_of_pair {
    my ($width, $heads, $cells, @rows) = @_;
    my $text = q{};
    for (by_copies(@rows)) {
        my (undef, @own) = @{$_};
        my @lines = map { [ $_->{test}, $cells->($_) ] } @own;
        my $copies = words_of_copies($own[0]);
        my $above = $copies =~ /:/ ? "$copies\n" : q{};    # two numbers
        my @heads = ($above ? q{} : $copies, @{$heads});
        $text .= "\n$above" . text_table($width, [ 1, 2 ], \@heads, @lines);
    }
    return $text;
}

sub paragraphs {
    return join q{}, map { folded(q{}, ascii($_), WIDTH) } grep { length } @_;
}

1;
