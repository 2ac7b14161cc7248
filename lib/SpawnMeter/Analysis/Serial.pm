# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Serial;

# How much passes that follow each other depend on each other, and so how many independent
# passes they are worth.  Pure functions.
#
#   series(passes, those of them that count) -> { values => [rates], times => [seconds since
#       the run began, or numbers of the passes where a pass has no time], timed => which of
#       the two }: of those that count, in order of time.  Passes that do not count leave gaps
#   correlation(series) -> { r => correlation of neighbours, corrected for its bias; gap =>
#       mean distance of neighbours, as the times; n => number of values }; undef under 6
#       values
#   combined(own correlation, [correlations of all tests that were measured in the same
#       rounds, the own one included]) -> a correlation
#   effective(series, correlation or undef, margin in standard errors of the correlation) ->
#       the number of independent values that give a mean of the same variance
#   MARGIN: this margin for an interval, since a correlation that is too low does more harm than
#       one that is too high; the simulation of bench/simulate.pl chose it
#
# The correlation is that of the normal scores of the ranks, so that outliers and skewness
# do not move it.  That of so few passes is inaccurate, but tests that are measured in the
# same rounds drift together, so each test's is shrunk towards the mean of all, by as much
# as the differences between the tests are explained by chance (James and Stein 1961; Efron
# and Morris, JASA 70, 1975).
#
# Correlation falls with distance as in an AR(1) process: r to the power (distance / gap).
# The variance of a mean is then that of sum of r^(distances of all pairs) / n^2, so
# n^2 / sum independent values have it (Law, Simulation Modeling and Analysis, 5th ed.,
# section 4.4; Priestley, Spectral Analysis and Time Series, section 5.3).

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(sum min max);
use Scalar::Util                    qw(refaddr);
use SpawnMeter::Stats::Distribution qw(normal_scores);
use SpawnMeter::Analysis::Stats     qw(median);

our @EXPORT_OK = qw(series correlation combined effective MARGIN);

use constant {
    FEWEST    => 6,       # values
    MARGIN    => 0.6,     # standard errors of a correlation
    NEIGHBOUR => 1.75,    # typical distances, at most, between neighbours
    MOST      => 0.95,    # correlation
    NO_SPREAD => 1e-9,    # variance of scores
};

sub series {
    my ($passes, $counting) = @_;
    my $timed = !grep { !defined $_->{at} } @{$passes};
    my %time =
        map { refaddr($passes->[$_]) => $timed ? $passes->[$_]{at} : $_ } 0 .. $#{$passes};
    my @ordered =
        sort { $time{ refaddr $a } <=> $time{ refaddr $b } } @{$counting};
    return {
        timed  => $timed,
        values => [ map { $_->{rate} } @ordered ],
        times  => [ map { $time{ refaddr $_ } } @ordered ],
    };
}

# Equal values get the mean of their scores
sub scores {
    my ($values) = @_;
    my $scores = normal_scores(scalar @{$values});
    my @order = sort { $values->[$a] <=> $values->[$b] } 0 .. $#{$values};
    my @scores;
    my $i = 0;
    while ($i < @order) {
        my $last = $i;
        $last++
            while $last < $#order && $values->[ $order[ $last + 1 ] ] == $values->[ $order[$i] ];
        my $mean = sum(@{$scores}[ $i .. $last ]) / ($last - $i + 1);
        @scores[ @order[ $i .. $last ] ] = ($mean) x ($last - $i + 1);
        $i = $last + 1;
    }
    return @scores;
}

# The estimate's expectation is r - (1 + 3 r) / n (Marriott and Pope, Biometrika 41, 1954;
# here products and squares are means of their own number)
sub correlation {
    my ($series) = @_;
    my ($values, $times) = @{$series}{qw(values times)};
    my $n = @{$values};
    return if $n < FEWEST;
    my @z = scores($values);
    my $variance = sum(map { $_**2 } @z) / $n;
    my @gaps = map { $times->[$_] - $times->[ $_ - 1 ] } 1 .. $#z;
    my $most = NEIGHBOUR * median(@gaps);
    my @pairs = grep { $gaps[ $_ - 1 ] <= $most } 1 .. $#z;
    my $gap = sum(map { $gaps[ $_ - 1 ] } @pairs) / @pairs;
    return { r => 0, gap => $gap, n => $n } if $variance < NO_SPREAD;
    my $r = sum(map { $z[$_] * $z[ $_ - 1 ] } @pairs) / @pairs / $variance;
    return { r => max(-1, min(MOST, ($n * $r + 1) / ($n - 3))), gap => $gap, n => $n };
}

sub combined {
    my ($own, $all) = @_;
    return $own if !$own || @{$all} < 2;
    my $total = sum(map { $_->{n} } @{$all});
    my $mean = sum(map { $_->{n} * $_->{r} } @{$all}) / $total;
    my $by_chance = sub { my ($n) = @_; return max(0, 1 - $mean**2) / $n };
    my $observed = sum(map { $_->{n} * ($_->{r} - $mean)**2 } @{$all}) / $total;
    my $between = max(0, $observed * @{$all} / (@{$all} - 1) - $by_chance->($total / @{$all}));
    my $expected = $between + $by_chance->($own->{n});
    my $weight = $expected > 0 ? $between / $expected : 0;
    return { %{$own}, r => $weight * $own->{r} + (1 - $weight) * $mean };
}

# The sum over pairs runs along the series: what the values before contribute fades from
# each to the next
sub effective {
    my ($series, $correlation, $margin) = @_;
    my $times = $series->{times};
    my $n = @{$times};
    return $n if !$correlation || !$n || $correlation->{gap} <= 0;
    my $r = $correlation->{r};
    $r = min(MOST, $r + $margin * sqrt((1 - $r**2) / $n));
    return $n if $r <= 0;
    my ($before, $pairs) = (0, 0);

    for my $i (1 .. $n - 1) {
        my $distance = ($times->[$i] - $times->[ $i - 1 ]) / $correlation->{gap};
        $before = ($before + 1) * $r**$distance;
        $pairs += $before;
    }
    return $n / (1 + 2 * $pairs / $n);
}

1;
