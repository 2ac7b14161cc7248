# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Comparison;

# Two or more runs -> what differs.  Pure functions.
#
#   reduce(run, name, copies or undef) -> machine: { name, run => its head, cells =>
#       { "copies test" => { test, title, category, copies, unit, rate, plus_minus, settled,
#       disturbed, effective, used => [rates], stalls => [microseconds] } } }    the run's passes
#       are not kept
#   compare(old machine, new machine, spread) ->
#       { rows => [ { test, title, copies, unit, old, new, ratio, low, high, p, adjusted,
#         verdict, why, steadied } ], reference => what steady_rows() of
#         Analysis::SteadiedRuns says, means => [ { copies, ratio, tests } ], stalls => [ rows
#         of the same form, of the creating call in the parent: old and new are microseconds,
#         a ratio above 1 is longer, and the verdicts are shorter and longer.  They are a
#         family of their own ] }
#   usual(machine, machine) -> the difference that equal runs of such a machine can have, as
#       a share
#
# A spread says how much equal runs differ: { usual => share, equals => { "copies test" =>
# { level => standard deviation of the logarithm of a run's own level, degrees } } of
# SpawnMeter::Analysis::AA, or undef where it was not measured }.
#
# Where both runs have references that can be compared, the rows have the difference at one
# level of these (steadied), and p and verdict are those of it.
#
# p is the probability of such a ratio between equals: by the passes of both runs, and where
# it was measured by the runs' own levels, too.  adjusted: the same for all tests of the two
# runs together (Holm), so that the probability that any of their verdicts is wrong is at most
# 5 % (the family-wise error).  Verdicts: faster, slower; no difference shown (adjusted p 5 %
# or more); inconclusive, and why: no raw samples, under six passes, disturbed passes and an
# interval that does not lie beyond a factor of 1.5, or a difference that equal runs of such a
# machine can have, where no A/A run says how much they differ.

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(min max);
use SpawnMeter::Analysis::Results      qw(results);
use SpawnMeter::Analysis::SteadiedRuns qw(steady_rows);
use SpawnMeter::Analysis::Stats        qw(geometric_mean median);
use SpawnMeter::Analysis::TwoSamples   qw(ratio ratio_of_intervals apart adjusted combined_degrees);

our @EXPORT_OK = qw(reduce compare usual);

use constant {
    SIGNIFICANT => 0.05,
    US          => 1e6,
    FAR_OFF     => 1.5,    # a ratio whose interval lies beyond it is shown though disturbed

    # Differences between equal runs a few minutes apart: 95 % of them are below this on a
    # busy virtual machine (make simulate, the recorded runs); elsewhere it is a convention
    USUAL_VIRTUAL => 0.12,
    USUAL         => 0.05,
};

my %CALLED = (faster => 'shorter', slower => 'longer');

# The results of a run without its passes
sub reduce {
    my ($run, $name, $copies) = @_;
    my %cells;
    for my $r (grep { defined $_->{rate} } @{ results($run, brief => 1) }) {

        # 0: a posted text that does not say; the number that the user asks for is taken
        my $c = $r->{copies} || ($copies || 0);
        next if defined $copies && $c != $copies;
        my %cell = map { $_ => $r->{$_} }
            qw(test title category unit rate plus_minus low high effective settled disturbed
            points);
        $cells{"$c $r->{test}"} =
            { %cell, copies => $c, used => $r->{sound} || [], stalls => $r->{stalls} || [] };
    }
    my %head = map { $_ => $run->{$_} }
        grep { !/^(?:passes|printed|blocks|results|scores|tests)$/ } keys %{$run};
    return { name => $name, run => \%head, cells => \%cells };
}

sub usual {
    my (@machines) = @_;
    my @metal = grep { ($_->{run}{system}{hypervisor} || q{}) eq 'none' } @machines;
    return @metal == @machines ? USUAL : USUAL_VIRTUAL;
}

sub compare {
    my ($old, $new, $spread) = @_;
    my $equals = $spread->{equals} || {};
    my @rows;
    for my $key (grep { $new->{cells}{$_} } keys %{ $old->{cells} }) {
        push @rows, row($old->{cells}{$key}, $new->{cells}{$key}, $equals->{$key});
    }
    my $reference = steady_rows(\@rows, $old, $new);
    for my $row (grep { $_->{steadied} } @rows) {
        widen($row->{steadied}, { %{ $row->{steadied} } }, $row->{of_equals}) if $row->{of_equals};
        $row->{p} = $row->{steadied}{p};
    }
    @rows = judged($spread, @rows);
    return {
        rows      => \@rows,
        means     => means(@rows),
        reference => $reference,
        stalls    => stalls($old, $new, $spread),
    };
}

