# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Parts;

# What the forms of a comparison share.
#
#   names(comparison) -> a short name for each machine: the labels, or else the names, where all
#       fit into a column and differ; or old and new, or A, B, C ...
#   rows(comparison) -> the rows of all pairs; each also has the machines' names, from and to
#   quality(machine) -> (lines that say what makes its results doubtful)
#   difference({ fact, old, new }) -> "fact: old -> new"
#   reference(pair) -> a sentence about the reference loops, empty without them
#   change(ratio) -> "+2.5%"; change_number(ratio) -> "+2.5", at most ">+999"

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape        qw(ascii);
use SpawnMeter::Report::Text::Quality qw(busy);
use SpawnMeter::Util::Format          qw(copies);

our @EXPORT_OK = qw(names rows quality difference reference change change_number head name);

use constant {
    LONG => 160,      # characters of two values; above that only what differs is shown
    MOST => 10.99,    # a ratio that is printed
};

my $SHORT = qr/\A[\w.+-]{1,9}\z/a;

sub names {
    my ($comparison) = @_;
    my @names = map { defined $_->{run}{label} ? $_->{run}{label} : $_->{name} }
        @{ $comparison->{machines} };
    my ($count, %seen) = scalar @names;
    return @names if !grep { !/$SHORT/ || $seen{$_}++ } @names;
    return qw(old new) if $count == 2;
    return map { $_ < 26 ? chr(ord('A') + $_) : 'M' . ($_ + 1) } 0 .. $count - 1;
}

sub rows {
    my ($comparison) = @_;
    my ($first, @others) =
        map { { name => $_->{name}, label => $_->{run}{label} } } @{ $comparison->{machines} };
    my @rows;
    for my $pair (@{ $comparison->{pairs} }) {
        my $to = shift @others;
        my %names = (from => $first->{name}, to => $to->{name});
        @names{qw(from_label to_label)} = ($first->{label}, $to->{label});
        push @rows, map { { %{$_}, %names, copies => $_->{copies} || undef } } @{ $pair->{rows} };
    }
    return @rows;
}

sub quality {
    my ($machine) = @_;
    my @cells = values %{ $machine->{cells} };
    my $busy = busy('results', @cells);
    my $disturbed = grep { $_->{disturbed} && !defined $_->{busy} } @cells;
    my $unsettled = grep { defined $_->{settled} && !$_->{settled} } @cells;
    my @lines;
    push @lines, "*** BUSY: $busy" if length $busy;
    push @lines, sprintf '*** DISTURBED: %d of %d results', $disturbed, scalar @cells if $disturbed;
    push @lines, sprintf 'noisy: %d of %d results', $unsettled, scalar @cells if $unsettled;
    return @lines;
}

sub difference {
    my ($difference) = @_;
    my ($fact, $old, $new) = map { hashes_cut($_) } @{$difference}{qw(fact old new)};
    ($old, $new) = (not_in($new, $old), not_in($old, $new)) if length "$old$new" >= LONG;
    return "$fact: " . known($old) . ' -> ' . known($new);
}

sub known { my ($value) = @_; return length($value) ? ascii($value) : 'unknown' }

# SHA-256 sums
sub hashes_cut { my ($text) = @_; return $text =~ s/\b([\da-f]{12})[\da-f]{52}\b/$1.../gr }

# The parts of a list "a; b; c" that the other list has not
sub not_in {
    my ($other, $list) = @_;
    my %known = map { $_ => 1 } split /; /, $other;
    return join('; ', grep { !$known{$_} } split /; /, $list) || 'nothing';
}

sub reference {
    my ($pair) = @_;
    my $found = $pair->{reference};
    return "Reference loops: not used ($found->{why})." if defined $found->{why};
    my @levels = map { change($found->{levels}{$_}) . ' (' . copies($_) . ')' }
        sort { $a <=> $b } keys %{ $found->{levels} };
    return "Reference loops: $found->{words} " . join(q{, }, @levels) . ', taken out.';
}

sub change { my ($ratio) = @_; return change_number($ratio) . q{%} }

sub change_number {
    my ($ratio) = @_;
    return '>+999' if $ratio > MOST;
    my $number = sprintf abs($ratio) < 10 ? '%+.1f' : '%+.0f', 100 * ($ratio - 1);
    return $number eq '-0.0' ? '+0.0' : $number;
}

# ---- cells ----
#
# The first column of both tables of a comparison.
#
#   head(copies) -> "2 copies", or "? copies"
#   name(test) -> (line, name): a name that is too long for the column goes into a line of
#       its own, and the column is empty

use constant {
    WIDTH => 72,
    NAME  => 11,
};

sub head { my ($copies) = @_; return $copies ? copies($copies) : '? copies' }

sub name {
    my ($test) = @_;
    my $name = ascii($test);
    return (q{}, $name) if length $name <= NAME;
    return (substr($name, 0, WIDTH) . "\n", q{});
}

1;
