# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Shape;

# What a stored run must look like, so that all that read it can rely on it.
#
#   problem_of_run(data) -> undef, or why the data are not a run, with the place ("passes[3].rate is
#       not a number above 0").  A field without a type in Analysis::Record can be anything
#   problem_of(record, place, data, ...) -> likewise, of records of one kind
#   problem_of_list(data, record, place) -> likewise, of a list of them

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(first max min);
use Scalar::Util                   qw(looks_like_number);
use SpawnMeter::Analysis::Quantity qw(is_histogram);
use SpawnMeter::Analysis::Record   qw(types);

our @EXPORT_OK = qw(problem_of_run problem_of problem_of_list);

use constant {
    TEXT_MAX => 200_000,    # characters: more than Linux takes as one argument
    TIME_MAX => 1e15,       # seconds from 1970: a wall clock can say anything
    MOST     => 1e99,       # of any number: none is infinite or NaN, nor are products of a few
};

# Whether all that are defined are numbers; a text that is one has no blank (x ^ x: 0 of a number)
sub are_numbers {
    return !
        grep { defined && (ref || !looks_like_number($_) || $_ ^ $_ && /\s/ || !(abs() < MOST)) }
        @_;
}

sub are_texts {
    return !grep { !defined || ref || length > TEXT_MAX } @_;
}

sub are_truths {
    return !grep { ref && ref !~ /Boolean\z/ } @_;
}

sub are_histograms {
    return !grep { !is_histogram($_) } @_;
}

# Name => what it is, for messages; sub (defined values) -> true where all are of this type, or a
# pattern that they match; what they are in: a set, a list or one of so many
my %TYPE = (
    number       => [ 'a number', \&are_numbers ],
    positive     => [ 'a number above 0', sub { are_numbers(@_) && min(@_) > 0 } ],
    not_negative => [ 'a number that is not negative', sub { are_numbers(@_) && min(@_) >= 0 } ],
    time         => [ 'a time', sub { are_numbers(@_) && max(@_, -min(@_)) < TIME_MAX } ],
    truth        => [ 'true or false', \&are_truths ],
    text         => [ 'a text', \&are_texts ],
    line         => [ 'a text of at most 1000 characters', qr/\A.{0,1000}\z/s ],
    histogram    => [ 'a histogram', \&are_histograms ],
    four_numbers => [ 'a list of four numbers', \&are_numbers, 4 ],
    five_numbers => [ 'a list of five numbers', \&are_numbers, 5 ],
    numbers      => [ 'a list of numbers', \&are_numbers, 'list' ],
    texts        => [ 'a list of texts', \&are_texts, 'list' ],
    number_sets  => [ 'a list of sets of numbers', \&are_numbers, 'list', 'set' ],
    number_set   => [ 'a set of numbers', \&are_numbers, 'set' ],
    text_set     => [ 'a set of texts', \&are_texts, 'set' ],
    five_number_sets => [ 'a set of lists of five numbers', \&are_numbers, 'set', 5 ],
    histogram_set    => [ 'a set of histograms', \&are_histograms, 'set' ],
    copies           => [ 'a number of copies', qr/^\d{1,5}\z/a ],
    status           => [ 'ok, failed or skipped', qr/^(?:ok|failed|skipped)\z/ ],
    kind             => [
        'a kind of run (run, equals, ab, kernels, sweep or imported)',
        qr/^(?:run|equals|ab|kernels|sweep|imported)\z/
    ],
);

sub are {
    my ($type, @values) = @_;
    my (undef, $check, @in) = @{ $TYPE{$type} };
    for my $in (@in) {
        return if grep                { ref ne ($in eq 'set' ? 'HASH' : 'ARRAY') } @values;
        return if $in =~ /\d/ && grep { @{$_} != $in } @values;
        @values = map {
            $in eq 'set'
                ? grep { defined } values %{$_}
                : @{$_}
        } @values;
    }
    return $check->(@values) if ref $check eq 'CODE';
    return are_texts(@values) && @values == grep { $_ =~ $check } @values;
}

# { record => { type, or ! where a field must be there => [fields] } }
my %FIELDS;
for my $record (
    qw(run settings system test category block sweep side pass copy costs result listed score)) {
    my $types = types($record);
    for my $field (grep { defined $types->{$_} } sort keys %{$types}) {
        push @{ $FIELDS{$record}{$_} }, $field for $types->{$field} =~ /\w+|!/g;
    }
}

# What the types of the fields do not say of passes
sub problem_of_passes {
    my ($place, @passes) = @_;
    my @ok = grep { $_->{status} eq 'ok' } @passes;
    my @rates = grep { defined } map { $_->{rate} } @ok;
    return "$place.rate is not a number above 0"
        if @rates != @ok || @rates && !are('positive', @rates);
    my @results = grep { defined } map { $_->{results} } @ok;
    return "$place.results is not a list" if grep { ref ne 'ARRAY' } @results;
    my @copies = map { @{$_} } @results;
    return problem_of_list(\@copies, 'copy', "$place.results")
        // problem_of_list(\@copies, 'costs', "$place.results");
}

# All records are checked at once, by type; the field is named where there is only one record
sub problem_of {
    my ($shape, $place, @records) = @_;
    return "$place is not an object" if grep { ref ne 'HASH' } @records;
    my %fields = %{ $FIELDS{$shape} };
    for my $field (@{ delete $fields{q{!}} || [] }) {
        return "$place has no $field" if grep { !defined $_->{$field} } @records;
    }
    for my $type (sort keys %fields) {
        my @fields = @{ $fields{$type} };
        my @given = grep { defined } map { @{$_}{@fields} } @records;
        next if !@given || are($type, @given);
        my $bad = first { defined $records[0]{$_} && !are($type, $records[0]{$_}) } @fields;
        return join q{.}, $place, defined $bad ? "$bad is not $TYPE{$type}[0]" : ();
    }
    return "$place.x and $place.values have different lengths"
        if $shape eq 'sweep' && grep { @{ $_->{x} } != @{ $_->{values} } } @records;
    return $shape eq 'pass' ? problem_of_passes($place, @records) : undef;
}

sub problem_of_list {
    my ($data, $shape, $place) = @_;
    return "$place is not a list" if ref $data ne 'ARRAY';
    return if !defined problem_of($shape, $place, @{$data});
    for my $i (0 .. $#{$data}) {
        my $problem = problem_of($shape, "$place\[$i]", $data->[$i]);
        return $problem if defined $problem;
    }
    return;
}

# The parts of a run: what each is, with * what each of a list is, with ? where it can be missing
my @PARTS = qw(settings:settings system:system tests:test* blocks:block* categories:category*?
    printed:result*? sweep:sweep? sides:side*? passes:pass*);

sub problem_of_run {
    my ($run) = @_;
    my $problem = problem_of('run', 'run', $run);
    for my $part (@PARTS) {
        return $problem if defined $problem;
        my ($name, $shape, $list, $optional) = $part =~ /(\w+):(\w+)([*]?)([?]?)/;
        my $data = $run->{$name};
        next if $optional && !defined $data;
        $problem = problem_of($shape, $name, $data) if !$list;
        $problem = problem_of_list($data, $shape, $name) if $list;
    }
    return $problem;
}

1;
