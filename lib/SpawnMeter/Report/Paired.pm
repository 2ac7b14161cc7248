# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Paired;

# An ab run in one of its forms.
#
#   text(summary of Analysis::Pairs, run, columns => of the page, 80 if not given, verbose => true
#       for all that is known) -> text: what B changes, the table, doubts, what to do;
#       markdown, csv and json(summary, run) likewise
#   answer(summary) -> "B (--heap 100M): 1 of 2 tests slower, 1 same (fork -96.7%)"
#   findings(summary) -> what is wrong with its rows (Analysis::Findings)
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   cells(row) -> (rates of A and B, change, interval, verdict, CPU time of a creation of A and of
#       B, p50 of A and of B, p99 of A and of B), in words

use strict;
use warnings;
use List::Util                      qw(max min sum);
use POSIX                           qw(ceil);
use SpawnMeter::Report::Differences qw(cells_of_row counts csv_of markdown_table
    tables_of_pair);
use SpawnMeter::Report::Escape        qw(ascii in_markdown known);
use SpawnMeter::Analysis::Findings    qw(finding line_of warns);
use SpawnMeter::Report::Text::Screen  qw(alternatives);
use SpawnMeter::Util::Format          qw(change copies duration folded minutes);
use SpawnMeter::Util::File            qw(pretty);
use SpawnMeter::Report::Text::Quality qw(of_settings);

# ---- json and csv ----

my @COSTS = qw(cpu_us_a cpu_us_b p50_us_a p50_us_b p99_us_a p99_us_b);
my @FIELDS = (
    qw(copies test title unit a b ratio low high plus_minus verdict why pairs used
        flagged effective correlation seconds needed reached), @COSTS
);

sub json {
    my ($summary, $run) = @_;
    my @rows;
    for my $row (@{ $summary->{rows} }) {
        push @rows, { map { $_ => $row->{$_} } @FIELDS };
    }
    return pretty({
        rows => \@rows,
        map({ $_ => $summary->{$_} } qw(sides precision)),
        map { $_ => $run->{$_} } qw(name host command label suite system started complete reason),
    });
}

sub csv { my ($summary) = @_; return csv_of(\@FIELDS, @{ $summary->{rows} }) }

# ---- tables ----

my @HEADS = qw(A B B/A);
my @OF_COSTS = map { ("$_ A", "$_ B") } qw(CPU p50 p99);

sub cells {
    my ($row) = @_;
    my @compared = cells_of_row({ %{$row}, old => $row->{a}, new => $row->{b} }, fine => 1);
    return (@compared, map { duration($_) } @{$row}{@COSTS});
}

sub markdown {
    my ($summary, $run) = @_;
    my @list = map { [ $_->{name} => side($_, $run) ] } @{ $summary->{sides} };
    push @list, [ Incomplete => known($run->{reason}) ] if !$run->{complete};
    my $text = join q{},
        map { q{- **} . in_markdown($_->[0]) . q{**: } . in_markdown($_->[1]) . "\n" } @list;
    my @rows = map { [ $_->{title}, $_->{copies}, cells($_) ] } @{ $summary->{rows} };
    return "$text\n"
        . markdown_table([ 'test', 'copies', @HEADS, '95 %', 'verdict', @OF_COSTS ], @rows);
}

sub side {
    my ($side, $run) = @_;
    my @options = map { @{ $_->{options} || [] } } grep { $_ } $run, $side;
    my @parts;
    push @parts, "after: $side->{set}" if defined $side->{set};
    push @parts, 'started by: ' . join q{ }, @{ $side->{wrap} } if $side->{wrap};
    push @parts, "programs in $side->{programs}" if defined $side->{programs};
    push @parts, join q{ }, @options if @options;
    return @parts ? characters(join '; ', @parts) : 'as it is';
}

# Commands and options are stored as the bytes that were given
sub characters { my ($bytes) = @_; utf8::decode($bytes); return $bytes }

# ---- text ----

use constant {
    PAGE    => 80,      # columns
    WIDTH   => 72,      # for mails
    LONGEST => 1200,    # seconds that are worth naming
    NAMED   => 3,       # differences at most that the answer names
};

sub text {
    my ($summary, $run, %options) = @_;
    my $columns = $options{columns} || PAGE;
    my $width = min($columns, WIDTH);
    my @sides = map { [ $_->{name} => side($_, $run) ] } @{ $summary->{sides} };
    push @sides, [ 'Set back by' => characters($run->{set_back}) ] if defined $run->{set_back};
    my $text = folded(q{}, ascii(answer($summary)) . q{.}, $width);
    $text .= folded(ascii("  $_->[0]: "), ascii($_->[1]), $width) for @sides;
    my @rows = @{ $summary->{rows} };
    $text .=
        tables_of_pair($width, [ @HEADS, '95 %', q{} ], sub { (cells($_[0]))[ 0 .. 4 ] }, @rows);
    $text .= tables_of_pair($width, \@OF_COSTS, sub { (cells($_[0]))[ 5 .. 10 ] }, @rows)
        if $options{verbose};
    my @notes = map { line_of($_) } of_settings($run->{settings});
    push @notes, map { (warns($_->{kind}) ? '! ' : q{}) . line_of($_) } findings($summary);
    push @notes, 'INCOMPLETE: ' . known($run->{reason}) if !$run->{complete};
    return join q{}, $text, "\n", map({ folded(q{}, ascii($_), $width, q{  }) } @notes),
        what_to_do($summary, $run, $columns);
}

sub answer {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} } or return 'Nothing was measured';
    my @different = grep { $_->{verdict} =~ /er\z/ } @rows;
    my @named = map {
        my $copies = $_->{copies} == 1 ? q{} : q{ with } . copies($_->{copies});
        "$_->{test}$copies " . change($_->{ratio})
    } @different > NAMED ? () : @different;
    my $named = @named ? ' (' . join(q{, }, @named) . ')' : q{};
    return 'B (' . side($summary->{sides}[1]) . '): ' . counts(@rows) . $named;
}

