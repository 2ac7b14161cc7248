# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Line;

# A straight line through points whose errors are known.  A pure function.
#
#   line([ { x, y, se => standard error of y, df => its degrees of freedom } ]) -> { slope,
#       intercept, low, high => 95 % interval of the slope, r2 => share of the spread of y that
#       the line explains, undef where there is no spread }; undef where there are under three
#       values of x
#
# Least squares, each point weighted by its error.  Where the points lie further from the line
# than their errors explain, the interval is widened by that factor (Birge, Physical Review 40,
# 1932).

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max sum);
use SpawnMeter::Stats::Distribution qw(t_quantile);
use SpawnMeter::Stats::Numbers      qw(mean);

our @EXPORT_OK = qw(line);

use constant {
    ERROR  => 0.05,     # that the interval does not hold the truth
    FEWEST => 3,        # values of x
    LEAST  => 0.001,    # standard error of a point, as a share of it
};

sub line {
    my ($points) = @_;
    my %different = map { $_->{x} => 1 } @{$points};
    return if keys %different < FEWEST;
    my @weights = map { 1 / max($_->{se}, LEAST * abs $_->{y})**2 } @{$points};
    my $total = sum(@weights);
    my ($x, $y) = map {
        my $of = $_;
        sum(map { $weights[$_] * $points->[$_]{$of} } 0 .. $#weights) / $total
    } qw(x y);
    my ($xx, $xy) = (0, 0);
    for my $i (0 .. $#weights) {
        my $weighted = $weights[$i] * ($points->[$i]{x} - $x);
        $xx += $weighted * ($points->[$i]{x} - $x);
        $xy += $weighted * ($points->[$i]{y} - $y);
    }
    my $slope = $xy / $xx;
    my @rest = map { $_->{y} - $y - $slope * ($_->{x} - $x) } @{$points};
    my $apart = sum(map { $weights[$_] * $rest[$_]**2 } 0 .. $#rest) / (@rest - 2);
    my $half = t_quantile(ERROR, sum(map { $_->{df} } @{$points})) * sqrt(max(1, $apart) / $xx);
    return {
        slope     => $slope,
        intercept => $y - $slope * $x,
        low       => $slope - $half,
        high      => $slope + $half,
        r2        => explained([ map { $_->{y} } @{$points} ], \@rest),
    };
}

sub explained {
    my ($y, $rest) = @_;
    my $mean = mean(@{$y});
    my $spread = sum(map { ($_ - $mean)**2 } @{$y});
    return $spread > 0 ? 1 - sum(map { $_**2 } @{$rest}) / $spread : undef;
}

1;
