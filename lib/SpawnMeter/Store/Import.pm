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
use SpawnMeter::Store::Import::Blocks  qw(heads filled same_machine BLOCKS_MAX);
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
    my @records =
        map { record($_, $unread) } together(map { runs_of($_) } without_repeated(@{$heads}));
    my @unread = sort { $a->{line} <=> $b->{line} } @{$unread};
    splice @unread, UNREAD_MAX if @unread > UNREAD_MAX;
    push @unread, { line => $rest, text       => '(the rest)', why => TOO_LONG } if defined $rest;
    return        { runs => \@records, unread => \@unread };
}

# ---- runs ---------------------------------------------------------------------------

# A text can have a report twice, as a mail and a quote of it: no two runs of a machine have the
# same times and lines
sub without_repeated {
    my (@heads) = @_;
    my %known;
    for my $head (grep { defined $_->{host} } @heads) {
        my @blocks;
        for my $block (@{ $head->{blocks} }) {
            my @times = defined $block->{date} ? @{$block}{qw(date from to copies)} : $block;
            my $lines = $known{ join "\n", $head->{host}, @times } ||= {};
            my @new = grep { !$lines->{$_} } texts_of($block);
            push @blocks, $block if @new || !keys %{$lines};
            $lines->{$_} = 1 for @new;
        }
        $head->{blocks} = \@blocks;
    }
    return @heads;
}

sub texts_of {
    my ($block) = @_;
    my @lines = map { @{ $_->{results} }, @{ $_->{rows} } } values %{ $block->{cells} };
    return map { $_->{text} =~ tr/ //dr } @lines;
}

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
        push @{$unread}, settle($block, $form eq '3.11' ? 1 : FACTOR);
        $block->{read} = grep { $_->{figures} } values %{ $block->{cells} };
    }
    my @lost = map { @{ $_->{scores} } } grep { !$_->{read} } @{ $run->{blocks} };
    push @{$unread}, unread('no results stand with it', @lost);
    my @blocks = grep { $_->{read} } @{ $run->{blocks} };
    return @blocks ? run_record($run, $form, @blocks) : ();
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
    return {
        kind       => 'imported',
        suite      => suite($run, $form, @printed),
        categories => categories(\@scores, @printed),
        form       => $form,
        blocks     => [ map { with($_, qw(copies cpus date from to)) } @blocks ],
        printed    => \@printed,
        scores     => \@scores,
        tests      => tests(@printed),
        protocol   => { name => $run->{protocol} || 'imported' },
        passes     => [],
        label      => scalar label($run, @blocks),
        build      => [ build(@{ ($run->{posted} || {})->{head} || [] }) ],
        complete   => defined $run->{incomplete} ? 0 : 1,
        reason     => $run->{incomplete},
        map { $_ => $run->{$_} } qw(host system conditions posted),
    };
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
    return [ map { { name => $_->{test}, title => $_->{title}, category => $_->{category} } }
            @first ];
}

# ---- figures ----