# Of one family
sub judged {
    my ($spread, @unsorted) = @_;
    my @rows = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @unsorted;
    my @tested = grep { defined $_->{p} } @rows;
    my @adjusted = adjusted(map { $_->{p} } @tested);
    $tested[$_]{adjusted} = $adjusted[$_] for 0 .. $#tested;
    judge($_, $spread->{usual}) for @rows;
    delete @{$_}{qw(disturbed of_equals used)} for @rows;
    return @rows;
}

# Calls per second are compared like rates, and their reciprocals reported
sub stalls {
    my ($old, $new, $spread) = @_;
    my @rows;
    for my $key (grep { $new->{cells}{$_} } keys %{ $old->{cells} }) {
        my @cells = map { calls_of($_->{cells}{$key}) } $old, $new;
        push @rows, row(@cells) if @cells == 2;
    }
    @rows = judged($spread, @rows);
    for my $row (@rows) {
        @{$row}{qw(old new)} = map { US / $_ } @{$row}{qw(old new)};
        @{$row}{qw(ratio high low)} =
            map { defined $_ ? 1 / $_ : undef } @{$row}{qw(ratio low high)};
        $row->{verdict} = $CALLED{ $row->{verdict} } || $row->{verdict};
        $row->{unit} = 'us';
    }
    return \@rows;
}

sub calls_of {
    my ($cell) = @_;
    my @calls = map { US / $_ } grep { $_ > 0 } @{ $cell->{stalls} };
    return if !@calls;
    my ($median) = median(@calls);
    return { %{$cell}, rate => $median, used => \@calls, low => undef, high => undef };
}

sub means {
    my (@rows) = @_;
    my %ratios;
    push @{ $ratios{ $_->{copies} } }, $_->{ratio} for @rows;
    return [
        map { {
            copies => $_ + 0,
            tests  => scalar @{ $ratios{$_} },
            ratio  => geometric_mean(@{ $ratios{$_} })
        } }
            sort { $a <=> $b } keys %ratios
    ];
}

# The classic way's headline is no median; ratio and interval are those of medians where
# there are samples
sub row {
    my ($x, $y, $of_equals) = @_;
    my %row = (
        (map { $_ => $x->{$_} } qw(test title category copies)),
        unit      => defined $x->{unit} ? $x->{unit} : $y->{unit},
        old       => $x->{rate},
        new       => $y->{rate},
        ratio     => $y->{rate} / $x->{rate},
        of_equals => $of_equals,
        disturbed => $x->{disturbed} || $y->{disturbed},
        used      => [ $x->{used}, $y->{used} ],
    );
    my $raw = @{ $x->{used} } && @{ $y->{used} };
    my $found =
        $raw
        ? ratio(map { { values => $_->{used}, effective => $_->{effective} } } $x, $y)
        : ratio_of_intervals($x, $y);
    return \%row if !$found;
    @row{qw(ratio low high p)} = @{$found}{qw(ratio low high p)};
    widen(\%row, $found, $of_equals) if $of_equals;
    return \%row;
}

# By the levels that equal runs have
sub widen {
    my ($row, $found, $of_equals) = @_;
    my %levels = (error => sqrt(2) * $of_equals->{level}, degrees => $of_equals->{degrees});
    my $error = sqrt $found->{error}**2 + $levels{error}**2;
    my $wider = apart($found->{ratio}, $error, combined_degrees($found, \%levels));
    @{$row}{qw(low high p)} = (
        min($row->{low}, $wider->{low}),
        max($row->{high}, $wider->{high}),
        max($row->{p}, $wider->{p})
    );
    return;
}

# In logarithms, so that the two directions agree: half as fast and twice as fast are equally
# far from no difference
sub judge {
    my ($row, $usual) = @_;
    my $by = $row->{steadied} || $row;
    $row->{why} = reason_for_doubt($row, $by, $usual);
    my $shown = defined $row->{adjusted} && $row->{adjusted} < SIGNIFICANT;
    $row->{verdict} =
          defined $row->{why} ? 'inconclusive'
        : !$shown             ? 'no difference shown'
        : $by->{ratio} > 1    ? 'faster'
        :                       'slower';
    return;
}

# Why nothing can be said; undef where something can
sub reason_for_doubt {
    my ($row, $by, $usual) = @_;
    return (grep { !@{$_} } @{ $row->{used} }) ? 'no raw samples' : 'too few passes'
        if !defined $row->{p};
    my $nearest = min(map { abs log $_ } @{$by}{qw(low high)});
    my $far_off = ($by->{low} > 1 || $by->{high} < 1) && $nearest > log FAR_OFF;
    return 'disturbed passes' if $row->{disturbed} && !$far_off;
    return if $row->{of_equals} || $row->{adjusted} >= SIGNIFICANT;
    return if abs(log $by->{ratio}) >= log(1 + $usual);
    return 'equal runs can differ by as much';
}

1;
