# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Sweep;

# The results of a sweep.  Pure functions.
#
#   parts(run of several sweeps that were measured together) -> { name of the sweep => its
#       run }
#   points(run) -> { series => { label => result record, with time_us, time_low and
#       time_high: microseconds of an iteration, as each copy (or thread that creates) sees it,
#       or of the sweep's quantity } }
#   analysis(run) -> { points, lines => { series => line of SpawnMeter::Analysis::Sweep },
#       per => { amount, words } that slopes are given for, together => true
#       where several copies or threads create at once, threads => true where threads do,
#       added => what each value adds to the first
#       (SpawnMeter::Analysis::Added) }.  There are lines where all values are numbers

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max sum);
use SpawnMeter::Analysis::Added       qw(added);
use SpawnMeter::Analysis::Disturbance qw(sound_rates);
use SpawnMeter::Analysis::Quantity    qw(as_rate);
use SpawnMeter::Analysis::Results     qw(correlation_of results);
use SpawnMeter::Stats::Numbers        qw(mean median quantile);
use SpawnMeter::Util::Random;

our @EXPORT_OK = qw(points parts analysis line);

sub points {
    my ($run) = @_;
    my (%of, %point);
    my $quantity = $run->{sweep} && $run->{sweep}{quantity};
    my @passes = @{ $run->{passes} };
    @passes = map { as_rate($quantity, $_) } @passes if defined $quantity;
    push @{ $of{ defined $_->{value} ? $_->{value} : q{} } }, $_ for @passes;
    my $correlation = of_all_cells(map { $of{$_} } sort keys %of);
    for my $label (keys %of) {
        my $with_value = { %{$run}, passes => $of{$label} };
        for my $r (@{ results($with_value, correlation => $correlation) }) {

            # the rate is that of all copies and their threads together; as one of N sees
            # it, an iteration takes N times as long (Little's law)
            @{$r}{qw(time_us time_low time_high)} =
                map { defined && $_ > 0 ? 1e6 * ($r->{creators} || $r->{copies}) / $_ : undef }
                @{$r}{qw(rate high low)};
            $point{ $r->{test} }{$label} = $r;
        }
    }
    return \%point;
}

