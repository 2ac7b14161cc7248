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
#   markdown(comparison) -> Markdown: a list of the runs, then a table for each pair
#
#   rows(comparison) -> the rows of all pairs; each also has the runs' names, from and to
#   short_names(comparison) -> a short name for each run: the labels, or else the names, where all
#       fit into a column and differ; or old and new, or A, B, C ...
#   called_and_file(run) -> (what it is called, its file, its label, "4 runs"), without repetitions
#   system_of(head of a run) -> suite, kernel and CPU
#   mark_of_run(run) -> "*" behind its name where a result is busy, "!" where one is disturbed
#   index_of(table of Analysis::Ranking) -> "System index, partial: execl spawn", or "of 12 tests"
#   doubts(run) -> (lines that say what makes its results doubtful)
#   differences(differing facts) -> ({ fact, old, new }, ...), the most important ones first
#   words_of_difference({ fact, old, new }) -> "fact: old -> new"
#   loops(pair) -> a sentence about the reference loops, or () of posts, which have none
#   words_of_copies(copies, or row) -> "2 copies", "? copies", "a copy on each CPU: 2 and 8"
#   words_of_block(table of Analysis::Ranking) -> the same of its runs together
#   cells_of_row(row, words => sub (value, unit) -> text: rate if not given, fine => true for two
#       decimals) -> (old, new, change, interval, verdict), in words
#   rows_of_table(pair) -> the rows of its table: at each number of copies those of the indexes, of
#       all tests together, and of each test;  rows_of_indexes(pair) -> the first alone
#   csv_of([fields], rows), markdown_table([heads], rows of cells) -> text

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Names       qw(is_short);
use SpawnMeter::Analysis::Ranking     qw(members);
use SpawnMeter::Analysis::Results     qw(by_copies);
use SpawnMeter::Report::Escape        qw(ascii csv_line in_markdown);
use SpawnMeter::Report::Text::Quality qw(busy_words is_open sign_of_doubt);
use SpawnMeter::Util::Format          qw(change copies interval rate);
use SpawnMeter::Util::File            qw(pretty);

our @EXPORT_OK = qw(name_of_index system_of index_of mark_of_run short_names doubts differences
    words_of_difference loops called_and_file cells_of_row words_of_copies
    words_of_block rows_of_table rows_of_indexes csv_of markdown_table);

