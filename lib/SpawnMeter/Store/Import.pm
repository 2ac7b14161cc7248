# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads the text reports of the classic suites (UnixBench 3.11, 4.1, 5.x and 6.0) and of
# SpawnMeter as they are posted: several runs in one text, quoted, wrapped, in columns.  The
# text goes through pure steps: lines (Import::Lines), one after the other where they stand in
# columns (Import::Columns), items (Import::Items), blocks of a number of copies below a head
# (Import::Blocks), runs, figures (Import::Evidence).
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
use List::Util                          qw(first);
use SpawnMeter::Analysis::Record        qw(run settings test);
use SpawnMeter::Store::Import::Blocks   qw(heads filled same_machine BLOCKS_MAX);
use SpawnMeter::Store::Import::Columns  qw(columns);
use SpawnMeter::Store::Import::Evidence qw(settle unread);
use SpawnMeter::Store::Import::Items    qw(items);
use SpawnMeter::Store::Import::Lines    qw(near_report text_lines logical_lines);
use SpawnMeter::Store::Import::Titles   qw(titles);
use SpawnMeter::Store::Schema           qw(FORMAT SCHEMA);

our @EXPORT_OK = qw(import_reports);

use constant {
    UNREAD_MAX => 200,
    TOO_LONG   => 'posted reports do not have so many lines: give the part with the results',
    FACTOR     => 10,    # of an index; version 3.11 has none
};

# Baselines that show which suite has printed a table without a version: name of the test,
# baseline => version
my %VERSION = (
    'dhry2reg 116700'   => '4.1.0',
    'execl 43'          => '4.1.0',
    'spawn 126'         => '4.1.0',
    'dhry2reg 376783.7' => '4.1-wht.2',
    'execl 188.3'       => '4.1-wht.2',
    'spawn 569.3'       => '4.1-wht.2',
);

sub import_reports {
    my ($text, $tests) = @_;
    my $titles = titles($tests);
    my ($near, $rest) = near_report($text);
    my @streams = columns($titles, logical_lines($titles, text_lines($near)));
    my ($heads, $unread) = heads($titles, items($titles, @streams));
    my @records = map { record($_, $unread) } together(map { runs_of($_) } @{$heads});
    my @unread = sort { $a->{line} <=> $b->{line} } @{$unread};
    splice @unread, UNREAD_MAX if @unread > UNREAD_MAX;
    push @unread, { line => $rest, text       => '(the rest)', why => TOO_LONG } if defined $rest;
    return        { runs => \@records, unread => \@unread };
}

# ---- runs ---------------------------------------------------------------------------

# The same number of copies again, which can be unknown, is that of another run, and so is what
# has another name than the blocks before
sub runs_of {
    my ($head) = @_;
    my @runs = { %{$head}, blocks => [] };
    for my $block (@{ $head->{blocks} }) {
        push @runs, { blocks => [], conditions => [], same_machine($head) }
            if @{ $block->{order} } && grep { is_again($block, $_) } filled($runs[-1]);
        push @{ $runs[-1]{blocks} }, $block;
        $runs[-1]{system} = { %{ $runs[-1]{system} }, cpus_online => $block->{cpus} }
            if $block->{cpus};
    }
    return @runs;
}

sub is_again {
    my ($block, $other) = @_;
    return $block->{copies} == $other->{copies}
        || defined $block->{label} && defined $other->{label};
}

# Reports of one machine, system and build that differ in their numbers of copies are one run: of
# those with a label the ones with the same one, else those that follow each other
sub together {
    my (@runs) = @_;
    my (@whole, %labelled);
    for my $run (@runs) {
        my $label = first { defined } $run->{label}, map { $_->{label} } @{ $run->{blocks} };
        my $other = defined $label ? $labelled{$label} : $whole[-1];
        if ($other && is_part($other, $run)) {
            push @{ $other->{$_} }, @{ $run->{$_} } for qw(blocks conditions);
        } else {
            push @whole, $run;
            $labelled{$label} = $run if defined $label;
        }
    }
    return @whole;
}

sub is_part {
    my ($whole, $run) = @_;
    return if !defined $whole->{host} || @{ $whole->{blocks} } >= BLOCKS_MAX;
    return if identity($whole) ne identity($run);
    my %times = (0 => 1);
    $times{ $_->{copies} }++ for filled($whole), filled($run);
    return !grep { $_ > 1 } values %times;
}

sub identity {
    my ($run) = @_;
    my @facts =
        (@{$run}{qw(suite host)}, map { $_, $run->{system}{$_} } sort keys %{ $run->{system} });
    my @build = $run->{posted} ? grep { /^Build/ } @{ $run->{posted}{head} } : ();
    return join "\n", map { defined $_ ? $_ : q{-} } @facts, @build;
}

