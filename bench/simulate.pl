#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth, how often equal runs are called different, and which
# differences are found: simulated runs go through the schedule, the results and the
# comparison that real runs go through (make simulate).
#
# usage: simulate.pl [RUNS [PART ...]]
#        RUNS   results for each row of the first table, 2000 by default; pairs of runs for
#               each row of the others: half of it
#        PART   intervals, steadied, equals, power, bound, recorded, estimators, or the name of a
#               noise; all by default; or of equals and power only some rows: loops for those with
#               reference loops, quiet, noisy, own, loops-noisy, moved, loops-moved or
#               loops-known
#
# Each share has its 95 % interval (Wilson) behind it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use List::Util                           qw(sum max);
use LoopRecording                        qw(recorded_pairs);
use Simulation                           qw(noises measured normal describe recorded scaled);
use SpawnMeter::Analysis::AA             qw(equals sides side);
use SpawnMeter::Analysis::Comparison     qw(reduce compare usual);
use SpawnMeter::Analysis::Results        qw(results);
use SpawnMeter::Analysis::SteadiedEquals qw(steadied_cells);
use SpawnMeter::Analysis::Stats          qw(interval median mean geometric_mean quantile);
use SpawnMeter::Util::Random;

use constant {
    RUNS    => 2000,
    TESTS   => 8,        # of a run
    PASSES  => 35,       # of a test with a fixed number
    SPREAD  => 0.03,     # standard deviation of the passes
    NOISY   => 0.14,     # the same on a busy virtual machine
    MOVED   => 0.08,     # of the level of a machine, between runs
    USUAL   => 0.12,     # difference below which nothing is claimed without an A/A run
    LEVEL   => 0.03,     # of the runs' own levels
    LATER   => 0.018,    # of those of steadied runs, an hour apart (bench/levels.pl)
    SOON    => 0.009,    # and minutes apart
    EQUALS  => 8,        # short runs of an A/A run
    SHORT   => 12,       # passes of these
    APART   => 4,        # standard deviations
    PLANTED => [ 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2 ],
    SEED    => 20_101,
    WILSON  => 1.959964,
};

my ($runs, @parts) = @ARGV;
$runs = RUNS if !defined $runs;
die "usage: simulate.pl [RUNS [PART ...]]\n" if $runs !~ /^[1-9]\d{0,6}\z/;
my %wanted = map { $_ => 1 } @parts;
my %is_noise = map { $_ => 1 } noises();
my @noises = grep { $wanted{$_} } noises();
@noises = noises() if !@noises;
my $random = SpawnMeter::Util::Random->new(SEED);
local $| = 1;

# "95.2 % (94.1 to 96.1)", of so many
sub share {
    my ($hits, $n) = @_;
    return 'none' if !$n;
    my ($p, $z) = ($hits / $n, WILSON);
    my $middle = ($p + $z**2 / 2 / $n) / (1 + $z**2 / $n);
    my $half = $z / (1 + $z**2 / $n) * sqrt($p * (1 - $p) / $n + $z**2 / 4 / $n**2);
    my @shares = ($p, $middle - $half, $middle + $half);
    return sprintf '%5.1f %% (%.1f to %.1f)', map { 100 * abs } @shares;
}

sub run_with { my (%with) = @_; return measured(tests => TESTS, random => $random, %with) }

# ---- intervals ------------------------------------------------------------------------

my %UNTIL = (
    PASSES() => { passes => PASSES },
    settle   => {},
    never    => { precision => 1e-4 },
);

