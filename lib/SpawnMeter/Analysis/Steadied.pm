# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Steadied;

# Rates at one level of the reference loops: what the machine itself did is taken out.  Pure
# functions.
#
#   covariates([passes of one number of copies], loop) -> { refaddr of a pass => [level before
#       it, level after it, how far the two loops are apart, of FAULTS] }: logarithms; the first
#       two without noise of single readings: medians of this pass and its neighbours in time.
#       Of WITHIN: the two readings of its own pauses
#   points([passes that count], covariates) -> [ { y => logarithm of the rate, x => level, at,
#       before, after, contrast } ] of those that have all, in the order given
#   packed(points) -> a string, and unpacked(string) -> points: of many runs they need much less
#       memory
#   coefficients([ [points of a run], ... ] of each test, loop) -> [ { b, error } ]: by how
#       much the logarithm of each test's rate changes with that of the reference
#   steadied_rates([points], b, level) -> [rates at this level]
#   mean_state([points]) -> { x, contrast }: means, the state of the machine beside a test
#   error_between(coefficient, state, state) -> standard error of a difference between these
#       states, by the coefficient and by what the two loops of FAULTS count for
#
# This is a control variate (Lavenberg and Welch, Management Science 27, 1981), whose
# coefficient comes from the passes: the noise of the levels before and after a pass is
# independent, so their covariance is the variance of the level without noise, and the slope
# is not too small by that noise (errors in variables, with one reading as the instrument for
# the other: Fuller, Measurement Error Models, 1987, section 1.4).  Where the machine hardly
# moved, the passes of one test say little about it.  So a test's coefficient is drawn towards
# that of all tests, and theirs towards PRIOR, by their errors (Lindley and Smith, JRSS B 34,
# 1972).

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max min sum);
use Scalar::Util                    qw(refaddr);
use SpawnMeter::Analysis::Reference qw(FAULTS WITHIN level_of contrast);
use SpawnMeter::Analysis::Stats     qw(median);

our @EXPORT_OK = qw(covariates points packed unpacked coefficients steadied_rates mean_state
    error_between);

use constant {
    NEIGHBOURS => 1,       # of a pass, at each side of it
    DEPENDS    => 6,       # times the variance of independent passes
    BETWEEN    => 0.15,    # standard deviation of the tests' coefficients
    FEWEST     => 6,       # points of a test

    # Standard deviation of the share of what the memory alone does to sparse page faults; FAULTS
    # has a half of it, and tests 0.2 to 1, mostly (bench/loops.pl follow; the manual)
    SHARE => 0.25,
};

use constant FIELDS => qw(at y before after contrast);    # of a packed point

# The coefficients of creation and their standard deviation, from the recorded series (bench/
# reference.pl)
my %PRIOR = (
    FAULTS, { b => 1, error => 0.2 },
    WITHIN, { b => 1, error => 0.2 },
    sparse_faults => { b => 1, error => 0.2 },
    page_faults   => { b => 1, error => 0.2 },
    arithmetic    => { b => 1, error => 0.5 },
);

sub covariates {
    my ($passes, $loop) = @_;
    return covariates_within($passes) if $loop eq WITHIN;
    my @known = grep { is_known($_, $loop) } @{$passes};
    my @before = smoothed(map { scalar level_of($_, $loop, 0) } @known);
    my @after = smoothed(map { scalar level_of($_, $loop, -1) } @known);
    return {
        map { (
            refaddr($known[$_]) => [ $before[$_], $after[$_], scalar contrast($known[$_], $loop) ]
        ) } 0 .. $#known
    };
}

sub covariates_within {
    my ($passes) = @_;
    return {
        map { (refaddr($_) =>
                [ level_of($_, WITHIN, 0), level_of($_, WITHIN, -1), contrast($_, WITHIN) ]) }
            grep { is_known($_, WITHIN) } @{$passes}
    };
}

# A pass that has one reading has it at both moments
sub is_known {
    my ($pass, $loop) = @_;
    return $pass->{status} eq 'ok' && 2 == grep { defined level_of($pass, $loop, $_) } 0, -1;
}

