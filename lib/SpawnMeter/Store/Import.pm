# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads the text reports of the classic suites (UnixBench 3.11, 4.1, 5.x and 6.0) and of
# SpawnMeter as they are posted: several runs in one text, quoted, wrapped, in columns.  Pure
# functions.
#
#   import_reports(text, [tests of the catalog]) -> { runs => [run record], unread =>
#       [ { line => its number, text, why => a clause with "it" or "its" for the line, aside
#           => true where the line is not in the format of a report, as in a table of
#           differences } ] }
#
# A run of this kind has no passes.  Its figures are in
#   printed => [ { test, title, category, copies => 0 where the text does not say, rate,
#                  rounding => error of the rate, unit, seconds, samples, baseline,
#                  index, tabled => true where only an index table has it } ]    undefined
#                  where the text does not say
#   scores  => [ { title, copies, score, partial } ]
#   blocks  => [ { copies, cpus, date, from, to } ]    dates and times in the text's words
#
# Nothing is guessed: a line that looks like a part of a report and cannot be read is
# listed in `unread`, up to UNREAD_MAX lines.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::Import::Columns qw(columns);
use SpawnMeter::Store::Import::Kinds   qw(kind_of);
use SpawnMeter::Store::Import::Lines   qw(logical_lines);
use SpawnMeter::Store::Import::Other   qw(read_other looks_like_report forget_label);
use SpawnMeter::Store::Import::Record  qw(record);
use SpawnMeter::Store::Import::Run     qw(block_of_copies begin_block separate_runs);
use SpawnMeter::Store::Import::Titles  qw(titles test_of split_title parts begins_title);

our @EXPORT_OK = qw(import_reports);

use constant UNREAD_MAX => 200;

# The beginning of a line of a report that is continued in the next line
my $BEGINNING = qr/^(?>.*?\bBenchmarks\b).*\b(?:Index|BASELINE)|^TEST\b|^Benchmark Run/;
$BEGINNING = qr/$BEGINNING|^(?:AVERAGE|SUM of\b.*|FINAL|Start Benchmark Run:.*)$/;
$BEGINNING = qr/$BEGINNING|^[a-z][\w-]* +[\d.]+% +\S+ /a;    # the table of SpawnMeter's report
my $RULE = qr/^[-_=]{10,}$/;

# Where a page has put several lines into one, these begin a line
my $ANCHOR = qr/\d{1,20} CPUs? in system;|Benchmark [Rr]un:|={6}|-{20}/a;
$ANCHOR = qr/$ANCHOR|(?:System|Process|[23]D Graphics) Benchmarks (?:Partial )?Index/;

sub import_reports {
    my ($text, $tests) = @_;
    my %state = (runs => [], unread => [], titles => titles($tests));
    my $is = functions(\%state);
    my @lines = logical_lines($is, $text);
    $state{style} = style($is, @lines);
    for my $stream (columns($is, @lines)) {
        @state{qw(run block table previous label)} = ();
        $state{apart} = 1;
        read_line(\%state, $_) for @{$stream};
    }
    my @records;
    for my $run (map { separate_runs($_) } @{ $state{runs} }) {
        my ($record, @unread) = record($run);
        push @records, $record if $record;
        push @{ $state{unread} }, @unread;
    }
    my @unread = sort { $a->{line} <=> $b->{line} } @{ $state{unread} };
    splice @unread, UNREAD_MAX if @unread > UNREAD_MAX;
    return { runs => \@records, unread => \@unread };
}

# What a line is (Import::Lines, Import::Columns)
sub functions {
    my ($state) = @_;
    my $titles = $state->{titles};
    return {
        whole  => sub { return is_whole($state, $_[0]) },
        begins => sub { return begins_a_line($state, $_[0]) },
        title  => sub { return test_of($titles, $_[0]) ? 1 : 0 },
        known  => sub {
            my ($kind) = kind_of($titles, $_[0]);
            return $kind ? $kind->{name} : undef;
        },
        parts => sub {
            return map { split /(?<=[\d)xX =-])(?=$ANCHOR)/ } parts($titles, $_[0]);
        },
        titled => sub {
            my ($test) = split_title($titles, $_[0]);
            return $test ? $test->{title} : undef;
        },
    };
}

# Nothing of the next line can belong to this one.  A title is not whole, nor is a title
# with some of its numbers.
sub is_whole {
    my ($state, $text) = @_;
    my ($kind) = kind_of($state->{titles}, $text);
    return 1 if $kind && ($kind->{name} ne 'result' || $text =~ /samples?\)?$/);
    return 0 if looks_like_report($text) || $text =~ $BEGINNING;
    return !begins_title($state->{titles}, $text);
}

sub begins_a_line {
    my ($state, $text) = @_;
    my ($test) = split_title($state->{titles}, $text);
    return 1 if $test || $text =~ $RULE;
    my ($kind) = kind_of($state->{titles}, $text);
    return $kind || $text =~ /^(?:.*(?:Benchmark Run:|CPUs? in system|Index Score)|FINAL SCORE)/;
}

# The separator of decimals, where the results show it
sub style {
    my ($is, @lines) = @_;
    my %times;
    for my $line (grep { defined $is->{titled}->($_->{text}) } @lines) {
        $times{$1}++ while $line->{text} =~ /\d([.,])\d(?![\d.,])/ag;
    }
    my ($most, @others) = sort { $times{$b} <=> $times{$a} } keys %times;
    return if !defined $most || @others && $times{ $others[0] } * 10 > $times{$most};
    return $most;
}

# ---- lines ----------------------------------------------------------------------------

sub read_line {
    my ($state, $line) = @_;
    return begin_column($state, $line) if defined $line->{label} || defined $line->{copies};
    my $text = $line->{text};
    forget_label($state, $line->{number});
    if ($text eq q{}) {
        $state->{previous} = 'blank';
        return;
    }
    @{$state}{qw(line text in_table)} = ($line->{number}, $text, $line->{in_table});
    my ($kind, $found) = kind_of($state->{titles}, $text);
    my $problem = $kind ? $kind->{read}->($state, $found) : read_other($state, $text);
    $state->{apart} = $kind && $kind->{name} =~ /^(?:result|row)$/ ? 0 : 1
        if !$kind || $kind->{name} ne 'details';
    my $name = $kind ? $kind->{name} : delete $state->{continued} || 'other';
    @{$state}{qw(previous text_before)} = ($name, $text);
    $problem = { why => $problem } if defined $problem && !ref $problem;
    push @{ $state->{unread} }, { line => $line->{number}, text => $text, %{$problem} } if $problem;
    return;
}

# A column of a table, or a part of it
sub begin_column {
    my ($state, $line) = @_;
    if (defined $line->{copies}) {
        block_of_copies($state, $line->{copies});
    } else {
        @{$state}{qw(run block table)} = ();
        begin_block($state, label => $line->{label});
    }
    return;
}

1;
