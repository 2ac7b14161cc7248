# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Score;

# Index numbers and scores.  Pure functions.
#
#   index_of(rate, baseline, form or undef for '5') -> index; undef where one of them is unknown
#   index_as_printed(row of a table, its form) -> the index that follows from rate and baseline
#       with the one decimal that a report gives them; of a posted text the index in it
#   blocks(run, score_by) -> [ { copies, started, ended, results, lost => results of tests
#       that failed or were skipped, reference => loops_rate() of Analysis::Quantity,
#       tables => see tables(), resolves, repeated => the share by which a test of two such runs,
#       or of four a side, must differ to show a difference, undef without passes; in_turns =>
#       [likewise of each test that ./Run ab measures for PAIRED seconds] } ]
#   tables(run, [results or cells of a comparison at one number of copies, with series where they
#       have passes], score_by) -> [ { category, title, form, rows => those that have a baseline,
#       with baseline and index, score, low, high => its 95 % interval within the run (undefined
#       without passes), partial => a test of the complete set is missing } ]; none of a run
#       without an index.  In the forms of 4.1 and 3.11 there is one table, of all tests, whose
#       category and title are undefined
#       score_by: { baseline => { test => rate }, form => '5', '4.1' or '3.11', all =>
#       { category => [names of a complete set] } }
#   stored_results(blocks) -> [results] for the run file, by copies, then title
#   counted_too_few(run) -> true where --count is below INDEX_NEEDS: then there is no index
#   misprints(imported run, blocks) -> ({ title, copies, printed, computed }, ...): scores that
#       differ from what is computed from the printed results by more than their rounding explains
#   printed_baseline(imported run) -> { test => rate }: the baselines that it prints
#
# An index is the ratio of a result to its baseline, times 10; an index score is the geometric mean
# of a category's indexes (the classic suite's definition).  In the form of 3.11 an index is the
# ratio itself, and the score the arithmetic mean.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(first);
use SpawnMeter::Analysis::Results  qw(by_copies in_order results);
use SpawnMeter::Analysis::Quantity qw(loops_rate);
use SpawnMeter::Stats::Difference  qw(compare_groups half_of_runs half_width with_verdicts);
use SpawnMeter::Stats::Numbers qw(geometric_mean half mean median of_summaries of_summary summary);

our @EXPORT_OK = qw(index_of index_as_printed blocks stored_results tables counted_too_few
    INDEX_NEEDS PAIRED REPEATED misprints printed_baseline);

use constant {
    REPEATED    => 4,       # runs a side
    PAIRED      => 30,      # seconds of a test, as ./Run ab takes at most
    OVERHEAD    => 1.2,     # times the seconds of a pass that it takes with its start
    INDEX_NEEDS => 100,     # creations of a pass with --count
    FEWEST      => 3,       # passes of each test, for the interval of a score
    HALF_A_UNIT => 0.05,    # of a score that is printed with one decimal
};

