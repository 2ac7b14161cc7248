# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Score;

# Index numbers and scores.  Pure functions.
#
#   index_of(rate, baseline) -> index; undef where one of them is unknown
#   score(indexes) -> score; undef without one
#   parse_baseline(text, name of the file) -> { test => rate }; dies with file and line of a
#       malformed one.  Lines: name|time|label|sum|score|iterations, of which name and score
#       are used; # begins a comment
#   partial_set([names], [names of a complete set]) -> 1 where one of these is missing, or 0
#   counted_too_few(run) -> true where --count is below INDEX_NEEDS: then there is no index
#
# An index is the ratio of a result to its baseline, times 10; an index score is the
# geometric mean of a category's indexes (the classic suite's definition).

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(first);
use SpawnMeter::Stats::Numbers qw(geometric_mean);

our @EXPORT_OK = qw(index_of score parse_baseline partial_set counted_too_few INDEX_NEEDS);

use constant INDEX_NEEDS => 100;    # creations of a pass with --count

sub index_of {
    my ($rate, $baseline) = @_;
    return if !defined $rate || !$baseline;
    return $rate / $baseline * 10;
}

# --count leaves out the warm-up, and the first creations of a program are slower
sub counted_too_few {
    my ($run) = @_;
    my $counted = ($run->{protocol} || {})->{counted};
    return defined $counted && $counted < INDEX_NEEDS;
}

sub score {
    return geometric_mean(grep { defined } @_);
}

sub parse_baseline {
    my ($text, $file) = @_;
    my %baseline;
    my $number = 0;
    for my $line (split /\r?\n/, $text) {
        $number++;
        next if $line =~ /^\s*(?:#|$)/;
        my @fields = split /\|/, $line, -1;
        die "$file, line $number: a baseline has six fields, name|time|label|sum|score|iterations\n"
            if @fields != 6;
        s/^\s+|\s+$//g for @fields;
        my ($name, $rate) = @fields[ 0, 4 ];
        die "$file, line $number: '$name' is not a name of a test\n" if $name !~ /^[\w.-]+\z/a;
        die "$file, line $number: '$rate' is not a score above 0\n"
            if $rate !~ /^\d+(?:[.]\d+)?\z/a || $rate <= 0 || $rate > 1e15;
        die "$file, line $number: $name already has a baseline\n" if $baseline{$name};
        $baseline{$name} = $rate;
    }
    die "$file: no baseline in it\n" if !%baseline;
    return \%baseline;
}

sub partial_set {
    my ($have, $all) = @_;
    my %have = map { $_ => 1 } @{$have};
    return defined(first { !$have{$_} } @{$all}) ? 1 : 0;
}

1;
