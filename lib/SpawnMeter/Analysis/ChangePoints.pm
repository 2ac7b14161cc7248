# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::ChangePoints;

# Where the level of a series of numbers changed.  Pure functions.
#
#   changes(values in order, least => standard error that each value has at least, tests =>
#       number of series that are looked at together, together => what dependence_together()
#       says of these) -> [ { at => index of the first value of
#       the new level, p => probability of such a change anywhere in any of the series if no
#       level changed } ], in order; those with p below 5 %
#   dependence_together([values in order], ...) -> correlation of neighbours in series of the
#       same runs
#   FEWEST: the smallest number of values in which a change can be found
#
# Circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, Biostatistics 5, 2004):
# of all stretches of the series that of which the mean differs most from that of the rest is
# found, by Student's t.  If the difference is significant its ends are changes, and the parts
# are searched in the same way.  Unlike a division in two (Scott and Knott, Biometrics 30, 1974)
# this finds a level that lasts for some time and then goes back.  Stretches are also looked for
# in halves, quarters and so on that overlap, since several changes hide each other in the whole
# (seeded segmentation: Kovacs, Buehlmann, Li and Munk, Biometrika 110, 2023).  The probability
# is that of t times the number of stretches and of series (Bonferroni), an upper limit.
#
# A level has at least LEVEL values: less is an outlier.  Its median differs by SHARE of the
# difference of the means at least, so that one outlier makes no level.  Values that follow each
# other may depend on each other: t is multiplied by sqrt((1 - r) / (1 + r)), r the correlation of
# neighbours about the levels, corrected for its bias (Marriott and Pope, Biometrika 41, 1954), or
# that by the differences of all values, or the mean of the latter of all tests of these runs,
# whichever is largest, and the first MARGIN standard errors higher, since one that is too low
# finds changes where there are none (bench/history.pl simulates this).
# The time grows with the square of the number of values.

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(sum min max);
use SpawnMeter::Analysis::Distribution qw(t_two_sided);
use SpawnMeter::Analysis::Stats        qw(median);

our @EXPORT_OK = qw(changes dependence_together FEWEST);

use constant {
    LEVEL       => 3,
    FEWEST      => 6,
    TOGETHER    => 15,       # values of series that tell a correlation together
    NARROWEST   => 12,       # values of a window
    SIGNIFICANT => 0.05,
    MARGIN      => 1,
    SHARE       => 0.5,
    KEPT        => 0.85,     # share of the squares of differences that count
    MOST        => 0.9,      # correlation
    NO_SPREAD   => 1e-12,    # variance
};

sub changes {
    my ($values, %with) = @_;
    $with{dependence} = max($with{together} || 0, in_range(by_differences(@{$values})));
    my @found = within(0, scalar @{$values}, $values, \%with);
    return [ sort { $a->{at} <=> $b->{at} } @found ];
}

# In the values from $from to the one before $to
sub within {
    my ($from, $to, $values, $with) = @_;
    my $n = $to - $from;
    return if $n < FEWEST;
    my $best = best_of_windows($from, $to, $values, $with);
    return if $best->{p} >= SIGNIFICANT;
    my @found = map { { at => $_, p => $best->{p} } } @{ $best->{ends} };
    my @parts = ($from, @{ $best->{ends} }, $to);
    return @found, map { within($parts[ $_ - 1 ], $parts[$_], $values, $with) } 1 .. $#parts;
}

# -> { p, ends => [numbers of the values at which the stretch begins and ends] }
sub best_of_windows {
    my ($from, $to, $values, $with) = @_;
    my ($best, $places) = ({ p => 1 }, 0);
    for my $window (windows($from, $to)) {
        my ($first, $last) = @{$window};
        my @part = @{$values}[ $first .. $last - 1 ];
        my $stretch = stretch(@part);
        $places += $stretch->{places};
        my $p = probability($stretch, $with, @part);
        next if $p >= $best->{p};
        my @ends = map { $first + $_ } grep { $_ > 0 && $_ < @part } @{$stretch}{qw(from to)};
        $best = { p => $p, ends => \@ends };
    }
    return { %{$best}, p => min(1, $best->{p} * $places * ($with->{tests} || 1)) };
}

