# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Schema;

# What a stored run must look like, so that all that read it can rely on it.  Pure
# functions.
#
#   problem_of_run(data, thorough) -> undef, or why the data are not a run, with the place
#       ("passes[3].rate is not a number above 0").  Not thorough: what only a whole report
#       needs is not looked at (CPU times, latencies, footprints)
#   FORMAT: the format of run files; SCHEMA: its version
#   fields_read() -> { name of a record (Analysis::Record) => [names of those of its fields
#       that are checked here] }
#
# Fields that are not listed here may hold anything.  An undefined field counts as absent.

use strict;
use warnings;
use Exporter 'import';
use Scalar::Util                   qw(looks_like_number);
use SpawnMeter::Analysis::Quantity qw(is_histogram);
use SpawnMeter::Analysis::Record   qw(types);

our @EXPORT_OK = qw(FORMAT SCHEMA problem_of_run is_type type);

# ---- types ----
#
# The types of the fields of a stored run.  Pure functions.
#
#   type(name) -> { check => sub (defined value) -> true where it is of this type, words =>
#       for messages ("a number above 0") }; dies where there is no such type
#   is_type(name, value) -> true where the value is defined and of this type

use constant {
    TEXT_MAX => 100_000,    # characters
    TIME_MAX => 1e15,       # seconds from 1970: a wall clock can say anything
    MOST     => 1e99,       # of any number: none is infinite or NaN, nor are products of a few
};

sub matching {
    my ($pattern) = @_;
    return sub { return defined $_[0] && !ref $_[0] && $_[0] =~ $pattern };
}

sub is_number       { return defined $_[0]    && are_numbers($_[0]) }
sub is_positive     { return is_number($_[0]) && $_[0] > 0 }
sub is_not_negative { return is_number($_[0]) && $_[0] >= 0 }
sub is_time         { return is_number($_[0]) && abs $_[0] < TIME_MAX }
sub is_text         { return defined $_[0]    && !ref $_[0] && length $_[0] <= TEXT_MAX }
sub is_truth        { return !ref $_[0] || ref($_[0]) =~ /Boolean\z/ }

# Whether all that are defined are numbers.  Of JSON most are, and a text that is one has no blank
# (x ^ x is 0 of a number)
sub are_numbers {
    for (@_) {
        next if !defined;
        return if ref || !looks_like_number($_) || $_ ^ $_ && /\s/ || !(abs() < MOST);
    }
    return 1;
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

use constant {
    FORMAT => 'spawnmeter-run',
    SCHEMA => 1,                 # raised when a reader of the old one would be wrong (CONTRIBUTING)
};

# { record => [ { name, required, check, words } ] }, the required ones first
my %FIELDS = map { $_ => [ checked_fields(types($_)) ] }
    qw(run settings system test category block sweep side pass copy costs result);

sub checked_fields {
    my ($types) = @_;
    my @fields;
    for my $name (grep { defined $types->{$_} } sort keys %{$types}) {
        my ($type, $required) = $types->{$name} =~ m{^(\w+)(!?)$};
        push @fields, { name => $name, required => length $required, %{ type($type) } };
    }
    return sort { $b->{required} <=> $a->{required} } @fields;
}

sub problem_of_hash {
    my ($data, $shape, $place) = @_;
    return "$place is not an object" if ref $data ne 'HASH';
    for my $field (@{ $FIELDS{$shape} }) {
        my $name = $field->{name};
        if (defined $data->{$name}) {
            return "$place.$name is not $field->{words}" if !$field->{check}->($data->{$name});
        } elsif ($field->{required}) {
            return "$place has no $name";
        }
    }
    return;
}

sub problem_of_list {
    my ($data, $shape, $place) = @_;
    return "$place is not a list" if ref $data ne 'ARRAY';
    for my $i (0 .. $#{$data}) {
        my $problem = problem_of_hash($data->[$i], $shape, "$place\[$i]");
        return $problem if defined $problem;
    }
    return;
}

sub problem_of_pass {
    my ($pass, $place, $thorough) = @_;
    my $problem = problem_of_hash($pass, 'pass', $place);
    return $problem if defined $problem || $pass->{status} ne 'ok';
    return "$place.rate is not " . type('positive')->{words}
        if !is_type('positive', $pass->{rate});
    return if !defined $pass->{results};
    $problem = problem_of_list($pass->{results}, 'copy', "$place.results");
    return $problem if defined $problem || !$thorough;
    return problem_of_list($pass->{results}, 'costs', "$place.results");
}

sub problem_of_passes {
    my ($passes, $thorough) = @_;
    return 'passes is not a list' if ref $passes ne 'ARRAY';
    for my $i (0 .. $#{$passes}) {
        my $problem = problem_of_pass($passes->[$i], "passes[$i]", $thorough);
        return $problem if defined $problem;
    }
    return;
}

sub problem_of_sweep {
    my ($sweep, $shape, $place) = @_;
    my $problem = problem_of_hash($sweep, $shape, $place);
    return $problem if defined $problem;
    my $good = @{ $sweep->{x} } == @{ $sweep->{values} };
    return $good ? undef : "$place.x and $place.values have different lengths";
}

# The parts of a run besides its passes, in the order of the checks
my @PARTS = (
    { name => 'protocol', shape   => 'settings', problem => \&problem_of_hash },
    { name => 'system', shape     => 'system', problem   => \&problem_of_hash },
    { name => 'tests', shape      => 'test', problem     => \&problem_of_list },
    { name => 'blocks', shape     => 'block', problem    => \&problem_of_list },
    { name => 'categories', shape => 'category', problem => \&problem_of_list, optional  => 1 },
    { name => 'printed', shape    => 'result', problem   => \&problem_of_list, optional  => 1 },
    { name => 'sweep', shape      => 'sweep', problem    => \&problem_of_sweep, optional => 1 },
    { name => 'sides', shape      => 'side', problem     => \&problem_of_list, optional  => 1 },
);

sub problem_of_run {
    my ($run, $thorough) = @_;
    my $problem = problem_of_hash($run, 'run', 'run');
    for my $part (@PARTS) {
        return $problem if defined $problem;
        my $data = $run->{ $part->{name} };
        next if $part->{optional} && !defined $data;
        $problem = $part->{problem}->($data, $part->{shape}, $part->{name});
    }
    return defined $problem ? $problem : problem_of_passes($run->{passes}, $thorough);
}

1;
