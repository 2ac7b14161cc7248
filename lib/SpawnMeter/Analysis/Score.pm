# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Score;

# From rates to index numbers.  Pure functions.
#
# An index is the ratio of a result to its baseline, times 10; an index score is
# the geometric mean of a category's indexes (the classic suite's definition).

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(first);
use SpawnMeter::Analysis::Stats qw(geometric_mean);

our @EXPORT_OK = qw(index_of score parse_baseline partial_set);

sub index_of {
    my ($rate, $baseline) = @_;
    return if !defined $rate || !$baseline;
    return $rate / $baseline * 10;
}

# score(indexes): undef without one
sub score {
    return geometric_mean(grep { defined } @_);
}

# parse_baseline(text, name of the file) -> { test => rate }
# Lines: name|time|label|sum|score|iterations, of which name and score count;
# # begins a comment.  Dies with file and line of a malformed one.
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
        die "$file, line $number: '$name' is no name of a test\n" if $name !~ /^[\w.-]+$/;
        die "$file, line $number: '$rate' is no score above 0\n"
            if $rate !~ /^\d+(?:[.]\d+)?$/ || $rate <= 0 || $rate > 1e15;
        die "$file, line $number: $name has a baseline already\n" if $baseline{$name};
        $baseline{$name} = $rate;
    }
    die "$file: no baseline in it\n" if !%baseline;
    return \%baseline;
}

# Is this set of names less than all the tests that the baseline has of them?
sub partial_set {
    my ($have, $all) = @_;
    my %have = map { $_ => 1 } @{$have};
    return defined(first { !$have{$_} } @{$all}) ? 1 : 0;
}

1;
