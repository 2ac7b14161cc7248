# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Ranking;

# Runs of a comparison (Analysis::Comparison), or groups of them as one (members => [runs]), in the
# order of their index scores.  Pure functions.
#
#   scores(run with score_by => that of Analysis::Score) -> [ { copies, title => of the index, tests
#       => [names], index => { test => its index }, partial, score, low, high } ]
#   ranking(comparison record) -> [ { copies, each => true for a copy on each CPU, whose number
#       differs, title, tests => those of the index, partial, columns => [tests whose rates are
#       shown], rows => [ { run => its number, place, copies, members => how many of its runs count,
#       score => range, ratio => { value }, rates => { test => rate } } ], units => { test => unit }
#       } ], a table for 1 copy and for each number that several have.  The index is that which most
#       runs have, over the tests that all these have.  The best run is first; those without this
#       index have no place and come last.  Without any index the table has no title, and the order
#       is that of the ratios.  No run has a place where no other has a result of the first one
#   members(run) -> the runs of a group, or itself
#
# A range is { value, low, high, points => [values], but of ratios }: of a run its own; of
# several their geometric mean, and its 95 % interval by what the runs of all groups differ by
# (Stats::Difference).  A ratio is that to the score of the first run, with the interval of all
# tests together.  Places are equal where these intervals leave open which run is faster.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(max);
use SpawnMeter::Analysis::Comparison qw(weighted);
use SpawnMeter::Analysis::Results    qw(by_copies);
use SpawnMeter::Analysis::Score      qw(tables);
use SpawnMeter::Stats::Numbers       qw(around geometric_mean);
use SpawnMeter::Stats::Difference    qw(over_runs);

our @EXPORT_OK = qw(scores ranking members);

sub members { my ($run) = @_; return @{ $run->{members} || [$run] } }

