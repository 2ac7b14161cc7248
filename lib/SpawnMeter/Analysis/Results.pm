# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies.  Pure functions; everything
# is computed again from the raw samples.
#
#   results(run, brief => true for comparisons: the rates that count stand in `sound`, and
#       there are no CPU times and latencies; chosen => true where all good passes count, since
#       the caller has left out others; correlation => that of all cells that were measured
#       together, where these are more than the tests of the run; series => true: with the passes
#       that count, as for comparisons) -> [result record], by copies, then title
#   blocks(run, score_by) -> [ { copies, started, ended, results, lost => results of tests
#       that failed or were skipped, drift => { correlation of neighbouring passes, used, effective
#       => passes and what they are worth; medians of the tests } or undef, also where these passes
#       are under 9: a correlation of so few says nothing,
#       reference => movement of Analysis::Reference or undef,
#       tables => those of Analysis::Score, resolves => the share by which a result of two such
#       runs must differ to show a difference (median of the tests), undefined without passes } ]
#   is_of_tests(run) -> true where its results are those of its tests; those of a sweep, an A/B
#       run or an A/A run of 0.5 are of passes that were measured in different ways
#   with_times(result) -> the same with time_us, time_low and time_high: microseconds of an
#       iteration as each copy, or thread that creates, sees it
#   correlation_of, classic_rate: those of Analysis::Cells

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Cells     qw(results_of_block correlation_of classic_rate unpacked);
use SpawnMeter::Analysis::Posted    qw(printed_results);
use SpawnMeter::Analysis::Reference qw(movement);
use SpawnMeter::Analysis::Score     qw(tables);
use SpawnMeter::Stats::Difference   qw(differences judged);
use SpawnMeter::Stats::Estimate     qw(estimates);
use SpawnMeter::Stats::Numbers      qw(median);

our @EXPORT_OK = qw(results blocks is_of_tests correlation_of classic_rate with_times);

use constant FEWEST_CORRELATED => 9;    # passes

my %US = (lps => 1e6, lpm => 60e6);     # microseconds of what a rate is given for

sub results {
    my ($run, %how) = @_;
    return printed_results($run) if $run->{printed};
    my $passes = by_copies($run->{passes});
    my @results = map { results_of_block($run, $_ + 0, $passes->{$_}, \%how) } keys %{$passes};
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @results ];
}

# Of the result, as each copy or creating thread sees it: the rate is that of all copies and their
# threads together; as one of N sees it, an iteration takes N times as long (Little's law)
sub with_times {
    my ($r) = @_;
    my $us = $US{ $r->{unit} || 'lps' } || 0;
    @{$r}{qw(time_us time_low time_high)} =
        map { defined && $_ > 0 && $us ? $us * ($r->{creators} || $r->{copies}) / $_ : undef }
        @{$r}{qw(rate high low)};
    return $r;
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
    my $kind = $run->{kind}   || q{};
    return 0 if $run->{sweep} || $kind eq 'ab';
    return $kind ne 'equals'  || !grep { defined $_->{side} } @{ $run->{passes} };
}

sub blocks {
    my ($run, $score_by) = @_;
    my $results = by_copies(results($run, series => 1));
    my $passes = by_copies($run->{passes} || []);
    my @blocks;
    for my $block (@{ $run->{blocks} }) {
        my $copies = $block->{copies} + 0;
        my @all = @{ $results->{$copies} || [] };
        my @own = map { with_times($_) } grep { defined $_->{rate} } @all;
        push @blocks,
            {
            %{$block},
            results   => \@own,
            lost      => [ grep { $_->{status} ne 'ok' } @all ],
            tables    => tables($run, \@own, $score_by),
            resolves  => scalar resolves(@own),
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

# Of a run compared with one like itself
sub resolves {
    my (@results) = @_;
    my %stratum = map { $_->{test} => unpacked($_->{series}) } grep { $_->{series} } @results;
    my $estimates = estimates(\%stratum);
    my $found = differences(a => [$estimates], b => [$estimates]) or return;
    my @rows = judged([ values %{ $found->{rows} } ], 1, 0);
    return exp(median(map { $_->{half} } @rows)) - 1;
}

1;