sub smoothed {
    my (@levels) = @_;
    return
        map { scalar median(@levels[ max(0, $_ - NEIGHBOURS) .. min($#levels, $_ + NEIGHBOURS) ]) }
        0 .. $#levels;
}

sub points {
    my ($passes, $covariates) = @_;
    return [
        map  { point($_->{at}, log $_->{rate}, @{ $covariates->{ refaddr $_ } }) }
        grep { $covariates->{ refaddr $_ } } @{$passes}
    ];
}

sub point {
    my ($at, $y, $before, $after, $contrast) = @_;
    return {
        at       => $at,
        y        => $y,
        x        => ($before + $after) / 2,
        before   => $before,
        after    => $after,
        contrast => $contrast,
    };
}

# A pass beside which the loops ran has a time
sub packed {
    my ($points) = @_;
    return pack 'd*', map { @{$_}{ +FIELDS } } grep { defined $_->{at} } @{$points};
}

sub unpacked {
    my ($string) = @_;
    my @numbers = unpack 'd*', $string;
    my @points;
    push @points, point(splice @numbers, 0, scalar @{ [FIELDS] }) while @numbers;
    return \@points;
}

sub mean_state { my ($points) = @_; return { means($points, qw(x contrast)) } }

sub means {
    my ($points, @fields) = @_;
    return map {
        my $of = $_;
        $of => sum(map { $_->{$of} } @{$points}) / @{$points}
    } @fields;
}

sub error_between {
    my ($coefficient, $old, $new) = @_;
    my ($by_level, $by_share) = (
        $coefficient->{error} * ($new->{x} - $old->{x}),
        SHARE * ($new->{contrast} - $old->{contrast})
    );
    return sqrt $by_level**2 + $by_share**2;
}

sub coefficients {
    my ($tests, $loop) = @_;
    my $prior = $PRIOR{$loop};
    my @own = map { scalar own_coefficient(@{$_}) } @{$tests};
    my ($weights, $sum) = (1 / $prior->{error}**2, $prior->{b} / $prior->{error}**2);
    for my $own (grep { defined } @own) {
        my $weight = 1 / ($own->{error}**2 + BETWEEN**2);
        $weights += $weight;
        $sum     += $weight * $own->{b};
    }
    my %all = (b => $sum / $weights, variance => 1 / $weights + BETWEEN**2);
    return [ map { drawn_to(\%all, $_) } @own ];
}

sub drawn_to {
    my ($all, $own) = @_;
    return { b => $all->{b}, error => sqrt $all->{variance} } if !$own;
    my $share = $all->{variance} / ($all->{variance} + $own->{error}**2);
    return {
        b     => $share * $own->{b} + (1 - $share) * $all->{b},
        error => $own->{error} * sqrt $share,
    };
}

# Of one test, within each of the runs; undef where the machine did not move, or no pass has two
# readings
sub own_coefficient {
    my (@runs) = @_;
    return if !grep { $_->{before} != $_->{after} } map { @{$_} } @runs;
    my %sum = map { $_ => 0 } qw(xy xx yy both n);
    for my $points (grep { @{$_} >= FEWEST } @runs) {
        my %mean = means($points, qw(x y before after));
        for my $point (@{$points}) {
            my ($x, $y, $before, $after) = map { $point->{$_} - $mean{$_} } qw(x y before after);
            $sum{xy}   += $x * $y;
            $sum{xx}   += $x * $x;
            $sum{yy}   += $y * $y;
            $sum{both} += $before * $after;
        }
        $sum{n} += @{$points} - 2;
    }
    return if !$sum{n} || $sum{both} <= 0;
    my $b = $sum{xy} / $sum{both};
    my $residual = max(0, $sum{yy} - 2 * $b * $sum{xy} + $b**2 * $sum{xx}) / $sum{n};
    return { b => $b, error => sqrt(DEPENDS * $residual * $sum{xx}) / $sum{both} };
}

sub steadied_rates {
    my ($points, $b, $level) = @_;
    return [ map { exp($_->{y} - $b * ($_->{x} - $level)) } @{$points} ];
}

1;
