# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::OwnLevel;

# The level that each run has of its own: what the results of equal runs vary by beyond the
# errors of their passes.  Pure functions.
#
#   own_levels([runs], ...) -> { "copies test" => { level => standard deviation of a run's own
#       level (of its logarithm), degrees => of freedom, error => usual standard error of a run's
#       passes, shift => another one, that more passes do not make smaller, runs => number, loop
#       => of the first result } }: of one or more groups of runs, where a test has FEWEST of
#       them.  A group has the level of its time.  A run: { "copies test" => { log, error, shift
#       or undef, disturbed, loop or undef } }
#   at_least(of a test, level) -> the same; if its level is less than this known one, with that
#   is_sound(result in such a run) -> true where it counts
#
# It is a variance component (Searle, Casella and McCulloch, Variance Components, 1992): the
# variance of the results less that of their passes.  Each test's is inaccurate, so it is
# averaged with that of all tests, and never taken as less than that.  As a difference of two
# variances it can be small by chance, so its degrees of freedom are those of its own error
# (Satterthwaite, Biometrics Bulletin 2, 1946): twice the square of it over its variance.
#
# In the average over tests the errors of the passes are independent, and become small.  The levels
# of a run may be one that all tests share, or independent; they count as if there were two
# independent tests.  Where they are shared, the correction of the verdicts for many tests
# (Holm) is larger than it has to be, by more than that: t/unit/Analysis/AA.t has the figures.

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(min max sum);
use SpawnMeter::Analysis::Stats qw(mean);

our @EXPORT_OK = qw(own_levels at_least is_sound FEWEST KNOWN);

use constant {
    FEWEST      => 4,       # runs
    TESTS_APART => 2,       # tests whose levels count as independent
    LEAST       => 1e-8,    # square of a level, 0.01 %: that of 0 would have no freedom
    KNOWN       => 1000,    # degrees of freedom of a level that is known
};

sub own_levels {
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
    my @tests = map { $of_all{$_} } sort keys %of_all;
    my $all = max(LEAST, mean(map { $_->{excess} } @tests));
    my $error_of_all = error_of_average($all, @tests);
    for my $of (@tests) {
        my $own = ($all + $of->{excess}) / 2;
        my $square = max($all, $own);
        my $error = $own > $all ? ($error_of_all + error_of($square, $of)) / 2 : $error_of_all;
        $of->{level} = sqrt $square;
        $of->{degrees} = 2 * ($square / $error)**2;
    }
    return \%of_all;
}

# The standard error of the square of a level that is estimated from one test
sub error_of {
    my ($square, $of) = @_;
    return ($square + $of->{error}**2 + $of->{shift}**2) * sqrt(2 / $of->{degrees});
}

# The same of the average over tests
sub error_of_average {
    my ($square, @tests) = @_;
    my $of_runs = mean(map { ($square + $_->{shift}**2)**2 * 2 / $_->{degrees} } @tests);
    my $of_each = mean(map { error_of($square, $_)**2 } @tests);
    return sqrt $of_runs / min(TESTS_APART, scalar @tests) + ($of_each - $of_runs) / @tests;
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

1;
