# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Pairs;

# Passes of two sides, A and B, that were measured in turn: pairs of neighbours in time.  Pure
# functions.
#
#   paired([passes of A], [passes of B], of one test at one number of copies) -> [ { at =>
#       seconds since the run began, rate => that of B as a share of that of A, flags => number
#       of reasons why one of the two was disturbed (where they took turns: by what concerns one
#       process alone), passes => [of A, of B] } ]: of each round in which both are good
#   counting([pairs]) -> [those that count]: the unflagged ones, where there are 9 of them
#   differences({ test => [pairs] } of tests that were measured in the same rounds, number of
#       rows that are to hold together, margin: a share) -> { test => { ratio => of the rates,
#       B / A; low, high => its interval; plus_minus => half of it as a share; verdict; pairs,
#       used, effective => number of pairs, of those that count, and how many independent ones
#       these are worth; correlation => of neighbouring pairs } }; only pairs and used where
#       fewer than FEWEST count
#
# What drifts slower than a pair takes changes both of its passes by the same factor, so the
# ratio of the two does not have it.  An interval is that of the center of the logarithms
# (Stats::Estimate).

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(sum);
use SpawnMeter::Analysis::Disturbance qw(flags sound of_one_process DISTURBED);
use SpawnMeter::Stats::Difference     qw(paired_rows judged);
use SpawnMeter::Analysis::Results     qw(by_copies in_order results);

our @EXPORT_OK = qw(paired differences summary of_side);

use constant FEWEST => 6;    # pairs

sub paired {
    my (@sides) = @_;
    my @of_round = map { of_round($_) } @sides;
    my ($x, $y) = @of_round;
    return [
        map { {
            at     => ($x->{$_}{at} + $y->{$_}{at}) / 2,
            rate   => $y->{$_}{rate} / $x->{$_}{rate},
            flags  => $x->{$_}{flags} + $y->{$_}{flags},
            passes => [ map { $_->{pass} } $x->{$_}, $y->{$_} ],
        } }
            sort { $a <=> $b } grep { $y->{$_} } keys %{$x}
    ];
}

# { round => its last good pass }: one that was made again counts no more
sub of_round {
    my ($passes) = @_;
    my @good = grep { $_->{status} eq 'ok' && $_->{rate} > 0 } @{$passes};
    my @reasons = flags(\@good);
    my %of;
    for my $i (0 .. $#good) {
        my $pass = $good[$i];
        my $flags = grep { !$pass->{turns} || of_one_process($_) } @{ $reasons[$i] };
        $of{ $pass->{round} } =
            { at => $pass->{at}, rate => $pass->{rate}, flags => $flags, pass => $pass };
    }
    return \%of;
}

sub counting {
    my ($pairs) = @_;
    return sound($pairs, [ map { $_->{flags} } @{$pairs} ]);
}

sub differences {
    my ($pairs, $number, $margin) = @_;
    my %known = map { $_ => counting($pairs->{$_}) } keys %{$pairs};
    my %stratum =
        map {
        $_ => [ map { { at => $_->{at}, y => log $_->{rate} } } @{ $known{$_} } ]
        }
        grep { @{ $known{$_} } >= FEWEST } keys %known;
    my $rows = paired_rows(\%stratum);
    judged([ values %{$rows} ], 1, log(1 + $margin), $number);
    my %found;
    for my $test (keys %known) {
        $found{$test} =
            { pairs => scalar @{ $pairs->{$test} }, used => scalar @{ $known{$test} } };
        my $row = $rows->{$test} or next;
        @{ $found{$test} }{qw(ratio low high)} = map { exp } @{$row}{qw(d low high)};
        $found{$test}{plus_minus} = exp($row->{half}) - 1;
        @{ $found{$test} }{qw(verdict effective correlation)} = @{$row}{qw(verdict n_eff rho)};
    }
    return \%found;
}

# ---- a run of ab ----
#
# What ./Run ab measured: how B differs from A.  Pure functions.
#
#   summary(run of kind ab) -> { sides => those of the run, precision, ended => what ended the
#       tests that did not reach it: stopped (the run is not complete), pairs (-i) or time; rows
#       => [row], by copies, then title }
#       a row: { test, title, copies, unit, a, b => result record of the side's passes, or undef
#       without any: of those in the pairs that count, if there are pairs; what differences() of
#       Analysis::Pairs says; verdict, why; flagged => number of pairs that were disturbed,
#       disturbed => true where that is over a fifth of them; seconds => that both sides took;
#       needed => seconds that the precision would take, undef where it is reached; reached =>
#       true where it is; lost => why a
#       side was not measured; unmeasured => true where no side was }
#   of_side(run, name) -> run with the passes of this side only
#
# Verdicts are read off the intervals, which hold together in 95 %.  faster, slower: of B.  same:
# within the precision.  unclear: the interval is too wide, there are too few pairs, a pass of the
# test failed, or one side cannot run it.

