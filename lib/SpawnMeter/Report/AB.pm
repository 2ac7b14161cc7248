# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::AB, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json

use strict;
use warnings;
use SpawnMeter::Util::Json qw(pretty);
use SpawnMeter::Report::AB::Text;
use SpawnMeter::Report::AB::Parts qw(change costs interval side);
use SpawnMeter::Util::Format      qw(copies duration rate);
use SpawnMeter::Report::Escape    qw(ascii csv_line markdown);

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
    my (%markdown_loops) = @_;
    my @words = map {
              copies($_) . q{: }
            . change($markdown_loops{$_}{ratio})
            . ' (95 %: '
            . interval($markdown_loops{$_}) . ')'
    } sort { $a <=> $b } keys %markdown_loops;
    return @words ? "\nPage faults, " . join(q{; }, @words) . "\n" : q{};
}

sub markdown_line { return '| ' . join(' | ', @_) . " |\n" }

sub markdown_row {
    my ($markdown_row, $steadied) = @_;
    my $of = $markdown_row->{steadied};
    my @steadied = $of ? (change($of->{ratio}), interval($of)) : (q{-}, q{-});
    return markdown_line(
        markdown($markdown_row->{title}),
        $markdown_row->{copies},
        map({ rate($_ ? $_->{rate} : undef, $markdown_row->{unit}) } @{$markdown_row}{qw(a b)}),
        defined $markdown_row->{ratio} ? change($markdown_row->{ratio}) : q{-},
        interval($markdown_row),
        $markdown_row->{verdict},
        map({ duration($_) } costs($markdown_row)),
        $steadied ? @steadied : ()
    );
}

1;
