# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::DidYouMean;

# The word that a mistyped one was likely meant to be.
#
#   nearest(word, words) -> the one with the smallest edit distance, in which a swap of two
#       neighbours counts one; where all differ in more than a third of the letters, the only one
#       that begins with the same three letters; else undef
#   did_you_mean(word, [words], otherwise) -> the end of a message: "; did you mean 'x'?",
#       or, where none is near, "; otherwise" (nothing without it)

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(min max);

our @EXPORT_OK = qw(nearest did_you_mean);

use constant {
    LONGEST => 64,    # letters; a longer word is like no other
    ALIKE   => 3,     # letters of a beginning
};

# Damerau and Levenshtein's, with swaps of neighbours only (optimal string alignment)
sub distance {
    my ($from, $to) = @_;
    my @a = split //, $from;
    my @b = split //, $to;
    my @d = map { [ $_, (0) x @b ] } 0 .. @a;
    $d[0] = [ 0 .. @b ];
    for my $i (1 .. @a) {
        for my $j (1 .. @b) {
            my $differs = $a[ $i - 1 ] ne $b[ $j - 1 ] ? 1 : 0;
            $d[$i][$j] =
                min($d[ $i - 1 ][$j] + 1, $d[$i][ $j - 1 ] + 1, $d[ $i - 1 ][ $j - 1 ] + $differs);

            # two neighbours that changed places
            next
                if $i < 2 || $j < 2 || $a[ $i - 1 ] ne $b[ $j - 2 ] || $a[ $i - 2 ] ne $b[ $j - 1 ];
            $d[$i][$j] = min($d[$i][$j], $d[ $i - 2 ][ $j - 2 ] + 1);
        }
    }
    return $d[-1][-1];
}

sub nearest {
    my ($word, @words) = @_;
    return if length $word > LONGEST;
    my ($best, $least);
    for my $candidate (sort @words) {
        my $distance = distance(lc $word, lc $candidate);
        ($best, $least) = ($candidate, $distance) if !defined $least || $distance < $least;
    }
    my $most = length $word < ALIKE ? 0 : max(1, length($word) / 3);
    return $best if defined $least && $least <= $most;
    my $beginning = lc substr $word, 0, ALIKE;
    my @alike = grep { lc(substr $_, 0, ALIKE) eq $beginning } @words;
    return length $word < ALIKE || @alike != 1 ? undef : $alike[0];
}

sub did_you_mean {
    my ($word, $words, $otherwise) = @_;
    my $near = nearest($word, @{$words});
    return "; did you mean '$near'?" if defined $near;
    return defined $otherwise ? "; $otherwise" : q{};
}

1;
