# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Paired;

# An ab run in one of its forms.
#
#   text(summary of Analysis::Pairs, run, columns => of the page, 80 if not given, verbose => true
#       for all that is known) -> text: what B changes, the table, doubts, what to do;
#       markdown, csv and json(summary, run) likewise
#   answer(summary) -> "fork is 96.7 % slower with --heap 100M", or of many results how many have
#       which verdict
#   findings(summary) -> what is wrong with its rows (Analysis::Findings)
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   cells(row) -> (rates of A and B, change, interval, verdict, CPU time of a creation of A and of
#       B, p50 of A and of B, p99 of A and of B), in words

use strict;
use warnings;
use List::Util                        qw(max min sum);
use POSIX                             qw(ceil);
use SpawnMeter::Report::Differences   qw(cells_of_row csv_of markdown_table);
use SpawnMeter::Report::Escape        qw(ascii in_markdown known);
use SpawnMeter::Analysis::Findings    qw(finding line_of warns);
use SpawnMeter::Analysis::Results     qw(by_copies);
use SpawnMeter::Report::Columns       qw(first_column);
use SpawnMeter::Report::Text::Screen  qw(alternatives);
use SpawnMeter::Util::Format          qw(copies duration folded minutes);
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
    PAGE    => 80,                              # columns
    WIDTH   => 72,                              # for mails
    LINE    => "%-11s %9s %9s %7s %12s %s\n",
    NARROW  => "%-11s %7s %12s %s\n",           # without the rates
    COSTS   => '%-11s' . ' %9s' x 6 . "\n",
    LONGEST => 1200,                            # seconds that are worth naming
    PRESENT => 0.1,                             # correlation that is reported
    NOTHING => 1,                               # half of an interval that says nothing, a share
    NAMED   => 3,                               # differences at most that the answer names
    DRIFT   => 'neighbouring pairs are correlated by %.1f; %d are worth %.0f',
};

sub text {
    my ($summary, $run, %options) = @_;
    my $columns = $options{columns} || PAGE;
    my $width = min($columns, WIDTH);
    my @back = defined $run->{set_back} ? [ 'Set back by' => characters($run->{set_back}) ] : ();
    my $text = folded(q{}, ascii(answer($summary)) . q{.}, $width) . join q{},
        map { folded(ascii("  $_->[0]: "), ascii($_->[1]), $width) }
        map({ [ $_->{name} => side($_, $run) ] } @{ $summary->{sides} }), @back;
    $text .= table($columns, \%options, @{$_}) for by_copies(@{ $summary->{rows} });
    my @notes = map { (warns($_->{kind}) ? '! ' : q{}) . line_of($_) }
        grep { $options{verbose} || $_->{kind} ne 'drift' } findings($summary);
    push @notes, 'INCOMPLETE: ' . known($run->{reason}) if !$run->{complete};
    unshift @notes, map { line_of($_) } of_settings($run->{settings});
    return join q{}, $text, "\n", map({ folded(q{}, ascii($_), $width, q{  }) } @notes),
        what_to_do($summary, $run, $columns);
}

sub answer {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} } or return 'Nothing was measured';
    my $with = words_of_side(@{ $summary->{sides} });
    my @known = grep { defined $_->{plus_minus} } @rows;
    return sprintf 'Nothing can be said: +-%s; end the other work',
        width_of(min(map { $_->{plus_minus} } @known))
        if @known && !grep { !says_nothing($_) } @known;
    my @different = grep { $_->{verdict} =~ /er\z/ } @rows;
    return join '; ', differences(@different) . " $with",
        join(q{, }, counts(\@rows, qw(same unclear busy))) || ()
        if @different && @different <= NAMED;
    return "$rows[0]{test} $with: $rows[0]{verdict}" if @rows == 1;
    my ($first, @others) = counts(\@rows, qw(slower faster same unclear busy), 'not measured');
    return join q{, }, "\u$with: " . $first =~ s/ / of @{[ scalar @rows ]} results /r, @others;
}

# "fork is 10.0 % slower, vfork, 2 copies 3.0 % slower"
sub differences {
    my ($first, @others) = map {
        my $copies = $_->{copies} == 1 ? q{} : q{, } . copies($_->{copies});
        [ "$_->{test}$copies", sprintf '%.1f %% %s', 100 * abs($_->{ratio} - 1), $_->{verdict} ]
    } @_;
    return join q{, }, join(' is ', @{$first}), map { "@{$_}" } @others;
}

sub counts {
    my ($rows, @verdicts) = @_;
    my %number;
    $number{ $_->{verdict} }++ for @{$rows};
    return map { "$number{$_} $_" } grep { $number{$_} } @verdicts;
}

