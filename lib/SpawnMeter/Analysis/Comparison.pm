# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Comparison;

# Two or more runs -> what differs.  Pure functions.
#
#   reduce(run, name, copies or undef) -> machine: { name, run => its head, cells =>
#       { "copies test" => { test, title, category, copies, unit, rate, low, high, plus_minus,
#       settled, disturbed, busy, effective, used => [rates], stalls => [microseconds], points => by
#       Analysis::SteadiedRuns } } }.  The run's passes are not kept
#   compare(old machine, new machine, spread) ->
#       { rows => [ { test, title, copies, unit, old, new, ratio, low, high, p, adjusted,
#         verdict, why, steadied } ], limits => those of Analysis::Verdict, reference => what
#         steady_rows() of Analysis::SteadiedRuns says, means => [ { copies, ratio, tests } ],
#         stalls => [ rows of the same form, of the creating call in the parent: old and new are
#         microseconds, a ratio above 1 is longer, and the verdicts are shorter and longer.
#         They are a family of their own ] }
#   usual(machine, machine) -> the difference that equal runs of such a machine can have, as
#       a share
#   least_level(usual) -> standard deviation of a steadied run's own level that an A/A run
#       cannot be below
#
# A spread says how much equal runs differ: { usual => share, equals => { "copies test" =>
# { level => standard deviation of the logarithm of a run's own level, degrees, steadied => the
# same of steadied results } } of SpawnMeter::Analysis::AA, or undef where it was not measured }.
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
# machine can have, where no A/A run says how much they differ: a raw one below the limit of
# Analysis::Verdict, or a steadied one that runs with own levels of STEADIED times the usual
# difference can have; then the reference has own_level, their standard deviation.

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(min max);
use SpawnMeter::Analysis::OwnLevel     qw(at_least KNOWN);
use SpawnMeter::Analysis::Results      qw(results);
use SpawnMeter::Analysis::SteadiedRuns qw(steady_rows);
use SpawnMeter::Analysis::Stats        qw(geometric_mean median);
use SpawnMeter::Analysis::TwoSamples   qw(ratio ratio_of_intervals apart combined_degrees);
use SpawnMeter::Analysis::Verdict      qw(judged limits);

our @EXPORT_OK = qw(reduce compare usual least_level);

use constant {
    US => 1e6,

    # Differences between equal runs a few minutes apart: 95 % of them are below this on a
    # busy virtual machine (make simulate, the recorded runs); elsewhere it is a convention
    USUAL_VIRTUAL => 0.12,
    USUAL         => 0.05,

    # Standard deviations of runs' own levels at one level of the loops (logarithms), as a share
    # of the usual difference: 2.4 % of a virtual machine, 1 % of others, where no A/A run says
    # them, and 1.8 and 0.75 % at least where one does, since its runs follow each other and
    # those that are compared can be hours apart.  Measured between runs of a virtual machine,
    # from minutes to hours apart: 0.2 to 1.8 %, 2.6 % for single tests (bench/levels.pl)
    STEADIED       => 0.2,
    STEADIED_LEAST => 0.15,
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
            busy points);
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
    steadied_row($_, $reference, $spread->{usual}) for grep { $_->{steadied} } @rows;
    my $limits = limits($spread->{usual}, @rows);
    @rows = judged($limits, @rows);
    return {
        rows      => \@rows,
        limits    => $limits,
        means     => means(@rows),
        reference => $reference,
        stalls    => stalls($old, $new, $spread),
    };
}

# Of steadied results of such a machine; undef where what the loops depend on has changed
sub own_level {
    my ($reference, $usual) = @_;
    return if !$reference || !$reference->{loops} || @{ $reference->{changed} };
    return STEADIED * $usual;
}

# A level counts if it is that of the same loop.  Where loops in the kernel cannot be compared,
# that of raw results counts
sub steadied_row {
    my ($row, $reference, $usual) = @_;
    my $of = $row->{steadied};
    my $own_level = own_level($reference, $usual);
    my $equals = $row->{of_equals};
    if ($equals && defined $own_level) {
        my $known = $equals->{steadied};
        my $same = $known && $known->{loop} eq $of->{loop};
        $equals = $same ? at_least($known, least_level($usual)) : undef;
        $row->{of_equals} = $equals;
    }
    if ($equals) {
        widen($of, { %{$of} }, $equals);
    } elsif (defined $own_level) {
        $row->{beyond} = with_levels($of, { level => $own_level, degrees => KNOWN })->{p};
        $reference->{own_level} = $own_level;
    }
    $row->{p} = $of->{p};
    return;
}

sub least_level { my ($usual) = @_; return STEADIED_LEAST * $usual }

# Calls per second are compared like rates, and their reciprocals reported.  What equal runs
# differ by is taken to be that of the rates.
sub stalls {
    my ($old, $new, $spread) = @_;
    my $equals = $spread->{equals} || {};
    my @rows;
    for my $key (grep { $new->{cells}{$_} } keys %{ $old->{cells} }) {
        my @cells = map { calls_of($_->{cells}{$key}) } $old, $new;
        push @rows, row(@cells, $equals->{$key}) if @cells == 2;
    }
    @rows = judged(limits($spread->{usual}, @rows), @rows);
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
        disturbed => $x->{disturbed}    || $y->{disturbed},
        busy      => defined $x->{busy} || defined $y->{busy},
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
    my $wider = with_levels($found, $of_equals);
    @{$row}{qw(low high p)} = (
        min($row->{low}, $wider->{low}),
        max($row->{high}, $wider->{high}),
        max($row->{p}, $wider->{p})
    );
    return;
}

sub with_levels {
    my ($found, $equals) = @_;
    my %levels = (error => sqrt(2) * $equals->{level}, degrees => $equals->{degrees});
    my $error = sqrt $found->{error}**2 + $levels{error}**2;
    return apart($found->{ratio}, $error, combined_degrees($found, \%levels));
}

1;
