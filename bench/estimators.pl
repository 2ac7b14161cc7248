#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What becomes of the results with other estimators than the median: how much recorded runs of one
# machine differ (t/recorded), what disturbed passes do, and how often an interval holds the truth
# of simulated runs (make simulate).
#
# usage: estimators.pl [RESULTS]
#        RESULTS   simulated results for each share, 2000 by default

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use List::Util                           qw(sum);
use LoopRecording                        qw(recorded_pairs);
use Simulation                           qw(measured recorded share);
use SpawnMeter::Analysis::AA             qw(side);
use SpawnMeter::Analysis::Comparison     qw(reduce);
use SpawnMeter::Stats::Distribution   qw(beta_share t_quantile);
use SpawnMeter::Analysis::Disturbance    qw(sound);
use SpawnMeter::Analysis::Interval       qw(median_interval);
use SpawnMeter::Analysis::Serial         qw(series correlation combined effective MARGIN);
use SpawnMeter::Analysis::SteadiedEquals qw(steadied_cells);
use SpawnMeter::Analysis::Stats          qw(median mean geometric_mean quantile);
use SpawnMeter::Util::Random;

use constant {
    RESULTS  => 2000,
    RATE     => 1000,     # per second, of Simulation
    TESTS    => 8,        # of a run
    PASSES   => 35,       # of a test
    SPREAD   => 0.03,     # standard deviation of the passes
    QUANTILE => 0.75,
    OUTSIDE  => 0.05,     # probability outside an interval
    HALVINGS => 40,       # that find a rank
    DRAWN    => 2000,     # sets of runs
    SEED     => 20_101,
};

my ($results, @more) = @ARGV;
$results = RESULTS if !defined $results;
die "usage: estimators.pl [RESULTS]\n" if @more || $results !~ /^[1-9]\d{0,6}\z/;
my $random = SpawnMeter::Util::Random->new(SEED);
local $| = 1;

# of: sub (rates) -> their estimate; interval: sub (number of independent rates, rates) -> (low,
# high) with 95 %; truth: which of the true values it estimates
my @ESTIMATORS = (
    { words => 'median', of => \&median, interval => \&median_interval, truth => 'median' },
    { words => 'mean', of   => \&mean, interval   => \&mean_interval, truth   => 'mean' },
    {
        words    => 'geometric mean',
        of       => \&geometric_mean,
        interval => sub {
            my ($effective, @rates) = @_;
            return map { exp } mean_interval($effective, map { log } @rates);
        },
        truth => 'log',
    },
    {
        words    => '75 % quantile',
        of       => sub { return quantile(QUANTILE, @_) },
        interval => \&quantile_interval,
        truth    => 'quantile',
    },
);

# The true values of the rates exp(SPREAD z), as logarithms
my %NORMAL = (
    median   => 0,
    mean     => SPREAD**2 / 2,
    log      => 0,
    quantile => SPREAD * 0.67449,
);

# z = log 2 + log U, U uniform
my %DELAYS = (
    median   => 0,
    mean     => SPREAD * log(2) - log(1 + SPREAD),
    log      => SPREAD * (log(2) - 1),
    quantile => SPREAD * (log(2) + log QUANTILE),
);
my @TRUTHS = ([ normal => \%NORMAL ], [ skewed => \%DELAYS ], [ 'ar0.5' => \%NORMAL ]);

# ---- between recorded runs --------------------------------------------------------------