sub index_of {
    my ($rate, $baseline, $form) = @_;
    return if !defined $rate || !$baseline;
    return $rate / $baseline * (($form // '5') eq '3.11' ? 1 : 10);
}

sub index_as_printed {
    my ($row, $form) = @_;
    my ($rate, $baseline) = map { sprintf('%.1f', $_) + 0 } @{$row}{qw(rate baseline)};
    return @{ $row->{rates} } && $baseline ? index_of($rate, $baseline, $form) : $row->{index};
}

# --count leaves out the warm-up, and the first creations of a program are slower
sub counted_too_few {
    my ($run) = @_;
    my $counted = ($run->{settings} || {})->{counted};
    return defined $counted && $counted < INDEX_NEEDS;
}

sub tables {
    my ($run, $results, $by) = @_;
    return [] if $run->{unscored} || counted_too_few($run);
    my $form = $by->{form}        || '5';
    my @tables;
    for my $category ($form eq '5' ? @{ $run->{categories} || [] } : {}) {
        my ($name, $title) = @{$category}{qw(name title)};
        my @own = grep { !defined $name || ($_->{category} // q{}) eq $name } @{$results};
        my $all = defined $name ? $by->{all}{$name} || [] : [ keys %{ $by->{baseline} } ];
        my $table = scored(\@own, $by->{baseline}, $all, $form) or next;
        $table->{partial} ||= printed_as_partial($run, \@own, $title);
        push @tables, { %{$table}, category => $name, title => $title, form => $form };
    }
    return \@tables;
}

# Whether a posted report calls this table partial; it does not show the other tests
sub printed_as_partial {
    my ($run, $results, $title) = @_;
    return grep {
               $_->{partial}
            && $_->{copies} == $results->[0]{copies}
            && (!defined $title || $_->{title} eq $title)
    } @{ $run->{scores} || [] };
}

sub scored {
    my ($results, $baseline, $all, $form) = @_;
    my @rows = grep { $baseline->{ $_->{test} } } @{$results} or return;
    for my $row (@rows) {
        my $own = $baseline->{ $row->{test} };

        # a posted text has indexes that were computed before the rate was rounded
        next if defined $row->{index} && defined $row->{baseline} && $row->{baseline} == $own;
        @{$row}{qw(baseline index)} = ($own, scalar index_of($row->{rate}, $own, $form));
    }
    my @indexes = map { index_of($_->{rate}, $_->{baseline}, $form) } @rows;
    my $score = $form eq '3.11' ? mean(@indexes) : geometric_mean(@indexes);
    my $half = half_of_score(@rows);
    my %scored = map { $_->{test} => 1 } @rows;
    return {
        rows    => \@rows,
        score   => $score,
        low     => defined $half                   ? $score * exp -$half : undef,
        high    => defined $half                   ? $score * exp $half  : undef,
        partial => (grep { !$scored{$_} } @{$all}) ? 1                   : 0,
    };
}

# Half of the interval of the score's logarithm; undef where a test has too few passes
sub half_of_score {
    my (@rows) = @_;
    my %stratum = map { $_->{test} => $_->{series} } grep { defined $_->{series} } @rows;
    return if keys %stratum < @rows || grep { @{$_} < FEWEST } values %stratum;
    return log(1 + $rows[0]{plus_minus}) if @rows == 1 && defined $rows[0]{plus_minus};
    return half(SpawnMeter::Stats::Numbers::index_of(\%stratum));
}

# ---- the scored blocks of a run ----

sub blocks {
    my ($run, $score_by) = @_;
    my @results = @{ results($run) };
    my %results = map { (shift @{$_} => $_) } by_copies(@results);
    my %passes = map { (shift @{$_} => $_) } by_copies(@{ $run->{passes} || [] });
    my @of_table = (scalar keys %results, scalar @results);
    return [
        map {
            my $copies = $_->{copies} + 0;
            my @all = @{ $results{$copies} || [] };
            my @own = grep { defined $_->{rate} } @all;
            +{
                %{$_},
                results => \@own,
                lost    => [ grep { $_->{status} ne 'ok' } @all ],
                tables  => tables($run, \@own, $score_by),
                resolving(\@own, @of_table),
                reference => scalar loops_rate($passes{$copies} || []),
            };
        } @{ $run->{blocks} }
    ];
}

# The fields that are computed at each load, and so are not stored for other programs
my @OF_BLOCKS = qw(series summary where time_us time_low time_high baseline index);

sub stored_results {
    my ($blocks) = @_;
    my @results = map { { %{$_} } } map { (@{ $_->{results} }, @{ $_->{lost} }) } @{$blocks};
    delete @{$_}{@OF_BLOCKS} for @results;
    return [ in_order(@results) ];
}

# What such runs resolve in a table of so many strata and rows
sub resolving {
    my ($results, $strata, $number) = @_;
    my %summary = map { $_->{test} => $_->{summary} } @{$results};
    my $estimates = of_summaries(\%summary);
    my $difference = compare_groups(a => [$estimates], b => [$estimates]) or return;
    my ($rows, $group) = @{$difference}{qw(rows group)};
    my @rows = with_verdicts([ values %{$rows} ], $strata, 0, $number);
    my %usual = (%{$group}, within => $group->{passes});
    return (
        resolves => exp(median(map { $_->{half} } @rows)) - 1,
        repeated => exp(half_of_runs(\%usual, REPEATED, $strata, $number, 0)) - 1,
        in_turns => [ map { in_turns($_, $number) } @{$results} ],
    );
}

# What moves slower than neighbouring passes cancels in their ratio: what is left of the spread of
# the passes
sub in_turns {
    my ($result, $number) = @_;
    my @y = map { $_->{y} } @{ $result->{series} || [] };
    my $summary = summary([ map { $y[$_] - $y[ $_ - 1 ] } 1 .. $#y ]) or return;
    my $pairs = PAIRED / 2 / OVERHEAD / ($result->{seconds} || return);
    my $estimate = of_summary({ %{$summary}, n => $pairs }, 0);
    my %row = (common => 0, df_common => 1, own => $estimate->{se}, df_own => $estimate->{df});
    return exp(half_width(\%row, 1, $number)) - 1;
}

# ---- printed figures ----

sub printed_baseline {
    my ($run) = @_;
    return { map { $_->{test} => $_->{baseline} } grep { $_->{baseline} } @{ $run->{printed} } };
}

sub misprints {
    my ($run, $blocks) = @_;
    my @misprints;
    for my $printed (@{ $run->{scores} || [] }) {
        my ($title, $copies, $score) = @{$printed}{qw(title copies score)};
        my $table = first { ($_->{title} // '4.1') eq $title }
            map { @{ $_->{tables} } } grep { $_->{copies} == $copies } @{$blocks}
            or next;

        # less than its rounding and that of its results explain
        my $of_results = mean(map { ($_->{rounding} || 0) / $_->{rate} } @{ $table->{rows} });
        my $rounding = ($printed->{rounding} // HALF_A_UNIT) + $table->{score} * $of_results;
        next if abs($table->{score} - $score) <= $rounding + 1e-9;
        push @misprints,
            { title => $title, copies => $copies, printed => $score, computed => $table->{score} };
    }
    return @misprints;
}

1;
