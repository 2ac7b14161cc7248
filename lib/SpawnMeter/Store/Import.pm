# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Store::Import;

# Reads the text reports of the classic suites (UnixBench 3.11, 4.1, 5.x and 6.0) and of
# SpawnMeter as they are posted: several runs in one text, quoted, wrapped, in columns.  The
# text goes through pure steps: lines (Import::Lines), one after the other where they stand in
# columns (Import::Columns), items (Import::Items), blocks of a number of copies below a head
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
# A number can be written in the ways of several languages; what each means is decided when all
# lines are known: a result and its row in an index table confirm each other, and an index that is
# the ratio of its rate and baseline confirms both.  What remains in doubt has no figures.
#
# Nothing is guessed: a line that looks like a part of a report and cannot be read is
# listed in `unread`, up to UNREAD_MAX lines.

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(first);
use SpawnMeter::Store::Import::Blocks  qw(heads BLOCKS_MAX);
use SpawnMeter::Store::Import::Columns qw(columns);
use SpawnMeter::Store::Import::Items   qw(items);
use SpawnMeter::Store::Import::Lines   qw(near_report text_lines logical_lines);
use SpawnMeter::Store::Import::Words   qw(titles readings is_same);

our @EXPORT_OK = qw(import_reports consistent);

use constant {
    UNREAD_MAX => 200,
    TOO_LONG   => 'posted reports do not have so many lines: give the part with the results',
    FACTOR     => 10,    # of an index; version 3.11 has none
};

# Baselines that show which suite has printed a table without a version: of dhry2reg, execl, spawn
my %VERSION = (
    (map { $_ => '4.1.0' } 116_700, 43, 126),
    (map { $_ => '4.1-wht.2' } 376_783.7, 188.3, 569.3),
);

my @MEANINGS = qw(decimal thousands);    # of a dot or comma before three digits

sub import_reports {
    my ($text, $tests) = @_;
    my $titles = titles($tests);
    my ($near, $rest) = near_report($text);
    my @streams = columns($titles, logical_lines($titles, text_lines($near)));
    my ($heads, $unread) = heads($titles, items($titles, @streams));
    my @records = map { record($_, $unread) } runs(@{$heads});
    my @unread = sort { $a->{line} <=> $b->{line} } @{$unread};
    splice @unread, UNREAD_MAX if @unread > UNREAD_MAX;
    push @unread, { line => $rest, text       => '(the rest)', why => TOO_LONG } if defined $rest;
    return        { runs => \@records, unread => \@unread };
}

# ---- runs ---------------------------------------------------------------------------

# The blocks of a head are one run while they differ in their numbers of copies and have no
# other names.  A head goes on with a run of the same machine, system and build: with a label, with
# that of this label, else with the run before it.
sub runs {
    my (@heads) = @_;
    my (@runs, %labelled, %known);
    for my $head (@heads) {
        my ($run, $of_head);
        for my $block (grep { !is_repeated(\%known, $head, $_) } @{ $head->{blocks} }) {
            my %machine = map { $_ => $head->{$_} } qw(suite host system);
            my %begun = ($of_head++ ? (conditions => [], %machine) : %{$head}, blocks => []);
            $begun{system} = { %{ $begun{system} }, cpus_online => $block->{cpus} }
                if $block->{cpus};
            my $label = first { defined } $begun{label}, $block->{label};
            my $before = defined $label ? $labelled{$label} : $runs[-1];
            my $is_empty = !@{ $block->{order} };
            if ($run && ($is_empty || !is_again($run, $block))) {
                $run->{system} = { %{ $run->{system} }, %{ $begun{system} } };
            } elsif ($before && is_part($before, \%begun, $block)) {
                $run = $before;
                push @{ $run->{conditions} }, @{ $begun{conditions} };
            } else {
                push @runs, $run = \%begun;
                $labelled{$label} = $run if defined $label;
            }
            push @{ $run->{blocks} }, $block;
        }
    }
    return @runs;
}

