# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Pairs;

# Passes of two sides, A and B, that were measured in turn: pairs of neighbours in time.  Pure
# functions.
#
#   pairs_of([passes of A], [passes of B], of one test at one number of copies) -> [ { rate =>
#       that of B as a share of that of A, flags => number of reasons why one of the two was
#       disturbed (where they took turns: by what concerns one process alone), passes => [of A, of
#       B] } ]: of each round in which both are good, in order of time
#   counting([pairs]) -> [those that count]: the unflagged ones, where there are 9 of them
#   ratios_of_pairs({ test => [pairs] } of tests that were measured in the same rounds, number of
#       rows that are to hold together, margin: a share) -> { test => { ratio => of the rates,
#       B / A; low, high => its interval; plus_minus => half of it as a share; verdict; pairs,
#       used, effective => number of pairs, of those that count, and how many independent ones
#       these are worth; correlation => of neighbouring pairs } }; only pairs and used where
#       fewer than FEWEST count
#
# What drifts slower than a pair takes changes both of its passes by the same factor, so the
# ratio of the two does not have it.  An interval is that of the center of the logarithms
# (Stats::Numbers).

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Comparison  qw(withheld);
use SpawnMeter::Stats::Difference     qw(paired_rows with_verdicts);
use SpawnMeter::Analysis::Disturbance qw(DISTURBED flags of_one_process sound);
use SpawnMeter::Analysis::Results     qw(by_copies in_order results);

our @EXPORT_OK = qw(pairs_of summary_of_ab);

use constant FEWEST => 6;    # pairs

sub pairs_of {
    my (@sides) = @_;
    my %of_round;    # the last good pass of each side: one that was made again counts no more
    for my $side (0, 1) {
        my @good = grep { $_->{status} eq 'ok' && $_->{rate} > 0 } @{ $sides[$side] };
        my @reasons = flags(\@good);
        for my $pass (@good) {
            my $flags = grep { !$pass->{turns} || of_one_process($_) } @{ shift @reasons };
            $of_round{ $pass->{round} }[$side] = [ $pass, $flags ];
        }
    }
    my @pairs;
    for my $round (sort { $a <=> $b } keys %of_round) {
        my ($x, $y) = map { $_ || next } @{ $of_round{$round} }[ 0, 1 ];
        my $rate = $y->[0]{rate} / $x->[0]{rate};
        push @pairs, { rate => $rate, passes => [ $x->[0], $y->[0] ], flags => $x->[1] + $y->[1] };
    }
    return \@pairs;
}

sub counting {
    my ($pairs) = @_;
    return sound($pairs, [ map { $_->{flags} } @{$pairs} ]);
}

sub ratios_of_pairs {
    my ($pairs, $number, $margin) = @_;
    my %counting = map { $_ => counting($pairs->{$_}) } keys %{$pairs};
    my %stratum;
    $stratum{$_} = [ map { { y => log $_->{rate} } } @{ $counting{$_} } ]
        for grep { @{ $counting{$_} } >= FEWEST } keys %counting;
    my $rows = paired_rows(\%stratum);
    with_verdicts([ values %{$rows} ], 1, log(1 + $margin), $number);
    my %ratios;
    for my $test (keys %counting) {
        my $ratio = $ratios{$test} =
            { pairs => scalar @{ $pairs->{$test} }, used => scalar @{ $counting{$test} } };
        my $row = $rows->{$test} or next;
        @{$ratio}{qw(verdict effective correlation)} = @{$row}{qw(verdict n_eff rho)};
        @{$ratio}{qw(ratio low high)} = map { exp } @{$row}{qw(d low high)};
        $ratio->{plus_minus} = exp($row->{half}) - 1;
    }
    return \%ratios;
}

# ---- a run of ab ----
#
#   summary_of_ab(run of kind ab) -> how B differs from A: { sides => those of the run, precision,
#       rows => [row], by copies, then title }
#       a row: { test, title, copies, unit; a, b => rates: centers, apart by the ratio of the pairs
#       where it is known, cpu_us_a, p50_us_a, p99_us_a and those of b: of the passes in the pairs
#       that count, or without pairs of all; what ratios_of_pairs() says;
#       verdict, why; flagged => number of pairs that were disturbed, disturbed => true where that
#       is over a fifth of them; busy => CPUs that others used, where a side was;
#       seconds => that both sides took; reached => true where the precision is,
#       needed => seconds that it would take else; lost =>
#       why a side was not measured; unmeasured => true where no side was }
#
# Verdicts are read off the intervals, which hold together in 95 %.  faster, slower: of B.  same:
# within the precision.  unclear: the interval is too wide, there are too few pairs, a pass of the
# test failed, or one side cannot run it.  busy: where ./Run compare has no verdict either.

