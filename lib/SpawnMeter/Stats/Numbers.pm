# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Numbers;

# What the statistical model (t/model/model.py) is made of.  Pure functions of lists of numbers,
# at least one.
#
#   mean(values), middle(values) -> their mean; their median
#   trimmed(values) -> (mean of the values without those at either end, [values in the order
#       given, those of the ends replaced by the nearest that is left], share that is left)
#   lag1(values in order of time) -> correlation of neighbours, corrected for its bias; 0
#       under 6 values and where they are equal

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum min max);

our @EXPORT_OK = qw(mean middle trimmed lag1 MOST);

use constant {
    TRIM     => 0.05,     # share of the values at either end, one at least
    UNCUT    => 10,       # values, below which none is cut
    FEWEST   => 6,        # values that have a correlation
    MOST     => 0.95,     # correlation
    CONSTANT => 1e-18,    # variance, below which values are equal
};

sub mean { return sum(@_) / @_ }

sub middle {
    my @s = sort { $a <=> $b } @_;
    return ($s[ $#s / 2 ] + $s[ @s / 2 ]) / 2;
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
    return 0 if $n < FEWEST || $variance < CONSTANT;
    my $r = mean(map { ($values[$_] - $mean) * ($values[ $_ - 1 ] - $mean) } 1 .. $#values);
    return max(-1, min(MOST, ($n * $r / $variance + 1) / ($n - 3)));
}

1;
