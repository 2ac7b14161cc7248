# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Estimate;

# What passes say of a result: one value and its error.  Pure functions.
#
#   A pass is { y => logarithm of its rate }; a stratum is { test => [passes in order of time] },
#   the tests that were measured in the same rounds.  All results are of logarithms.
#
#   estimate([y in order of time], correlation of neighbours or undef for their own) ->
#       { center, se => its standard error, df => degrees of freedom, n, n_eff => how many
#       independent values they are worth, spread => standard deviation, rho => correlation,
#       few, two_speeds => 1 where they are worth few values, or have two speeds; summary }; undef
#       under 3 values
#   summary([y in order of time]) -> { n, center, left => share of the values that is not trimmed,
#       variance, rho, two_speeds => share of the variance between two groups }, which is all that
#       an estimate needs of them; undef under 3
#   of_summary(summary or undef, correlation or undef) -> estimate, or undef
#   of_summaries({ test => summary or undef }, correlation of neighbours or undef for the mean of
#       theirs, since they drift together) -> { test => estimate } of the tests that have one
#   half(estimate) -> half the width of the 95 % interval of the center
#   plus_minus(estimate) -> the same as a share of the rate
#   estimates(stratum, correlation or undef) -> likewise, of the tests with 3 passes or more
#   index_of(stratum) -> estimate of the mean of the tests' centers
#   adjust(strata of several runs) -> { runs => strata at one speed of the reference loops, b =>
#       coefficient of the loops, se => its standard error, x => [mean of the loops in each run] };
#       undef where a pass has no loops, or where these did not move.  A pass has x => mean
#       logarithm of the loops' rates, and perhaps x2 => [two readings of it]
#   line([ { x, y, se => standard error of y, df => its degrees of freedom } ]) -> { slope,
#       intercept, low, high => 95 % interval of the slope, r2 => share of the spread of y that
#       the line explains, undef where there is no spread }; undef where there are under three
#       values of x
#   two_speeds([y]) -> (share of the variance that lies between the best two groups of the
#       values, number of values in the lower one)
#
# The center is a trimmed mean, its error that of Yuen (Biometrika 61, 1974) at the effective
# number n (1 - r) / (1 + r) of an AR(1) process.  few and two_speeds change no verdict.

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(sum min max);
use POSIX                      ();
use SpawnMeter::Stats::Numbers qw(mean trimmed lag1 t_quantile CONSTANT MOST);

our @EXPORT_OK = qw(ERROR estimate half plus_minus estimates index_of two_speeds line
    adjust summary of_summary of_summaries);

use constant {
    ERROR       => 0.05,     # that an interval does not hold the truth
    FEWEST      => 3,        # values, and of x on a line
    FEW         => 6,        # effective values, below which the estimate is a poor one
    TWO_SPEEDS  => 0.8,      # of the variance between two groups
    GROUPABLE   => 24,       # values: of fewer, one in ten normal samples would be two groups
    GROUP       => 1 / 5,    # of the values, at least
    POINT_LEAST => 0.001,    # standard error of a point of a line, as a share of it
    UNSURE      => 0.2,      # standard deviation of the coefficient around 1: recorded series
    INSTRUMENT  => 1 / 4,    # of the variance, that both readings must share
};

sub estimate { my ($y, $rho) = @_; return of_summary(scalar summary($y), $rho) }

sub summary {
    my ($y) = @_;
    my $n = @{$y};
    return if $n < FEWEST;
    my ($center, $winsorized, $left) = trimmed(@{$y});
    my $mean = mean(@{$winsorized});
    my $variance = mean(map { ($_ - $mean)**2 } @{$winsorized});
    return {
        n          => $n,
        center     => $center,
        left       => $left,
        variance   => $variance,
        rho        => lag1(@{$winsorized}),
        two_speeds => (two_speeds($y))[0],
    };
}