sub intervals {
    print
        "Intervals: how often they hold the truth, with a fixed number of passes, until settled,\n",
        'and where no test settles; ', TESTS, ' tests a run, passes spread by ', 100 * SPREAD,
        " %\n\n";
    printf "%-10s %-7s %-24s %6s %6s %8s %6s %s\n", 'noise', 'passes', 'holds the truth', 'width',
        'passes', 'settled', 'few', 'two levels';
    for my $noise (@noises) {
        print describe($noise), "\n";
        for my $until (PASSES, 'settle', 'never') {
            my $sum = sum_of_runs($noise, %{ $UNTIL{$until} });
            printf "%-10s %-7s %-24s %6.2f %6.1f %7.1f%% %5.1f%% %s\n", $noise, $until,
                share(@{$sum}{qw(holds n)}), $sum->{width} / $sum->{today},
                $sum->{passes} / $sum->{n},
                100 * $sum->{settled} / $sum->{n}, 100 * $sum->{few} / $sum->{n},
                share(@{$sum}{qw(levels n)});
            further($sum) if $until eq 'settle';
        }
    }
    print "\nwidth: of the interval, as a share of that for independent passes (0.2).\n\n";
    return;
}

sub sum_of_runs {
    my ($noise, %until) = @_;
    my %sum = map { $_ => 0 } qw(holds n width today passes settled few levels of_settled of_many
        many while_measured differ);
    while ($sum{n} < $runs) {
        my $run = run_with(noise => $noise, spread => SPREAD, %until);
        count(\%sum, $run, $_) for @{ results($run) };
    }
    return \%sum;
}

sub count {
    my ($sum, $run, $result) = @_;
    my ($low, $high, $test) = @{$result}{qw(low high test)};
    my $simulated = $run->{simulated};
    my $truth = $simulated->{truth}{$test};
    my $holds = $low <= $truth && $truth <= $high ? 1 : 0;
    my ($today_low, $today_high) = interval(@{ $result->{rates} });
    my $level = $simulated->{level}{$test};
    $sum->{n}++;
    $sum->{holds}  += $holds;
    $sum->{width}  += $high - $low;
    $sum->{today}  += $today_high - $today_low;
    $sum->{passes} += $result->{used};
    $sum->{few}    += $result->{few};
    $sum->{levels}++ if $result->{levels};
    $sum->{while_measured}++ if defined $level && $low <= $level && $level <= $high;
    $sum->{of_many} += $holds if $result->{used} >= 24;
    $sum->{many}++ if $result->{used} >= 24;
    $sum->{settled}    += $result->{settled};
    $sum->{of_settled} += $holds if $result->{settled};
    $sum->{differ}++ if $result->{settled} != ($simulated->{settled}{$test} ? 1 : 0);
    $sum->{level}++ if defined $level;
    return;
}

sub further {
    my ($sum) = @_;
    printf "%18s of those that settled: %s\n", q{}, share(@{$sum}{qw(of_settled settled)});
    printf "%18s from 24 passes on: %s\n", q{}, share(@{$sum}{qw(of_many many)});
    printf "%18s the mean level while it was measured: %s\n", q{},
        share(@{$sum}{qw(while_measured level)})
        if $sum->{level};
    return;
}

# Of the results at one level of the reference loops.  With noise that no loop follows they can
# only become wider
sub steadied_intervals {
    print 'Steadied intervals of results until settled, passes spread by ', 100 * SPREAD,
        " %: width, as a share of that of the result\n\n";
    for my $noise (grep { /^(?:normal|ar0.5|common)\z/ } @noises) {
        steadied_row($noise, $_) for qw(around within);
    }
    print "\n";
    return;
}

# The loops run around the passes, or within them, too
sub steadied_row {
    my ($noise, $loops) = @_;
    my ($n, $holds, @widths) = (0, 0);
    while ($n < $runs) {
        my $run = run_with(noise => $noise, spread => SPREAD, loops => $loops);
        for my $result (grep { $_->{steadied} } @{ results($run) }) {
            my ($of, $truth) = ($result->{steadied}, $run->{simulated}{truth}{ $result->{test} });
            $n++;
            $holds++ if $of->{low} <= $truth && $truth <= $of->{high};
            push @widths, ($of->{high} - $of->{low}) / ($result->{high} - $result->{low});
        }
    }
    printf "%-8s loops %-6s width %.3f (median of %d)%s\n", $noise, $loops,
        scalar median(@widths), $n,
        $noise eq 'common' ? q{} : '; holds the truth in ' . share($holds, $n);
    return;
}

