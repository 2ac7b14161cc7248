# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Histogram;

# Histograms of latencies, as the programs print them (src/harness/histogram.h):
# "bucket:count,count,...;bucket:count,...", where the counts are those of consecutive
# buckets, and an empty one is 0.
# Pure functions.
#
#   is_histogram(text or anything else) -> true where it is one, of at most 99,999 buckets
#       before its last counts
#   merge_histograms(texts) -> { bucket => count }, all of them added up
#   histogram_text(merged) -> the same as text
#   histogram_total(merged) -> number of latencies in it
#   histogram_quantiles(merged, shares in rising order) -> microseconds, one for each
#       share; an empty list for an empty histogram

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum);

our @EXPORT_OK =
    qw(is_histogram merge_histograms histogram_text histogram_total histogram_quantiles);

use constant TEXT_MAX => 100_000;    # characters

sub is_histogram {
    my ($text) = @_;
    return if !defined $text || ref $text || length $text > TEXT_MAX;
    return if $text =~ /[^\d:;,]/a || $text =~ /\d{16}/a;
    return !grep { length($_) && !/^\d{1,5}:/a } split /;/, $text;
}

sub merge_histograms {
    my @count;
    for my $part (map { split /;/ } @_) {
        my ($index, $counts) = split /:/, $part;
        for my $c (split /,/, $counts) {
            $count[$index] += $c if length $c;
            $index++;
        }
    }
    return { map { defined $count[$_] ? ($_ => $count[$_]) : () } 0 .. $#count };
}

sub histogram_text {
    my ($merged) = @_;
    my ($text, $last) = (q{});
    for my $index (sort { $a <=> $b } keys %{$merged}) {
        my $next = defined $last && $index == $last + 1;
        $text .= $next ? q{,} : (length($text) ? q{;} : q{}) . "$index:";
        $text .= $merged->{$index};
        $last = $index;
    }
    return $text;
}

sub histogram_total { my ($merged) = @_; return sum(0, values %{$merged}) }

# The middle of a bucket, in nanoseconds: there is a bucket for each nanosecond up to 64,
# then 64 for each power of two
sub bucket_value {
    my ($index) = @_;
    return $index if $index < 64;
    my $width = 2**(int($index / 64) - 1);
    return (64 + $index % 64) * $width + int($width / 2);
}

sub histogram_quantiles {
    my ($merged, @shares) = @_;
    my $total = histogram_total($merged);
    return if !$total;
    my ($below, @quantiles) = (0);
    my @left = @shares;
    for my $i (sort { $a <=> $b } keys %{$merged}) {
        $below += $merged->{$i};
        while (@left && $below >= $left[0] * $total) {
            push @quantiles, bucket_value($i) / 1000;
            shift @left;
        }
    }
    return @quantiles;
}

1;
