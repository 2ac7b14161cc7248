# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import::Numbers;

# The numbers of a report, as different languages write 1234567.8: with thousands by commas,
# dots, apostrophes or blanks, and with a decimal point or comma.  Pure functions.
#
#   number_pattern() -> pattern of a number without blanks
#   grouped_pattern() -> the same, or thousands by single blanks
#   readings(text) -> ({ value, rounding => its largest error, decimals => digits that are
#       printed after the separator, dots => what a dot before three digits was taken for
#       (decimal or thousands; undefined where there is none), commas => likewise }): all that
#       the text can mean; none where it is not a number.  "12.345" can mean two numbers
#   consistent({ baseline, rate, index => texts }, factor) -> ({ baseline, rate, index =>
#       readings }): those readings in which index = rate / baseline * factor, within the
#       rounding of all three, and a separator means the same in all three
#   is_same(reading, reading) -> true where both can be prints of one number

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max);

our @EXPORT_OK = qw(number_pattern grouped_pattern readings consistent is_same);

use constant {
    A_DIGIT      => 1.001,    # of the last digit that is printed: cut off, or rounded
    HALF_A_DIGIT => 0.501,
};

my $APOSTROPHE = qr/['\x{2019}]/;
my $NUMBER = qr/\d{1,15}(?:(?:[.,]|$APOSTROPHE)\d{1,15}){0,6}/a;
my $GROUPED = qr/(?:\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,6})?|$NUMBER)/a;

sub number_pattern  { return $NUMBER }
sub grouped_pattern { return $GROUPED }

sub reading {
    my ($whole, $decimals, %meaning) = @_;
    my $value = length $decimals ? "$whole.$decimals" : $whole;

    # "207.90" is a number with one decimal that another program printed with two
    my $shown = $decimals =~ s/(?<=\d)0+\z//ar;
    my $rounding = HALF_A_DIGIT * 10**-length $shown;
    return { value => $value + 0, rounding => $rounding, decimals => length $decimals, %meaning };
}

sub readings {
    my ($text) = @_;
    return if length $text > 40;
    if ($text =~ /[ '\x{2019}]/) {
        return if $text !~ /^\d{1,3}(?:(?: |$APOSTROPHE)\d{3})+(?:[.,]\d{1,6})?\z/a;
        $text =~ s/[ '\x{2019}]//g;
    }
    return reading($text, q{}) if $text =~ /^\d{1,15}\z/a;
    my ($whole, $separator, $last) = $text =~ /^(\d[\d.,]*)([.,])(\d{1,6})\z/a or return;
    return with_one_separator($whole, $separator, $last) if $whole !~ /[.,]/;

    # several: all but the last one are between thousands
    return if $whole !~ /^\d{1,3}(?:([.,])\d{3})(?:\g1\d{3})*\z/a;
    my $thousands = $1;
    (my $digits = $whole) =~ tr/.,//d;
    return reading($digits, $last) if $thousands ne $separator;
    return length $last == 3 ? reading("$digits$last", q{}) : ();
}

sub with_one_separator {
    my ($whole, $separator, $last) = @_;
    return reading($whole, $last) if length $last != 3 || $whole !~ /^[1-9]\d{0,2}\z/a;
    my $name = $separator eq q{.} ? 'dots' : 'commas';
    return (
        reading($whole, $last, $name      => 'decimal'),
        reading("$whole$last", q{}, $name => 'thousands'),
    );
}

sub is_same {
    my ($x, $y) = @_;
    my $rounding = max($x->{rounding}, $y->{rounding}) / HALF_A_DIGIT;
    return abs($x->{value} - $y->{value}) <= A_DIGIT * $rounding;
}

sub consistent {
    my ($texts, $factor) = @_;
    my @found;
    for my $baseline (readings($texts->{baseline})) {
        for my $rate (readings($texts->{rate})) {
            for my $index (readings($texts->{index})) {
                my %of = (baseline => $baseline, rate => $rate, index => $index);
                push @found, \%of if follows(\%of, $factor) && is_of_one_style(values %of);
            }
        }
    }
    return @found;
}

sub follows {
    my ($of, $factor) = @_;
    my ($baseline, $rate, $index) = @{$of}{qw(baseline rate index)};
    return if $baseline->{value} <= 0 || $rate->{value} <= 0;

    # baselines without decimals are exact ones, unless nothing in the row has decimals
    my $exact = !$baseline->{decimals} && $index->{decimals};
    my $share = $rate->{rounding} / $rate->{value};
    $share += $baseline->{rounding} / $baseline->{value} if !$exact;
    my $distance = abs($rate->{value} / $baseline->{value} * $factor - $index->{value});
    return $distance <= $index->{rounding} + $index->{value} * $share;
}

# A dot that separates thousands in one number does so in all; where a number shows by its
# length that a separator is decimal, it is decimal in all
sub is_of_one_style {
    my (@readings) = @_;
    for my $name (qw(dots commas)) {
        my %meanings = map { $_->{$name} => 1 } grep { defined $_->{$name} } @readings;
        return if keys %meanings > 1;
    }
    return 1;
}

1;