# ---- comparisons ------------------------------------------------------------------------

# Runs of an A/A run, so that their own level is known
sub known_levels {
    my ($noise, %with) = @_;
    my @passes;
    for my $side (1 .. EQUALS) {
        my $short = run_with(noise => $noise, passes => SHORT, %with);
        push @passes, map { { %{$_}, side => $side } } @{ $short->{passes} };
    }
    return equals(sides({ protocol => {}, tests => [], passes => \@passes }));
}

sub pair {
    my ($noise, $with, $factor, $spread) = @_;
    my @machines = map { reduce(run_with(noise => $noise, %{$with}, factor => $_), 'simulated') } 1,
        $factor;
    return compare(@machines, $spread)->{rows};
}

sub different {
    my (@rows) = @_;
    return grep { $_->{verdict} =~ /er\z/ } @rows;
}

# What is known of equal runs, and how noisy they are
my @SITUATIONS = (
    {
        name  => 'quiet',
        words => 'no A/A run, passes spread by 3 %',
        with  => { spread => SPREAD },
    },
    {
        name  => 'noisy',
        words => 'no A/A run, passes spread by 14 %',
        with  => { spread => NOISY },
    },
    {
        name  => 'own',
        words => 'own levels of 3 %, an A/A run',
        with  => { spread => SPREAD, level => LEVEL },
        known => {},
    },
    {
        name  => 'loops-noisy',
        words => 'reference loops, 14 %',
        with  => { spread => NOISY, loops => 'around' },
    },
    {
        name  => 'moved',
        words => 'machine moved by 8 %, no loops, 3 %',
        with  => { spread => SPREAD, machine => MOVED },
    },
    {
        name  => 'loops-moved',
        words => 'moved by 8 %, levels of 1.8 %, loops, 3 %',
        with  => { spread => SPREAD, machine => MOVED, loops => 'around', level => LATER },
    },
    {
        name  => 'loops-known',
        words => 'the same, an A/A run, levels of 0.9 % in it',
        with  => { spread => SPREAD, machine => MOVED, loops => 'around', level => LATER },
        known => { level  => SOON },
    },
);

# As compare() takes it
sub spread_in {
    my ($situation, $noise) = @_;
    return { usual => USUAL } if !$situation->{known};
    return {
        usual  => USUAL,
        equals => known_levels($noise, %{ $situation->{with} }, %{ $situation->{known} })
    };
}

sub situations {
    my @some = grep { $wanted{ $_->{name} } || $wanted{loops} && $_->{with}{loops} } @SITUATIONS;
    return @some ? @some : @SITUATIONS;
}

sub equal_runs {
    my $pairs = int($runs / 2);
    print "Equal runs, $pairs pairs of ", TESTS, " tests: pairs in which any test is called\n",
        "different (family-wise error), and tests that are inconclusive\n\n";
    for my $situation (situations()) {
        print "$situation->{words}\n";
        for my $noise (grep { !/:/ } @noises) {
            my ($wrong, $open, $n) = (0, 0, 0);
            for (1 .. $pairs) {
                my $rows = pair($noise, $situation->{with}, 1, spread_in($situation, $noise));
                $wrong++ if different(@{$rows});
                $open += grep { $_->{verdict} eq 'inconclusive' } @{$rows};
                $n    += @{$rows};
            }
            printf "%-10s %-24s inconclusive %s\n", $noise, share($wrong, $pairs), share($open, $n);
        }
    }
    print "\n";
    return;
}

