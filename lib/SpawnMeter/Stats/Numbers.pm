# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Numbers;

# Statistics of samples, and what the passes of a result say of it: one value and its error.  Pure
# functions, of values in any order unless said; undef, or an empty list, where they are too few.
#
#   mean, median, geometric_mean (values) -> number
#   around(logarithm, half of its interval) -> (value, low, high)
#   disturbed_z(least deviation, values or undef) -> for each value, in order, how many standard
#       deviations it is above the undisturbed level; 0 where it, or all but two are unknown
#   t_quantile(p two-sided, degrees of freedom) -> the t that is exceeded, in either
#       direction, with this probability
#
#   below(reference to the state of a generator, n) -> whole number from 0 to n - 1, which depends
#       on the state alone, and not on the version of perl
#   shuffled(the same, values) -> the values in another order
#
# Estimates are of logarithms.  A pass is { y => logarithm of its rate }; a stratum is { test =>
# [passes in order of time] }, the tests that were measured in the same rounds.
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
#   estimates(stratum) -> likewise, of the tests with 3 passes or more
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
use List::Util qw(sum min max);
use POSIX      ();

our @EXPORT_OK = qw(ERROR mean median geometric_mean around disturbed_z t_quantile estimate half
    plus_minus estimates index_of two_speeds line adjust summary of_summary of_summaries
    below shuffled);

use constant {
    ERROR       => 0.05,     # that an interval does not hold the truth
    TRIM        => 0.05,     # share of the values at either end, one at least
    UNCUT       => 10,       # values, below which none is cut
    FEWEST      => 3,        # values, and of x on a line
    RELATED     => 6,        # values that have a correlation
    MOST        => 0.95,     # correlation
    CONSTANT    => 1e-18,    # variance, or sum of squares, below which values are equal
    FEW         => 6,        # effective values, below which the estimate is a poor one
    TWO_SPEEDS  => 0.8,      # of the variance between two groups
    GROUPABLE   => 24,       # values: of fewer, one in ten normal samples would be two groups
    GROUP       => 1 / 5,    # of the values, at least
    POINT_LEAST => 0.001,    # standard error of a point of a line, as a share of it
    UNSURE      => 0.2,      # standard deviation of the coefficient around 1: recorded series
    INSTRUMENT  => 1 / 4,    # of the variance, that both readings must share
    FINE        => 0.5,      # width of a part of an integral, in standard deviations, at most
    NOTHING     => 30,       # logarithm: so much less than its largest value is a density of 0
    CLOSE       => 1e-9,     # a step of Newton's method that ends it
    RANGE       => 2**32,    # of the states of a generator
};

sub mean { return @_ ? sum(@_) / @_ : undef }

sub median {
    my @s = sort { $a <=> $b } @_;
    return if !@s;
    my $i = int $#s / 2;
    return $s[$i] + ($s[ -1 - $i ] - $s[$i]) / 2;
}

sub around {
    my ($center, $half) = @_;
    return map { exp } $center, $center - $half, $center + $half;
}

# undef if any value is not above 0
sub geometric_mean {
    my @values = @_;
    return if !@values || min(@values) <= 0;
    return exp(sum(map { log } @values) / @values);
}

