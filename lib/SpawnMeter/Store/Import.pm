# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads the text reports of the classic suites (UnixBench 3.11, 4.1, 5.x and 6.0) and of
# SpawnMeter as they are posted: several runs in one text, quoted, wrapped, in columns.  The
# text goes through pure steps: lines (Import::Lines), one after the other where they stand in
# columns (Import::Tables), items (Import::Lines, too), blocks of a number of copies below a head
# (Import::Blocks), runs, figures.
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
# What its numbers mean is decided when all lines are known: a result and its row in an index table
# confirm each other, and an index that is the ratio of its rate and baseline confirms both.
# Nothing is guessed: what remains in doubt has no figures, and a line that looks like a part of a
# report and cannot be read is listed in `unread`, up to UNREAD_MAX lines.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(first);
use SpawnMeter::Store::Import::Blocks qw(heads BLOCKS_MAX);
use SpawnMeter::Store::Import::Tables qw(columns);
use SpawnMeter::Store::Import::Lines  qw(near_report text_lines logical_lines items);
use SpawnMeter::Store::Import::Pasted qw(lines_of_screens);
use SpawnMeter::Store::Import::Words  qw(titles number is_one_of);

our @EXPORT_OK = qw(import_reports consistent);

use constant {
    UNREAD_MAX => 200,
    TOO_LONG   => 'posted reports do not have so many lines: give the part with the results',
    FACTOR     => 10,    # of an index; version 3.11 has none
};

sub import_reports {
    my ($text, $tests) = @_;
    my $titles = titles($tests);
    my ($near, $rest) = near_report($text);
    my @lines = logical_lines($titles, lines_of_screens($titles, text_lines($near)));
    my @items = items($titles, columns($titles, @lines));
    my @runs = map { record($_) } runs(heads($titles, @items));
    my %seen;
    my @unread = grep { !$seen{"@{$_}{qw(line why text)}"}++ }
        map { defined_fields($_, qw(line text why aside)) }
        sort { $a->{line} <=> $b->{line} } grep { defined $_->{why} } map { @{$_} } @items;
    splice @unread, UNREAD_MAX if @unread > UNREAD_MAX;
    push @unread, { line => $rest, text    => '(the rest)', why => TOO_LONG } if defined $rest;
    return        { runs => \@runs, unread => \@unread };
}

# ---- runs ---------------------------------------------------------------------------

# The blocks of a head are one run while they differ in their numbers of copies and have no
# other names.  A head goes on with a run of the same machine, system and build: with a label, with
# that of this label, else with the run before it.
sub runs {
    my (@heads) = @_;
    my (@runs, %labelled, %lines_of_block);
    for my $head (@heads) {
        my ($run, %begun) = (undef, %{$head});
        for my $block (grep { !is_repeated(\%lines_of_block, $head, $_) } @{ $head->{blocks} }) {
            $begun{system} = { %{ $head->{system} } };
            $begun{system}{cpus_online} = $block->{cpus} if $block->{cpus};
            if (!$run || @{ $block->{order} } && is_again($run, $block)) {
                my $label = $begun{label} // $block->{label};
                $run = defined $label ? $labelled{$label} : $runs[-1];
                $run = undef if $run && !is_part($run, \%begun, $block);
                push @{ $run->{conditions} }, @{ $begun{conditions} } if $run;
                push @runs, $run = { %begun, blocks => [] } if !$run;
                $labelled{$label} = $run if defined $label;
            }
            $run->{system} = { %{ $run->{system} }, %{ $begun{system} } };
            push @{ $run->{blocks} }, $block;
            %begun = (conditions => [], map { $_ => $head->{$_} } qw(suite host));
        }
    }
    return @runs;
}

