# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::SteadiedSides;

# The differences of an ab run at one rate of the reference loops.  Pure functions.
#
#   steady_sides(rows of one number of copies, each with of => [pairs], by Analysis::Pairs) ->
#       undef where the loops did not run in pauses of the passes, or how they differ: what
#       difference() of Analysis::Pairs says of the loops' rates in all pairs together.  Adds to
#       each row with at least 6 such pairs, unless the loops differ, `steadied`: { ratio, low,
#       high, plus_minus, p, b => coefficient }
#
# It is the control variate of Analysis::Steadied, of pairs: the logarithm of the ratio of the
# two rates, less a coefficient times that of the ratio of the loops' rates, of which every other
# pause of a pass and those between are two readings.  So what moves the machine faster than a
# pair takes is taken out as well.  A side that changes the loops themselves (the kernel's page
# faults) would have its effect taken out, too: where the loops differ, nothing is steadied.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Pairs     qw(correlation_of difference);
use SpawnMeter::Analysis::Reference qw(WITHIN level_of contrast);
use SpawnMeter::Analysis::Steadied  qw(coefficients mean_state error_between);

our @EXPORT_OK = qw(steady_sides);

use constant {
    FEWEST      => 6,       # pairs of a test
    SIGNIFICANT => 0.05,    # of a difference of the loops
};

sub steady_sides {
    my (@rows) = @_;
    my @known = grep { @{ $_->{points} } >= FEWEST }
        map { { row => $_, points => points_of(@{ $_->{of} }) } } @rows;
    return if !@known;
    my @all = sort { $a->{at} <=> $b->{at} } map { @{ $_->{points} } } @known;
    my $loops = difference([ map { { %{$_}, rate => exp $_->{x} } } @all ]);
    return if !defined $loops->{p};
    return $loops if $loops->{p} < SIGNIFICANT;
    my $coefficients = coefficients([ map { [ $_->{points} ] } @known ], WITHIN);
    $known[$_]{pairs} = adjusted($known[$_]{points}, $coefficients->[$_]) for 0 .. $#known;
    my @correlations = grep { defined } map { scalar correlation_of($_->{pairs}) } @known;

    for my $i (0 .. $#known) {
        $known[$i]{row}{steadied} = steadied($known[$i], $coefficients->[$i], \@correlations);
    }
    return $loops;
}

# What coefficients() wants, with what Analysis::Pairs wants: of pairs with both readings
sub points_of {
    my (@pairs) = @_;
    my @points;
    for my $pair (@pairs) {
        my @before = map { level_of($_, WITHIN, 0) } @{ $pair->{passes} };
        my @after = map { level_of($_, WITHIN, -1) } @{ $pair->{passes} };
        my @contrast = map { contrast($_, WITHIN) } @{ $pair->{passes} };
        next if grep { !defined } @before, @after, @contrast;
        my ($before, $after) = ($before[1] - $before[0], $after[1] - $after[0]);
        push @points,
            {
            (map { $_ => $pair->{$_} } qw(at flags)),
            y        => log $pair->{rate},
            x        => ($before + $after) / 2,
            before   => $before,
            after    => $after,
            contrast => $contrast[1] - $contrast[0],
            };
    }
    return \@points;
}

sub adjusted {
    my ($points, $by) = @_;
    return [ map { { %{$_}, rate => exp($_->{y} - $by->{b} * $_->{x}) } } @{$points} ];
}

sub steadied {
    my ($test, $by, $correlations) = @_;
    my $further = error_between($by, { x => 0, contrast => 0 }, mean_state($test->{points}));
    my $found = difference($test->{pairs}, $correlations, $further);
    return if !defined $found->{p};
    return { b => $by->{b}, map { $_ => $found->{$_} } qw(ratio low high plus_minus p) };
}

1;
