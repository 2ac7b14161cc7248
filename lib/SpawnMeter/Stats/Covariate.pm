# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Covariate;

# Takes out of passes what moved the machine, as the reference loops beside them show it
# (Lavenberg and Welch, Management Science 27, 1981).  Pure.
#
#   adjust(strata of several runs) -> { runs => strata at one level of the loops, b =>
#       coefficient of the loops, se => its standard error, x => [mean of the loops in each run] };
#       undef where a pass has no loops.  A stratum: { test => [pass] }; a pass has, beside what
#       Stats::Estimate uses, x => mean logarithm of the loops' rates, and perhaps x2 => [two
#       readings of it]
#
# All tests have one coefficient, from within the runs.  Of two readings one is the instrument
# of the other (Fuller, Measurement Error Models, 1987, section 1.4); the result is drawn to 1
# (Lindley and Smith, JRSS B 34, 1972).

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(sum max);
use SpawnMeter::Stats::Estimate qw(correlation);
use SpawnMeter::Stats::Numbers  qw(mean CONSTANT);

our @EXPORT_OK = qw(adjust);

use constant {
    UNSURE     => 0.2,      # standard deviation of the coefficient around 1: recorded series
    INSTRUMENT => 1 / 4,    # of the variance, that both readings must share
};

sub adjust {
    my (@runs) = @_;
    my @series = map { series($_) } @runs;
    return if !@series || grep { !defined $_->{x} } map { @{$_} } @series;
    my ($b, $se) = coefficient(@series);
    return if !defined $b;
    my @x = map {
        mean(map { $_->{x} } map { @{$_} } series($_))
    } @runs;
    my $level = mean(@x);
    return { runs => [ map { moved($_, $b, $level) } @runs ], b => $b, se => $se, x => \@x };
}

# In one order, so that sums have the same last digit each time
sub series { my ($stratum) = @_; return @{$stratum}{ sort keys %{$stratum} } }

sub moved {
    my ($stratum, $b, $level) = @_;
    return {
        map { (
            $_ => [ map { { %{$_}, y => $_->{y} - $b * ($_->{x} - $level) } } @{ $stratum->{$_} } ]
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
        my @ordered = sort { $a->{at} <=> $b->{at} } @{$passes};
        my ($x, $y) = map {
            my $of = $_;
            [ map { $_->{$of} } @ordered ]
        } qw(x y);
        push @rho, correlation($y);
        $xx += products($x, $x);
        $xy += products($x, $y);
        $yy += products($y, $y);
        $n  += $#{$x};
        next if !$two;
        my @half = map {
            my $i = $_;
            [ map { $_->{x2}[$i] } @ordered ]
        } 0, 1;
        $both += products(@half);
    }
    return if $xx < CONSTANT || $n < 2;
    my $true = $two && $both > INSTRUMENT * $xx ? $both : $xx;
    my ($own, $r) = ($xy / $true, max(0, mean(@rho)));
    my $residual = max(0, $yy - 2 * $own * $xy + $own**2 * $xx) / ($n - 1);
    my $variance = $residual * $xx / $true**2 * (1 + $r) / (1 - $r);
    my $share = UNSURE**2 / (UNSURE**2 + $variance);
    return ($share * $own + (1 - $share), sqrt $share * $variance);
}

# Sum of the products of two lists' distances from their means
sub products {
    my ($u, $v) = @_;
    my ($mean_u, $mean_v) = (mean(@{$u}), mean(@{$v}));
    return sum(map { ($u->[$_] - $mean_u) * ($v->[$_] - $mean_v) } 0 .. $#{$u});
}

1;
