# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Schema::Types;

# The types of the fields of a stored run.  Pure functions.
#
#   type(name) -> { check => sub (defined value) -> true where it is of this type, words =>
#       for messages ("a number above 0") }; dies where there is no such type
#   is_type(name, value) -> true where the value is defined and of this type

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Histogram qw(is_histogram);

our @EXPORT_OK = qw(type is_type);

use constant {
    TEXT_MAX => 100_000,    # characters
    TIME_MAX => 1e15,       # seconds from 1970: a wall clock can say anything
};

# Numbers as JSON writes them, without those that overflow; infinity and NaN are not numbers
my $FORM = qr/-?\d{1,18}(?:[.]\d{1,20})?(?:[eE][-+]?\d{1,2})?/a;
my $NUMBER = qr/^$FORM\z/;
my $NUMBERS = qr/^$FORM(?:,$FORM)*\z/;

sub matching {
    my ($pattern) = @_;
    return sub { return defined $_[0] && !ref $_[0] && $_[0] =~ $pattern };
}

sub is_number       { return defined $_[0]    && !ref $_[0] && $_[0] =~ $NUMBER }
sub is_positive     { return is_number($_[0]) && $_[0] > 0 }
sub is_not_negative { return is_number($_[0]) && $_[0] >= 0 }
sub is_time         { return is_number($_[0]) && abs $_[0] < TIME_MAX }
sub is_text         { return defined $_[0]    && !ref $_[0] && length $_[0] <= TEXT_MAX }
sub is_truth        { return !ref $_[0] || ref($_[0]) =~ /Boolean\z/ }

# Whether all that are defined are numbers.  One match for all of them: a run has tens of
# thousands.  A comma within a value would make it two, hence their count.
sub are_numbers {
    my @values = grep { defined } @_;
    return 1 if !@values;
    return if grep { ref } @values;
    my $text = join q{,}, @values;
    return $text =~ $NUMBERS && ($text =~ tr/,//) == $#values;
}

sub list_of {
    my ($check) = @_;
    return sub {
        return ref $_[0] eq 'ARRAY' && !grep { !$check->($_) } @{ $_[0] };
    };
}

sub is_number_list { return ref $_[0] eq 'ARRAY' && are_numbers(@{ $_[0] }) }
sub is_number_set  { return ref $_[0] eq 'HASH'  && are_numbers(values %{ $_[0] }) }

sub is_text_set {
    return ref $_[0] eq 'HASH' && !grep { defined && !is_text($_) } values %{ $_[0] };
}

sub numbers {
    my ($count) = @_;
    return sub { return is_number_list($_[0]) && @{ $_[0] } == $count };
}

sub set_of {
    my ($check) = @_;
    return sub {
        return ref $_[0] eq 'HASH' && !grep { !$check->($_) } values %{ $_[0] };
    };
}

my %TYPE = (
    number       => { check => \&is_number, words              => 'a number' },
    positive     => { check => \&is_positive, words            => 'a number above 0' },
    not_negative => { check => \&is_not_negative, words        => 'a number that is not negative' },
    time         => { check => \&is_time, words                => 'a time' },
    truth        => { check => \&is_truth, words               => 'true or false' },
    text         => { check => \&is_text, words                => 'a text' },
    name         => { check => \&is_text, words                => 'a name' },
    histogram    => { check => \&is_histogram, words           => 'a histogram' },
    four_numbers => { check => numbers(4), words               => 'a list of four numbers' },
    five_numbers => { check => numbers(5), words               => 'a list of five numbers' },
    numbers      => { check => \&is_number_list, words         => 'a list of numbers' },
    texts        => { check => list_of(\&is_text), words       => 'a list of texts' },
    number_sets  => { check => list_of(\&is_number_set), words => 'a list of sets of numbers' },
    number_set   => { check => \&is_number_set, words          => 'a set of numbers' },
    text_set     => { check => \&is_text_set, words            => 'a set of texts' },
    five_number_sets => {
        check => set_of(numbers(5)),
        words => 'a set of lists of five numbers',
    },
    histogram_set => { check => set_of(\&is_histogram), words    => 'a set of histograms' },
    copies        => { check => matching(qr/^\d{1,5}\z/a), words => 'a number of copies' },
    status        => {
        check => matching(qr/^(?:ok|failed|skipped)\z/),
        words => 'ok, failed or skipped',
    },
    kind => {
        check => matching(qr/^(?:run|equals|ab|sweep|imported)\z/),
        words => 'a kind of run (run, equals, ab, sweep or imported)',
    },
);

sub type {
    my ($name) = @_;
    return $TYPE{$name} || die "no type '$name'\n";
}

sub is_type {
    my ($name, $value) = @_;
    return defined $value && type($name)->{check}->($value);
}

1;