# Disturbance only adds to a value, and up to half of the values may be disturbed: level and
# deviation are those of the lower half.  For a normal distribution the median of that half
# is 0.674 sigma under the median, and the MAD within it is 0.399 sigma.  A deviation below
# the least one (in the values' unit) is taken for that.
sub disturbed_z {
    my ($least, @values) = @_;
    my @s = sort { $a <=> $b } grep { defined } @values;
    return (0) x @values if @s < FEWEST;
    my @lower = @s[ 0 .. $#s / 2 ];
    my $middle = median(@lower);
    my $sigma = max($least, median(map { abs $_ - $middle } @lower) / 0.399);
    my $level = $middle + 0.674 * $sigma;
    return map { defined $_ ? ($_ - $level) / $sigma : 0 } @values;
}

sub trimmed {
    my (@values) = @_;
    my @s = sort { $a <=> $b } @values;
    my $cut = @s < UNCUT ? 0 : max(1, int TRIM * @s);
    my ($low, $high) = @s[ $cut, $#s - $cut ];
    return (
        mean(@s[ $cut .. $#s - $cut ]),
        [ map { min(max($_, $low), $high) } @values ],
        (@s - 2 * $cut) / @s
    );
}

# Marriott and Pope, Biometrika 41, 1954: the expectation of r is r - (1 + 3 r) / n
sub lag1 {
    my (@values) = @_;
    my ($n, $mean) = (scalar @values, mean(@values));
    my $variance = mean(map { ($_ - $mean)**2 } @values);
    return 0 if $n < RELATED || $variance < CONSTANT;
    my $r = mean(map { ($values[$_] - $mean) * ($values[ $_ - 1 ] - $mean) } 1 .. $#values);
    return max(-1, min(MOST, ($n * $r / $variance + 1) / ($n - 3)));
}

# ---- estimates ----

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

sub y_of {
    my ($points) = @_;
    return [ map { $_->{y} } @{$points} ];
}

sub estimates {
    my ($stratum) = @_;
    return of_summaries({ map { $_ => scalar summary(y_of($stratum->{$_})) } keys %{$stratum} });
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
    my @series = map { y_of($_) } grep { @{$_} >= FEWEST } lists($stratum) or return;
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
    my ($x, $y) = ([ map { $_->{x} } @{$points} ], y_of($points));
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
        my ($x, $y) = ([ map { $_->{x} } @{$passes} ], y_of($passes));
        push @rho, lag1(@{ (trimmed(@{$y}))[1] });    # without outliers
        $xx   += products($x, $x);
        $xy   += products($x, $y);
        $yy   += products($y, $y);
        $n    += $#{$x};
        $both += products([ map { $_->{x2}[0] } @{$passes} ], [ map { $_->{x2}[1] } @{$passes} ])
            if $two;
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

# ---- Student's distribution ----
#
# With t = sqrt(degrees of freedom) sinh(u) the density of u is proportional to
# cosh(u) ** -degrees, and its tail is convex: Newton's method comes near from below.

my %known_quantile;

sub t_quantile {
    my ($p, $degrees) = @_;
    return $known_quantile{"$p $degrees"} ||= found_quantile($p, $degrees);
}

sub found_quantile {
    my ($p, $degrees) = @_;
    my $far = exp(NOTHING / $degrees);
    my $whole = area($degrees, 0, log($far + sqrt($far**2 - 1)));
    my ($u, $tail, $step) = (0, $whole, 1);
    while ($step > CLOSE) {
        $step = ($tail - $p * $whole) / density($degrees, $u);
        $tail -= area($degrees, $u, $step);
        $u    += $step;
    }
    return sqrt($degrees) * (exp($u) - exp -$u) / 2;
}

sub density { my ($degrees, $u) = @_; return ((exp($u) + exp -$u) / 2)**-$degrees }

# The points of a part, from its middle in halves of its width, and their weights (Gauss)
my @POINTS = (
    [ -0.906179845938664, 0.236926885056189 ],
    [ -0.538469310105683, 0.478628670499366 ],
    [ 0, 0.568888888888889 ],
    [ 0.538469310105683, 0.478628670499366 ],
    [ 0.906179845938664, 0.236926885056189 ],
);

# The integral of the density
sub area {
    my ($degrees, $from, $width) = @_;
    my $parts = 1 + int $width * sqrt($degrees) / FINE;
    my $half = $width / $parts / 2;
    my $sum = 0;
    for my $part (1 .. $parts) {
        my $middle = $from + (2 * $part - 1) * $half;
        $sum += $_->[1] * density($degrees, $middle + $_->[0] * $half) for @POINTS;
    }
    return $sum * $half;
}

# ---- random numbers ----

# The linear congruential generator of Numerical Recipes (Press et al., second edition, section
# 7.1), whose high bits are used
sub below {
    my ($state, $n) = @_;
    ${$state} = (${$state} * 1_664_525 + 1_013_904_223) % RANGE;
    return int(${$state} / RANGE * $n);
}

sub shuffled {
    my ($state, @values) = @_;
    for my $i (reverse 1 .. $#values) {
        my $j = below($state, $i + 1);
        @values[ $i, $j ] = @values[ $j, $i ];
    }
    return @values;
}

1;
