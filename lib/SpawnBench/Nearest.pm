package SpawnBench::Nearest;

# nearest(word, words) -> the word that it was likely meant to be, or undef.
# By edit distance; nothing is suggested that differs in more than a third.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(min max);

our @EXPORT_OK = qw(nearest);

sub distance {
    my ($from, $to) = @_;
    my @row = (0 .. length $to);
    for my $i (1 .. length $from) {
        my @next = ($i);
        for my $j (1 .. length $to) {
            my $differs = substr($from, $i - 1, 1) ne substr $to, $j - 1, 1;
            push @next, min($row[$j] + 1, $next[-1] + 1, $row[ $j - 1 ] + ($differs ? 1 : 0));
        }
        @row = @next;
    }
    return $row[-1];
}

sub nearest {
    my ($word, @words) = @_;
    return if length $word > 64;
    my ($best, $least);
    for my $candidate (sort @words) {
        my $distance = distance(lc $word, lc $candidate);
        ($best, $least) = ($candidate, $distance) if !defined $least || $distance < $least;
    }
    return if !defined $least || $least > max(1, length($word) / 3);
    return $best;
}

1;