# Of { baseline, rate, index => texts } those readings in which index = rate / baseline * factor,
# within the rounding of all three, and a separator means the same in all three
sub consistent {
    my ($texts, $factor) = @_;
    my @found;
    for my $baseline (readings($texts->{baseline})) {
        for my $rate (readings($texts->{rate})) {
            for my $index (readings($texts->{index})) {
                my %of = (baseline => $baseline, rate => $rate, index => $index);
                push @found, \%of if follows(\%of, $factor) && is_of_one_style(values %of);
            }
        }
    }
    return @found;
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

# A dot that separates thousands in one number does so in all; where a number shows by its
# length that a separator is decimal, it is decimal in all
sub is_of_one_style {
    my (@readings) = @_;
    for my $name (qw(dots commas)) {
        my %meanings = map { $_->{$name} => 1 } grep { defined $_->{$name} } @readings;
        return if keys %meanings > 1;
    }
    return 1;
}

sub unread {
    my ($why, @lines) = @_;
    return map { { line => $_->{line}, text => $_->{text}, why => $why } } @lines;
}

# -> lines that are not read.  Each cell of the block gets `figures` => { rate, rounding, unit,
# seconds, samples, baseline, index, category, tabled => true where only an index table has it }, or
# none; each row its readings that its index confirms, or none
sub settle {
    my ($block, $factor) = @_;
    my @cells = map { $block->{cells}{$_} } @{ $block->{order} };
    $_->{is} = confirmed($_, $factor) for map { @{ $_->{rows} } } @cells;
    my @problems = rows_of_another_run(@cells);
    for my $cell (@cells) {
        ($cell->{figures}, my @more) = figures($cell, $factor);
        push @problems, @more;
    }
    return @problems;
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

sub confirmed {
    my ($row, $factor) = @_;
    my %found = map {
        join(q{ }, map { $_->{value} } @{$_}{qw(baseline rate index)}) => $_
        }
        map { consistent($_, $factor) } @{ $row->{rows} || [] };
    return keys %found == 1 ? (values %found)[0] : undef;
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

# Of a test at a number of copies -> (its figures or undef, lines that are not read)
sub figures {
    my ($cell, $factor) = @_;
    my @results = @{ $cell->{results} };
    my @good = grep { $_->{is} } @{ $cell->{rows} };
    my @bad = grep { !$_->{is} && $_->{rows} } @{ $cell->{rows} };
    my @alone = grep { !$_->{rows} } @{ $cell->{rows} };
    my @problems = map { unread(problem_of_row($_), $_) } @bad;
    if (@good > 1) {
        my $best = first { agrees($_->{is}{rate}, @results) } @good;
        push @problems,
            unread('another row has other numbers for its test',
            grep { !$best || $_ != $best } @good);
        @good = defined $best ? $best : ();
    }
    return by_row($cell, $good[0], @problems) if @good;
    @results = @alone if !@results;    # of a test without a baseline
    return by_result($cell->{category}, \@results, \@bad, $factor, @problems);
}

sub agrees {
    my ($rate, @lines) = @_;
    return scalar grep { is_same($_, $rate) } map { @{ $_->{readings} } } @lines;
}

# The row confirms one of the results, and contradicts the others
sub by_row {
    my ($cell, $row, @problems) = @_;
    my $is = $row->{is};
    my $rate = $is->{rate}{value};
    my $same = first { agrees($is->{rate}, $_) } @{ $cell->{results} };
    my @others = grep { !$same || $_ != $same } @{ $cell->{results} };
    push @problems,
        map { unread("its result is $_->{rate} here and $rate in the index table", $_) } @others;
    my $reading = $same ? first { is_same($_, $is->{rate}) } @{ $same->{readings} } : undef;
    $reading = $is->{rate} if !$reading || $reading->{rounding} > $is->{rate}{rounding};
    my %figures = (
        rate     => $reading->{value},
        rounding => $reading->{rounding},
        baseline => $is->{baseline}{value},
        index    => $is->{index}{value},
        category => defined $row->{category} ? $row->{category} : $cell->{category},
        passes($same),
    );
    return (\%figures, @problems);
}

sub passes {
    my ($result) = @_;
    return (tabled => 1) if !$result || !defined $result->{unit};
    my ($seconds) = defined $result->{seconds} ? readings($result->{seconds}) : ();
    return (
        unit    => $result->{unit},
        seconds => $seconds ? $seconds->{value} : undef,
        samples => $result->{samples}
    );
}

# A row that is wrong can still show which result is right
sub by_result {
    my ($category, $of, $bad, $factor, @problems) = @_;
    my @results = @{$of};
    my %sure = map { $_ => scalar supported($results[$_], $bad, $factor) } 0 .. $#results;
    my @sure = grep { $sure{$_} } 0 .. $#results;
    @sure = 0 if !@sure && @results == 1 && !@{$bad} && !defined $results[0]{doubt};
    my $chosen = @sure == 1 ? $sure[0] : -1;
    for my $other (map { $results[$_] } grep { $_ != $chosen } 0 .. $#results) {
        my $why = $other->{doubt} || (@{$bad} ? 'the index table contradicts it' : undef);
        push @problems, unread($why || 'another line has another result of its test', $other);
    }
    return (undef, @problems) if $chosen < 0;
    my $is = $results[$chosen];
    my $reading = $sure{$chosen} || $is->{readings}[0];
    my %figures = (rate => $reading->{value}, rounding => $reading->{rounding});
    $figures{category} = defined $is->{unit} ? $category : $is->{category};
    return ({ %figures, passes($is) }, @problems);
}

# The reading that a row confirms whose index or baseline is wrong, or whose rate is; or undef
sub supported {
    my ($result, $bad, $factor) = @_;
    for my $reading (@{ $result->{readings} }) {
        for my $row (@{$bad}) {
            my @good =
                map { consistent({ %{$_}, rate => $result->{rate} }, $factor) } @{ $row->{rows} };
            return $reading
                if agrees($reading, $row)
                || grep { $_->{rate}{value} == $reading->{value} } @good;
        }
    }
    return;
}

1;