# A text can have a report twice, as a mail and a quote of it: no two runs of a machine have the
# same times and lines
sub is_repeated {
    my ($lines_of_block, $head, $block) = @_;
    return if !defined $head->{host} || !defined $block->{date};
    my $lines =
        $lines_of_block->{ join "\n", $head->{host}, @{$block}{qw(date from to copies)} } ||= {};
    my $is_first = !%{$lines};
    my @lines = map { @{ $_->{results} }, @{ $_->{rows} } } values %{ $block->{cells} };
    return !(grep { !$lines->{ $_->{text} =~ tr/ //dr }++ } @lines) && !$is_first;
}

# Whether the run already has this number of copies, or a block of another name
sub is_again {
    my ($run, $block) = @_;
    my ($copies, $label) = @{$block}{qw(copies label)};
    return
        scalar
        grep { $_->{copies} == $copies || defined $label && ($_->{label} // $label) ne $label }
        grep { @{ $_->{order} } } @{ $run->{blocks} };
}

sub is_part {
    my ($run, $begun, $block) = @_;
    return if !defined $run->{host}  || @{ $run->{blocks} } >= BLOCKS_MAX;
    return if is_again($run, $block) || grep { !$_->{copies} } $block, @{ $run->{blocks} };
    return identity($run) eq identity($begun);
}

sub identity {
    my ($run) = @_;
    my %is = (%{ $run->{system} }, map { $_ => $run->{$_} // q{-} } qw(suite host));
    my @build = $run->{posted} ? grep { /^Build/ } @{ $run->{posted}{head} } : ();
    return join "\n", (map { $_, $is{$_} } sort keys %is), @build;
}

# -> run record, or nothing where the run has no results
sub record {
    my ($run) = @_;
    my $form = ($run->{suite} // q{}) =~ /^UnixBench 3[.]/ ? '3.11' : undef;
    $form //= first { defined } (map { $_->{form} } @{ $run->{blocks} }), '5';
    my (@blocks, @printed, @scores, %seen);
    for my $block (@{ $run->{blocks} }) {
        my @figures = settle($block, $form eq '3.11' ? 1 : FACTOR);
        unread('no results stand with it', @{ $block->{scores} }) if !@figures;
        next if !@figures;
        push @printed, @figures;
        push @blocks, $block;
        push @scores, map {
            defined_fields({ %{$_}, copies => $block->{copies} },
                qw(copies title score partial low high rounding))
        } @{ $block->{scores} };
    }
    return if !@blocks;
    my @labels = uniq(grep { defined } $run->{label}, map { $_->{label} } @blocks);
    return {
        kind       => 'imported',
        suite      => $run->{suite} // ($form eq '3.11' ? 'UnixBench 3.11' : 'UnixBench'),
        categories => categories(\@scores, @printed),
        form       => $form,
        blocks     => [ map { defined_fields($_, qw(copies cpus date from to)) } @blocks ],
        printed    => \@printed,
        scores     => \@scores,
        tests      => [
            map  { { name => $_->{test}, title => $_->{title}, category => $_->{category} } }
            grep { !$seen{ $_->{test} }++ } @printed
        ],
        settings => $run->{settings} || { name => 'imported' },
        passes   => [],
        label    => @labels ? join('; ', @labels) : undef,
        build    => [ $run->{posted} ? build(@{ $run->{posted}{head} }) : () ],
        complete => defined $run->{incomplete} ? 0 : 1,
        reason   => $run->{incomplete},
        map { $_ => $run->{$_} } qw(host system conditions posted command),
    };
}

# The fields with these keys that are defined
sub defined_fields {
    my ($record, @keys) = @_;
    return { map { $_ => $record->{$_} } grep { defined $record->{$_} } @keys };
}

sub uniq {
    my %seen;
    return grep { !$seen{$_}++ } @_;
}

# The lines about the build as Run stores them: compiler and linker, then the C library.  A report
# has a line for each; without the last one the text was cut off, and nothing is known.
sub build {
    my (@head) = @_;
    my @lines = map { /^Build: (.+)/ } @head;
    return if @lines < 2 || $lines[-1] !~ /^(?:glibc|musl|libc unknown)\b/;
    my $libc = pop @lines;
    return (join('; ', @lines), $libc);
}

# The categories in the order of their index tables in the text
sub categories {
    my ($scores, @printed) = @_;
    my %is = map { $_ => 1 } grep { defined && $_ ne '4.1' } map { $_->{category} } @printed;
    my @titles = uniq((grep { $is{$_} } map { $_->{title} } @{$scores}), sort keys %is);
    return [ map { { name => $_, title => $_, tests => [] } } @titles ];
}

# ---- figures ----

# The numbers of a row { baseline, rate, index => texts } in which index = rate / baseline * factor,
# within the rounding of all three; else undef
sub consistent {
    my ($row, $factor) = @_;
    my %number = map { $_ => scalar number($row->{$_}) } qw(baseline rate index);
    return !(grep { !$_ } values %number) && follows(\%number, $factor) ? \%number : undef;
}

sub follows {
    my ($number, $factor) = @_;
    my ($baseline, $rate, $index) = @{$number}{qw(baseline rate index)};
    return if $baseline->{value} <= 0 || $rate->{value} <= 0;

    # baselines without decimals are exact ones, unless nothing in the row has decimals
    my $exact = !$baseline->{decimals} && $index->{decimals};
    my $share = $rate->{rounding} / $rate->{value};
    $share += $baseline->{rounding} / $baseline->{value} if !$exact;
    my $distance = abs($rate->{value} / $baseline->{value} * $factor - $index->{value});
    return $distance <= $index->{rounding} + $index->{value} * $share;
}

sub unread {
    my ($why, @items) = @_;
    for my $item (@items) { $item->{why} = $why }
    return;
}

# The figures of a block, as those of `printed`.  Each row gets `is` => its numbers if its index
# confirms them, or undef
sub settle {
    my ($block, $factor) = @_;
    my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
    $_->{is} = consistent($_, $factor)
        for grep { defined $_->{index} } map { @{ $_->{rows} } } @cells;
    drop_rows_of_another_run(@cells);
    return map { { %{$_}, copies => $block->{copies} } } map { figures($_) } @cells;
}

# Where the index table contradicts most of the results, one of the two is of another run
# whose header is missing
sub drop_rows_of_another_run {
    my (@cells) = @_;
    my ($equal, @different) = (0);
    for my $cell (grep { @{ $_->{results} } } @cells) {
        my @rates = map { $_->{is} ? $_->{is}{rate} : () } @{ $cell->{rows} } or next;
        my $is_equal = grep { is_one_of($_->{number}, @rates) } @{ $cell->{results} };
        $is_equal ? $equal++ : push @different, $cell;
    }
    unread('it contradicts the results above, as do other rows of its table',
        map { splice @{ $_->{rows} } } @different)
        if @different > 1 && @different > $equal;
    return;
}

# -> the figures of a test at a number of copies, or nothing.  A row that is right confirms one of
# the results and contradicts the others; without one that result is sure which a wrong row repeats,
# or a single one without rows
sub figures {
    my ($cell) = @_;
    my @results = @{ $cell->{results} };
    my @good = grep { $_->{is} } @{ $cell->{rows} };
    my @bad = grep { !$_->{is} && defined $_->{index} } @{ $cell->{rows} };
    my $row = @good == 1 ? $good[0] : first {
        my $rate = $_->{is}{rate};
        grep { is_one_of($_->{number}, $rate) } @results
    } @good;
    @results = grep { !defined $_->{index} } @{ $cell->{rows} } if !@results;   # without a baseline
    my @rates = $row ? $row->{is}{rate} : map { $_->{number} } @bad;
    my @sure = grep { is_one_of($_->{number}, @rates) } @results;
    @sure = grep { !defined $_->{doubt} } @results if !$row && !@bad && @results == 1;
    my $result = $row || @sure == 1 ? $sure[0] : undef;
    unread(problem_of_row($_), $_) for @bad;
    unread('another row has other numbers for its test', grep { !$row || $_ != $row } @good);
    unread(problem_of_result($_, $row, @bad), $_) for grep { !$result || $_ != $result } @results;
    return if !$result && !$row;
    return figures_of($cell, $row, $result);
}

# The figures of a test, by the more precise of its numbers
sub figures_of {
    my ($cell, $row, $result) = @_;
    my ($number) = sort { $a->{rounding} <=> $b->{rounding} } $result ? $result->{number} : (),
        $row ? $row->{is}{rate} : ();
    my %figures = (%{ $cell->{details} }, map { $_ => $cell->{$_} } qw(test title unit));
    @figures{qw(rate rounding)} = @{$number}{qw(value rounding)};
    $figures{category} = ($row || $result)->{category} // $cell->{category};
    $figures{$_} = $row->{is}{$_}{value} for $row ? qw(baseline index) : ();
    $figures{rounding} = $row->{is}{index}{rounding} * $figures{baseline} / FACTOR
        if $row && $row->{from_index};
    return { %figures, tabled => 1 } if !$result || !defined $result->{unit};
    my $seconds = number($result->{seconds} // q{});
    $figures{seconds} = $seconds && $seconds->{value};
    return { %figures, map { $_ => $result->{$_} } qw(unit samples) };
}

sub problem_of_result {
    my ($result, $row, @bad) = @_;
    return "its result is $result->{rate} here and $row->{is}{rate}{value} in the index table"
        if $row;
    return $result->{doubt} // (
        @bad ? 'the index table contradicts it' : 'another line has another result of its test');
}

sub problem_of_row {
    my ($row) = @_;
    return 'three numbers, and no head says that they are a baseline, a result and an index'
        if !defined $row->{category};
    return 'its baseline or result is not above 0'
        if grep { !number($row->{$_})->{value} } qw(baseline rate);
    return "its result $row->{rate} over its baseline $row->{baseline}"
        . " does not give the index $row->{index}";
}

1;
