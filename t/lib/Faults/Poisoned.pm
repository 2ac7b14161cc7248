# SPDX-License-Identifier: GPL-2.0-or-later
package Faults::Poisoned;

# Stored runs with a hostile text in the place of each of their own.
#
#   few(run as decoded from its file) -> it, with six passes of each cell, enough for an interval
#   changes(run as decoded from its file, seen => { text => true } of those that are left out
#       and are added here, extra => true: also as a name of a fact and as the label, payloads
#       => [texts]) -> list of subs, each of which puts a payload in the place of one text: sub
#       (run) -> run
#   poisoned(path without ending, run, at once => N, changes) -> [ paths ], number of changes in
#       them: each is the run with so many changes, or with half of them as often as load() refuses
#       them together; one that it refuses is left out

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::File qw(encode);
use TestHelp;

our @EXPORT_OK = qw(few changes poisoned);

use constant FEW => 6;

sub few {
    my ($run) = @_;
    my %of;
    my $cell = sub {
        return join q{ }, map { defined $_ ? $_ : q{} } @{ $_[0] }{qw(test copies side value)};
    };
    my @passes = grep { $of{ $cell->($_) }++ < FEW } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

# Every text of the data that has letters
sub texts_in {
    my ($data, $found) = @_;
    if    (ref $data eq 'HASH')  { texts_in($_, $found) for values %{$data} }
    elsif (ref $data eq 'ARRAY') { texts_in($_, $found) for @{$data} }
    elsif (defined $data && !ref $data && $data =~ /[[:alpha:]]/ && $data !~ /^[\d.]+e-?\d+$/) {
        $found->{$data} = 1;
    }
    return $found;
}

# The data with another text in place of this one, wherever it is
sub replaced {
    my ($data, $old, $new) = @_;
    return [ map { replaced($_, $old, $new) } @{$data} ] if ref $data eq 'ARRAY';
    return { map { $_ => replaced($data->{$_}, $old, $new) } keys %{$data} } if ref $data eq 'HASH';
    return defined $data && !ref $data && $data eq $old ? $new : $data;
}

sub changes {
    my ($run, %how) = @_;
    my $seen = $how{seen} || {};
    my @texts = grep { !$seen->{$_} } sort keys %{ texts_in($run, {}) };
    $seen->{$_} = 1 for @texts;
    my @cases = map {
        my $old = $_;
        sub { return replaced($_[0], $old, $_[1]) }
    } @texts;
    if ($how{extra}) {
        for my $set (qw(system settings)) {
            push @cases, sub { return { %{ $_[0] }, $set => { %{ $_[0]{$set} }, $_[1] => 'x' } } };
        }
        push @cases, sub { return { %{ $_[0] }, label => $_[1] } };
    }
    my $number = 0;
    my @changes;
    for my $payload (@{ $how{payloads} }) {
        for my $case (@cases) {
            my $text = "$payload " . $number++;
            push @changes, sub { return $case->($_[0], $text) };
        }
    }
    return @changes;
}

sub poisoned {
    my ($start, $run, $at_once, @changes) = @_;
    my ($count, @open, @paths) = (0);
    while (my @some = splice @changes, 0, $at_once) { push @open, \@some }
    while (my $some = shift @open) {
        my $path = "$start-" . @paths . '.json';
        my $data = $run;
        $data = $_->($data) for @{$some};
        if (loads($path, $data)) {
            push @paths, $path;
            $count += @{$some};
            next;
        }
        unlink $path;
        my @half = splice @{$some}, @{$some} / 2;
        unshift @open, $some, \@half if @{$some};
    }
    return (\@paths, $count);
}

sub loads {
    my ($path, $data) = @_;
    spew($path, encode($data));
    return eval { SpawnMeter::Store::RunFile::load($path); 1 };
}

1;