# How many differences are known well enough, and what narrows the others: more time where it is not
# much, and turns of two processes on one CPU where both sides can run at the same time
sub what_to_do {
    my ($summary, $run, $columns) = @_;
    my @rows = @{ $summary->{rows} };
    my $within = sprintf '+/-%g %%', 100 * $summary->{precision};
    my @known = grep { defined $_->{plus_minus} } @rows;
    my @open = grep { !$_->{reached} } @known;
    my (@words, @finer);
    push @words, 'Too few pairs: take a longer --max-time or --max-total, or a larger -i.'
        if $run->{complete} && grep { !defined $_->{plus_minus} && !$_->{lost} } @rows;
    if (grep { $_->{verdict} eq 'busy' } @rows) {
        push @words, 'No verdict on busy results: end the other work (./Run doctor).';
    } elsif (@open) {
        push @words, @open . ' of ' . @known . " differences are not known within $within.  Finer:";
        my $needed = sum(map { $_->{reached} ? $_->{seconds} : $_->{needed} } @known);
        my $most = ceil(max(map { $_->{needed} } @open) / 10);
        @finer =
            $needed <= LONGEST
            ? [ 'more time', "--max-time ${most}0", 'about ' . minutes($needed) . ' in all' ]
            : [ 'a quieter machine', './Run doctor', 'names what disturbs this one' ];
        push @finer, [ 'turns', '--turns 0.02 --pin', 'both sides meet the same moment' ]
            if !$run->{settings}{turns} && !grep { defined $_->{set} } @{ $run->{sides} };
    } elsif (@known) {
        push @words, "Precision reached: all measured differences are known within $within.";
    }
    return map({ folded(q{}, $_, min($columns, WIDTH)) } @words), alternatives($columns, @finer);
}

# That other work ran beside the pairs, and tests without a difference
sub findings {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} };
    my @busy = grep { $_->{verdict} eq 'busy' } @rows;
    my $disturbed = grep { $_->{disturbed} } @rows;
    my $all = @rows . (@rows == 1 ? ' result' : ' results');
    my @findings;
    push @findings, finding(busy => "$busy[0]{why}: no verdict on " . @busy . " of $all") if @busy;
    push @findings,
        finding(disturbed => "over a fifth of the pairs of $disturbed of $all were disturbed")
        if $disturbed;
    my @lost = grep { $_->{verdict} ne 'busy' && ($_->{lost} || !defined $_->{ratio}) } @rows;
    return @findings,
        map { finding(lost => $_->{why}, "$_->{test}, " . copies($_->{copies})) } @lost;
}

1;
