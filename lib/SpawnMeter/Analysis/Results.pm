# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies.  Pure functions; everything
# is computed again from the raw samples.
#
#   results(run, brief => true for comparisons: the rates that count stand in `sound`, and
#       there are no CPU times and latencies; chosen => true where all good passes count, since
#       the caller has left out others; correlation => that of all cells that were measured
#       together, where these are more than the tests of the run) -> [result
#       record], by copies, then title
#   blocks(run, score_by) -> [ { copies, started, ended, results, lost => results of tests
#       that failed or were skipped, drift => { correlation of neighbouring passes, used, effective
#       => passes and what they are worth; medians of the tests } or undef, also where these passes
#       are under 9: a correlation of so few says nothing,
#       reference => movement of Analysis::Reference or undef,
#       tables => [ { category, title, form, rows => results
#       with baseline and index, score, partial } ] } ]
#       score_by: { baseline => { test => rate }, form => '5', '4.1' or '3.11', all =>
#       { category => [names of a complete set] } }.  A table without one of these is
#       partial.  In the forms of 4.1 and 3.11 there is one table, of all tests that have a
#       baseline
#   is_of_tests(run) -> true where its results are those of its tests; those of a sweep, an A/A
#       or an A/B run are of passes that were measured in different ways
#   correlation_of, classic_rate: those of Analysis::Cells

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Cells     qw(results_of_block correlation_of classic_rate);
use SpawnMeter::Analysis::Posted    qw(printed_results has_index);
use SpawnMeter::Analysis::Reference qw(movement);
use SpawnMeter::Analysis::Score     qw(index_of score partial_set counted_too_few);
use SpawnMeter::Stats::Numbers      qw(median mean);

our @EXPORT_OK = qw(results blocks is_of_tests correlation_of classic_rate);

use constant FEWEST_CORRELATED => 9;    # passes

sub results {
    my ($run, %how) = @_;
    return printed_results($run) if $run->{printed};
    my $passes = by_copies($run->{passes});
    my @results = map { results_of_block($run, $_ + 0, $passes->{$_}, \%how) } keys %{$passes};
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

# { number of copies => [records] }
sub by_copies {
    my ($records) = @_;
    my %of;
    push @{ $of{ $_->{copies} + 0 } }, $_ for @{$records};
    return \%of;
}

sub is_of_tests {
    my ($run) = @_;
    return !$run->{sweep} && ($run->{kind} || q{}) !~ /^(?:equals|ab)\z/;
}

sub blocks {
    my ($run, $score_by) = @_;
    my $results = by_copies(results($run));
    my $passes = by_copies($run->{passes} || []);
    my $in_one_table = ($score_by->{form} || '5') ne '5';
    my @blocks;
    for my $block (@{ $run->{blocks} }) {
        my $copies = $block->{copies} + 0;
        my @all = @{ $results->{$copies} || [] };
        my @own = grep { defined $_->{rate} } @all;
        my @tables =
            $in_one_table
            ? one_table($run, \@own, $score_by)
            : map { table($run, $_, \@own, $score_by) } @{ $run->{categories} || [] };
        push @blocks,
            {
            %{$block},
            results   => \@own,
            lost      => [ grep { $_->{status} ne 'ok' } @all ],
            tables    => \@tables,
            drift     => scalar drift(@own),
            reference => scalar movement($passes->{$copies} || []),
            };
    }
    return \@blocks;
}

# How much the passes of a test depend on each other, as the median of the tests says
sub drift {
    my (@results) = @_;
    my @known = grep { defined $_->{correlation} } @results;
    return if !@known;
    my %of;
    for my $name (qw(correlation used effective)) {
        $of{$name} = median(grep { defined } map { $_->{$name} } @known);
    }
    return $of{used} >= FEWEST_CORRELATED ? \%of : undef;
}

sub table {
    my ($run, $category, $results, $by) = @_;
    my ($name, $title) = @{$category}{qw(name title)};
    my @own = grep { defined $_->{category} && $_->{category} eq $name } @{$results};
    my $table = scored($run, \@own, $by->{baseline}, $by->{all}{$name} || []) or return;
    return { %{$table}, category => $name, title => $title, form => '5' };
}

sub one_table {
    my ($run, $results, $by) = @_;
    my $table = scored($run, $results, $by->{baseline}, [ keys %{ $by->{baseline} } ]) or return;
    my ($printed) = grep { $_->{copies} == $results->[0]{copies} } @{ $run->{scores} || [] };
    $table->{partial} ||= $printed->{partial} if $printed;
    return { %{$table}, form => '4.1' } if $by->{form} ne '3.11';

    # there an index is the ratio itself, and the score is the arithmetic mean
    $_->{index} = $_->{rate} / $_->{baseline} for @{ $table->{rows} };
    my $mean = mean(map { $_->{index} } @{ $table->{rows} });
    return { %{$table}, form => '3.11', score => $mean };
}

sub scored {
    my ($run, $results, $baseline, $all) = @_;
    my @rows = grep { $baseline->{ $_->{test} } } @{$results};
    return if !@rows || $run->{unscored} || counted_too_few($run);
    for my $row (grep { !has_index($_, $baseline) } @rows) {
        $row->{baseline} = $baseline->{ $row->{test} };
        $row->{index} = scalar index_of($row->{rate}, $row->{baseline});
    }
    return {
        rows    => \@rows,
        score   => scalar score(map { index_of($_->{rate}, $_->{baseline}) } @rows),
        partial => partial_set([ map { $_->{test} } @rows ], $all),
    };
}

1;