# What B has where A is as it is, if these are options of the programs
sub words_of_side {
    my ($plain, $side) = map { my %side = %{$_}; delete @side{qw(name gated build)}; \%side } @_;
    my @options = @{ delete $side->{options} || [] };
    my $other = grep { ref() ? @{$_} : defined } map { values %{$_} } $plain, $side;
    return @options && !$other ? "with @options" : 'in B';
}

sub says_nothing {
    my ($row) = @_;
    return ($row->{plus_minus} || 0) > NOTHING && $row->{low} < 1 && $row->{high} > 1;
}

sub width_of { my ($share) = @_; return sprintf '%.0f %%', min(999, 100 * $share) }

sub table {
    my ($columns, $options, $copies, @rows) = @_;
    my @lines = map {
        my @cells = cells($_);
        @cells[ 2, 3 ] = (q{?}, q{+-} . width_of($_->{plus_minus}))
            if says_nothing($_);
        [ first_column(ascii($_->{test})), @cells ]
    } @rows;
    unshift @lines, [ copies($copies), @HEADS ];
    return join q{}, "\n", map { sprintf NARROW, @{$_}[ 0, 3 .. 5 ] } @lines if $columns < WIDTH;
    return join q{}, "\n", map({ sprintf LINE, @{$_}[ 0 .. 5 ] } @lines),
        $options->{verbose} ? ("\n", map { sprintf COSTS, @{$_}[ 0, 6 .. 11 ] } @lines) : ();
}

my %ENDED = (
    stopped => 'The run is not complete',
    pairs   => 'All pairs were measured (-i)',
    time    => 'Time was up',
);

# How many differences are known well enough, and what narrows the others
sub what_to_do {
    my ($summary, $run, $columns) = @_;
    my @rows = @{ $summary->{rows} };
    my $within = sprintf '+/-%g %%', 100 * $summary->{precision};
    my @known = grep { defined $_->{plus_minus} } @rows;
    my @open = grep { !$_->{reached} } @known;
    my (@words, @finer);
    push @words, 'Too few pairs: take a longer --max-time or --max-total, or a larger -i.'
        if $summary->{ended} ne 'stopped' && grep { !defined $_->{plus_minus} && !$_->{lost} }
        @rows;
    if (grep { $_->{verdict} eq 'busy' } @rows) {
        push @words, 'No verdict on busy results: end the other work (see ./Run doctor), and '
            . 'measure again.';
    } elsif (@open) {
        push @words, sprintf '%s: %d of %d differences are not known within %s.  Finer:',
            $ENDED{ $summary->{ended} }, scalar @open, scalar @known, $within;
        @finer = finer($run, @known);
    } elsif (@known) {
        push @words, "Precision reached: all measured differences are known within $within.";
    }
    return map({ folded(q{}, $_, min($columns, WIDTH)) } @words), alternatives($columns, @finer);
}

# More time where it is not much, and turns of two processes on one CPU where both sides can run at
# the same time
sub finer {
    my ($run, @known) = @_;
    my $needed = sum(map { $_->{reached} ? $_->{seconds} : $_->{needed} } @known);
    my $most = ceil(max(map { $_->{needed} // 0 } @known) / 10);
    my @time = ('more time', "--max-time ${most}0", 'about ' . minutes($needed) . ' in all');
    my @turns = ('turns', '--turns 0.02 --pin', 'both sides meet the same moment');
    my $can_turn = !$run->{settings}{turns} && !grep { defined $_->{set} } @{ $run->{sides} };
    my @finer = ($needed <= LONGEST ? \@time : (), $can_turn ? \@turns : ());
    return @finer
        ? @finer
        : [ 'a quieter machine', './Run doctor', 'names what disturbs this one' ];
}

# That other work ran beside the pairs, drift that is left in the differences, and tests without one
sub findings {
    my ($summary) = @_;
    my @rows = @{ $summary->{rows} };
    my @busy = grep { $_->{verdict} eq 'busy' } @rows;
    my $disturbed = grep { $_->{disturbed} } @rows;
    my $all = @rows . (@rows == 1 ? ' result' : ' results');
    my @findings;
    push @findings, finding(busy => "$busy[0]{why}: no verdict on @{[ scalar @busy ]} of $all")
        if @busy;
    push @findings,
        finding(disturbed => "over a fifth of the pairs of $disturbed of $all were disturbed")
        if $disturbed;

    for my $row (@rows) {
        my @where = "$row->{test}, " . copies($row->{copies});
        my @drift = @{$row}{qw(correlation used effective)};
        push @findings, finding(drift => sprintf(DRIFT, @drift), @where)
            if ($drift[0] || 0) >= PRESENT;
        my $is_lost = $row->{lost} || !defined $row->{ratio};
        push @findings, finding(lost => $row->{why}, @where)
            if $row->{verdict} ne 'busy' && defined $row->{why} && $is_lost;
    }
    return @findings;
}

1;
