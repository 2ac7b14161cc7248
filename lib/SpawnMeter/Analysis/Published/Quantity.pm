# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Quantity;

# The value of an expression over measured points, with its 95 % interval.  Pure functions.
#
#   quantity(tree of SpawnMeter::Catalog::Published::Claim, sub (measure, series, label) -> {
#       log, error, degrees } of SpawnMeter::Analysis::TwoSamples::center) -> { value, slope =>
#       { point => derivative by the logarithm of the point }, points => { point => its center
#       }, product => true where it has no sum }
#   number(value) -> the same of a constant
#   difference(a, b), quotient(a, b), multiple(a, b) -> the same of two
#   interval(quantity) -> (low, high); equal to the value where nothing in it varies
#
# Errors are carried on to first order, as if the points were independent, with the degrees of
# freedom of Welch and Satterthwaite.  A product or quotient has its interval on the logarithmic
# scale: that of two points is the one of TwoSamples::ratio.  A sum has it on the linear scale.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Distribution qw(t_quantile);
use SpawnMeter::Analysis::TwoSamples   qw(apart combined_degrees);
use List::Util                         qw(max sum);

our @EXPORT_OK = qw(quantity number difference quotient multiple interval);

use constant {
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
    my $scale = $product ? $q->{value} : 1;
    my @errors =
        map { {
        error   => abs($q->{slope}{$_} / $scale) * $q->{points}{$_}{error},
        degrees => $q->{points}{$_}{degrees}
        } }
        sort keys %{ $q->{slope} };
    my $error = sqrt sum(0, map { $_->{error}**2 } @errors);
    return ($q->{value}, $q->{value}) if $error <= 0;
    my $degrees = combined_degrees(grep { $_->{error} > 0 } @errors);
    return @{ apart($q->{value}, $error, $degrees) }{qw(low high)} if $product;
    my $width = $error * t_quantile(OUTSIDE, sprintf '%.1f', max(1, $degrees));
    return ($q->{value} - $width, $q->{value} + $width);
}

1;
