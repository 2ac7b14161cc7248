# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Ranking;

# Runs of a comparison (Analysis::Comparison), or groups of them as one (members => [runs]), in the
# order of their index scores.  Pure functions.
#
#   scores(run, score_by of Analysis::Score) -> [ { copies, title => of the index, tests =>
#       [names], partial, score, low, high } ]
#   ranking(comparison record) -> [ { copies, title, tests, partial, rows => [ { run => its number,
#       members => how many of its runs are in the table, score, ratio => ranges } ] } ]
#       The rows of a table are in order, the best first.  A table has only runs whose index is
#       of the same tests; without an index it has no title, and the order of their ratios
#   tests_of([runs]) -> [ { copies, test, title, unit, rows => [ { run, and the range of its runs }
#       ] } ] by copies, then title; the rows in the order of the runs that have a result
#   members(run) -> the runs of a group, or itself
#
# A range is { value, low, high, points => [values], but of ratios }: of a run its own; of
# several their geometric mean, and its 95 % interval by what the runs of all groups differ by
# (Stats::Difference).  A ratio is that of all tests in common with the comparison's first run.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(sum);
use SpawnMeter::Analysis::Comparison qw(points_of);
use SpawnMeter::Analysis::Results    qw(by_copies in_order);
use SpawnMeter::Analysis::Score      qw(tables);
use SpawnMeter::Stats::Numbers       qw(around);
use SpawnMeter::Stats::Difference    qw(over_runs);

our @EXPORT_OK = qw(scores ranking tests_of members);

sub members { my ($run) = @_; return @{ $run->{members} || [$run] } }

sub scores {
    my ($run, $by) = @_;
    my @cells = map { { %{$_}, series => scalar points_of($_) } }
        grep { $by->{baseline}{ $_->{test} } } @{ $run->{cells} }{ sort keys %{ $run->{cells} } };
    my $cells_of_copies = by_copies(\@cells);
    my @scores;
    for my $copies (sort { $a <=> $b } keys %{$cells_of_copies}) {
        for my $table (@{ tables($run->{head}, $cells_of_copies->{$copies}, $by) }) {
            my @tests = sort map { $_->{test} } @{ $table->{rows} };
            my %fields = map { $_ => $table->{$_} } qw(title partial score low high);
            push @scores, { %fields, copies => $copies, tests => \@tests };
        }
    }
    return \@scores;
}

sub ranking {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my (%table, @order);
    for my $i (0 .. $#runs) {
        my $ratios = ratios($runs[$i], $i ? $comparison->{pairs}[ $i - 1 ] : undef);
        for my $score (map { entries($_, $ratios) } members($runs[$i])) {
            my $title = $score->{title} // q{};
            my $key = join "\0", $score->{copies}, $title, @{ $score->{tests} || [] };
            push @order, $key if !$table{$key};
            my $table = $table{$key} ||=
                { (map { $_ => $score->{$_} } qw(copies title tests partial)), rows => {} };
            my $row = $table->{rows}{$i} ||=
                { run => $i, ratio => scalar ratio_of($score, $ratios, $runs[0]) };
            $row->{members}++;
            push @{ $row->{runs} }, { %{$score}, value => $score->{score} }
                if defined $score->{score};
        }
    }
    $_->{rows} = rows($_) for values %table;
    return [ sort { $a->{copies} <=> $b->{copies} || @{ $b->{rows} } <=> @{ $a->{rows} } }
            @table{@order} ];
}

# { copies => range of the ratio } of a run; that of the first one is 1.  Where tests with the
# reference loops and those without have a mean each, these and their ends weigh by their tests
sub ratios {
    my ($run, $pair) = @_;
    my @one = (tests => 1, ratio => 1, low => 1, high => 1);
    my $means_of_copies =
        by_copies($pair ? $pair->{means} : [ map { { %{$_}, @one } } values %{ $run->{cells} } ]);
    for my $means (values %{$means_of_copies}) {
        my $tests = sum(map { $_->{tests} } @{$means});
        my %range = (value => 1, low => 1, high => 1);
        for my $mean (@{$means}) {
            $range{$_} *= $mean->{ $_ eq 'value' ? 'ratio' : $_ }**($mean->{tests} / $tests)
                for keys %range;
        }
        $means = \%range;
    }
    return $means_of_copies;
}

# The scores of a run; where it has none at a number of copies, an entry without a score
sub entries {
    my ($run, $ratios) = @_;
    my @scores = @{ $run->{scores} || [] };
    my %scored = map { $_->{copies} => 1 } @scores;
    return @scores, map { { copies => $_ } } grep { !$scored{$_} } sort keys %{$ratios};
}

# undef where the first run has none of the tests of the score
sub ratio_of {
    my ($score, $ratios, $first) = @_;
    my ($copies, $tests) = @{$score}{qw(copies tests)};
    return if $tests && !grep { $first->{cells}{"$copies $_"} } @{$tests};
    return $ratios->{$copies};
}

sub rows {
    my ($table) = @_;
    my @rows = @{ $table->{rows} }{ sort { $a <=> $b } keys %{ $table->{rows} } };
    my @scores = ranges(map { delete $_->{runs} || [] } @rows);
    $_->{score} = shift @scores for @rows;
    my $place = sub { ($_[0]{score} || $_[0]{ratio} || { value => 0 })->{value} };
    return [ sort { $place->($b) <=> $place->($a) } @rows ];
}

# [ { value, low, high }, ...] ... -> the range of each list, undef of an empty one
sub ranges {
    my (@lists) = @_;
    my @over = over_runs(map { [ map { log $_->{value} } @{$_} ] } @lists);
    my @ranges;
    for my $list (@lists) {
        my ($over, $first, @more) = (shift @over, @{$list});
        my %range = map { $_ => $first->{$_} } grep { $first } qw(value low high);
        @range{qw(value low high)} = around(@{$over}{qw(center half)}) if @more;
        $range{points} = [ map { $_->{value} } @{$list} ];
        push @ranges, $first ? \%range : undef;
    }
    return @ranges;
}

sub tests_of {
    my ($runs) = @_;
    my (%cells, @tests);
    for my $i (0 .. $#{$runs}) {
        for my $cells (map { $_->{cells} } members($runs->[$i])) {
            push @{ $cells{$_}{$i} }, { %{ $cells->{$_} }, value => $cells->{$_}{rate} }
                for keys %{$cells};
        }
    }
    for my $cells_of_run (values %cells) {
        my @numbers = sort { $a <=> $b } keys %{$cells_of_run};
        my @ranges = ranges(@{$cells_of_run}{@numbers});
        my @rows = map { { run => $_ + 0, %{ shift @ranges } } } @numbers;
        my %test = map { $_ => $cells_of_run->{ $numbers[0] }[0]{$_} } qw(copies test title unit);
        push @tests, { %test, rows => \@rows };
    }
    return [ in_order(@tests) ];
}

1;
