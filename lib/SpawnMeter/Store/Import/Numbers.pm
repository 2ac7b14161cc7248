# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Numbers;

# The numbers of a report, as %.1f is written in different languages: 1234.5, 1234,5,
# 1,234.5 or 1234.  Pure functions.
#
#   number_pattern() -> pattern of such a number
#   number(text that matches it) -> number
#   rounding(text) -> largest error of the printed number
#   is_equal_rounded(number, number) -> true where both can be prints of one rate
#   problem_of_index({ baseline, rate, index => texts }) -> why the index does not follow
#       from the others, or undef

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(number_pattern number rounding is_equal_rounded problem_of_index);

use constant {
    EQUAL_ROUNDED => 0.51,     # two prints of a rate, with one decimal or none, differ less
    HALF_A_DIGIT  => 0.501,    # of the last digit that is printed
};

my $THOUSANDS = qr/\d{1,3}(?:,\d{3})+(?:[.]\d+)?/a;
my $NUMBER = qr/(?:$THOUSANDS|\d{1,15}(?:[.,]\d{1,6})?)/a;

sub number_pattern { return $NUMBER }

# "1,234" has thousands, and "1234,5" a decimal comma
sub number {
    my ($text) = @_;
    if   ($text =~ /^$THOUSANDS$/) { $text =~ tr/,//d }
    else                           { $text =~ tr/,/./ }
    return $text + 0;
}

sub rounding {
    my ($text) = @_;
    return HALF_A_DIGIT * ($text =~ /[.,](\d{1,2})$/a ? 10**-length $1 : 1);
}

sub is_equal_rounded { my ($x, $y) = @_; return abs($x - $y) <= EQUAL_ROUNDED }

# An index is ten times the ratio of rate and baseline, within the rounding of all three
sub problem_of_index {
    my ($texts) = @_;
    my @names = qw(baseline rate index);
    my %value = map { $_ => number($texts->{$_}) } @names;
    return 'its baseline or result is not above 0' if $value{baseline} <= 0 || $value{rate} <= 0;
    my %error = map { $_ => rounding($texts->{$_}) } @names;
    my $share = $error{rate} / $value{rate} + $error{baseline} / $value{baseline};
    my $distance = abs($value{rate} / $value{baseline} * 10 - $value{index});
    return if $distance <= $error{index} + $value{index} * $share;
    return "its result $texts->{rate} over its baseline $texts->{baseline}"
        . " does not give the index $texts->{index}";
}

1;