# A text can have a report twice, as a mail and a quote of it: no two runs of a machine have the
# same times and lines
sub is_repeated {
    my ($known, $head, $block) = @_;
    return if !defined $head->{host} || !defined $block->{date};
    my $lines = $known->{ join "\n", $head->{host}, @{$block}{qw(date from to copies)} } ||= {};
    my $is_first = !%{$lines};
    my @lines = map { @{ $_->{results} }, @{ $_->{rows} } } values %{ $block->{cells} };
    return !(grep { !$lines->{ $_->{text} =~ tr/ //dr }++ } @lines) && !$is_first;
}

# A number of copies again, which can be unknown, or another name
sub is_again {
    my ($run, $block) = @_;
    my ($copies, $label) = @{$block}{qw(copies label)};
    return scalar grep {
        $_->{copies} == $copies || defined $label && defined $_->{label} && $_->{label} ne $label
    } grep { @{ $_->{order} } } @{ $run->{blocks} };
}

sub is_part {
    my ($run, $begun, $block) = @_;
    return if !defined $run->{host}  || @{ $run->{blocks} } >= BLOCKS_MAX;
    return if is_again($run, $block) || grep { !$_->{copies} } $block, @{ $run->{blocks} };
    return identity($run) eq identity($begun);
}

sub identity {
    my ($run) = @_;
    my $system = $run->{system};
    my @build = $run->{posted} ? grep { /^Build/ } @{ $run->{posted}{head} } : ();
    return join "\n", map { defined $_ ? $_ : q{-} } @{$run}{qw(suite host)},
        (map { $_, $system->{$_} } sort keys %{$system}), @build;
}

# -> run record, or nothing where the run has no results
sub record {
    my ($run, $unread) = @_;
    my $form = ($run->{suite} || q{}) =~ /^UnixBench 3[.]/ ? '3.11' : undef;
    $form = first { defined } $form, (map { $_->{form} } @{ $run->{blocks} }), '5';
    my (@blocks, @printed, @scores);
    for my $block (@{ $run->{blocks} }) {
        my ($figures, @problems) = settle($block, $form eq '3.11' ? 1 : FACTOR);
        push @problems, unread('no results stand with it', @{ $block->{scores} }) if !@{$figures};
        push @{$unread}, @problems;
        next if !@{$figures};
        push @printed, @{$figures};
        push @blocks, $block;
        my %of = (copies => $block->{copies});
        push @scores, map { { %of, known($_, qw(title score partial)) } } @{ $block->{scores} };
    }
    return if !@blocks;
    my @labels = uniq(grep { defined } $run->{label}, map { $_->{label} } @blocks);
    my %test;
    $test{ $_->{test} } ||= $_ for @printed;
    return {
        kind       => 'imported',
        suite      => suite($run, $form, @printed),
        categories => categories(\@scores, @printed),
        form       => $form,
        blocks     => [ map { { known($_, qw(copies cpus date from to)) } } @blocks ],
        printed    => \@printed,
        scores     => \@scores,
        tests      => [
            map { { name => $_, title => $test{$_}{title}, category => $test{$_}{category} } }
                uniq(map { $_->{test} } @printed)
        ],
        protocol => { name => $run->{protocol} || 'imported' },
        passes   => [],
        label    => @labels ? join('; ', @labels) : undef,
        build    => [ build(@{ ($run->{posted} || {})->{head} || [] }) ],
        complete => defined $run->{incomplete} ? 0 : 1,
        reason   => $run->{incomplete},
        map { $_ => $run->{$_} } qw(host system conditions posted),
    };
}

# Those of the keys that are known, with their values
sub known {
    my ($of, @keys) = @_;
    return map { $_ => $of->{$_} } grep { defined $of->{$_} } @keys;
}

sub uniq {
    my %seen;
    return grep { !$seen{$_}++ } @_;
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
    my $version = $form eq '3.11' ? $form : undef;
    $version = first { defined } map { $VERSION{ $_->{baseline} } }
        grep { $_->{baseline} } @printed
        if $form eq '4.1';
    return join q{ }, 'UnixBench', grep { defined } $version;
}

# The index tables as they follow in the text
sub categories {
    my ($scores, @printed) = @_;
    my %is = map { $_ => 1 } grep { defined && $_ ne '4.1' } map { $_->{category} } @printed;
    my @titles = uniq((grep { $is{$_} } map { $_->{title} } @{$scores}), sort keys %is);
    return [ map { { name => $_, title => $_, tests => [] } } @titles ];
}

# ---- figures ----

# Of { baseline, rate, index => texts } those readings in which index = rate / baseline * factor,
# within the rounding of all three, and a separator before three digits means the same in all three
sub consistent {
    my ($texts, $factor) = @_;
    my %readings = map { $_ => [ readings($texts->{$_}) ] } qw(baseline rate index);
    my %found;
    for my $style (
        map {
            my $dots = $_;
            map { [ $dots, $_ ] } @MEANINGS
        } @MEANINGS
    ) {
        my ($dots, $commas) = @{$style};
        my %of;
        for my $name (keys %readings) {
            $of{$name} =
                first { ($_->{dots} || $dots) eq $dots && ($_->{commas} || $commas) eq $commas }
                @{ $readings{$name} };
        }
        next if (grep { !$_ } values %of) || !follows(\%of, $factor);
        $found{ join q{ }, map { $of{$_}{value} } sort keys %of } = \%of;
    }
    return values %found;
}

sub follows {
    my ($of, $factor) = @_;
    my ($baseline, $rate, $index) = @{$of}{qw(baseline rate index)};
    return if $baseline->{value} <= 0 || $rate->{value} <= 0;

    # baselines without decimals are exact ones, unless nothing in the row has decimals
    my $exact = !$baseline->{decimals} && $index->{decimals};
    my $share = $rate->{rounding} / $rate->{value};
    $share += $baseline->{rounding} / $baseline->{value} if !$exact;
    my $distance = abs($rate->{value} / $baseline->{value} * $factor - $index->{value});
    return $distance <= $index->{rounding} + $index->{value} * $share;
}

sub unread {
    my ($why, @lines) = @_;
    return map { { line => $_->{line}, text => $_->{text}, why => $why } } @lines;
}

# -> ([those of `printed`], lines that are not read).  Each row gets `is` => its readings that its
# index confirms, or undef.
sub settle {
    my ($block, $factor) = @_;
    my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
    for my $row (map { @{ $_->{rows} } } @cells) {
        my @found = map { consistent($_, $factor) } @{ $row->{rows} || [] };
        $row->{is} = @found == 1 ? $found[0] : undef;
    }
    my @problems = rows_of_another_run(@cells);
    my @printed;
    for my $cell (@cells) {
        my ($figures, @more) = figures($cell, $factor);
        push @problems, @more;
        my %of = (%{ $cell->{details} || {} }, map { $_ => $cell->{$_} } qw(test title unit));
        push @printed, { %of, %{$figures}, copies => $block->{copies} } if $figures;
    }
    return (\@printed, @problems);
}

# Where the index table contradicts most of the results, one of the two is of another run
# whose header is missing
sub rows_of_another_run {
    my (@cells) = @_;
    my ($equal, @different) = (0);
    for my $cell (grep { @{ $_->{results} } } @cells) {
        my @rates = map { $_->{is} ? $_->{is}{rate} : () } @{ $cell->{rows} } or next;
        if (grep { agrees($_, @{ $cell->{results} }) } @rates) {
            $equal++;
        } else {
            push @different, $cell;
        }
    }
    return if @different < 2 || @different <= $equal;
    return unread('it contradicts the results above, as do other rows of its table',
        map { splice @{ $_->{rows} } } @different);
}

sub agrees {
    my ($rate, @lines) = @_;
    return first { is_same($_, $rate) } map { @{ $_->{readings} } } @lines;
}

# Of a test at a number of copies -> (its figures or undef, lines that are not read)
sub figures {
    my ($cell, $factor) = @_;
    my @results = @{ $cell->{results} };
    my @good = grep { $_->{is} } @{ $cell->{rows} };
    my @bad = grep { !$_->{is} && $_->{rows} } @{ $cell->{rows} };
    my $row = @good == 1 ? $good[0] : first { agrees($_->{is}{rate}, @results) } @good;
    @results = grep { !$_->{rows} } @{ $cell->{rows} } if !@results;    # without a baseline
    my ($result, $reading, @problems) =
        $row ? by_row($row->{is}, @results) : by_result(\@bad, $factor, @results);
    unshift @problems, map { unread(problem_of_row($_), $_) } @bad;
    push @problems,
        unread('another row has other numbers for its test', grep { !$row || $_ != $row } @good);
    return (undef, @problems) if !$reading;
    my $category = ($row || $result)->{category};
    my %figures = (
        rate     => $reading->{value},
        rounding => $reading->{rounding},
        category => defined $category ? $category : $cell->{category},
        $row ? map { $_ => $row->{is}{$_}{value} } qw(baseline index) : ()
    );
    return ({ %figures, tabled => 1 }, @problems) if !$result || !defined $result->{unit};
    my ($seconds) = defined $result->{seconds} ? readings($result->{seconds}) : ();
    my %passes = (seconds => $seconds ? $seconds->{value} : undef);
    return ({ %figures, %passes, map { $_ => $result->{$_} } qw(unit samples) }, @problems);
}

# A row that is right confirms one of the results, and contradicts the others -> (this one or
# undef, the more precise reading, lines that are not read)
sub by_row {
    my ($is, @results) = @_;
    my $rate = $is->{rate};
    my $result = first { agrees($rate, $_) } @results;
    my $reading = $result ? agrees($rate, $result) : $rate;
    my @problems =
        map { unread("its result is $_->{rate} here and $rate->{value} in the index table", $_) }
        grep { !$result || $_ != $result } @results;
    return ($result, $reading->{rounding} > $rate->{rounding} ? $rate : $reading, @problems);
}

# Without one a single result counts, or the one that a wrong row supports -> likewise
sub by_result {
    my ($bad, $factor, @results) = @_;
    my @sure = grep { $_->[1] } map { [ $_, supported($_, $bad, $factor) ] } @results;
    @sure = [ $results[0], $results[0]{readings}[0] ]
        if @results == 1 && !@{$bad} && !defined $results[0]{doubt};
    my ($result, $reading) = @sure == 1 ? @{ $sure[0] } : ();
    my $why =
        @{$bad} ? 'the index table contradicts it' : 'another line has another result of its test';
    my @problems =
        map { unread($_->{doubt} || $why, $_) } grep { !$result || $_ != $result } @results;
    return ($result, $reading, @problems);
}

sub problem_of_row {
    my ($row) = @_;
    my ($texts, @more) = @{ $row->{rows} };
    return 'its numbers can be separated in several ways' if @more;
    my @zero = grep { !$_->{value} } map { readings($texts->{$_}) } qw(baseline rate);
    return 'its baseline or result is not above 0' if @zero;
    return "its result $texts->{rate} over its baseline $texts->{baseline}"
        . " does not give the index $texts->{index}";
}

# The reading that a row confirms whose index or baseline is wrong, or whose rate is; or undef
sub supported {
    my ($result, $bad, $factor) = @_;
    my @rows = map { @{ $_->{rows} } } @{$bad};
    my @good = map { consistent({ %{$_}, rate => $result->{rate} }, $factor) } @rows;
    return first {
        my $reading = $_;
        agrees($reading, @{$bad}) || grep { $_->{rate}{value} == $reading->{value} } @good
    } @{ $result->{readings} };
}

1;