sub parts {
    my ($run) = @_;
    my %part;
    for my $sweep (@{ $run->{sweep}{parts} }) {
        my $begins = qr/^\Q$sweep->{name}\E /;
        my @passes = grep { $_->{value} =~ $begins } @{ $run->{passes} };
        $part{ $sweep->{name} } = {
            %{$run},
            sweep  => $sweep,
            passes => [ map { { %{$_}, value => $_->{value} =~ s/$begins//r } } @passes ],
        };
    }
    return \%part;
}

# All cells of a sweep are measured together
sub of_all_cells {
    my (@passes_of_values) = @_;
    my @cells;
    for my $passes (@passes_of_values) {
        my %of;
        push @{ $of{ $_->{test} } }, $_ for @{$passes};
        push @cells, map { $of{$_} } sort keys %of;
    }
    return correlation_of(@cells);
}

sub analysis {
    my ($run) = @_;
    my $sweep = $run->{sweep};
    my $points = points($run);
    my @all = map { values %{$_} } values %{$points};
    my %lines;
    if (!grep { !defined } @{ $sweep->{x} }) {
        $lines{$_} = line_through($sweep, $points->{$_}) for @{ $sweep->{series} };
    }
    return {
        points   => $points,
        lines    => \%lines,
        per      => per($sweep),
        together => scalar(grep { ($_->{creators} || $_->{copies}) > 1 } @all),
        threads  => scalar(grep { ($_->{creators} || $_->{copies}) > $_->{copies} } @all),
        added    => added($sweep, $points),
    };
}

# A straight line through the times of a series; undef where it has too few values
sub line_through {
    my ($sweep, $points) = @_;
    my (@x, @passes, @effective);
    for my $i (0 .. $#{ $sweep->{x} }) {
        my $p = $points->{ $sweep->{values}[$i] };
        next if !$p || !@{ $p->{rates} || [] };
        push @x, $sweep->{x}[$i];
        my $us = 1e6 * ($p->{creators} || $p->{copies});
        push @passes, [ map { $us / $_ } @{ sound_rates($p) } ];
        push @effective, $p->{effective};
    }
    return scalar line(x => \@x, passes => \@passes, effective => \@effective);
}

# The amount of what is varied that a slope is given for
sub per {
    my ($sweep) = @_;
    my $most = max(0, grep { defined } @{ $sweep->{x} });
    return { amount => 100, words     => 'per 100' } if $sweep->{axis} !~ /bytes/;
    return { amount => 1024**3, words => 'per GB' } if defined $sweep->{quantity};
    return { amount => 1024, words    => 'per KB' } if $most < 1024**2;
    return { amount => 1024**2, words => 'per MB' };
}

# ---- line ----
#
# A straight line through the times of a sweep.  Pure functions.
#
#   line(x => [numbers], passes => [ [times of the passes at this x], ... ], effective =>
#       [ how many independent passes those at this x are worth, ... ] or undef for all) ->
#       { slope, intercept, low, high => 95 % interval of the slope, undef where a value of x
#       has under six passes, r2 => share of the spread that the line explains, undef where
#       there is no spread }; undef where there are under three values of x, or all of them
#       are equal.  Times and slopes have the caller's units
#
# A point is the median of its passes.  The slope is Theil and Sen's: the median of the
# slopes of all pairs of points, so that one disturbed point does not move it (Sen, JASA 63,
# 1968).  Pairs are weighted by their distance, since distant points determine the slope
# best (Jaeckel, Annals of Mathematical Statistics 43, 1972).  The interval is the
# percentile bootstrap over the passes; a resample has as many passes as they are worth
# (Stats::Estimate).  Under six passes it would be too narrow, and with one it would have no
# width; a median has no interval under six, either.

use constant {
    FEWEST    => 3,       # values of x
    ENOUGH    => 6,       # passes of each, for an interval
    RESAMPLES => 200,
    SEED      => 1,       # fixed: a run always has the same interval
    LOW_END   => 0.025,
    HIGH_END  => 0.975,
};

# The value at which half of the weight is reached
sub weighted_median {
    my (@points) = sort { $a->{value} <=> $b->{value} } @_;
    my $left = sum(map { $_->{weight} } @points) / 2;
    for my $point (@points) {
        $left -= $point->{weight};
        return $point->{value} if $left <= 0;
    }
    return $points[-1]{value};
}

sub slope_of {
    my ($x, $y) = @_;
    my @slopes;
    for my $i (0 .. $#{$x}) {
        for my $j ($i + 1 .. $#{$x}) {
            my $distance = $x->[$j] - $x->[$i] or next;
            my $slope = ($y->[$j] - $y->[$i]) / $distance;
            push @slopes, { value => $slope, weight => abs $distance };
        }
    }
    return @slopes ? weighted_median(@slopes) : undef;
}

sub resampled_slopes {
    my ($x, $passes, $effective) = @_;
    my $random = SpawnMeter::Util::Random->new(SEED);
    my @slopes;
    for (1 .. RESAMPLES) {
        my @y = map { median($random->resampled($passes->[$_], $effective->[$_])) } 0 .. $#{$x};
        push @slopes, slope_of($x, \@y);
    }
    return @slopes;
}

# R squared
sub explained {
    my ($y, $residuals) = @_;
    my $mean = mean(@{$y});
    my $spread = sum(map { ($_ - $mean)**2 } @{$y});
    my $rest = sum(map { $_**2 } @{$residuals});
    return $spread > 0 ? 1 - $rest / $spread : undef;
}

sub line {
    my (%with) = @_;
    my ($x, $passes) = @with{qw(x passes)};
    return if @{$x} < FEWEST;
    my @y = map { median(@{$_}) } @{$passes};
    my $slope = slope_of($x, \@y);
    return if !defined $slope;
    my $intercept = median(map { $y[$_] - $slope * $x->[$_] } 0 .. $#y);
    my @residuals = map { $y[$_] - $intercept - $slope * $x->[$_] } 0 .. $#y;
    my $enough = !grep { @{$_} < ENOUGH } @{$passes};
    my @slopes = $enough ? resampled_slopes($x, $passes, $with{effective} || []) : ();
    return {
        slope     => $slope,
        intercept => $intercept,
        r2        => explained(\@y, \@residuals),
        low       => scalar quantile(LOW_END, @slopes),
        high      => scalar quantile(HIGH_END, @slopes),
    };
}

1;