sub of_summary {
    my ($summary, $rho) = @_;
    return if !$summary;
    my ($n, $left, $variance) = @{$summary}{qw(n left variance)};
    $rho //= $summary->{rho};
    my $r = max(0, min(MOST, $rho));
    my $effective = 0 + $n * (1 - $r) / (1 + $r);    # in JSON 15, not 15.0
    my $count = max($effective, 2.5);
    my $kept = max(2, $count * $left);
    return {
        center     => $summary->{center},
        few        => $effective < FEW                    ? 1 : 0,
        two_speeds => $summary->{two_speeds} > TWO_SPEEDS ? 1 : 0,
        se         => sqrt($variance * $count / ($kept * ($kept - 1))),
        df         => $kept - 1,
        n          => $n,
        n_eff      => $effective,
        spread     => sqrt $variance,
        rho        => $rho,
        summary    => $summary,
    };
}

sub half {
    my ($estimate) = @_;
    return $estimate->{se} * t_quantile(ERROR, max(1, $estimate->{df}));
}

sub plus_minus { my ($estimate) = @_; return exp(half($estimate)) - 1 }

# The best cut into a lower and an upper group (Otsu, IEEE Transactions SMC 9, 1979)
sub two_speeds {
    my ($y) = @_;
    my @s = sort { $a <=> $b } @{$y};
    my ($n, $mean) = (scalar @s, mean(@s));
    my $total = sum(map { ($_ - $mean)**2 } @s);
    return (0, 0) if $n < GROUPABLE || $total < CONSTANT;
    my $least = POSIX::ceil($n * GROUP);
    my ($below, $most, $best) = (0, 0, 0);
    for my $k (1 .. $n - $least) {
        $below += $s[ $k - 1 ] - $mean;
        my $between = $below**2 / $k + $below**2 / ($n - $k);
        ($most, $best) = ($between, $k) if $k >= $least && $between > $most;
    }
    return ($most / $total, $best);
}

sub logarithms {
    my ($passes) = @_;
    return [ map { $_->{y} } @{$passes} ];
}

sub estimates {
    my ($stratum, $rho) = @_;
    my %summary = map { $_ => scalar summary(logarithms($stratum->{$_})) } keys %{$stratum};
    return of_summaries(\%summary, $rho);
}

sub of_summaries {
    my ($summaries, $rho) = @_;
    my @known = grep { $summaries->{$_} } sort keys %{$summaries};
    $rho //= mean(map { $summaries->{$_}{rho} } @known);
    return { map { $_ => of_summary($summaries->{$_}, $rho) } @known };
}

# Its error is that of the mean of the rounds, so that it contains what the tests of a round share
sub index_of {
    my ($stratum) = @_;
    my @series = map { logarithms($_) } grep { @{$_} >= FEWEST } lists($stratum) or return;
    my (@centers, @round);
    for my $y (@series) {
        my ($center, $winsorized, $left) = trimmed(@{$y});
        my $mean = mean(@{$winsorized});
        push @centers, $center;
        $round[$_] += ($winsorized->[$_] - $mean) / $left / @series / @{$y} for 0 .. $#{$y};
    }
    my %summary = (n => scalar @round, center => mean(@centers), left => 1, two_speeds => 0);
    my $variance = @round * sum(map { $_**2 } @round);
    return of_summary({ %summary, variance => $variance, rho => lag1(@round) });
}

# ---- a straight line ----

# Least squares, each point weighted by its error.  Where the points lie further from the line
# than their errors explain, the interval is widened by that factor (Birge, Physical Review 40,
# 1932).
sub line {
    my ($points) = @_;
    my %different = map { $_->{x} => 1 } @{$points};
    return if keys %different < FEWEST;
    my @weights = map { 1 / max($_->{se}, POINT_LEAST * abs $_->{y})**2 } @{$points};
    my ($x, $y) = map {
        my $axis = $_;
        [ map { $_->{$axis} } @{$points} ]
    } qw(x y);
    my $xx = products($x, $x, \@weights);
    my $slope = products($x, $y, \@weights) / $xx;
    my @rest = map { $y->[$_] - $slope * $x->[$_] } 0 .. $#weights;
    my $intercept = weighted_mean(\@rest, \@weights);
    my $apart = products(\@rest, \@rest, \@weights) / (@rest - 2);
    my $spread = products($y, $y);
    my $half = max(t_quantile(ERROR, sum(map { $_->{df} } @{$points})) / sqrt $xx,
        t_quantile(ERROR, @rest - 2) * sqrt($apart / $xx));
    return {
        slope     => $slope,
        intercept => $intercept,
        low       => $slope - $half,
        high      => $slope + $half,
        r2        => $spread > 0 ? 1 - sum(map { ($_ - $intercept)**2 } @rest) / $spread : undef,
    };
}

