# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Catalog::Published::Fields;

# What the lines of a published experiment have in common.
#
#   once(hash, value, key) -> undef, or what is wrong where the key has a value already
#   fields(value, least, most, how they are described) -> ("a", "b") of "a | b"; dies where they
#       are too few or too many or one is empty (a second one called OPTIONS may be)
#   words(text) -> words, of which the label may stand in double quotes
#   known_machine(experiment, name) -> machine, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);

our @EXPORT_OK = qw(once fields words known_machine);

sub once {
    my ($in, $value, $key) = @_;
    return "expected one line '$key', found a second" if defined $in->{$key};
    $in->{$key} = $value;
    return;
}

# "a | b | c" -> (a, b, c); dies unless there are as many fields
sub fields {
    my ($value, $least, $most, $what) = @_;
    my @fields = map { s/^\s+|\s+$//gr } split /[|]/, $value, -1;
    die "expected $what, found " . @fields . (@fields == 1 ? " field\n" : " fields\n")
        if @fields < $least || @fields > $most;
    my $may_be_empty = $what =~ /OPTIONS/ ? 1 : -1;
    my $empty = first { !length $fields[$_] && $_ != $may_be_empty } 0 .. $#fields;
    die "expected $what, found an empty field\n" if defined $empty;
    return @fields;
}

# Words, of which the label may stand in double quotes: "100 files"=--files,100
sub words {
    my ($text) = @_;
    my @words;
    while ($text =~ s/^\s*(?:"([^"=|]+)"(?==)|([^\s"=]+))((?:=\S*)?)//) {
        push @words, (defined $1 ? $1 : $2) . $3;
    }
    die "expected VALUE, LABEL=OPTIONS or \"LABEL\"=OPTIONS, found '$text'\n" if $text =~ /\S/;
    return @words;
}

sub known_machine {
    my ($experiment, $key) = @_;
    return first { $_->{name} eq $key } @{ $experiment->{machines} };
}

1;
