# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Score;

# Index numbers and scores.  Pure functions.
#
#   index_of(rate, baseline) -> index; undef where one of them is unknown
#   index_as_printed(row of a table, its form) -> the index that follows from rate and baseline
#       with the one decimal that a report gives them; of a posted text the index in it
#   score(indexes) -> score; undef without one
#   tables(run, [results or cells of a comparison at one number of copies, with series where they
#       have passes], score_by) -> [ { category, title, form, rows => those that have a baseline,
#       with baseline and index, score, low, high => its 95 % interval within the run (undefined
#       without passes), partial } ]; none of a run without an index
#       score_by: { baseline => { test => rate }, form => '5', '4.1' or '3.11', all =>
#       { category => [names of a complete set] } }.  A table without one of these is
#       partial.  In the forms of 4.1 and 3.11 there is one table, of all tests that have a
#       baseline
#   parse_baseline(text, name of the file) -> { test => rate }; dies with file and line of a
#       malformed one.  Lines: name|time|label|sum|score|iterations, of which name and score
#       are used; # begins a comment
#   partial_set([names], [names of a complete set]) -> 1 where one of these is missing, or 0
#   counted_too_few(run) -> true where --count is below INDEX_NEEDS: then there is no index
#
# An index is the ratio of a result to its baseline, times 10; an index score is the
# geometric mean of a category's indexes (the classic suite's definition).

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(first);
use SpawnMeter::Analysis::Cells  qw(unpacked);
use SpawnMeter::Analysis::Posted qw(has_index);
use SpawnMeter::Stats::Estimate  qw(half);
use SpawnMeter::Stats::Numbers   qw(geometric_mean mean);

our @EXPORT_OK =
    qw(index_of index_as_printed score tables parse_baseline partial_set counted_too_few
    INDEX_NEEDS);

use constant {
    INDEX_NEEDS => 100,    # creations of a pass with --count
    FEWEST      => 3,      # passes of each test, for the interval of a score
};

sub index_of {
    my ($rate, $baseline) = @_;
    return if !defined $rate || !$baseline;
    return $rate / $baseline * 10;
}

sub index_as_printed {
    my ($row, $form) = @_;
    return $row->{index} if !@{ $row->{rates} };
    my ($rate, $baseline) = map { sprintf('%.1f', $_) + 0 } @{$row}{qw(rate baseline)};
    return $row->{index} if !$baseline;
    return $form eq '3.11' ? $rate / $baseline : index_of($rate, $baseline);
}

# --count leaves out the warm-up, and the first creations of a program are slower
sub counted_too_few {
    my ($run) = @_;
    my $counted = ($run->{protocol} || {})->{counted};
    return defined $counted && $counted < INDEX_NEEDS;
}

sub score {
    return geometric_mean(grep { defined } @_);
}

sub tables {
    my ($run, $results, $by) = @_;
    return [] if $run->{unscored} || counted_too_few($run);
    return [ map { $_ || () } one_table($run, $results, $by) ] if ($by->{form} || '5') ne '5';
    my @tables;
    for my $category (@{ $run->{categories} || [] }) {
        my ($name, $title) = @{$category}{qw(name title)};
        my @own = grep { defined $_->{category} && $_->{category} eq $name } @{$results};
        my $table = scored(\@own, $by->{baseline}, $by->{all}{$name} || []) or next;
        push @tables, { %{$table}, category => $name, title => $title, form => '5' };
    }
    return \@tables;
}

sub one_table {
    my ($run, $results, $by) = @_;
    my $table = scored($results, $by->{baseline}, [ keys %{ $by->{baseline} } ]) or return;
    my ($printed) = grep { $_->{copies} == $results->[0]{copies} } @{ $run->{scores} || [] };
    $table->{partial} ||= $printed->{partial} if $printed;
    return { %{$table}, form => '4.1' } if $by->{form} ne '3.11';

    # there an index is the ratio itself, and the score is the arithmetic mean
    $_->{index} = $_->{rate} / $_->{baseline} for @{ $table->{rows} };
    my $mean = mean(map { $_->{index} } @{ $table->{rows} });
    return { %{$table}, form => '3.11', score => $mean };
}

sub scored {
    my ($results, $baseline, $all) = @_;
    my @rows = grep { $baseline->{ $_->{test} } } @{$results} or return;
    for my $row (grep { !has_index($_, $baseline) } @rows) {
        $row->{baseline} = $baseline->{ $row->{test} };
        $row->{index} = scalar index_of($row->{rate}, $row->{baseline});
    }
    my $score = score(map { index_of($_->{rate}, $_->{baseline}) } @rows);
    my $half = half_of_score(@rows);
    return {
        rows    => \@rows,
        score   => $score,
        low     => defined $half ? $score * exp -$half : undef,
        high    => defined $half ? $score * exp $half  : undef,
        partial => partial_set([ map { $_->{test} } @rows ], $all),
    };
}

# Of the logarithm; undef where a test has too few passes
sub half_of_score {
    my (@rows) = @_;
    return if grep { !defined $_->{series} } @rows;
    my %stratum = map { $_->{test} => unpacked($_->{series}) } @rows;
    return if grep { @{$_} < FEWEST } values %stratum;
    return half(SpawnMeter::Stats::Estimate::index_of(\%stratum));
}

sub parse_baseline {
    my ($text, $file) = @_;
    my %baseline;
    my $number = 0;
    for my $line (split /\r?\n/, $text) {
        $number++;
        next if $line =~ /^\s*(?:#|$)/;
        my @fields = split /\|/, $line, -1;
        die "$file, line $number: a baseline has six fields, name|time|label|sum|score|iterations\n"
            if @fields != 6;
        s/^\s+|\s+$//g for @fields;
        my ($name, $rate) = @fields[ 0, 4 ];
        die "$file, line $number: '$name' is not a name of a test\n" if $name !~ /^[\w.-]+\z/a;
        die "$file, line $number: '$rate' is not a score above 0\n"
            if $rate !~ /^\d+(?:[.]\d+)?\z/a || $rate <= 0 || $rate > 1e15;
        die "$file, line $number: $name already has a baseline\n" if $baseline{$name};
        $baseline{$name} = $rate;
    }
    die "$file: no baseline in it\n" if !%baseline;
    return \%baseline;
}

sub partial_set {
    my ($have, $all) = @_;
    my %have = map { $_ => 1 } @{$have};
    return defined(first { !$have{$_} } @{$all}) ? 1 : 0;
}

1;
