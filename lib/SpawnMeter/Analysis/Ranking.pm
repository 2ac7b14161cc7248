# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Ranking;

# Machines in the order of their index scores.  Pure functions.
#
#   scores(machine of Analysis::Comparison, score_by of Analysis::Score) -> [ { copies, title
#       => of the index, tests => [names], partial, score, low, high } ]
#   ranking(comparison record) -> { machines => [ { name, runs => [numbers of its runs in the
#       comparison], latest => the newest of them, count => of all runs; of their results:
#       disturbed, unsettled, results => numbers } ], tables => [ { copies, title, tests, partial,
#       rows => [ { machine => number in machines, score, ratio => ranges, points => [ { run,
#       score, ratio } ] } ] } ] }
#       The rows of a table are in order, the best first.  A table has only runs whose index is
#       of the same tests; without an index it has no title, and the order of their ratios
#   add_costs(ranking, { name of a machine => price }): its rows also have per_cost => the score's
#       range for each unit of money -> names that are of no machine
#   ranges([ { value, low, high } ], ...) -> ({ value, low, high }, ...), undef of an empty list: of
#       one run its own; of several their geometric mean, and its 95 % interval over the runs
#       (Stats::Difference), by what the runs of all lists differ by
#   tests_of_machines(machines of a ranking, [runs of the comparison]) -> [ { copies, test, title,
#       unit, rows => [ { machine, value, low, high => the range of its runs, points => [rates] } ]
#       } ] by copies, then title; the rows in the order of the machines that have a result
#
# Runs are of one machine where its name and all facts that matter are equal
# (Analysis::Fingerprint); where all runs are of one machine each of them is ranked by itself, and
# so is each group of runs (members => [its runs], in a machine of the comparison).  A ratio is
# the geometric mean of the ratios of all tests that a run
# has in common with the comparison's first run, at that number of copies.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Results qw(by_copies in_order);
use SpawnMeter::Analysis::Score   qw(tables);
use SpawnMeter::Stats::Numbers    qw(around);
use SpawnMeter::Stats::Difference qw(over_runs);

our @EXPORT_OK = qw(scores ranking ranges tests_of_machines add_costs);

# ---- index scores ------------------------------------------------------------------------

sub scores {
    my ($machine, $by) = @_;
    my @cells = grep { $by->{baseline}{ $_->{test} } }
        @{ $machine->{cells} }{ sort keys %{ $machine->{cells} } };
    my $of = by_copies(\@cells);
    my @scores;
    for my $copies (sort { $a <=> $b } keys %{$of}) {
        for my $table (@{ tables($machine->{run}, $of->{$copies}, $by) }) {
            my @tests = sort map { $_->{test} } @{ $table->{rows} };
            my %score = map { $_ => $table->{$_} } qw(title partial score low high);
            push @scores, { %score, copies => $copies, tests => \@tests };
        }
    }
    return \@scores;
}

# ---- the order of machines ---------------------------------------------------------------

sub ranking {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{machines} };
    my ($machines, $machine_of) = machines(@runs);
    my (%table, @order);
    for my $i (0 .. $#runs) {
        my $ratios = ratios($i ? $comparison->{pairs}[ $i - 1 ] : undef, $runs[$i]);
        for my $score (map { entries($_, $ratios) } members($runs[$i])) {
            my $title = defined $score->{title} ? $score->{title} : q{};
            my $key = join "\0", $score->{copies}, $title, @{ $score->{tests} || [] };
            push @order, $key if !$table{$key};
            my $table = $table{$key} ||= { %{$score}, points => {} };
            push @{ $table->{points}{ $machine_of->[$i] } },
                { run => $i, score => $score, ratio => scalar ratio_of($score, $ratios, $runs[0]) };
        }
    }
    my @tables = map { table($_) } @table{@order};
    return {
        machines => $machines,
        tables   => [
            sort { $a->{copies} <=> $b->{copies} || @{ $b->{rows} } <=> @{ $a->{rows} } } @tables
        ],
    };
}

sub members { my ($run) = @_; return @{ $run->{members} || [$run] } }

# -> ([machines], [number of the machine of each run])
sub machines {
    my (@runs) = @_;
    my (@machines, %known, @machine_of);
    my @identity =
        map { defined $runs[$_]{identity} ? $runs[$_]{identity} : "\0$_" } 0 .. $#runs;
    @identity = 0 .. $#runs
        if grep({ $_->{members} } @runs) || !grep { $_ ne $identity[0] } @identity;
    for my $i (0 .. $#runs) {
        my $identity = $identity[$i];
        $known{$identity} = push(@machines, { runs => [] }) - 1 if !defined $known{$identity};
        push @{ $machines[ $known{$identity} ]{runs} }, $i;
        push @machine_of, $known{$identity};
    }
    my %times;
    for my $machine (@machines) {
        describe($machine, @runs[ @{ $machine->{runs} } ]);
        my $time = ++$times{ $machine->{name} };
        $machine->{name} .= "#$time" if $time > 1;
    }
    return (\@machines, \@machine_of);
}