# The shares of tests that are found different, by the planted difference
sub power {
    my $pairs = max(1, int($runs / 20));
    print "Planted differences of all tests, $pairs pairs each: tests that are found\n\n";
    printf "%-52s%s\n", q{}, join q{}, map { sprintf '%7.0f%%', 100 * $_ } @{ +PLANTED };
    for my $situation (situations()) {
        for my $noise (grep { /^(?:normal|ar0.5|common)\z/ } @noises) {
            my @found;
            for my $planted (@{ +PLANTED }) {
                my @rows = map {
                    @{
                        pair(
                            $noise, $situation->{with},
                            1 - $planted, spread_in($situation, $noise)
                        )
                    }
                } 1 .. $pairs;
                push @found, sprintf '%7.0f%%', 100 * different(@rows) / @rows;
            }
            printf "%-52s%s\n", "$noise, $situation->{words}", join q{}, @found;
        }
    }
    print "\n";
    return;
}

# ---- what any comparison without reference loops can find ------------------------------------

# One that knows how far equal runs of such a machine differ: it calls a difference above a limit
# which the largest one of eight equal tests exceeds in 5 % of pairs
sub bound_of_drift {
    my ($pairs, $slower) = (max(20, int($runs / 2)), 0.8);
    my @of_pairs = map { [ drifting_pair() ] } 1 .. $pairs;
    my @largest = sort { $a <=> $b } map {
        max(map { abs } @{$_})
    } @of_pairs;
    my $limit = $largest[ int 0.95 * $pairs ];
    my @all = map { @{$_} } @of_pairs;
    my $found = grep { $_ + log($slower) < -$limit } @all;
    printf
        "Slower by 20 %% without reference loops, passes spread by %.0f %%, half of it drift that "
        . "all\ntests share: found by a limit with 5 %% of %d equal pairs above it: %s\n\n",
        100 * NOISY, $pairs, share($found, scalar @all);
    return;
}

# The differences of equal tests
sub drifting_pair {
    my @means = map {
        my %of;
        push @{ $of{ $_->{test} } }, log $_->{rate}
            for @{ run_with(noise => 'common', spread => NOISY, passes => PASSES)->{passes} };
        +{ map { $_ => mean(@{ $of{$_} }) } keys %of }
    } 1, 2;
    return map { $means[1]{$_} - $means[0]{$_} } keys %{ $means[0] };
}

# ---- what any test of two levels can find ---------------------------------------------------

# Neyman and Pearson: no test with so many false alarms finds more than the likelihood ratio of
# two known distributions.  Here only the middle and the width of all passes are unknown; they
# are those of the passes, or a little beside them.
sub bound {
    my $n = 2 * $runs;
    bound_of_drift();
    print "Two levels 4 standard deviations apart: found by a test that knows the distance and\n",
        "the shares, with 2 % of false alarms among normal passes; $n simulated results each\n\n";
    for my $passes (30, PASSES, 40) {
        for my $share (0.5, 0.6) {
            my @alarms = sort { $a <=> $b }
                map {
                knowing_ratio($share, map { normal($random) } 1 .. $passes)
                } 1 .. $n;
            my $needed = $alarms[ int 0.98 * $n ];
            my $found = grep { $_ > $needed }
                map { knowing_ratio($share, two_levels_of($share, $passes)) } 1 .. $n;
            printf "%d passes, %d:%d  %s\n", $passes, 100 * $share, 100 - 100 * $share,
                share($found, $n);
        }
    }
    print "\n";
    return;
}

sub two_levels_of {
    my ($share, $passes) = @_;
    my $below = sub { return $random->below(1000) < 1000 * $share };
    return map { normal($random) + ($below->() ? 0 : APART) } 1 .. $passes;
}

# The logarithm of the likelihood of two levels, the larger one at either side, less that of one
sub knowing_ratio {
    my ($share, @x) = @_;
    my $mean = mean(@x);
    my $deviation = sqrt mean(map { ($_ - $mean)**2 } @x);
    my $of_both = sqrt(1 + $share * (1 - $share) * APART**2);
    my @z = map { ($_ - $mean) / $deviation * $of_both } @x;
    my @found;
    for my $below ($share == 0.5 ? $share : ($share, 1 - $share)) {
        for my $width (0.8, 0.9, 1, 1.1, 1.2) {
            for my $shift (-0.6, -0.3, 0, 0.3, 0.6) {
                push @found,
                    likelihood($below, map { $_ * $width + $shift } @z) +
                    @z * log($width * $of_both);
            }
        }
    }
    return max(@found) + @x / 2;
}

