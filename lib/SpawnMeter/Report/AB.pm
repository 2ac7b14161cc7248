# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::AB, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json

use strict;
use warnings;
use SpawnMeter::Report::AB::Parts qw(change costs interval side);
use SpawnMeter::Report::AB::Text;
use SpawnMeter::Report::Escape qw(ascii csv_line markdown);
use SpawnMeter::Util::Format   qw(copies duration rate);
use SpawnMeter::Util::Json     qw(pretty);

my %RENDER = (
    text     => \&SpawnMeter::Report::AB::Text::render,
    markdown => \&markdown_table,
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
    my ($row) = @_;
    my %fields = map { $_ => $row->{$_} } @FIELDS;
    for my $side (qw(a b)) {
        $fields{$side} = $row->{$side} ? $row->{$side}{rate} : undef;
    }
    @fields{@COSTS} = costs($row);
    for my $field (@STEADIED) {
        $fields{$field} = ($row->{steadied} || {})->{ $field =~ s/steadied_//r };
    }
    return \%fields;
}

sub csv {
    my ($summary) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (map { json_row($_) } @{ $summary->{rows} }) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

# ---- markdown ----
#
# markdown_table(summary of Analysis::AB, run) -> Markdown: what the sides are, and a table

sub markdown_table {
    my ($summary, $run) = @_;
    my $text = join q{},
        map { '- **' . markdown($_->{name}) . '**: ' . markdown(side($_, $run)) . "\n" }
        @{ $summary->{sides} };
    my @steadied = $summary->{loops} ? ('steadied', '95 %') : ();
    $text .= "\n"
        . markdown_line(
        'test', 'copies', 'A', 'B', 'B/A', '95 %', 'verdict', 'CPU A',
        'CPU B', 'p50 A', 'p50 B', 'p99 A', 'p99 B', @steadied
        );
    $text .= '|---|' . '--:|' x 5 . '---|' . '--:|' x (6 + @steadied) . "\n";
    $text .= markdown_row($_, scalar @steadied) for @{ $summary->{rows} };
    $text .= markdown_loops(%{ $summary->{loops} }) if $summary->{loops};
    return $text if $run->{complete};
    return "$text\nIncomplete: " . markdown(defined $run->{reason} ? $run->{reason} : '?') . "\n";
}

# How the sides differ in what the steadied differences are made at one rate of
sub markdown_loops {
    my (%loops) = @_;
    my @words = map {
        copies($_) . q{: } . change($loops{$_}{ratio}) . ' (95 %: ' . interval($loops{$_}) . ')'
    } sort { $a <=> $b } keys %loops;
    return @words ? "\nPage faults, " . join(q{; }, @words) . "\n" : q{};
}

sub markdown_line { return '| ' . join(' | ', @_) . " |\n" }

sub markdown_row {
    my ($row, $steadied) = @_;
    my $of = $row->{steadied};
    my @steadied = $of ? (change($of->{ratio}), interval($of)) : (q{-}, q{-});
    return markdown_line(
        markdown($row->{title}),
        $row->{copies},
        map({ rate($_ ? $_->{rate} : undef, $row->{unit}) } @{$row}{qw(a b)}),
        defined $row->{ratio} ? change($row->{ratio}) : q{-},
        interval($row),
        $row->{verdict},
        map({ duration($_) } costs($row)),
        $steadied ? @steadied : ()
    );
}

1;
