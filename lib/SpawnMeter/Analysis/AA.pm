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
#       significant difference of two usual runs, by itself and where all tests are compared;
#       steadied => { rate and the last five of steadied results, where they are known } };
#       shares ], runs, disturbed => number of results }
#   at_least(of a test, level) -> the same; if its level is less than this known one, with that
#   problem([runs]) -> why a comparison must not use them, or undef
#
# A run's own level is what its results vary by beyond the errors of their passes (a variance
# component: Searle, Casella and McCulloch, Variance Components, 1992).  Each test's is
# inaccurate, so it is averaged with that of all tests, and never taken as less than that.  It is a
# difference of two variances, so its degrees of freedom are those of the variance of the results,
# times the square of its share in that (Satterthwaite, Biometrics Bulletin 2, 1946).

use strict;
use warnings;
use Exporter 'import';
use List::Util                           qw(min max sum);
use SpawnMeter::Analysis::Distribution   qw(t_quantile);
use SpawnMeter::Analysis::Results        qw(results);
use SpawnMeter::Analysis::Stats          qw(median mean);
use SpawnMeter::Analysis::SteadiedEquals qw(steadied_cells);
use SpawnMeter::Analysis::TwoSamples     qw(center combined_degrees);

our @EXPORT_OK = qw(sides side equals summary at_least KNOWN problem);

use constant {
    FEWEST          => 4,        # runs
    DISTURBED       => 1 / 3,    # share of disturbed results above which nothing is concluded
    ABSURD          => 0.5,      # a level above this says that the machine was busy
    OUTSIDE         => 0.05,     # probability of a difference that is wrongly called significant
    DEGREES_EACH    => 2,        # an average of two estimates counts for twice the freedom
    LEAST           => 1e-8,     # square of a level, 0.01 %: that of 0 would have no freedom
    USUAL_EFFECTIVE => 12,       # passes that those of a usual run are worth, at least
    KNOWN           => 1000,     # degrees of freedom of a level that is known
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
    my $equals = levels(@groups);
    my $steadied = levels(map { steadied_cells($_) } @groups);
    $equals->{$_}{steadied} = $steadied->{$_} for grep { $equals->{$_} } keys %{$steadied};
    return $equals;
}

# As equals(), of any results
sub levels {
    my (@groups) = @_;
    my %found;
    for my $group (@groups) {
        my %of;
        for my $cells (@{$group}) {
            push @{ $of{$_} }, $cells->{$_} for grep { is_sound($cells->{$_}) } keys %{$cells};
        }
        push @{ $found{$_} }, excess(@{ $of{$_} }) for grep { @{ $of{$_} } > 1 } keys %of;
    }
    my %of_all = map { $_ => together(@{ $found{$_} }) } keys %found;
    delete @of_all{ grep { $of_all{$_}{runs} < FEWEST } keys %of_all };
    return {} if !%of_all;
    my $all = max(0, mean(map { $of_all{$_}{excess} } sort keys %of_all));
    for my $of (values %of_all) {
        my $square = max(LEAST, $all, ($all + $of->{excess}) / 2);
        $of->{level} = sqrt $square;
        my $of_results = $square + $of->{error}**2 + $of->{shift}**2;
        $of->{degrees} *= DEGREES_EACH * ($square / $of_results)**2;
    }
    return \%of_all;
}

sub is_sound { my ($cell) = @_; return defined $cell->{error} && !$cell->{disturbed} }

# The variance of the results of equal runs without that of their passes
sub excess {
    my (@cells) = @_;
    my $mean = mean(map { $_->{log} } @cells);
    my $degrees = @cells - 1;
    my $variance = sum(map { ($_->{log} - $mean)**2 } @cells) / $degrees;
    my $by_passes = mean(map { $_->{error}**2 } @cells);
    my $by_level = mean(map { ($_->{shift} || 0)**2 } @cells);
    return {
        excess  => $variance - $by_passes - $by_level,
        error   => sqrt $by_passes,
        shift   => sqrt $by_level,
        degrees => $degrees,
        runs    => scalar @cells,
        loop    => $cells[0]{loop},
    };
}

# Groups that were steadied by another loop than the first one do not count
sub together {
    my ($first, @others) = @_;
    my @groups = ($first, grep { ($_->{loop} || q{}) eq ($first->{loop} || q{}) } @others);
    my $degrees = sum(map { $_->{degrees} } @groups);
    return {
        (map { $_ => $first->{$_} } qw(error shift loop)),
        excess  => sum(map { $_->{degrees} * $_->{excess} } @groups) / $degrees,
        degrees => $degrees,
        runs    => sum(map { $_->{runs} } @groups),
    };
}

sub at_least {
    my ($of, $least) = @_;
    return $of->{level} < $least ? { %{$of}, level => $least, degrees => KNOWN } : $of;
}

sub problem {
    my ($runs) = @_;
    my @results = map { values %{$_} } @{$runs};
    return 'no test has the six passes that an interval needs' if !@results;
    return 'it has under ' . FEWEST . ' runs' if @{$runs} < FEWEST;
    my @disturbed = grep { $_->{disturbed} } @results;
    return sprintf '%d of its %d results are disturbed', scalar @disturbed, scalar @results
        if @disturbed > DISTURBED * @results;
    my $level = max(0, map { $_->{level} } values %{ levels($runs) });
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
    my $degrees = sprintf '%.1f', $error > 0 ? combined_degrees(\%levels, \%passes) : 1;
    return map { share($error * t_quantile(OUTSIDE / $_, $degrees)) } 1, $tests;
}

sub share { my ($log) = @_; return exp($log) - 1 }

1;
