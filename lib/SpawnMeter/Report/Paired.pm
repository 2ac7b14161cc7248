# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Paired;

# An ab run in one of its forms.
#
#   text(summary of Analysis::Pairs, run, brief => true for a text without explanations) -> text of
#       72 columns, for mails;  markdown, csv and json(summary, run) likewise
#   findings(summary) -> what is wrong with its rows (Analysis::Findings)
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   cells(row) -> (rates of A and B, change, interval, verdict, CPU time of a creation of A and of
#       B, p50 of A and of B, p99 of A and of B), in words

use strict;
use warnings;
use List::Util                      qw(sum);
use SpawnMeter::Report::Differences qw(cells_of_row csv_of markdown_table);
use SpawnMeter::Report::Escape      qw(ascii in_markdown known);
use SpawnMeter::Analysis::Findings  qw(finding line_of warns);
use SpawnMeter::Report::Columns     qw(split_by_copies first_column);
use SpawnMeter::Util::Format        qw(copies duration folded minutes);
use SpawnMeter::Util::File          qw(pretty);

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

my @HEADS = (qw(A B B/A), '95 %', 'verdict', map { ("$_ A", "$_ B") } qw(CPU p50 p99));

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
    return "$text\n" . markdown_table([ 'test', 'copies', @HEADS ], @rows);
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
    WIDTH   => 72,
    LINE    => "%-11s %9s %9s %7s %12s %s\n",
    COSTS   => '%-11s' . ' %9s' x 6 . "\n",
    LONGEST => 3600,                            # seconds that are worth naming
    PRESENT => 0.1,                             # correlation that is reported
};

sub text {
    my ($summary, $run, %options) = @_;
    my @rows = @{ $summary->{rows} };
    my @back = defined $run->{set_back} ? [ 'Set back by' => characters($run->{set_back}) ] : ();
    my $text = join q{}, map { folded(ascii("  $_->[0]: "), ascii($_->[1]), WIDTH) }
        map({ [ $_->{name} => side($_, $run) ] } @{ $summary->{sides} }), @back;
    return $text . "\nNothing was measured.\n" if !@rows;
    $text .= table(@{$_}) for split_by_copies(@rows);
    $text .= explanation($run->{settings}{turns} ? 'passes in turns' : 'neighbouring passes')
        if !$options{brief};
    my @notes = map { (warns($_->{kind}) ? '! ' : q{}) . line_of($_) } findings($summary);
    push @notes, 'INCOMPLETE: ' . known($run->{reason}) if !$run->{complete};
    return join q{}, $text, "\n", map { folded(q{}, ascii($_), WIDTH, q{  }) } ended($summary),
        @notes;
}

sub table {
    my ($copies, @rows) = @_;
    my @lines = map { [ first_column(ascii($_->{test})), cells($_) ] } @rows;
    unshift @lines, [ copies($copies), @HEADS ];
    return join q{}, "\n", map({ sprintf LINE, @{$_}[ 0 .. 5 ] } @lines), "\n",
        map { sprintf COSTS, @{$_}[ 0, 6 .. 11 ] } @lines;
}

sub explanation {
    my ($passes) = @_;
    return <<"END";

A, B: trimmed geometric means, apart by B/A.  B/A: mean difference of the
rates of $passes (logarithms); + is faster.  95 %: its
interval, in %; all intervals hold together in 95 %, and verdicts are
read off them (same: within the precision).  CPU: of one process; p50,
p99: percentiles of its time.
END
}

my %ENDED = (
    stopped => 'The run is not complete',
    pairs   => 'All pairs were measured (-i)',
    time    => 'Time was up',
);

# How many tests reached the precision, and what it would take for the others
sub ended {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} };
    my $within = sprintf '+/-%g %%', 100 * $summary->{precision};
    my @known = grep { defined $_->{plus_minus} } @rows;
    my $open = grep { !$_->{reached} } @known;
    my @lines;
    push @lines, 'Too few pairs: take a longer --max-time or --max-total, or a larger -i.'
        if $summary->{ended} ne 'stopped' && grep { !defined $_->{plus_minus} && !$_->{lost} }
        @rows;
    my $busy = grep { $_->{verdict} eq 'busy' } @rows;
    push @lines, 'No verdict on busy results: measure again on a quiet machine.' if $busy;
    return @lines if !@known;
    return @lines, "Precision reached: all measured differences are known within $within."
        if !$open;
    my $needed = sum(map { $_->{reached} ? $_->{seconds} : $_->{needed} } @known);
    my $how =
          $busy             ? q{}
        : $needed > LONGEST ? '; take a quieter machine, or a larger --precision'
        :                     '; that would take about ' . minutes($needed);
    return @lines, sprintf '%s: %d of %d differences are not known within %s%s.',
        $ENDED{ $summary->{ended} }, $open, scalar @known, $within, $how;
}

# Drift that is left in the differences, pairs that were disturbed, and tests without a verdict
sub findings {
    my ($summary) = @_;
    return map { findings_of($_, "$_->{test}, " . copies($_->{copies})) } @{ $summary->{rows} };
}

sub findings_of {
    my ($row, $where) = @_;
    my @findings;
    push @findings, finding(disturbed => "$row->{flagged} of $row->{pairs} pairs", $where)
        if $row->{disturbed};
    push @findings, finding(busy => "no verdict: $row->{why}", $where)
        if $row->{verdict} eq 'busy';
    push @findings,
        finding(
        drift => sprintf('neighbouring pairs are correlated by %.1f; %d are worth %.0f',
            @{$row}{qw(correlation used effective)}),
        $where
        ) if ($row->{correlation} || 0) >= PRESENT;
    push @findings, finding(lost => $row->{why}, $where)
        if defined $row->{why} && ($row->{lost} || !defined $row->{ratio});
    return @findings;
}

1;