# The spread of recorded runs, of their tests and of the geometric mean of the tests at one number
# of copies (as an index has it), and what a disturbance of a third of the passes by 40 % does
sub estimators {
    print "Estimators: standard deviation between recorded runs, and bias where a third of the\n",
        "passes take 40 % longer\n\n";
    printf "%-16s %-16s %8s %9s %9s %8s\n", 'runs', 'estimator', 'of tests', '1 copy', '2 copies',
        'bias';
    for my $file (glob "$FindBin::Bin/../t/recorded/*.csv") {
        my ($name) = $file =~ m{([^/]+)[.]csv\z};
        my @recorded = recorded($file);
        estimator_row($name, $_, @recorded) for @ESTIMATORS;
    }
    my @pairs = recorded_pairs("$FindBin::Bin/../t/recorded/pairs/memory.csv");
    for my $second (0, 1) {
        my @recorded = map { $_->[$second] } @pairs;
        my $name = ('pinned', 'pinned, memory')[$second];
        estimator_row($name, $_, @recorded) for @ESTIMATORS;
        estimator_line($name, 'median, sound', undef, map { sound_logs($_) } @recorded);
        estimator_line($name, 'mean, steadied', undef, steadied_logs(@recorded));
        steadier($name, @recorded);
    }
    print "\n";
    return;
}

