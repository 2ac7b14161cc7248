# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB::JSON;

# render(summary of Analysis::AB, run) -> JSON: sides, precision, rows, machine.
#   table(summary) -> CSV of the rows

use strict;
use warnings;
use SpawnMeter::Report::AB::Parts qw(costs);
use SpawnMeter::Report::Escape    qw(ascii csv_line);
use SpawnMeter::Util::Json        qw(pretty);

my @COSTS = map { ("$_\_a", "$_\_b") } qw(cpu_us p50_us p99_us);
my @FIELDS = (
    qw(copies test title unit a b ratio low high plus_minus p adjusted verdict why pairs used
        flagged effective correlation gap seconds needed reached), @COSTS
);

sub render {
    my ($summary, $run) = @_;
    return pretty({
        sides     => [ map { { %{$_} } } @{ $summary->{sides} } ],
        precision => $summary->{precision},
        rows      => [ map { row($_) } @{ $summary->{rows} } ],
        map { $_ => $run->{$_} } qw(name host command label suite system started complete reason),
    });
}

sub row {
    my ($row) = @_;
    my %fields = map { $_ => $row->{$_} } @FIELDS;
    for my $side (qw(a b)) { $fields{$side} = $row->{$side} ? $row->{$side}{rate} : undef }
    @fields{@COSTS} = costs($row);
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
