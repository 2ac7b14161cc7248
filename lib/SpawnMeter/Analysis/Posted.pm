# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Posted;

# The printed figures of a posted report, an imported run.  It has no samples.  Pure
# functions.
#
#   printed_results(run) -> [result record], by copies, then title
#   misprints(imported run, blocks) -> [ { title, copies, printed, computed => undef where
#       there is no table } ]: scores that differ from what is computed from the printed
#       results by more than their rounding explains
#   printed_baseline(imported run) -> { test => rate }: the baselines that it prints
#   has_index(result, { test => baseline }) -> true where it has the index that its report
#       printed for this baseline

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(first);
use SpawnMeter::Analysis::Record qw(result);
use SpawnMeter::Stats::Numbers   qw(mean);

our @EXPORT_OK = qw(printed_results misprints printed_baseline has_index);

use constant HALF_A_UNIT => 0.05;    # of a score that is printed with one decimal

sub printed_results {
    my ($run) = @_;
    my @results = map { printed_result($_) } @{ $run->{printed} };
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

# SpawnMeter's own posted reports have an interval, by its larger half, and more
sub printed_result {
    my ($printed) = @_;
    my ($rate, $share) = @{$printed}{qw(rate plus_minus)};
    my $passes = $printed->{samples} || 0;
    return result(
        status => 'ok',
        passes => $passes,
        used => grep({ defined } @{$printed}{qw(floor plus_minus)}) ? $passes              : 0,
        low  => defined $share                                      ? $rate * (1 - $share) : undef,
        high => defined $share                                      ? $rate * (1 + $share) : undef,
        flagged   => 0,
        disturbed => 0,
        reasons   => {},
        outliers  => 0,
        flags     => [],
        rates     => [],
        %{$printed},
    );
}

sub printed_baseline {
    my ($run) = @_;
    return { map { $_->{test} => $_->{baseline} } grep { $_->{baseline} } @{ $run->{printed} } };
}

sub misprints {
    my ($run, $blocks) = @_;
    my @misprints;
    for my $score (@{ $run->{scores} || [] }) {
        my @tables = map { @{ $_->{tables} } } grep { $_->{copies} == $score->{copies} } @{$blocks};
        my $table =
            first { ($_->{form} eq '5' ? $_->{title} : '4.1') eq $score->{title} } @tables;
        my %misprint = (
            title    => $score->{title},
            copies   => $score->{copies},
            printed  => $score->{score},
            computed => $table ? $table->{score} : undef
        );
        push @misprints, \%misprint if !$table || differs_from_printed($table, $score->{score});
    }
    return @misprints;
}

# By more than the rounding of the score and of its results
sub differs_from_printed {
    my ($table, $printed) = @_;
    my $rounding = mean(map { ($_->{rounding} || 0) / $_->{rate} } @{ $table->{rows} });
    my $most = HALF_A_UNIT + $table->{score} * $rounding + 1e-9;
    return abs($table->{score} - $printed) > $most;
}

# A posted text has indexes that were computed before the rate was rounded
sub has_index {
    my ($row, $baseline) = @_;
    return
           defined $row->{index}
        && defined $row->{baseline}
        && $row->{baseline} == $baseline->{ $row->{test} };
}

1;
