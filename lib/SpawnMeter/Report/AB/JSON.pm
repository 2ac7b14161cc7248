# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB::JSON;

# render(summary of Analysis::AB, run) -> JSON: sides, precision, loops, rows, machine.
#   table(summary) -> CSV of the rows

use strict;
use warnings;
use SpawnMeter::Report::AB::Parts qw(costs);
use SpawnMeter::Report::Escape    qw(ascii csv_line);
use SpawnMeter::Util::Json        qw(pretty);

my @COSTS = map { ("$_\_a", "$_\_b") } qw(cpu_us p50_us p99_us);
my @STEADIED = map { "steadied_$_" } qw(ratio low high plus_minus);
my @FIELDS = (
    qw(copies test title unit a b ratio low high plus_minus verdict why pairs used
        flagged effective correlation seconds needed reached), @COSTS, @STEADIED
);

sub render {
    my ($summary, $run) = @_;
    return pretty({
        sides     => [ map { { %{$_} } } @{ $summary->{sides} } ],
        precision => $summary->{precision},
        loops     => $summary->{loops},
        rows      => [ map { row($_) } @{ $summary->{rows} } ],
        map { $_ => $run->{$_} } qw(name host command label suite system started complete reason),
    });
}

sub row {
    my ($row) = @_;
    my %fields = map { $_ => $row->{$_} } @FIELDS;
    for my $side (qw(a b)) { $fields{$side} = $row->{$side} ? $row->{$side}{rate} : undef }
    @fields{@COSTS} = costs($row);
    for my $field (@STEADIED) {
        $fields{$field} = ($row->{steadied} || {})->{ $field =~ s/steadied_//r };
    }
    return \%fields;
}

sub table {
    my ($summary) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (map { row($_) } @{ $summary->{rows} }) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

1;
