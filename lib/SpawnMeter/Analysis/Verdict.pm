# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Verdict;

# What is concluded from the rows of a comparison.  Pure functions.
#
#   limits(usual, rows) -> { copies => { spread => standard deviation of the logarithms of a
#       test's passes, undef without samples; least => share } }: raw differences below `least`
#       are inconclusive where no A/A run says how much equal runs differ.  usual: the least
#       one, as a share, however little the passes spread
#   judged(limits, rows) -> the rows in order, by copies and title, each with adjusted, verdict
#       and, where nothing can be said, why.  A row has of Analysis::Comparison: p and beyond,
#       ratio, low and high, steadied; used => [rates of the old run, of the new one],
#       disturbed, busy, of_equals, which are taken away, as is beyond
#
# p says how probable such a difference is between equals by the passes, and beyond, where it
# is there, by the passes and the runs' own levels.  Both are corrected for all tests of the
# family (Holm).  A difference that p shows and beyond does not is inconclusive.  So is one
# without beyond that is below the limit, where no A/A run says how much equal runs differ.
#
# A row is busy where one of the runs was, or both: other work explains any difference.
#
# The limit grows with the spread of the passes, since a drift that all tests share can make all
# of them differ, and the passes of two runs are too few to tell how long it lasts.  SPREADS was
# chosen by simulation: drift of half of the variance, with a correlation of 0.8 from round to
# round, makes any of eight equal tests differ by more in 4 % of the pairs (make simulate).  The
# spread is the median of the tests', each by the tenth and the ninetieth percentile of both runs.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(min max sum);
use SpawnMeter::Analysis::Stats      qw(median quantile);
use SpawnMeter::Analysis::TwoSamples qw(adjusted);

our @EXPORT_OK = qw(judged limits);

use constant {
    SIGNIFICANT => 0.05,
    FAR_OFF     => 1.5,      # a ratio whose interval lies beyond it is shown though disturbed
    SPREADS     => 1.4,      # standard deviations of a pass
    LOW         => 0.1,
    HIGH        => 0.9,
    BETWEEN     => 2.563,    # standard deviations, of a normal distribution
};

sub limits {
    my ($usual, @rows) = @_;
    my (%of, %limit);
    push @{ $of{ $_->{copies} } }, spread(@{ $_->{used} }) for @rows;
    for my $copies (keys %of) {
        my $spread = median(grep { defined } @{ $of{$copies} });
        my $least = exp(SPREADS * ($spread || 0)) - 1;
        $limit{$copies} = { spread => $spread, least => max($usual, $least) };
    }
    return \%limit;
}

# The root mean square of the runs'
sub spread {
    my (@samples) = @_;
    return if grep { !@{$_} || min(@{$_}) <= 0 } @samples;
    my @squares = map { ((log_quantile(HIGH, $_) - log_quantile(LOW, $_)) / BETWEEN)**2 } @samples;
    return sqrt(sum(@squares) / @squares);
}

sub log_quantile { my ($share, $rates) = @_; return log quantile($share, @{$rates}) }

sub judged {
    my ($limits, @unsorted) = @_;
    my @rows = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @unsorted;
    my @tested = grep { defined $_->{p} } @rows;
    my @adjusted = adjusted(map { $_->{p} } @tested);
    my @beyond = adjusted(map { defined $_->{beyond} ? $_->{beyond} : $_->{p} } @tested);
    for my $i (0 .. $#tested) {
        $tested[$i]{adjusted} = $adjusted[$i];
        $tested[$i]{beyond} = $beyond[$i] if defined $tested[$i]{beyond};
    }
    judge($_, $limits->{ $_->{copies} }{least}) for @rows;
    delete @{$_}{qw(disturbed busy of_equals used beyond)} for @rows;
    return @rows;
}

# In logarithms, so that the two directions agree: half as fast and twice as fast are equally
# far from no difference
sub judge {
    my ($row, $least) = @_;
    my $by = $row->{steadied} || $row;
    $row->{why} = reason_for_doubt($row, $by, $least);
    my $shown = defined $row->{adjusted} && $row->{adjusted} < SIGNIFICANT;
    $row->{verdict} =
          $row->{busy}        ? 'busy'
        : defined $row->{why} ? 'inconclusive'
        : !$shown             ? 'no difference shown'
        : $by->{ratio} > 1    ? 'faster'
        :                       'slower';
    return;
}

# Why nothing can be said; undef where something can
sub reason_for_doubt {
    my ($row, $by, $least) = @_;
    return 'other processes used CPUs that the copies needed' if $row->{busy};
    return (grep { !@{$_} } @{ $row->{used} }) ? 'no raw samples' : 'too few passes'
        if !defined $row->{p};
    my $nearest = min(map { abs log $_ } @{$by}{qw(low high)});
    my $far_off = ($by->{low} > 1 || $by->{high} < 1) && $nearest > log FAR_OFF;
    return 'disturbed passes' if $row->{disturbed} && !$far_off;
    return if $row->{of_equals} || $row->{adjusted} >= SIGNIFICANT;
    my $explained =
        defined $row->{beyond}
        ? $row->{beyond} >= SIGNIFICANT
        : abs(log $by->{ratio}) < log(1 + $least);
    return $explained ? 'equal runs can differ by as much' : undef;
}

1;
