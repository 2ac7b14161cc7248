# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB;

# An ab run in one of its forms.
#
#   render(form, summary of Analysis::AB, run, brief => true for a text without explanations)
#       -> text.  form: text (72 columns, for mails), markdown, csv or json

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Json     qw(pretty);
use SpawnMeter::Util::Format   qw(copies duration rate);
use SpawnMeter::Report::Escape qw(ascii csv_line markdown);
use SpawnMeter::Report::AB::Text;

our @EXPORT_OK = qw(change costs interval side);

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

# ---- parts ----
#
# What the forms of an ab run share.
#
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   change(ratio) -> "+1.25%", or with one decimal from 10 % on
#   interval(row) -> "-0.43..+1.10" in %, or "-"
#   costs(row) -> (CPU time of a creation of A and of B, p50 of A and of B, p99 of A and of B):
#       microseconds, undefined where unknown

sub side {
    my ($side, $run) = @_;
    my @options = map { @{ $_->{options} || [] } } grep { $_ } $run, $side;
    my @parts;
    push @parts, "after: $side->{set}" if defined $side->{set};
    push @parts, 'started by: ' . join q{ }, @{ $side->{wrap} } if $side->{wrap};
    push @parts, "programs in $side->{programs}" if defined $side->{programs};
    push @parts, join q{ }, @options if @options;
    return @parts ? join '; ', @parts : 'as it is';
}

sub change { my ($ratio) = @_; return number($ratio) . q{%} }

sub number {
    my ($ratio) = @_;
    my $percent = 100 * ($ratio - 1);
    my $decimals = abs $percent < 9.995 ? 2 : abs $percent < 999.5 ? 1 : 0;
    my $text = sprintf "%+.${decimals}f", $percent;
    return $text eq '-0.00' ? '+0.00' : $text;
}

sub interval {
    my ($row) = @_;
    return q{-} if !defined $row->{low};
    return join '..', map { number($_) } @{$row}{qw(low high)};
}

sub costs {
    my ($row) = @_;
    my @sides = map { $_ || {} } @{$row}{qw(a b)};
    my @latency = map { $_->{latency} || [] } @sides;
    return (map({ $_->{cpu_us} } @sides), map({ $_->[0] } @latency), map { $_->[2] } @latency);
}

1;
