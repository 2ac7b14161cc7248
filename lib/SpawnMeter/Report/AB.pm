# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::AB, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json

use strict;
use warnings;
use SpawnMeter::Report::AB::Markdown;
use SpawnMeter::Util::Json        qw(pretty);
use SpawnMeter::Report::AB::Parts qw(costs);
use SpawnMeter::Report::AB::Text;
use SpawnMeter::Report::Escape qw(ascii csv_line);

my %RENDER = (
    text     => \&SpawnMeter::Report::AB::Text::render,
    markdown => \&SpawnMeter::Report::AB::Markdown::render,
    csv      => \&csv,
    json     => \&json,
);

sub render {
    my ($form, @arguments) = @_;
    return $RENDER{$form}->(@arguments);
}

# ---- json ----
#
# json(summary of Analysis::AB, run) -> JSON: sides, precision, loops, rows, machine.
#   csv(summary) -> CSV of the rows

my @COSTS = map { ("$_\_a", "$_\_b") } qw(cpu_us p50_us p99_us);
my @STEADIED = map { "steadied_$_" } qw(ratio low high plus_minus);
my @FIELDS = (
    qw(copies test title unit a b ratio low high plus_minus verdict why pairs used
        flagged effective correlation seconds needed reached), @COSTS, @STEADIED
);

sub json {
    my ($summary, $run) = @_;
    return pretty({
        sides     => [ map { { %{$_} } } @{ $summary->{sides} } ],
        precision => $summary->{precision},
        loops     => $summary->{loops},
        rows      => [ map { json_row($_) } @{ $summary->{rows} } ],
        map { $_ => $run->{$_} } qw(name host command label suite system started complete reason),
    });
}

sub json_row {
    my ($json_row) = @_;
    my %fields = map { $_ => $json_row->{$_} } @FIELDS;
    for my $side (qw(a b)) {
        $fields{$side} = $json_row->{$side} ? $json_row->{$side}{rate} : undef;
    }
    @fields{@COSTS} = costs($json_row);
    for my $field (@STEADIED) {
        $fields{$field} = ($json_row->{steadied} || {})->{ $field =~ s/steadied_//r };
    }
    return \%fields;
}

sub csv {
    my ($summary) = @_;
    my $csv = csv_line(@FIELDS);
    for my $json_row (map { json_row($_) } @{ $summary->{rows} }) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$json_row}{@FIELDS});
    }
    return $csv;
}

1;
