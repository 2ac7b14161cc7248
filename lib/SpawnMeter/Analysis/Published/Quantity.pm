# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Quantity;

# The value of an expression over measured points, with its 95 % interval.  Pure functions.
#
#   quantity(tree of SpawnMeter::Catalog::Published::Claim, sub (measure, series, label) -> {
#       log, error, degrees } of SpawnMeter::Analysis::TwoSamples::center, with values => [one
#       of each round] where they are known) -> { value, slope => { point => derivative by the
#       logarithm of the point }, points => { point => its center }, product => true where it
#       has no sum }
#   number(value) -> the same of a constant
#   difference(a, b), quotient(a, b), multiple(a, b) -> the same of two
#   interval(quantity) -> (low, high); equal to the value where nothing in it varies
#
# Errors are carried on to first order.  The points of a sweep are measured in rounds, and drift
# together.  Where each has a value of each round, the error is that of the quantity's own values
# by round, as in a paired comparison; their serial correlation counts by as much as chance does
# not explain.  Otherwise the points count as independent, with the degrees of freedom of Welch
# and Satterthwaite.  A product or quotient has its interval on the logarithmic scale, a sum on
# the linear one.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Distribution qw(t_quantile);
use SpawnMeter::Analysis::Serial       qw(correlation effective);
use SpawnMeter::Analysis::TwoSamples   qw(apart center_of_logs combined_degrees);
use List::Util                         qw(max sum);

our @EXPORT_OK = qw(quantity number difference quotient multiple interval);

use constant {
    FEWEST  => 6,         # rounds
    OUTSIDE => 0.05,      # probability outside the interval
    TINY    => 1e-100,    # in place of a divisor of 0
};

my %NODE = (q{+} => \&total, q{-} => \&difference, q{*} => \&multiple, q{/} => \&quotient);

sub quantity {
    my ($tree, $center_of) = @_;
    return number($tree->{value}) if $tree->{kind} eq 'number';
    return point(
        $center_of->(@{$tree}{qw(measure series label)}),
        "$tree->{measure} $tree->{label} $tree->{series}"
    ) if $tree->{kind} eq 'point';
    return $NODE{ $tree->{kind} }->(map { quantity($_, $center_of) } @{$tree}{qw(left right)});
}

sub number {
    my ($value) = @_;
    return { value => $value, slope => {}, points => {}, product => 1 };
}

sub point {
    my ($center, $name) = @_;
    my $value = exp $center->{log};
    return {
        value   => $value,
        slope   => { $name => $value },
        points  => { $name => $center },
        product => 1
    };
}

# Of a value whose derivatives are those of these quantities times a factor: [quantity, factor]
sub combined {
    my ($value, $product, @terms) = @_;
    my (%slope, %points);
    for my $term (@terms) {
        my ($of, $factor) = @{$term};
        $slope{$_} += $factor * $of->{slope}{$_} for keys %{ $of->{slope} };
        %points = (%points, %{ $of->{points} });
    }
    return { value => $value, slope => \%slope, points => \%points, product => $product };
}

sub total {
    my ($x, $y) = @_;
    return combined($x->{value} + $y->{value}, 0, [ $x, 1 ], [ $y, 1 ]);
}

sub difference {
    my ($x, $y) = @_;
    return combined($x->{value} - $y->{value}, 0, [ $x, 1 ], [ $y, -1 ]);
}

sub multiple {
    my ($x, $y) = @_;
    my $product = $x->{product} && $y->{product};
    return combined($x->{value} * $y->{value}, $product, [ $x, $y->{value} ], [ $y, $x->{value} ]);
}

# A difference can be 0: what is divided by it is without bounds
sub quotient {
    my ($x, $y) = @_;
    my $divisor = $y->{value} || TINY;
    my $value = $x->{value} / $divisor;
    my $product = $x->{product} && $y->{product};
    return combined($value, $product, [ $x, 1 / $divisor ], [ $y, -$value / $divisor ]);
}

sub interval {
    my ($q) = @_;
    my $product = $q->{product} && $q->{value} > 0;
    my %share = map { $_ => $q->{slope}{$_} / ($product ? $q->{value} : 1) } keys %{ $q->{slope} };
    my ($error, $degrees) = by_round($q, \%share);
    ($error, $degrees) = by_point($q, \%share) if !defined $error;
    return ($q->{value}, $q->{value}) if $error <= 0;
    return @{ apart($q->{value}, $error, $degrees) }{qw(low high)} if $product;
    my $width = $error * t_quantile(OUTSIDE, sprintf '%.1f', max(1, $degrees));
    return ($q->{value} - $width, $q->{value} + $width);
}

sub by_point {
    my ($q, $share) = @_;
    my @errors = map { {
        error   => abs($share->{$_}) * $q->{points}{$_}{error},
        degrees => $q->{points}{$_}{degrees}
    } } sort keys %{$share};
    my $error = sqrt sum(0, map { $_->{error}**2 } @errors);
    return ($error, $error > 0 ? combined_degrees(grep { $_->{error} > 0 } @errors) : 1);
}

# Nothing for a single point, whose own error knows more, and where rounds are missing
sub by_round {
    my ($q, $share) = @_;
    my @measured = grep { $q->{points}{$_}{error} > 0 } sort keys %{$share};
    return if @measured < 2;
    my @values = map { $q->{points}{$_}{values} || return } @measured;
    my $rounds = @{ $values[0] };
    return if $rounds < FEWEST || grep { @{$_} != $rounds } @values;
    my @of_round = map {
        my $round = $_;
        sum(map { $share->{ $measured[$_] } * log $values[$_][$round] } 0 .. $#values);
    } 0 .. $rounds - 1;
    my $center = center_of_logs(\@of_round, worth(@of_round));
    return @{$center}{qw(error degrees)};
}

# How many independent rounds they are worth.  The correlation of few of them is inaccurate: two
# of its standard errors, which its correction for bias enlarges, are what chance may explain
sub worth {
    my (@of_round) = @_;
    my $n = @of_round;
    my $rounds = { values => \@of_round, times => [ 0 .. $n - 1 ] };
    my $found = correlation($rounds);
    my $error = sqrt((1 - $found->{r}**2) / $n) * $n / ($n - 3);
    return effective($rounds, { %{$found}, r => max(0, $found->{r} - 2 * $error) }, 0);
}

1;
