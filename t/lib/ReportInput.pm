# SPDX-License-Identifier: GPL-2.0-or-later
package ReportInput;

# Small records for the tests of the reports.
#
#   result(%with) -> result record of ten passes of fork
#   run(block, ...) -> run with these `scored` blocks
#   block(%with) -> block of one copy without results
#   reduced(name, { test => rate }, %with), pair(rows), row(%with) -> parts of a comparison

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(result run block reduced row pair);

sub result {
    my (%with) = @_;
    return {
        test       => 'fork',
        title      => 'Fork Throughput',
        category   => 'process',
        copies     => 1,
        unit       => 'lps',
        status     => 'ok',
        rate       => 9000,
        low        => 8950,
        high       => 9050,
        plus_minus => 0.0056,
        best       => 9100,
        passes     => 10,
        used       => 10,
        flagged    => 0,
        reasons    => {},
        flags      => [ map { 0 } 1 .. 10 ],
        precise    => 1,
        rates      => [ map { 8950 + 10 * $_ } 1 .. 10 ],
        seconds    => 0.25,
        cpu_us     => 107,
        latency    => [ 33, 34, 63, 64, 1234 ],
        %with,
    };
}

sub block {
    my (%with) = @_;
    return { copies => 1, results => [], tables => [], lost => [], %with };
}

sub run {
    my (@blocks) = @_;
    return {
        suite    => '1.2.3',
        complete => 1,
        system   => {},
        settings => { name => 'settle' },
        scored   => \@blocks,
    };
}

sub reduced {
    my ($name, $rates, %with) = @_;
    my %cells =
        map { (
        "1 $_" => { test => $_, title => $_, copies => 1, unit => 'lps', rate => $rates->{$_} }) }
        keys %{$rates};
    return {
        name   => $name,
        called => $name,
        head   => { suite => '1.2.3', %with },
        cells  => \%cells
    };
}

sub row {
    my (%with) = @_;
    return {
        test    => 'fork',
        title   => 'Fork Throughput',
        copies  => 1,
        unit    => 'lps',
        old     => 9000,
        new     => 8100,
        ratio   => 0.9,
        low     => 0.89,
        high    => 0.91,
        verdict => 'slower',
        %with
    };
}

sub pair {
    my (@rows) = @_;
    my %pair = (groups => [], margin => 0.03, reference => { why => 'machine unknown' });
    return { %pair, rows => [], means => [] } if !@rows;
    my %mean = (copies => $rows[0]{copies}, tests => scalar @rows);
    return {
        %pair,
        rows   => \@rows,
        means  => [ { %mean, map { $_ => $rows[0]{$_} } qw(ratio low high) } ],
        groups => [ { %mean, f => 0, level => [ 0.000625, 0 ], kappa => 1, runs => [ 1, 1 ] } ],
    };
}

1;