# ---- the speed of the machine ----
#
# Takes out of passes what moved the machine, as the reference loops beside them show it
# (Lavenberg and Welch, Management Science 27, 1981).  All tests have one coefficient, from within
# the runs.  Of two readings one is the instrument of the other (Fuller, Measurement Error Models,
# 1987, section 1.4); the result is drawn to 1 (Lindley and Smith, JRSS B 34, 1972).

sub adjust {
    my (@runs) = @_;
    my @series = map { lists($_) } @runs;
    return if !@series || grep { !defined $_->{x} } map { @{$_} } @series;
    my ($b, $se) = coefficient(@series);
    return if !defined $b;
    my @x = map({ mean(map { $_->{x} } map { @{$_} } lists($_)) } @runs);
    my $speed = mean(@x);
    return { runs => [ map { moved($_, $b, $speed) } @runs ], b => $b, se => $se, x => \@x };
}

# The lists of a stratum, always in the same order: sums then have the same last digit each time
sub lists { my ($stratum) = @_; return @{$stratum}{ sort keys %{$stratum} } }

sub moved {
    my ($stratum, $b, $speed) = @_;
    return {
        map { (
            $_ => [ map { { %{$_}, y => $_->{y} - $b * ($_->{x} - $speed) } } @{ $stratum->{$_} } ]
        ) } keys %{$stratum}
    };
}

# Lists of passes -> (coefficient, standard error); nothing where the loops did not move
sub coefficient {
    my (@series) = @_;
    my $two = !grep { !$_->{x2} } map { @{$_} } @series;
    my ($xx, $xy, $yy, $both, $n) = (0) x 5;
    my @rho;
    for my $passes (@series) {
        my ($x, $y) = ([ map { $_->{x} } @{$passes} ], logarithms($passes));
        push @rho, lag1(@{ (trimmed(@{$y}))[1] });    # without outliers
        $xx += products($x, $x);
        $xy += products($x, $y);
        $yy += products($y, $y);
        $n  += $#{$x};
        next if !$two;
        $both += products(
            map {
                my $i = $_;
                [ map { $_->{x2}[$i] } @{$passes} ]
            } 0,
            1
        );
    }
    return if $xx < CONSTANT || $n < 2;
    my $true = $two && $both > INSTRUMENT * $xx ? $both : $xx;
    my ($own, $r) = ($xy / $true, max(0, mean(@rho)));
    my $residual = max(0, $yy - 2 * $own * $xy + $own**2 * $xx) / ($n - 1);
    my $variance = $residual * $xx / $true**2 * (1 + $r) / (1 - $r);
    my $share = UNSURE**2 / (UNSURE**2 + $variance);
    return ($share * $own + (1 - $share), sqrt $share * $variance);
}

# Sum of the products of two lists' distances from their means, each with its weight or 1
sub products {
    my ($u, $v, $weights) = @_;
    $weights ||= [ (1) x @{$u} ];
    my ($mean_u, $mean_v) = map { weighted_mean($_, $weights) } $u, $v;
    return sum(map { $weights->[$_] * ($u->[$_] - $mean_u) * ($v->[$_] - $mean_v) } 0 .. $#{$u});
}

sub weighted_mean {
    my ($values, $weights) = @_;
    return sum(map { $weights->[$_] * $values->[$_] } 0 .. $#{$values}) / sum(@{$weights});
}

1;
