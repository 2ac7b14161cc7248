# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Options::Values;

# Whether the text of an option's value has the form that it must have.
#
#   are_copies(text) -> true for numbers of copies: "1,4-8,cpus,half"
#   is_percentage(text) -> true for a number above 0 and below 100, with % or without
#   is_list_of({ word => true }, text) -> true for such words with "," or "+" between them

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(are_copies is_percentage is_list_of);

sub are_copies {
    my ($text) = @_;
    for my $part (split /,/, $text, -1) {
        next if $part =~ /^(?:cpus|half)\z/;
        my ($from, $to) = $part =~ /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?\z/a or return 0;
        return 0 if defined $to && $to < $from;
    }
    return length $text;
}

sub is_percentage {
    my ($text) = @_;
    return $text =~ /^(\d{1,2}(?:[.]\d{1,4})?)%?$/ && $1 > 0;
}

sub is_list_of {
    my ($known, $text) = @_;
    return length($text) && !grep { !$known->{$_} } split /[,+]/, $text, -1;
}

1;