# -> run record, or nothing where the run has no results
sub record {
    my ($run, $unread) = @_;
    my $form = form($run);
    for my $block (@{ $run->{blocks} }) {
        push @{$unread}, of_another_version($block) if $form ne '3.11';
        push @{$unread}, settle($block, $form eq '3.11' ? 1 : FACTOR);
        $block->{read} = grep { $_->{figures} } values %{ $block->{cells} };
    }
    my @lost = map { @{ $_->{scores} } } grep { !$_->{read} } @{ $run->{blocks} };
    push @{$unread}, unread('no results stand with it', @lost);
    my @blocks = grep { $_->{read} } @{ $run->{blocks} };
    return @blocks ? run_record($run, $form, @blocks) : ();
}

# Rows whose title is one of 3.11, in a table that is not
sub of_another_version {
    my ($block) = @_;
    my @cells = grep { $_->{only_in} } values %{ $block->{cells} };
    my $why = 'no test of its index table has this title';
    return unread($why, map { splice @{ $_->{rows} } } @cells);
}

sub form {
    my ($run) = @_;
    return '3.11' if ($run->{suite} || q{}) =~ /^UnixBench 3[.]/;
    my ($form) = grep { defined } map { $_->{form} } @{ $run->{blocks} };
    return $form || '5';
}

sub run_record {
    my ($run, $form, @blocks) = @_;
    my @printed = map { printed($_) } @blocks;
    my @scores = map { scores($_) } @blocks;
    my $posted = $run->{posted};
    return run(
        format     => FORMAT,
        schema     => SCHEMA,
        kind       => 'imported',
        suite      => suite($run, $form, @printed),
        host       => $run->{host},
        system     => $run->{system},
        categories => categories(\@scores, @printed),
        form       => $form,
        blocks     => [ map { with($_, qw(copies cpus date from to)) } @blocks ],
        printed    => \@printed,
        scores     => \@scores,
        tests      => tests(@printed),
        protocol   => settings(name => $run->{protocol} || 'imported'),
        passes     => [],
        label      => scalar label($run, @blocks),
        conditions => $run->{conditions},
        posted     => $posted,
        build      => [ $posted ? build(@{ $posted->{head} }) : () ],
        complete   => defined $run->{incomplete} ? 0 : 1,
        reason     => $run->{incomplete},
    );
}

# A hash with those of the keys that are known
sub with {
    my ($of, @keys) = @_;
    return { map { $_ => $of->{$_} } grep { defined $of->{$_} } @keys };
}

sub scores {
    my ($block) = @_;
    return
        map { { copies => $block->{copies}, %{ with($_, qw(title score partial)) } } }
        @{ $block->{scores} };
}

# The figures of a block
sub printed {
    my ($block) = @_;
    return map { {
        %{ $_->{details} || {} },
            test  => $_->{test},
            title => $_->{title},
            unit  => $_->{unit},
            %{ $_->{figures} },
            copies => $block->{copies},
    } }
        grep { $_->{figures} } map { $block->{cells}{$_} } @{ $block->{order} };
}

# As Run stores it: compiler and linker, and then the C library.  The report has a line for each;
# of a text that was cut off before the last one nothing is known.
sub build {
    my (@head) = @_;
    my @lines = map { /^Build: (.+)/ } @head;
    return if @lines < 2 || $lines[-1] !~ /^(?:glibc|musl|libc unknown)\b/;
    my $libc = pop @lines;
    return (join('; ', @lines), $libc);
}

# A table of 4.1 without a version is that of one of two versions
sub suite {
    my ($run, $form, @printed) = @_;
    return $run->{suite} if defined $run->{suite};
    return $form eq '3.11' ? 'UnixBench 3.11' : 'UnixBench' if $form ne '4.1';
    my ($version) = grep { defined }
        map { $VERSION{"$_->{test} $_->{baseline}"} } grep { $_->{baseline} } @printed;
    return join q{ }, 'UnixBench', grep { defined } $version;
}

# Words of the text before the tables, so that its runs can be told apart
sub label {
    my ($run, @blocks) = @_;
    my %seen;
    my @labels = grep { defined && !$seen{$_}++ } $run->{label}, map { $_->{label} } @blocks;
    return @labels ? join '; ', @labels : undef;
}

# The index tables as they follow in the text
sub categories {
    my ($scores, @printed) = @_;
    my %place;
    $place{ $_->{title} } ||= 1 + keys %place for @{$scores};
    my %seen;
    my @titles = sort { ($place{$a} || @printed) <=> ($place{$b} || @printed) || $a cmp $b }
        grep { defined && $_ ne '4.1' && !$seen{$_}++ } map { $_->{category} } @printed;
    return [ map { { name => $_, title => $_, tests => [] } } @titles ];
}

sub tests {
    my (@printed) = @_;
    my %seen;
    my @first = grep { !$seen{ $_->{test} }++ } @printed;
    return [ map { test(name => $_->{test}, title => $_->{title}, category => $_->{category}) }
            @first ];
}

1;
