# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Columns;

# table(comparison, names of its machines) -> text of at most 72 columns: the rate of the
# first machine and, in a column for each other one, its change; in blocks of as many
# columns as fit.

use strict;
use warnings;
use SpawnMeter::Report::Compare::Cells qw(head name);
use SpawnMeter::Report::Compare::Parts qw(change);
use SpawnMeter::Util::Format           qw(rate);

use constant COLUMNS => 5;    # of other machines in a block

my %MARK = (same => '~', unclear => '?', busy => '!');

sub table {
    my ($comparison, $first, @others) = @_;
    my @columns = map { { name => $others[$_], pair => $comparison->{pairs}[$_] } } 0 .. $#others;
    my @cells = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} }
        values %{ $comparison->{machines}[0]{cells} };
    my $text = q{};
    while (my @some = splice @columns, 0, COLUMNS) {
        my %seen;
        for my $copies (grep { !$seen{$_}++ } map { $_->{copies} } @cells) {
            $text .= "\n" . line(head($copies), $first, map { $_->{name} } @some);
            $text .= row($_, @some) for grep { $_->{copies} == $copies } @cells;
            $text .= line('all tests', q{}, map { mean($_->{pair}, $copies) } @some);
        }
    }
    my $within = sprintf '%g %%', 100 * $comparison->{pairs}[0]{margin};
    return "$text\nDifferences from $first, + is better; ~ the same within $within, ? unclear.\n"
        . busy($comparison);
}

sub busy {
    my ($comparison) = @_;
    my $busy = grep { $_->{verdict} eq 'busy' } map { @{ $_->{rows} } } @{ $comparison->{pairs} };
    return $busy ? "! one of the two runs is of a busy machine: no verdict.\n" : q{};
}

sub line {
    my ($name, @fields) = @_;
    return sprintf('%-11s', $name) . join(q{}, map { sprintf ' %9s', $_ } @fields) . "\n";
}

sub row {
    my ($cell, @columns) = @_;
    my ($line, $name) = name($cell->{test});
    my @changes = map { change_of($_->{pair}, $cell) } @columns;
    return $line
        . line($name,
        rate(defined $cell->{center} ? $cell->{center} : $cell->{rate}, $cell->{unit}), @changes);
}

sub change_of {
    my ($pair, $cell) = @_;
    my ($row) =
        grep { $_->{copies} == $cell->{copies} && $_->{test} eq $cell->{test} } @{ $pair->{rows} };
    return '- ' if !$row;
    return change($row->{ratio}) . ($MARK{ $row->{verdict} } || q{ });
}

sub mean {
    my ($pair, $copies) = @_;
    my ($mean) = grep { $_->{copies} == $copies } @{ $pair->{means} };
    return $mean ? change($mean->{ratio}) . q{ } : '- ';
}

1;