sub summary_of_ab {
    my ($run) = @_;
    my @names = map { $_->{name} } @{ $run->{sides} };
    my $precision = $run->{settings}{precision};
    my %passes;
    push @{ $passes{"$_->{copies} $_->{test}"}{ $_->{side} } }, $_ for @{ $run->{passes} };
    my @cells = map {
        my @sides = map { $_ || [] } @{ $passes{$_} }{@names};
        { sides => \@sides, pairs => pairs_of(@sides) }
    } sort keys %passes;
    my @rows = map { row_of($run, $_) } @cells;
    for (by_copies(@rows)) {
        my (undef, @stratum) = @{$_};
        my %pairs = map { $_->{test} => $_->{pairs} } @stratum;
        my $ratios = ratios_of_pairs(\%pairs, scalar @rows, $precision || 0);
        judge($_, $ratios->{ $_->{test} }, $precision) for @stratum;
    }
    return {
        sides     => $run->{sides},
        precision => $precision,
        rows      => [ in_order(@rows) ],
    };
}

# A row without its verdict, whose pairs are still a list
sub row_of {
    my ($run, $cell) = @_;
    my @sides = map { scalar result_of_side($run, $_, $cell) } 0, 1;
    my ($first) = my @measured = grep { $_ } @sides;
    my ($unit) = grep { defined } map { $_->{unit} } @measured;
    my %row = (
        (map { $_ => $first->{$_} } qw(test title copies)),
        unit       => $unit,
        pairs      => $cell->{pairs},
        seconds    => sum(0, map { $_->{wall} } map { @{$_} } @{ $cell->{sides} }),
        lost       => scalar why_lost(@sides),
        unmeasured => grep({ defined $_->{rate} } @measured) ? undef : 1,
    );
    for my $side (qw(a b)) {
        my $result = shift @sides || {};
        $row{$side} = $result->{center} // $result->{rate};
        $row{"cpu_us_$side"} = $result->{cpu_us};
        @row{ "p50_us_$side", "p99_us_$side" } = @{ $result->{latency} || [] }[ 0, 2 ];
        $row{busy} //= $result->{busy};
    }
    return \%row;
}

# The result of the passes of a side that count: of a test without pairs all of them.  A side alone
# has no precision to reach
sub result_of_side {
    my ($run, $side, $cell) = @_;
    my @passes = @{ $cell->{sides}[$side] };
    @passes = (
        (grep { $_->{status} ne 'ok' } @passes),
        map { $_->{passes}[$side] } @{ counting($cell->{pairs}) }
    ) if @{ $cell->{pairs} };
    my %of_side = (settings => { name => 'quick' }, passes => \@passes);
    return results({ %{$run}, %of_side }, chosen => 1)->[0];
}

# Why the two results of a test cannot be compared; undef where they can
sub why_lost {
    my (@sides) = @_;
    my @measured = grep { $_ } @sides;
    return 'one side executed whole images, the other short ones'
        if @measured == 2 && 1 == grep { $_->{images} } @measured;
    my ($lost, @more) = grep { $_->{status} ne 'ok' } @measured or return;
    my $why = "$lost->{status}: $lost->{reason}";
    return $why if @more;
    return ($sides[0] && $lost == $sides[0] ? 'side A: ' : 'side B: ') . $why;
}

# The width of an interval falls with the square root of the number of pairs
sub judge {
    my ($row, $ratio, $precision) = @_;
    my $flagged = grep { $_->{flags} } @{ $row->{pairs} };
    %{$row} = (%{$row}, %{$ratio}, flagged => $flagged);
    $row->{disturbed} = $flagged > DISTURBED * $row->{pairs} ? 1 : 0;
    if (defined $row->{ratio}) {
        my ($middle, $half) = map { sqrt } $row->{a} * $row->{b}, $row->{ratio};
        @{$row}{qw(a b)} = ($middle / $half, $middle * $half);
    }
    my $verdict = $row->{verdict} || 'unclear';
    $row->{why} =
          defined $row->{lost}   ? $row->{lost}
        : !defined $row->{ratio} ? "pairs: $row->{used}, at least " . FEWEST . ' are needed'
        : $verdict eq 'unclear'  ? 'the interval is too wide'
        :                          undef;
    $row->{verdict} = $row->{unmeasured} ? 'not measured' : $row->{lost} ? 'unclear' : $verdict;
    my $busy = withheld(1, { passes => $row->{pairs}, map { $_ => $row->{$_} } qw(busy flagged) });
    @{$row}{qw(verdict why)} = ('busy', $busy) if defined $busy && !$row->{lost};
    return if !defined $row->{plus_minus} || !$precision;
    my $times = $row->{plus_minus} / $precision;
    $row->{reached} = $times <= 1 ? 1 : 0;
    $row->{needed} = $row->{seconds} * $times**2 if $times > 1;
    return;
}

1;
