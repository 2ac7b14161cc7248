# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::AA;

# The A/A comparison: the same tests are measured in several short runs, one after the other.
# Each run has a level of its own: runs differ by more than their passes show.  Pure functions.
#
#   sides(run) -> [ run ]: the short runs in it, in order, each as { "copies test" => cell }
#   side(machine of Analysis::Comparison) -> the same of a stored run
#       a cell: { test, title, copies, unit, rate, log, error => of its passes, by center() of
#       Analysis::TwoSamples, disturbed, points => of Analysis::SteadiedRuns }
#   equals([runs], ...) -> { "copies test" => { level => standard deviation of a run's own
#       level (of its logarithm), degrees => of freedom, error => usual standard error of a
#       run's passes, shift => another one, that more passes do not make smaller, runs =>
#       number, steadied => the same of steadied results, where they have reference loops, with
#       the name of the loop } }: of one or more groups of runs; a group has the level of its
#       time
#   summary([runs of the A/A run], equals, shorter => length of its runs as a share of a
#       usual run's, least => level of steadied results that a comparison takes at least) ->
#       { rows => [ { test, title, copies, unit, rate => median, pairs => median difference of
#       consecutive runs, largest => difference of any two, level, smallest, of_all => smallest
#       significant difference of two usual runs, by itself and where all tests are compared,
#       undef where too little is known of the level to tell;
#       steadied => { rate and the last five of steadied results, where they are known } };
#       shares ], runs, disturbed => number of results }
#   problem([runs]) -> why a comparison must not use them, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                           qw(min max);
use SpawnMeter::Stats::Distribution      qw(t_quantile);
use SpawnMeter::Analysis::Results        qw(results);
use SpawnMeter::Analysis::OwnLevel       qw(own_levels at_least is_sound FEWEST);
use SpawnMeter::Analysis::Stats          qw(median);
use SpawnMeter::Analysis::SteadiedEquals qw(steadied_cells);
use SpawnMeter::Analysis::TwoSamples     qw(center combined_degrees);

our @EXPORT_OK = qw(sides side equals summary problem);

use constant {
    DISTURBED       => 1 / 3,    # share of disturbed results above which nothing is concluded
    ABSURD          => 0.5,      # a level above this says that the machine was busy
    OUTSIDE         => 0.05,     # probability of a difference that is wrongly called significant
    USUAL_EFFECTIVE => 12,       # passes that those of a usual run are worth, at least
};

sub sides {
    my ($run) = @_;
    my (%of, @order);
    for my $pass (@{ $run->{passes} }) {
        my $side = defined $pass->{side} ? $pass->{side} : q{};
        push @order, $side if !$of{$side};
        push @{ $of{$side} }, $pass;
    }
    return [ map { cells(results({ %{$run}, passes => $of{$_} }, brief => 1)) } @order ];
}

sub cells {
    my ($results) = @_;
    return {
        map  { ("$_->{copies} $_->{test}" => cell($_, $_->{sound})) }
        grep { defined $_->{rate} && defined $_->{low} } @{$results}
    };
}

sub side {
    my ($machine) = @_;
    my $cells = $machine->{cells};
    return {
        map  { ($_ => cell($cells->{$_}, $cells->{$_}{used})) }
        grep { @{ $cells->{$_}{used} } } keys %{$cells}
    };
}

sub cell {
    my ($result, $rates) = @_;
    my $center = center($rates, $result->{effective}) || {};
    return {
        (map { $_ => $result->{$_} } qw(test title copies unit rate disturbed points)),
        log   => $center->{log},
        error => $center->{error},
    };
}

sub equals {
    my (@groups) = @_;
    my $equals = own_levels(@groups);
    my $steadied = own_levels(map { steadied_cells($_) } @groups);
    $equals->{$_}{steadied} = $steadied->{$_} for grep { $equals->{$_} } keys %{$steadied};
    return $equals;
}

sub problem {
    my ($runs) = @_;
    my @results = map { values %{$_} } @{$runs};
    return 'no test has the six passes that an interval needs' if !@results;
    return 'it has under ' . FEWEST . ' runs' if @{$runs} < FEWEST;
    my @disturbed = grep { $_->{disturbed} } @results;
    return sprintf '%d of its %d results are disturbed', scalar @disturbed, scalar @results
        if @disturbed > DISTURBED * @results;
    my $level = max(0, map { $_->{level} } values %{ own_levels($runs) });
    return sprintf 'equal runs differed by %.0f %%', 100 * (exp($level) - 1) if $level > ABSURD;
    return;
}

sub summary {
    my ($runs, $equals, %with) = @_;
    my %own = map { $_ => $equals->{$_} }
        grep { $equals->{$_} } map { keys %{$_} } @{$runs};
    my $steadied = steadied_cells($runs);
    my @rows = map { summary_of($_, $runs, $steadied, \%own, \%with) }
        grep { cells_of($_, $runs) > 1 } keys %own;
    return {
        rows => [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @rows ],
        runs => scalar @{$runs},
        disturbed => scalar(grep { $_->{disturbed} } map { values %{$_} } @{$runs}),
    };
}

# Those of a test that count
sub cells_of {
    my ($key, $runs) = @_;
    return map { $_->{$key} } grep { $_->{$key} && is_sound($_->{$key}) } @{$runs};
}

sub summary_of {
    my ($key, $runs, $steadied, $equals, $with) = @_;
    my @cells = cells_of($key, $runs);
    my %row = (
        (map { $_ => $cells[0]{$_} } qw(test title copies unit)),
        rate => scalar median(map { $_->{rate} } @cells),
        differences(\@cells, $equals->{$key}, $with->{shorter}, scalar keys %{$equals}),
    );
    my @steadied = cells_of($key, $steadied);
    my $of = $equals->{$key}{steadied};
    return \%row if !$of || @steadied < 2;
    $row{steadied} = {
        rate => exp median(map { $_->{log} } @steadied),
        differences(
            \@steadied, at_least($of, $with->{least} || 0),
            $with->{shorter}, scalar keys %{$equals}
        ),
    };
    return \%row;
}

# Of the cells of a test, and the smallest significant ones
sub differences {
    my ($cells, $of, $shorter, $tests) = @_;
    my @logs = map { $_->{log} } @{$cells};
    my @consecutive = map { abs $logs[$_] - $logs[ $_ - 1 ] } 1 .. $#logs;
    my @smallest = smallest($of, $shorter, $tests);
    return (
        pairs    => share(median(@consecutive)),
        largest  => share(max(@logs) - min(@logs)),
        level    => share($of->{level}),
        smallest => $smallest[0],
        of_all   => $smallest[1],
    );
}

sub smallest {
    my ($of, $shorter, $tests) = @_;
    my %levels = (error => sqrt(2) * $of->{level}, degrees => $of->{degrees});
    my %passes = (
        error   => sqrt(2 * ($shorter * $of->{error}**2 + $of->{shift}**2)),
        degrees => 2 * USUAL_EFFECTIVE,
    );
    my $error = sqrt $levels{error}**2 + $passes{error}**2;
    my $degrees = $error > 0 ? combined_degrees(\%levels, \%passes) : 1;
    return if $degrees < 1;
    $degrees = sprintf '%.1f', $degrees;
    return map { share($error * t_quantile(OUTSIDE / $_, $degrees)) } 1, $tests;
}

sub share { my ($log) = @_; return exp($log) - 1 }

1;