sub likelihood {
    my ($below, @z) = @_;
    my ($low, $high) = (-(1 - $below) * APART, $below * APART);
    return sum(
        map { log($below * exp(-($_ - $low)**2 / 2) + (1 - $below) * exp(-($_ - $high)**2 / 2)) }
            @z);
}

# ---- recorded runs ----------------------------------------------------------------------

sub recorded_runs {
    print "Recorded runs, all pairs of four (t/recorded): equal tests called different or\n",
        "inconclusive, and a planted slowdown of 20 % of one test or of all that is found\n\n";
    for my $file (glob "$FindBin::Bin/../t/recorded/*.csv") {
        my @recorded = recorded($file);
        my (%sum, @equal);
        for my $i (0 .. $#recorded) {
            for my $j (grep { $_ != $i } 0 .. $#recorded) {
                my @rows = rows_of($recorded[$i], $recorded[$j]);
                push @equal, @rows if $i < $j;
                my @all = rows_of($recorded[$i], scaled($recorded[$j], 0.8));
                $sum{all}   += grep { $_->{verdict} eq 'slower' } @all;
                $sum{alone} += found_alone($recorded[$i], $recorded[$j]);
                $sum{n}     += @all;
            }
        }
        my ($name) = $file =~ m{([^/]+)[.]csv\z};
        printf "%-22s %d tests: %d different, %d inconclusive\n", $name, scalar @equal,
            scalar(different(@equal)), scalar grep { $_->{verdict} eq 'inconclusive' } @equal;
        printf "%-22s found: of all %s, alone %s\n", q{}, share(@sum{qw(all n)}),
            share(@sum{qw(alone n)});
    }
    return;
}

sub rows_of {
    my (@of) = @_;
    my @machines = map { reduce($_, 'recorded') } @of;
    return @{ compare(@machines, { usual => usual(@machines) })->{rows} };
}

# One test is slower, and the others are not
sub found_alone {
    my ($old, $new) = @_;
    my $found = 0;
    my %seen;
    for my $pass (grep { !$seen{"$_->{copies} $_->{test}"}++ } @{ $new->{passes} }) {
        my @rows = rows_of($old, scaled($new, 0.8, @{$pass}{qw(copies test)}));
        $found += grep {
                   $_->{verdict} eq 'slower'
                && $_->{test} eq $pass->{test}
                && $_->{copies} == $pass->{copies}
        } @rows;
    }
    return $found;
}

# ---- estimators -------------------------------------------------------------------------

my @ESTIMATORS = (
    { words => 'median', of         => \&median },
    { words => 'mean', of           => \&mean },
    { words => 'geometric mean', of => \&geometric_mean },
    { words => '75 % quantile', of  => sub { return quantile(0.75, @_) } },
);

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
        estimator_line($name, 'mean, steadied', undef, steadied_logs(@recorded));
    }
    print "\n";
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

# ---------------------------------------------------------------------------------------

my %PART = (
    intervals  => \&intervals,
    steadied   => \&steadied_intervals,
    equals     => \&equal_runs,
    power      => \&power,
    bound      => \&bound,
    recorded   => \&recorded_runs,
    estimators => \&estimators,
);
my %known = map { $_ => 1 } keys %PART, noises(), 'loops', map { $_->{name} } @SITUATIONS;
my @unknown = grep { !$known{$_} } @parts;
die "simulate.pl: unknown parts: @unknown; there are @{[ sort keys %known ]}\n" if @unknown;
my @chosen = grep { $wanted{$_} } keys %PART;
@chosen = keys %PART if !@chosen;
for my $part (qw(intervals steadied equals power bound recorded estimators)) {
    $PART{$part}->() if grep { $_ eq $part } @chosen;
}
