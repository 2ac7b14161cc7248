# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::TestsOfMachines;

# The results of many machines, test by test.  A pure function.
#
#   tests_of_machines(machines of a ranking (Analysis::Ranking), [runs of the comparison]) ->
#       [ { copies, test, title, unit, rows => [ { machine => number in machines, value, low,
#       high => of its runs as range() of Analysis::Ranking has them, points => [rates] } ] } ]
#       by copies, then title; the rows in the order of the machines, without those that have
#       no result of this test

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Ranking qw(range);

our @EXPORT_OK = qw(tests_of_machines);

sub tests_of_machines {
    my ($machines, $runs) = @_;
    my %test;
    for my $i (0 .. $#{$machines}) {
        my %cells;
        for my $run (@{$runs}[ @{ $machines->[$i]{runs} } ]) {
            push @{ $cells{$_} }, $run->{cells}{$_} for keys %{ $run->{cells} };
        }
        for my $key (keys %cells) {
            my $test = $test{$key} ||=
                { (map { $_ => $cells{$key}[0]{$_} } qw(copies test title unit)), rows => [] };
            push @{ $test->{rows} }, row($i, @{ $cells{$key} });
        }
    }
    return [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } values %test ];
}

sub row {
    my ($machine, @cells) = @_;
    my @points =
        map { { value => $_->{rate}, low => $_->{low}, high => $_->{high} } } @cells;
    return { machine => $machine, %{ range(\@points) }, points => [ map { $_->{rate} } @cells ] };
}

1;
