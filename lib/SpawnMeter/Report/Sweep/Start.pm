# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Sweep::Start;

# The start-up of the targets of a sweep (--phases), by period.
#
#   start_table(sweep record, points) -> for each series a table: p50 and p99 of each period
#       at each value; empty where nothing was stamped
#   start_heads(sweep, points) -> heads of its columns in CSV
#   start_fields(sweep, points, label) -> the fields of the label's row

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max);
use SpawnMeter::Analysis::Quantity qw(periods);
use SpawnMeter::Util::Format       qw(duration visible visible_lines);

our @EXPORT_OK = qw(start_table start_heads start_fields);

use constant TIME => 9;    # columns of a time

# The percentiles that are printed, and their places in a result's list
my @PERCENTILES = ([ 'p50', 0 ], [ 'p99', 2 ]);

sub start_table {
    my ($sweep, $points) = @_;
    my @series = stamped($sweep, $points) or return q{};
    my @shown = map { visible($_) } @{ $sweep->{values} };
    my $first = max(map { length } @shown) + 4;
    my $text =
          "\nStart-up of the target by period, from the call: first instruction, main(), end;\n"
        . "then dynamic loader, entry point to main(), main() to its end\n";
    for my $series (@series) {
        $text .= "\n" . sprintf("%-*s", $first, visible($series));
        $text .= join(q{}, map { sprintf '%*s', TIME, $_ } periods()) . "\n";
        $text .= join q{}, map { rows($_, $first, $points->{$series}{$_}) } @{ $sweep->{values} };
    }
    return visible_lines($text);
}

sub stamped {
    my ($sweep, $points) = @_;
    return grep {
        my $of = $points->{$_};
        grep { $_->{start} } values %{ $of || {} }
    } @{ $sweep->{series} };
}

sub rows {
    my ($label, $width, $point) = @_;
    my $start = $point && $point->{start} or return q{};
    return join q{}, map {
        my ($name, $i) = @{$_};
        sprintf("%-*s", $width, visible($label) . " $name")
            . join(q{}, map { sprintf '%*s', TIME, duration(($start->{$_} || [])->[$i]) } periods())
            . "\n"
    } @PERCENTILES;
}

sub start_heads {
    my ($sweep, $points) = @_;
    my @heads;
    for my $series (stamped($sweep, $points)) {
        for my $period (periods()) {
            push @heads, map { visible("$series $period $_->[0]") } @PERCENTILES;
        }
    }
    return @heads;
}

sub start_fields {
    my ($sweep, $points, $label) = @_;
    my @fields;
    for my $series (stamped($sweep, $points)) {
        my $start = ($points->{$series}{$label} || {})->{start} || {};
        for my $period (periods()) {
            my $times = $start->{$period};
            push @fields,
                map { $times ? sprintf('%.3f', $times->[ $_->[1] ]) : undef } @PERCENTILES;
        }
    }
    return @fields;
}

1;