sub short_names {
    my ($comparison) = @_;
    my @names = map { $_->{head}{label} // $_->{name} } @{ $comparison->{runs} };
    my %seen;
    return @names if !grep { !is_short($_) || $seen{$_}++ } @names;
    my %differs =
        map { $_->{fact} => 1 } map { @{ $_->{incomparable} } } @{ $comparison->{differences} };
    my $is_other = $differs{CPU} || $differs{architecture};
    return qw(old new)
        if !$is_other && @names == 2 && $names[0] !~ /\bnew\b/i && $names[1] !~ /\bold\b/i;
    return map { $_ < 26 ? chr(ord('A') + $_) : 'M' . ($_ + 1) } 0 .. $#names;
}

# The results of all its runs
sub cells {
    my ($run) = @_;
    return map { values %{ $_->{cells} } } members($run);
}

# "Intel Core i7-6567U; its file; its label; 4 runs"
sub called_and_file {
    my ($run) = @_;
    my $called = $run->{called} // $run->{name};
    my @known = grep { defined && index($called, $_) < 0 } $run->{name}, $run->{head}{label};
    return ($called, @known, $run->{members} ? members($run) . ' runs' : ());
}

sub system_of {
    my ($run) = @_;
    my $suite = $run->{suite} || 'several versions';
    $suite = 'an unknown version' if $suite eq 'unknown';
    $suite = "SpawnMeter $suite" if $suite =~ /^\d/;
    my $system = $run->{system} || {};
    my $kernel = join q{ }, grep { defined } @{$system}{qw(system kernel_release architecture)};
    return join '; ', grep { defined && length } $suite, $kernel, $system->{cpu_model};
}

sub mark_of_run { my ($run) = @_; return sign_of_doubt(cells($run)) }

sub index_of {
    my ($table) = @_;
    return 'no index' if !defined $table->{tests};
    my $name = name_of_index($table->{title});
    my @tests = @{ $table->{tests} };
    return "$name, partial: @tests" if $table->{partial};
    return "$name of " . @tests . (@tests == 1 ? ' test' : ' tests');
}

sub name_of_index {
    my ($title) = @_;
    return length($title // q{}) ? ($title =~ s/ Benchmarks?\b//r) . ' index' : 'index';
}

sub doubts {
    my ($run) = @_;
    my @cells = cells($run);
    my $of_all = sprintf 'of %d results', scalar @cells;
    my $busy = busy_words('results', @cells);
    my $disturbed = grep { $_->{disturbed} && !defined $_->{busy} } @cells;
    my $noisy = grep { is_open($_) } @cells;
    my @lines = length $busy ? "BUSY: $busy" : ();
    push @lines, "DISTURBED: $disturbed $of_all" if $disturbed;
    return $noisy ? (@lines, "noisy: $noisy $of_all") : @lines;
}

# Those that make results incomparable come first; another kernel is another build of it
sub differences {
    my ($facts) = @_;
    my @differ = map { @{ $facts->{$_} } } qw(incomparable notable);
    my $is_kernel = grep { $_->{fact} eq 'kernel' } @differ;
    return grep { !$is_kernel || $_->{fact} ne 'kernel build' } @differ;
}

# Of values that are lists ("a, b; c") only the items that the other one lacks are shown
sub words_of_difference {
    my ($difference) = @_;
    my ($fact, $old, $new) = @{$difference}{qw(fact old new)};
    my @values = $old eq $new ? $old : (not_in($new, $old), not_in($old, $new));
    return "$fact: " . join ' -> ', map { length($_) ? ascii($_) : 'unknown' } @values;
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

sub words_of_block {
    my ($table) = @_;
    return $table->{each} ? 'A copy on each CPU' : words_of_copies($table->{copies});
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
        push @rows, map { { %{$_}, %names } } @{ known_copies($pair->{rows}) };
    }
    return @rows;
}

sub json {
    my ($comparison) = @_;
    my @pairs = @{ $comparison->{pairs} };
    my @runs = map { { name => $_->{name}, %{ $_->{head} } } } @{ $comparison->{runs} };
    my %lists = map {
        my $list = $_;
        $list => [ map { known_copies($_->{$list}) } @pairs ]
    } qw(blocked costs indexes means groups);
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
    my ($list) = @_;
    my @names = qw(copies to_copies);
    return [
        map {
            my $row = $_;
            +{ %{$row}, map { $_ => $row->{$_} || undef } @names }
        } @{$list}
    ];
}

# ---- markdown ----

sub markdown {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my ($first, @others) = my @names = short_names($comparison);
    my @shown = map { in_markdown($_) } @names;
    my $text = q{};
    for my $i (0 .. $#runs) {
        my @words = (called_and_file($runs[$i]), system_of($runs[$i]{head}), doubts($runs[$i]));
        $text .= "- **$shown[$i]**: " . in_markdown(join '; ', grep { length } @words) . "\n";
    }
    for my $i (0 .. $#others) {
        my ($pair, $facts) = map { $comparison->{$_}[$i] } qw(pairs differences);
        my @differ = map { words_of_difference($_) } differences($facts);
        my @heads = ('test', 'copies', $first, $others[$i], 'delta', '95 %', 'verdict');
        my @rows =
            map { [ $_->{title}, copies_of_row($_), cells_of_row($_) ] } rows_of_table($pair);
        $text .= "\n**$shown[ $i + 1 ]** compared with **$shown[0]**:\n\n" if @others > 1;
        $text .= "- $_\n" for map { in_markdown($_) } map({ "differs: $_" } @differ), loops($pair);
        $text .= "\n" . markdown_table(\@heads, @rows);
    }
    return $text;
}

sub copies_of_row {
    my ($row) = @_;
    my ($copies, $other) = @{$row}{qw(copies to_copies)};
    return defined $other && $other != $copies ? "$copies and $other" : $copies || q{?};
}

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
        my %row = (unit => 'index', verdict => q{}, name => $name);
        +{
            %{$_}, %row,
            test  => $name,
            title => $name . ($_->{partial} ? ' of ' . join ', ', @{ $_->{names} } : q{})
        }
    } @{ $pair->{indexes} || [] };
}

sub markdown_table {
    my ($heads, @rows) = @_;
    my @lines = map({ join ' | ', map({ in_markdown($_) } @{$_}) } $heads, @rows);
    my ($head, @others) = map { "| $_ |\n" } @lines;
    return join q{}, $head, '|---|', '--:|' x (@{$heads} - 1), "\n", @others;
}

1;
