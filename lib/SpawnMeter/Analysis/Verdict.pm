# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Verdict;

# What is concluded from the rows of a comparison.  A pure function.
#
#   judged(usual, rows) -> the rows in order, by copies and title, each with adjusted, verdict
#       and, where nothing can be said, why.  usual: the difference, as a share, that equal
#       runs can have where no A/A run says how much they differ.  A row has of
#       Analysis::Comparison: p and beyond, ratio, low and high, steadied; used => [rates of
#       the old run, of the new one], disturbed, of_equals, which are taken away, as is beyond
#
# p says how probable such a difference is between equals by the passes, and beyond, where it
# is there, by the passes and the runs' own levels.  Both are corrected for all tests of the
# family (Holm).  A difference that p shows and beyond does not is inconclusive.  So is one
# without beyond that is below the usual one, where no A/A run says how much equal runs differ.

use strict;
use warnings;
use Exporter 'import';
use List::Util                       qw(min);
use SpawnMeter::Analysis::TwoSamples qw(adjusted);

our @EXPORT_OK = qw(judged);

use constant {
    SIGNIFICANT => 0.05,
    FAR_OFF     => 1.5,    # a ratio whose interval lies beyond it is shown though disturbed
};

sub judged {
    my ($usual, @unsorted) = @_;
    my @rows = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @unsorted;
    my @tested = grep { defined $_->{p} } @rows;
    my @adjusted = adjusted(map { $_->{p} } @tested);
    my @beyond = adjusted(map { defined $_->{beyond} ? $_->{beyond} : $_->{p} } @tested);
    for my $i (0 .. $#tested) {
        $tested[$i]{adjusted} = $adjusted[$i];
        $tested[$i]{beyond} = $beyond[$i] if defined $tested[$i]{beyond};
    }
    judge($_, $usual) for @rows;
    delete @{$_}{qw(disturbed of_equals used beyond)} for @rows;
    return @rows;
}

# In logarithms, so that the two directions agree: half as fast and twice as fast are equally
# far from no difference
sub judge {
    my ($row, $usual) = @_;
    my $by = $row->{steadied} || $row;
    $row->{why} = reason_for_doubt($row, $by, $usual);
    my $shown = defined $row->{adjusted} && $row->{adjusted} < SIGNIFICANT;
    $row->{verdict} =
          defined $row->{why} ? 'inconclusive'
        : !$shown             ? 'no difference shown'
        : $by->{ratio} > 1    ? 'faster'
        :                       'slower';
    return;
}

# Why nothing can be said; undef where something can
sub reason_for_doubt {
    my ($row, $by, $usual) = @_;
    return (grep { !@{$_} } @{ $row->{used} }) ? 'no raw samples' : 'too few passes'
        if !defined $row->{p};
    my $nearest = min(map { abs log $_ } @{$by}{qw(low high)});
    my $far_off = ($by->{low} > 1 || $by->{high} < 1) && $nearest > log FAR_OFF;
    return 'disturbed passes' if $row->{disturbed} && !$far_off;
    return if $row->{of_equals} || $row->{adjusted} >= SIGNIFICANT;
    my $explained =
        defined $row->{beyond}
        ? $row->{beyond} >= SIGNIFICANT
        : abs(log $by->{ratio}) < log(1 + $usual);
    return $explained ? 'equal runs can differ by as much' : undef;
}

1;