# Whether the index of the last estimator differs less from run to run than that of the first:
# the ratio of the standard deviations, by runs drawn anew (Efron, Annals of Statistics 7, 1979)
sub steadier {
    my ($name, @recorded) = @_;
    my ($first, $last) = @ESTIMATORS[ 0, -1 ];
    my @of = map {
        my $estimator = $_->{of};
        [ index_logs(1, map { logs_of($_, $estimator, 0) } @recorded) ]
    } $first, $last;
    my $ratio = sub {
        my (@runs) = @_;
        my @deviations = map { deviation(@{$_}[@runs]) } @of;
        return $deviations[1] / $deviations[0];
    };
    my @drawn = map {
        $ratio->(map { $random->below(scalar @recorded) } @recorded)
    } 1 .. DRAWN;
    printf "%-16s index of the %s over that of the %s: %.2f (%.2f to %.2f)\n", $name,
        $last->{words}, $first->{words}, $ratio->(0 .. $#recorded),
        map { quantile($_, @drawn) } 0.025, 0.975;
    return;
}

sub estimator_row {
    my ($name, $estimator, @recorded) = @_;
    my @logs = map { logs_of($_, $estimator->{of}, 0) } @recorded;
    my @disturbed = map { logs_of($_, $estimator->{of}, 1) } @recorded;
    my @bias = map {
        my $run = $_;
        map { $disturbed[$run]{$_} - $logs[$run]{$_} } keys %{ $logs[$run] }
    } 0 .. $#logs;
    estimator_line($name, $estimator->{words}, mean(@bias), @logs);
    return;
}

# logs: of each run, { "copies test" => logarithm of its estimate }
sub estimator_line {
    my ($name, $words, $bias, @logs) = @_;
    my @variances = map {
        my $key = $_;
        deviation(map { $_->{$key} } @logs)**2
    } keys %{ $logs[0] };
    my @indexes = map {
        my @of = index_logs($_, @logs);
        @of ? sprintf '%.1f%%', 100 * deviation(@of) : q{-}
    } 1, 2;
    printf "%-16s %-16s %7.1f%% %9s %9s %8s\n", $name, $words, 100 * sqrt(mean(@variances)),
        @indexes, defined $bias ? sprintf('%.1f%%', 100 * (exp($bias) - 1)) : q{-};
    return;
}

# Of the passes that the reference loops beside them do not flag
sub sound_logs {
    my ($run) = @_;
    my %of;
    push @{ $of{"$_->{copies} $_->{test}"} }, $_ for @{ $run->{passes} };
    return {
        map {
            $_ => log median(map { $_->{rate} } @{ sound($of{$_}) })
        } keys %of
    };
}

# At one level of the reference loops
sub steadied_logs {
    my (@recorded) = @_;
    my $runs_at_it = steadied_cells([ map { side(scalar reduce($_, 'recorded')) } @recorded ]);
    return map {
        my $cells = $_;
        +{ map { $_ => $cells->{$_}{log} } keys %{$cells} }
    } @{$runs_at_it};
}

# Of each run the logarithm of the geometric mean of its tests
sub index_logs {
    my ($copies, @logs) = @_;
    my @keys = grep { /^$copies / } keys %{ $logs[0] };
    return if !@keys;
    return map { my $of = $_; mean(@{$of}{@keys}) } @logs;
}

# { "copies test" => logarithm of its estimate }
sub logs_of {
    my ($run, $estimator, $disturb) = @_;
    my %of;
    for my $pass (@{ $run->{passes} }) {
        my $list = $of{"$pass->{copies} $pass->{test}"} ||= [];
        push @{$list}, $pass->{rate} / ($disturb && @{$list} % 3 == 0 ? 1.4 : 1);
    }
    return { map { $_ => log $estimator->(@{ $of{$_} }) } keys %of };
}

sub deviation {
    my (@values) = @_;
    my $mean = mean(@values);
    return sqrt(sum(map { ($_ - $mean)**2 } @values) / (@values - 1));
}

# ---- coverage -----------------------------------------------------------------------------

# By Student's t
sub mean_interval {
    my ($effective, @values) = @_;
    my $mean = mean(@values);
    my $half =
        t_quantile(OUTSIDE, sprintf '%.1f', $effective - 1) * deviation(@values) / sqrt $effective;
    return ($mean - $half, $mean + $half);
}

# Between two order statistics: P(value of rank k <= quantile) follows from the binomial
# distribution.  Where no rank is high enough the upper end is the largest value.
sub quantile_interval {
    my ($effective, @values) = @_;
    my @s = sort { $a <=> $b } @values;
    my @ranks = map { rank_below($_, $effective) } 1 - OUTSIDE / 2, OUTSIDE / 2;
    return map {
        my $at = $_ / ($effective + 1) * (@s + 1) - 1;
        $at <= 0 ? $s[0] : $at >= $#s ? $s[-1] : between($at, @s);
    } @ranks;
}

sub between {
    my ($at, @s) = @_;
    my $i = int $at;
    return $s[$i] + ($at - $i) * ($s[ $i + 1 ] - $s[$i]);
}

# The rank, with a fraction, whose value is below the quantile with this probability
sub rank_below {
    my ($probability, $n) = @_;
    my ($low, $high) = (0, $n);
    for (1 .. HALVINGS) {
        my $middle = ($low + $high) / 2;
        my $below = beta_share(QUANTILE, $middle, $n - $middle + 1);
        ($low, $high) = $below > $probability ? ($middle, $high) : ($low, $middle);
    }
    return $high;
}

sub coverage {
    print 'Coverage: how often a 95 % interval holds the truth; ', PASSES,
        ' passes, which spread by ', 100 * SPREAD, " %\n\n";
    for my $noise (@TRUTHS) {
        my ($name, $truth) = @{$noise};
        my ($n, %holds) = (0);
        while ($n < $results) {
            for my $test (simulated($name)) {
                $n++;
                $holds{ $_->{words} } += holds($_, $truth, @{$test}) for @ESTIMATORS;
            }
        }
        printf "%-10s %-16s %s\n", $name, $_->{words}, share($holds{ $_->{words} }, $n)
            for @ESTIMATORS;
    }
    print "\n";
    return;
}

# [number of independent passes, rates] of each test of a run
sub simulated {
    my ($noise) = @_;
    my $run = measured(
        noise  => $noise,
        spread => SPREAD,
        passes => PASSES,
        tests  => TESTS,
        random => $random
    );
    my %of;
    push @{ $of{ $_->{test} } }, $_ for @{ $run->{passes} };
    my @series = map { series($_, $_) } @of{ sort keys %of };
    my @correlations = map { correlation($_) } @series;
    return map { [
        effective($series[$_], combined($correlations[$_], \@correlations), MARGIN),
        @{ $series[$_]{values} }
    ] } 0 .. $#series;
}

sub holds {
    my ($estimator, $truth, $effective, @rates) = @_;
    my ($low, $high) = $estimator->{interval}->($effective, @rates);
    my $true = RATE * exp $truth->{ $estimator->{truth} };
    return $low <= $true && $true <= $high ? 1 : 0;
}

estimators();
coverage();