sub of_side {
    my ($run, $name) = @_;
    my @passes = grep { $_->{side} eq $name } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}

# { "copies test" => result record } of passes; a side by itself does not settle
sub of_cells {
    my ($run, @passes) = @_;
    my $results =
        results({ %{$run}, protocol => { name => 'quick' }, passes => \@passes }, chosen => 1);
    return { map { ("$_->{copies} $_->{test}" => $_) } @{$results} };
}

# The passes of a side that its results are of.  Of a test without pairs all of them are
sub passes_of_side {
    my ($side, $pairs, @passes) = @_;
    return @passes if !@{$pairs};
    my @bad = grep { $_->{status} ne 'ok' } @passes;
    return (@bad, map { $_->{passes}[$side] } @{ counting($pairs) });
}

sub summary {
    my ($run) = @_;
    my @names = map { $_->{name} } @{ $run->{sides} };
    my %passes;
    push @{ $passes{"$_->{copies} $_->{test}"}{ $_->{side} } }, $_ for @{ $run->{passes} };
    my %sides = map {
        my $of = $_;
        ($of => [ map { $passes{$of}{$_} || [] } @names ])
    } keys %passes;
    my %pairs = map { $_ => paired(@{ $sides{$_} }) } keys %sides;
    my @results = map {
        my $side = $_;
        of_cells($run,
            map { passes_of_side($side, $pairs{$_}, @{ $sides{$_}[$side] }) } sort keys %sides)
    } 0, 1;
    my @rows =
        map { row($results[0]{$_}, $results[1]{$_}, $pairs{$_}, @{ $sides{$_} }) } sort keys %sides;
    compare(\@rows, $run->{protocol}{precision});
    return {
        sides     => $run->{sides},
        precision => $run->{protocol}{precision},
        ended     => ended($run, @rows),
        rows      => [ in_order(@rows) ],
    };
}

sub ended {
    my ($run, @rows) = @_;
    return 'stopped' if !$run->{complete};
    my $most = $run->{protocol}{iterations};
    return 'time' if !defined $most;
    return (grep { !$_->{lost} && $_->{pairs} < $most } @rows) ? 'time' : 'pairs';
}

sub row {
    my ($x, $y, $pairs, @passes) = @_;
    my $of = $x || $y;
    my %side = ($x ? (A => $x) : (), $y ? (B => $y) : ());
    my @lost = grep { $side{$_}{status} ne 'ok' } sort keys %side;
    my ($unit) = grep { defined } map { $_->{unit} } grep { $_ } $x, $y;
    return {
        (map { $_ => $of->{$_} } qw(test title copies)),
        unit    => $unit,
        a       => $x,
        b       => $y,
        of      => $pairs,
        seconds => sum(0, map { $_->{wall} } map { @{$_} } @passes),
        lost    => scalar lost(\%side, @lost),
        (@lost && !grep({ defined $_->{rate} } grep { $_ } $x, $y)) ? (unmeasured => 1) : (),
    };
}

# Why a side was not measured; which one, where the other one was
sub lost {
    my ($side, @names) = @_;
    my ($name) = @names or return;
    my $why = "$side->{$name}{status}: $side->{$name}{reason}";
    return @names == 1 ? "side $name: $why" : $why;
}

# Tests at the same number of copies were measured in the same rounds
sub compare {
    my ($rows, $precision) = @_;
    for my $stratum (values %{ by_copies($rows) }) {
        my %pairs = map { $_->{test} => delete $_->{of} } @{$stratum};
        my $found = differences(\%pairs, scalar @{$rows}, $precision || 0);
        for my $row (@{$stratum}) {
            my $of = $pairs{ $row->{test} };
            %{$row} = (%{$row}, %{ $found->{ $row->{test} } });
            $row->{flagged} = grep { $_->{flags} } @{$of};
            $row->{disturbed} = $row->{flagged} > DISTURBED * @{$of} ? 1 : 0;
            time_needed($row, $precision);
            judge($row);
        }
    }
    return;
}

# The width of an interval falls with the square root of the number of pairs
sub time_needed {
    my ($row, $precision) = @_;
    return if !defined $row->{plus_minus} || !$precision;
    $row->{reached} = $row->{plus_minus} <= $precision ? 1 : 0;
    $row->{needed} = $row->{seconds} * ($row->{plus_minus} / $precision)**2 if !$row->{reached};
    return;
}

sub judge {
    my ($row) = @_;
    my $used = $row->{used} == 1 ? '1 pair' : "$row->{used} pairs";
    my $verdict = $row->{verdict} || 'unclear';
    $row->{why} =
          defined $row->{lost}   ? $row->{lost}
        : !defined $row->{ratio} ? "$used, at least " . FEWEST . ' are needed'
        : $verdict eq 'unclear'  ? 'the interval is too wide'
        :                          undef;
    $row->{verdict} =
          $row->{unmeasured}   ? 'not measured'
        : defined $row->{lost} ? 'unclear'
        :                        $verdict;
    return;
}

1;
