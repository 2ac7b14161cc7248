# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published::Lines;

# The lines of the file of a published experiment.  The manual (PUBLISHED EXPERIMENTS) describes
# them.
#
#   add_line(experiment, text of a line, its number) -> undef, or "expected ..., found ..."
#   label_in(part, label) -> the label of a value in the whole experiment
#   new_experiment(name) -> one without lines

use strict;
use warnings;
use Exporter 'import';
use List::Util                                 qw(first);
use SpawnMeter::Analysis::Published            qw(forms);
use SpawnMeter::Catalog::Published::Claim      qw(amount measures);
use SpawnMeter::Catalog::Published::ClaimLines qw(of_claim keys_of_claim add_claim add_needs);
use SpawnMeter::Catalog::Published::Fields     qw(once fields words known_machine);

our @EXPORT_OK = qw(add_line label_in new_experiment);

use constant PASSES_MAX => 99;

# key => sub (experiment, value, line number) that returns what is wrong, or undef, or dies with it
my %LINE = (
    title      => sub { return once(@_[ 0, 1 ], 'title') },
    axis       => sub { return once(@_[ 0, 1 ], 'axis') },
    form       => \&add_form,
    source     => sub { push @{ $_[0]{source} }, $_[1];  return },
    unclear    => sub { push @{ $_[0]{unclear} }, $_[1]; return },
    note       => sub { push @{ $_[0]{notes} }, $_[1];   return },
    address    => \&add_address,
    takes      => \&add_taken,
    references => sub { push @{ $_[0]{references} }, split q{ }, $_[1]; return },
    passes     => \&add_passes,
    quantity   => \&add_quantity,
    needs      => \&add_needs,
    machine    => \&add_machine,
    part       => \&add_part,
    measure    => \&add_measure,
    figure     => \&add_figure,
    also       => \&add_also,
    columns    => \&add_columns,
    row        => \&add_row,
    claim      => \&add_claim,
);

sub new_experiment {
    my ($name) = @_;
    return {
        name => $name,
        map { $_ => [] }
            qw(source address unclear notes references needs machines parts figures also
            claims rows takes)
    };
}