# A single run has the name that the user gave it
sub describe {
    my ($machine, @runs) = @_;
    my $host = $runs[0]{host};
    $machine->{name} = @runs == 1 || !defined $host ? $runs[0]{name} : $host;
    my @members = map { members($_) } @runs;
    my @cells = map { values %{ $_->{cells} } } @members;
    $machine->{count} = @members;
    $machine->{results} = @cells;
    $machine->{disturbed} = grep { $_->{disturbed} } @cells;
    $machine->{unsettled} = grep { defined $_->{settled} && !$_->{settled} } @cells;
    my ($latest) =
        sort { ($runs[$b]{run}{started} || 0) <=> ($runs[$a]{run}{started} || 0) } 0 .. $#runs;
    $machine->{latest} = $machine->{runs}[$latest];
    return;
}

# undef where the first run has none of the tests of the score
sub ratio_of {
    my ($score, $ratios, $first) = @_;
    my %has =
        map { $_->{test} => 1 }
        grep { $_->{copies} == $score->{copies} } values %{ $first->{cells} };
    return if $score->{tests} && !grep { $has{$_} } @{ $score->{tests} };
    return $ratios->{ $score->{copies} };
}

# { copies => { value, low, high, tests } } of a run; that of the first one is 1
sub ratios {
    my ($pair, $run) = @_;
    my %same = (ratio => 1, low => 1, high => 1, tests => 1);
    my @means =
        $pair ? @{ $pair->{means} } : map { { %same, copies => $_->{copies} } }
        values %{ $run->{cells} };
    my %ratio;
    for my $mean (sort { $a->{tests} <=> $b->{tests} } reverse @means) {
        $ratio{ $mean->{copies} } =
            { value => $mean->{ratio}, map { $_ => $mean->{$_} } qw(low high tests) };
    }
    return \%ratio;
}

# The scores of a run; where it has none at a number of copies, an entry without a score
sub entries {
    my ($run, $ratios) = @_;
    my @scores = @{ $run->{scores} || [] };
    my %scored = map { $_->{copies} => 1 } @scores;
    return @scores, map { { copies => $_ } } grep { !$scored{$_} } sort keys %{$ratios};
}

sub table {
    my ($table) = @_;
    my @numbers = keys %{ $table->{points} };
    my (@scores, @ratios);
    for my $points (@{ $table->{points} }{@numbers}) {
        my @known = grep { defined $_->{score} } map { $_->{score} } @{$points};
        my %of_run = map { $_->{run} => $_->{ratio} } @{$points};    # the runs of a group have one
        push @scores, [ map { { %{$_}, value => $_->{score} } } @known ];
        push @ratios, [ grep { defined } @of_run{ sort { $a <=> $b } keys %of_run } ];
    }
    @scores = ranges(@scores);
    @ratios = ranges(@ratios);
    my @rows = map { {
        machine => $numbers[$_] + 0,
        points  => $table->{points}{ $numbers[$_] },
        score   => $scores[$_],
        ratio   => $ratios[$_],
    } } 0 .. $#numbers;
    my $place = sub { ($_[0]{score} || $_[0]{ratio} || { value => 0 })->{value} };
    @rows = sort { $place->($b) <=> $place->($a) || $a->{machine} <=> $b->{machine} } @rows;
    return { (map { $_ => $table->{$_} } qw(copies title tests partial)), rows => \@rows };
}

sub add_costs {
    my ($ranking, $price) = @_;
    my %left = %{$price};
    my @prices = map { delete $left{ $_->{name} } } @{ $ranking->{machines} };
    for my $row (map { @{ $_->{rows} } } @{ $ranking->{tables} }) {
        my ($score, $cost) = ($row->{score}, $prices[ $row->{machine} ]);
        next if !$score || !$cost;
        $row->{per_cost} =
            { map { $_ => defined $score->{$_} ? $score->{$_} / $cost : undef }
                qw(value low high) };
    }
    return sort keys %left;
}

sub ranges {
    my (@lists) = @_;
    my @over = over_runs(map { [ map { log $_->{value} } @{$_} ] } @lists);
    my @ranges;
    for my $i (0 .. $#lists) {
        my ($first, @more) = @{ $lists[$i] };
        my %range = map { $_ => $first->{$_} } grep { $first } qw(value low high);
        @range{qw(value low high)} = around(@{ $over[$i] }{qw(center half)}) if @more;
        push @ranges, %range ? \%range : undef;
    }
    return @ranges;
}

# ---- tests of many machines ----

sub tests_of_machines {
    my ($machines, $runs) = @_;
    my (%cells, @tests);
    for my $i (0 .. $#{$machines}) {
        for my $run (@{$runs}[ @{ $machines->[$i]{runs} } ]) {
            push @{ $cells{$_}{$i} }, { %{ $run->{cells}{$_} }, value => $run->{cells}{$_}{rate} }
                for keys %{ $run->{cells} };
        }
    }
    for my $of (values %cells) {
        my @numbers = sort { $a <=> $b } keys %{$of};
        my @ranges = ranges(@{$of}{@numbers});
        my @rows = map {
            my @rates = map { $_->{rate} } @{ $of->{$_} };
            { machine => $_ + 0, %{ shift @ranges }, points => \@rates }
        } @numbers;
        my %test = map { $_ => $of->{ $numbers[0] }[0]{$_} } qw(copies test title unit);
        push @tests, { %test, rows => \@rows };
    }
    return [ in_order(@tests) ];
}

1;