sub scores {
    my ($run) = @_;
    my @blocks = sort { $a->[0] <=> $b->[0] } by_copies(values %{ $run->{cells} });
    return [ map { scores_of($run, @{$_}[ 1 .. $#{$_} ]) } @blocks ];
}

# The scores of these cells, which have one number of copies
sub scores_of {
    my ($run, @cells) = @_;
    my $by = $run->{score_by};
    my @scored = map { { %{$_} } }
        grep { $by->{baseline}{ $_->{test} } } sort { $a->{test} cmp $b->{test} } @cells;
    my @scores;
    for my $table (@scored ? @{ tables($run->{head}, \@scored, $by) } : ()) {
        my %index = map { $_->{test} => $_->{index} } @{ $table->{rows} };
        my %fields = map { $_ => $table->{$_} } qw(title partial score low high);
        my %tests = (tests => [ sort keys %index ], index => \%index);
        push @scores, { %fields, %tests, copies => $scored[0]{copies} };
    }
    return @scores;
}

sub ranking {
    my ($comparison) = @_;
    my @runs = @{ $comparison->{runs} };
    my %entries;    # { block => [ { run => number, own => what its runs have there } ] }
    for my $i (0 .. $#runs) {
        my %blocks =
            map { /^(\w+)/ ? ($1 => 1) : () } map { keys %{ $_->{cells} } } members($runs[$i]);
        push @{ $entries{$_} }, { run => $i, own => [ in_block($_, $runs[$i]) ] } for keys %blocks;
    }
    my @blocks = sort { $a eq 'each' ? 1 : $b eq 'each' ? -1 : $a <=> $b }
        grep { /^[01]\z/ || @{ $entries{$_} } > 1 } keys %entries;
    return [ map { table($comparison, $_, @{ $entries{$_} }) } @blocks ];
}

# What the runs of a group have in a block: [ { run, cells => those of the block, scores } ]
sub in_block {
    my ($block, $group) = @_;
    my @own;
    for my $run (members($group)) {
        my %cells = map { /^$block (.*)/ ? ($1 => $run->{cells}{$_}) : () } keys %{ $run->{cells} };
        my ($cell) = values %cells or next;
        my @scores = grep { $_->{copies} == $cell->{copies} } @{ $run->{scores} || [] };
        push @own, { run => $run, cells => \%cells, scores => \@scores };
    }
    return @own;
}

# The index that most entries have, of at least two tests where there is one; then of most tests.  {
# title, tests }, without an index undef
sub index_for_most {
    my (@entries) = @_;
    my (%candidates, %times);
    for my $score (map { @{ $_->{scores} } } map { @{ $_->{own} } } @entries) {
        my $title = $score->{title} // q{};
        my @tests = @{ $score->{tests} };
        $candidates{"$title\0@tests"} = { title => $title, tests => \@tests };
        $times{$title}{all}++;
        $times{$title}{$_}++ for @tests;
    }
    for my $title (keys %times) {
        my $all = delete $times{$title}{all};
        my @tests = grep { $times{$title}{$_} == $all } sort keys %{ $times{$title} };
        $candidates{"$title\0@tests"} = { title => $title, tests => \@tests } if @tests;
    }
    my $weight = sub {
        my ($candidate) = @_;
        my $tests = @{ $candidate->{tests} };
        my $entries = grep {
            grep { score_in($_, $candidate) }
                @{ $_->{own} }
        } @entries;
        return sprintf '%d %6d %6d', $tests > 1, $entries, $tests;
    };
    my %weight = map { $_ => $weight->($candidates{$_}) } keys %candidates;
    my ($best) = sort { $weight{$b} cmp $weight{$a} || $a cmp $b } keys %candidates;
    return defined $best ? $candidates{$best} : undef;
}

# The score of a run over the tests of an index, or undef
sub score_in {
    my ($own, $index) = @_;
    my ($title, @tests) = ($index->{title}, @{ $index->{tests} });
    my ($score) = grep { ($_->{title} // q{}) eq $title } @{ $own->{scores} };
    return if !$score || grep { !$score->{index}{$_} } @tests;
    return $score if @tests == @{ $score->{tests} };
    my ($over) =
        grep { ($_->{title} // q{}) eq $title } scores_of($own->{run}, @{ $own->{cells} }{@tests});
    return $over;
}

use constant COLUMNS => qw(execl spawn fork posix_spawn);

sub table {
    my ($comparison, $block, @entries) = @_;
    my $index = index_for_most(@entries);
    my (@rows, @scores, %units);
    for my $entry (@entries) {
        my @own =
            map { { %{$_}, score => $index && scalar score_in($_, $index) } } @{ $entry->{own} };
        my @scored = grep { $_->{score} } @own;
        @own = @scored if @scored;
        push @scores, [ map { { %{ $_->{score} }, value => $_->{score}{score} } } @scored ];
        my ($cell) = values %{ $own[0]{cells} };
        my %rates;
        for my $of_run (map { values %{ $_->{cells} } } @own) {
            push @{ $rates{ $of_run->{test} } }, $of_run->{rate};
            $units{ $of_run->{test} } //= $of_run->{unit};
        }
        $_ = geometric_mean(@{$_}) for values %rates;
        my %row = (run => $entry->{run}, members => scalar @own, copies => $cell->{copies});
        push @rows, { %row, rates => \%rates };
    }
    my @ranges = ranges(@scores);
    $_->{score} = shift @ranges for @rows;
    return {
        copies  => max(map { $_->{copies} } @rows),
        each    => $block eq 'each',
        partial => (grep { $_->{partial} } map { @{$_} } @scores) ? 1 : 0,
        columns => [ grep { $units{$_} } COLUMNS ],
        units   => \%units,
        $index ? (title => $index->{title}, tests => $index->{tests}) : (),
        rows => placed($comparison, $block, $index, @rows),
    };
}

# The rows in order, with their ratios and places
sub placed {
    my ($comparison, $block, $index, @rows) = @_;
    my ($first) = grep { !$_->{run} } @rows;
    for my $row (@rows) {
        my $mean = $row->{run} ? mean_of_block($comparison, $block, $row->{run}) : undef;
        my ($of_row, $of_first) = map { ($_ || {})->{score} } $row, $first;
        my $value = $of_row && $of_first ? $of_row->{value} / $of_first->{value} : undef;
        $value //= $mean->{ratio} if !$of_row && $mean;
        $row->{half} = log($mean->{high} / $mean->{ratio}) if $mean;
        $row->{ratio} = { value => $value } if defined $value;
    }

    # in a table without the first run: the widest one of all tests together
    my @means = map { @{ $_->{means} } } @{ $comparison->{pairs} };
    my $usual = max(grep { defined } map { $_->{half} } @rows)
        // max(map { log($_->{high} / $_->{ratio}) } @means);
    $_->{half} //= $usual for @rows;
    my $level = sub { ($_[0]{score} || $_[0]{ratio} || { value => 1 })->{value} };
    @rows = sort { $level->($b) <=> $level->($a) } @rows;
    my @placed = grep { $_->{score} || !$index } @rows;
    for my $row (defined $usual ? @placed : ()) {
        my $own = $level->($row);
        $row->{place} =
            1 + grep { log($level->($_) / $own) > max($_->{half}, $row->{half}) } @placed;
    }
    return [ @placed, grep { $index && !$_->{score} } @rows ];
}

# All tests of a run together, compared with the first run
sub mean_of_block {
    my ($comparison, $block, $number) = @_;
    my $first = $comparison->{runs}[0];
    my ($each) = map { $_->{each} || 0 } members($first);
    my $copies = $block eq 'each' ? $each : $block;
    my @means = grep { $_->{copies} == $copies } @{ $comparison->{pairs}[ $number - 1 ]{means} };
    return @means ? weighted(@means) : undef;
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

1;
