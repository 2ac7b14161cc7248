# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Interval;

# The 95 % interval of the median of passes that depend on each other.  Pure functions.
#
#   median_interval(effective number, values) -> (low, high); empty under 6 values
#   estimate(passes, those of them that count, [correlations of the tests that were measured
#       in the same rounds] or undef, { series, correlation } of the passes where the caller
#       has them) -> { median, low, high, plus_minus => the larger half
#       of the interval as a share of the median, effective => how many independent passes
#       they are worth, correlation, gap => of neighbours, in seconds, or undef, few =>
#       true where they are worth too few for an interval, which is then their whole range }
#       The interval is undefined under 6 passes that count
#
# The interval lies between two order statistics.  Of n independent values the ranks follow
# from the binomial distribution (Conover, Practical Nonparametric Statistics; recommended
# for benchmarks by Hoefler and Belli, SC15).  Between two ranks, of which one covers the
# median with more and the other with less than 95 %, Hettmansperger and Sheather interpolate
# (Statistics and Probability Letters 4, 1986).  Values that are worth m independent ones
# have the interval at the same shares of the sample as m independent ones (Heidelberger and
# Lewis, Operations Research 32, 1984, on quantiles of dependent sequences).  The correlation
# is taken higher for this (MARGIN of Analysis::Serial).

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(max);
use SpawnMeter::Analysis::Serial qw(series correlation combined effective MARGIN);
use SpawnMeter::Analysis::Stats  qw(median);

our @EXPORT_OK = qw(median_interval estimate);

use constant {
    LEVEL  => 0.95,
    FEWEST => 6,      # values: the range of five covers the median with under 95 %
};

# The share of the sample below the lower end for n independent values: rank / (n + 1)
{
    my %known;

    sub share_below {
        my ($n) = @_;
        return 0 if $n < FEWEST;
        return $known{$n} ||= rank($n) / ($n + 1);
    }
}

# From 1, with a fraction.  The interval from the k-th smallest to the k-th largest value
# covers the median with 1 - 2 P(B < k), B binomial (n, 1/2)
sub rank {
    my ($n) = @_;
    my ($k, $below, $log) = (0, 0, -$n * log 2);
    my $next = exp $log;
    while (1 - 2 * ($below + $next) >= LEVEL) {
        $k++;
        $below += $next;
        $log   += log(($n - $k + 1) / $k);
        $next = exp $log;
    }
    my ($covers, $covers_less) = (1 - 2 * $below, 1 - 2 * ($below + $next));
    my $share = ($covers - LEVEL) / ($covers - $covers_less);
    return $k + ($n - $k) * $share / ($k + ($n - 2 * $k) * $share);
}

sub median_interval {
    my ($effective, @values) = @_;
    my $n = @values;
    return if $n < FEWEST;
    my @s = sort { $a <=> $b } @values;
    my $whole = int $effective;
    my ($low, $high) = map { share_below($_) } $whole, $whole + 1;
    my $share = $effective < FEWEST ? 0 : $low + ($effective - $whole) * ($high - $low);
    my $rank = max(1, $share * ($n + 1));
    return (at_rank($rank, @s), at_rank($n + 1 - $rank, @s));
}

sub at_rank {
    my ($rank, @s) = @_;
    my $i = int $rank;
    return $s[-1] if $i >= @s;
    return $s[ $i - 1 ] + ($rank - $i) * ($s[$i] - $s[ $i - 1 ]);
}

sub estimate {
    my ($passes, $counting, $companions, $known) = @_;
    my $series = $known ? $known->{series} : series($passes, $counting);
    my $own = $known ? $known->{correlation} : correlation($series);
    my $correlation = combined($own, $companions || []);
    my @values = @{ $series->{values} };
    my $cautious = effective($series, $correlation, MARGIN);
    my ($low, $high) = median_interval($cautious, @values);
    my $median = median(@values);
    my $half = defined $low ? max($high - $median, $median - $low) : undef;
    return {
        median      => $median,
        low         => $low,
        high        => $high,
        plus_minus  => defined $half && $median ? $half / abs $median : undef,
        effective   => effective($series, $correlation, 0),
        correlation => $correlation                     ? $correlation->{r}   : undef,
        gap         => $correlation && $series->{timed} ? $correlation->{gap} : undef,
        few         => $cautious < FEWEST               ? 1                   : 0,
    };
}

1;