# All, halves that overlap, quarters and so on
sub windows {
    my ($from, $to) = @_;
    my @windows = [ $from, $to ];
    my $length = $to - $from;
    while (($length = int($length / 2)) >= NARROWEST) {
        my $start = $from;
        while ($start + $length < $to) {
            push @windows, [ $start, $start + $length ];
            $start += int($length / 2);
        }
        push @windows, [ $to - $length, $to ];
    }
    return @windows;
}

# -> { from, to => of the stretch whose mean differs most; between => squares between it and
# the rest; places => number of stretches }
sub stretch {
    my (@values) = @_;
    my $n = @values;
    my $mean = sum(@values) / $n;
    my @sum = (0);
    push @sum, $sum[-1] + $_ - $mean for @values;
    my %best = (between => -1, places => 0);
    for my $i (0, LEVEL .. $n - 2 * LEVEL) {
        for my $j ($i + LEVEL .. $n - LEVEL) {
            my $length = $j - $i;
            my $between = ($sum[$j] - $sum[$i])**2 / ($length * ($n - $length));
            $best{places}++;
            @best{qw(between from to)} = ($between, $i, $j) if $between > $best{between};
        }
    }
    return { %best, between => $best{between} * $n };
}

# Of so large a difference of this stretch by itself
sub probability {
    my ($best, $with, @values) = @_;
    my $n = @values;
    return 1 if !is_level($best, @values);
    my @residuals = residuals($best, @values);
    my $variance = sum(map { $_**2 } @residuals) / ($n - 2);
    $variance = max($variance, ($with->{least} || 0)**2);
    return $best->{between} > 0 ? 0 : 1 if $variance < NO_SPREAD;
    my $r = max($with->{dependence}, dependence(@residuals));
    my $t = sqrt($best->{between} / $variance * (1 - $r) / (1 + $r));
    return t_two_sided($t, $n - 2);
}

# One outlier moves the mean of a stretch, and not its median
sub is_level {
    my ($best, @values) = @_;
    my @stretch = splice @values, $best->{from}, $best->{to} - $best->{from};
    my $of_means = sum(@stretch) / @stretch - sum(@values) / @values;
    return abs(median(@stretch) - median(@values)) >= SHARE * abs $of_means;
}

sub residuals {
    my ($best, @values) = @_;
    my @inside = map { $_ >= $best->{from} && $_ < $best->{to} ? 1 : 0 } 0 .. $#values;
    my (@sum, @count);
    for my $i (0 .. $#values) {
        $sum[ $inside[$i] ] += $values[$i];
        $count[ $inside[$i] ]++;
    }
    return map { $values[$_] - $sum[ $inside[$_] ] / $count[ $inside[$_] ] } 0 .. $#values;
}

# The correlation of neighbours by the differences of neighbours and of next neighbours, whose
# squares are 2 s^2 (1 - r) and 2 s^2 (1 - r^2) where it falls as in an AR(1) process.  A change
# of level is in few of them; the largest are left out
sub by_differences {
    my (@values) = @_;
    my $n = @values;
    return if $n < FEWEST;
    my ($one, $two) = map {
        my $lag = $_;
        my @squares =
            sort { $a <=> $b } map { ($values[$_] - $values[ $_ - $lag ])**2 } $lag .. $n - 1;
        my $kept = int KEPT * @squares;
        sum(@squares[ 0 .. $kept - 1 ]) / $kept;
    } 1, 2;
    return if $one < NO_SPREAD;
    return $two / $one - 1;
}

sub in_range { my ($r) = @_; return max(0, min(MOST, $r || 0)) }

# One series says little about its own correlation, but runs that drift do so in all tests.  In
# a short one a change of level cannot be told from drift
sub dependence_together {
    my (@series) = @_;
    my @known =
        grep { defined } map { scalar by_differences(@{$_}) } grep { @{$_} >= TOGETHER } @series;
    return @known ? in_range(sum(@known) / @known) : 0;
}

# The correlation of neighbours about the levels
sub dependence {
    my (@residuals) = @_;
    my $n = @residuals;
    my $squares = sum(map { $_**2 } @residuals);
    return 0 if $squares / $n < NO_SPREAD;
    my $r = sum(map { $residuals[$_] * $residuals[ $_ - 1 ] } 1 .. $#residuals) / $squares;
    $r = max(-1, min(MOST, ($n * $r + 1) / ($n - 3)));
    return max(0, min(MOST, $r + MARGIN * sqrt((1 - $r**2) / $n)));
}

1;