# Returns what is wrong with the line, or undef
sub add_line {
    my ($experiment, $line, $number) = @_;
    return if $line =~ /^\s*(?:#|$)/;
    return 'expected printable characters, found a control character'
        if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
    my ($indent, $key, $value) = $line =~ /^(\s*)(\S+)\s*(.*?)\s*\z/;
    return 'expected a claim above this indented line, found none'
        if length $indent && !@{ $experiment->{claims} };
    my @known = length $indent ? @{ keys_of_claim() } : sort keys %LINE;
    my $add = length $indent ? of_claim($key) : $LINE{$key};
    return 'expected one of ' . join(', ', @known) . ", found '$key'" if !$add;
    return "expected a value after '$key', found the end of the line" if !length $value;
    my $problem = eval { $add->($experiment, $value, $number) };
    return $problem if !length $@;
    return $@ =~ s/\n\z//r;
}

sub add_form {
    my ($experiment, $value) = @_;
    my @known = @{ forms() };
    return 'expected one of ' . join(', ', @known) . ", found '$value'"
        if !grep { $_ eq $value } @known;
    return once($experiment, $value, 'form');
}

sub add_address {
    my ($experiment, $value) = @_;
    return 'expected an address such as https://..., lkml:ID, isbn:NUMBER or doi:NAME, or unknown,'
        . " found '$value'"
        if $value !~ m{^(?:(?:https?://|lkml:|isbn:|doi:)\S+|unknown)\z};
    push @{ $experiment->{address} }, $value;
    return;
}

sub add_taken {
    my ($experiment, $value) = @_;
    return "expected beside, count or limits, found '$value'"
        if $value !~ /^(?:beside|count|limits)\z/;
    push @{ $experiment->{takes} }, $value;
    return;
}

sub add_passes {
    my ($experiment, $value) = @_;
    return "expected a whole number from 1 to ${\PASSES_MAX}, found '$value'"
        if $value !~ /^[1-9]\d?\z/a;
    return once($experiment, $value + 0, 'passes');
}

sub add_quantity {
    my ($experiment, $value) = @_;
    my @known = measures();
    return 'expected one of ' . join(', ', @known) . ", found '$value'"
        if !grep { $_ eq $value } @known;
    return once(current_part($experiment), $value, 'quantity');
}

sub add_machine {
    my ($experiment, $value) = @_;
    my ($key, $words) = fields($value, 2, 2, 'NAME | WORDS');
    return "expected a name of at most 12 characters, found '$key'" if $key !~ /^[\w.-]{1,12}\z/a;
    return "expected a new machine, found '$key' again" if known_machine($experiment, $key);
    push @{ $experiment->{machines} }, { name => $key, words => $words };
    return;
}

sub add_part {
    my ($experiment, $value) = @_;
    my ($name, $title, $axis) = fields($value, 3, 3, 'NAME | TITLE | AXIS');
    return "expected a name of small letters and hyphens, found '$name'"
        if $name !~ /^[a-z][a-z-]*\z/;
    return "expected the parts before all that is measured, found 'part' after it"
        if first { !defined $_->{name} } @{ $experiment->{parts} };
    return "expected a new part, found '$name' again"
        if first { $_->{name} eq $name } @{ $experiment->{parts} };
    push @{ $experiment->{parts} },
        { name => $name, title => $title, axis => $axis, measures => [] };
    return;
}

# The part that lines belong to; one without a name where the file names none
sub current_part {
    my ($experiment) = @_;
    push @{ $experiment->{parts} }, { measures => [] } if !@{ $experiment->{parts} };
    return $experiment->{parts}[-1];
}

sub label_in {
    my ($part, $label) = @_;
    return defined $part->{name} ? "$part->{name} $label" : $label;
}

sub add_measure {
    my ($experiment, $value, $number) = @_;
    my ($tests, $option, $values) = fields($value, 3, 3, 'TESTS | OPTIONS | VALUES');
    my @values = words($values);
    my @tests = split q{ }, $tests;
    push @{ current_part($experiment)->{measures} },
        { tests => \@tests, option => $option, values => \@values, line => $number };
    return;
}

sub add_figure {
    my ($experiment, $value, $number) = @_;
    my ($machine, $series, $label, $text, $mark) =
        fields($value, 4, 5, 'MACHINE | TEST | VALUE | AMOUNT [ | second-hand ]');
    return "expected a machine that is defined above, found '$machine'"
        if !known_machine($experiment, $machine);
    return "expected second-hand, found '$mark'" if defined $mark && $mark ne 'second-hand';
    my $amount = amount($text)
        or return 'expected an amount above 0 such as 1.23 ms, 4.07 s/10000 or 411 /s,'
        . " found '$text'";
    my $part = current_part($experiment);
    push @{ $experiment->{figures} },
        {
        machine => $machine,
        series  => $series,
        label   => label_in($part, $label),
        measure => $part->{quantity} || 'time',
        text    => $text,
        line    => $number,
        second  => defined $mark ? 1 : 0,
        %{$amount},
        };
    return;
}

sub add_also {
    my ($experiment, $value) = @_;
    my ($what, $text, $mark) = fields($value, 2, 3, 'WORDS | AMOUNT [ | second-hand ]');
    return "expected second-hand, found '$mark'" if defined $mark && $mark ne 'second-hand';
    push @{ $experiment->{also} },
        { words => $what, text => $text, second => defined $mark ? 1 : 0 };
    return;
}

sub add_columns {
    my ($experiment, $value) = @_;
    return once($experiment, [ fields($value, 2, 9, 'two to nine columns') ], 'columns');
}

sub add_row {
    my ($experiment, $value) = @_;
    my $columns = $experiment->{columns} or return q{expected 'columns' above, found a row};
    my $n = @{$columns};
    push @{ $experiment->{rows} }, [ map { s/^\s+|\s+$//gr } split /[|]/, $value, -1 ];
    my $found = @{ $experiment->{rows}[-1] };
    return $found == $n ? undef : "expected $n fields, one for each column, found $found";
}

1;
