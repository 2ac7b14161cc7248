# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Claims;

# Judges the claims of a published experiment by what was measured.  Pure functions.
#
#   judged(experiment, run or undef, points of SpawnMeter::Analysis::Sweep, sub (needs) ->
#       why the machine does not meet them, or undef) -> [ { words, verdict => reproduced, not
#       reproduced, inconclusive or not possible here, why => reason of the last one or
#       undef, deciding => the condition that the verdict follows from, or undef where none was
#       measured, conditions } ]
#   A condition: { words, time => power of time of its figures, here => { value, low, high } or
#       undef, published => value, or text where only that is known, or undef, verdict }
#
# A condition is judged by the interval of the quantity that it is about: it is reproduced where
# the whole interval agrees with it, not reproduced where none of it does, and inconclusive
# otherwise, also where there are too few passes for an interval.  A claim is reproduced where all
# of its conditions are, and not reproduced where one is not.
#
# The figure that is printed is left over right; where the right side is a constant it is the
# left side.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(first);
use SpawnMeter::Analysis::Published::Quantity
    qw(quantity number difference quotient multiple interval);
use SpawnMeter::Analysis::Published::Samples qw(samples);
use SpawnMeter::Analysis::Stats              qw(median);
use SpawnMeter::Analysis::TwoSamples         qw(center);

our @EXPORT_OK = qw(judged figure_of);

use constant { NOT_POSSIBLE => 'not possible here', MANY => 1000 };

sub judged {
    my ($experiment, $run, $points, $unmet) = @_;
    my %with = (
        experiment => $experiment,
        points     => $points,
        unmet      => $unmet,
        sample     => $run ? samples($run, $points) : sub { return },
    );
    return [ map { claim(\%with, $_) } @{ $experiment->{claims} } ];
}

sub claim {
    my ($with, $claim) = @_;
    my ($experiment, $points) = @{$with}{qw(experiment points)};
    my @conditions = map { condition($with, $claim, $_) } @{ $claim->{conditions} };
    my %judged = (words => $claim->{words}, conditions => \@conditions, why => undef);
    return lacking($claim, \%judged) if defined $claim->{lacks};
    my $why = $with->{unmet}->([ @{ $experiment->{needs} }, @{ $claim->{needs} } ]);
    my $lost = first { !$_->{here} } @conditions;
    $why = why_lost($points, $lost->{lost}) if !defined $why && $lost;
    return { %judged, verdict => NOT_POSSIBLE, why => $why, deciding => undef } if defined $why;
    my %first;
    $first{ $_->{verdict} } ||= $_ for @conditions;
    my $deciding = $first{'not reproduced'} || $first{'inconclusive'} || $conditions[0];
    return { %judged, verdict => $deciding->{verdict}, deciding => $deciding };
}

# This version cannot measure it
sub lacking {
    my ($claim, $judged) = @_;
    my $published = { published => $claim->{published}, here => undef, words => undef };
    return {
        %{$judged},
        conditions => [ { %{$published}, time => 0, verdict => undef } ],
        verdict    => NOT_POSSIBLE,
        why        => "SpawnMeter lacks $claim->{lacks}",
        deciding   => undef,
    };
}

# Why a point has no value
sub why_lost {
    my ($points, $point) = @_;
    my ($series, $label) = @{$point}{qw(series label)};
    my $found = $points->{$series}{$label};
    return "$series, $label was not measured" if !$found;
    return "$series, $label has no such figure" if $found->{status} eq 'ok';
    my $reason = defined $found->{reason} ? $found->{reason} : 'unknown';
    return "$series, $label $found->{status}: $reason";
}

sub condition {
    my ($with, $claim, $condition) = @_;
    my ($lost, $few);
    my $center_of = sub {
        my ($measure, $series, $label) = @_;
        my $found = $with->{sample}->($measure, $series, $label);
        if (!$found) { $lost ||= { series => $series, label => $label }; return known(1) }
        my $center = center($found->{values}, $found->{effective});
        return { %{$center}, values => $found->{values} } if $center;
        $few = 1;
        return known(median(@{ $found->{values} }));
    };
    my ($left, $right) = map { quantity($condition->{$_}, $center_of) } qw(left right);
    my %judged = (lost => $lost, %{ named($with, $claim, $condition) });
    return { %judged, here => undef, verdict => undef } if $lost;
    my $shown = $condition->{right}{constant} ? $left : quotient($left, $right);
    my ($low, $high) = $few ? (undef, undef) : interval($shown);
    return {
        %judged,
        here    => { value => $shown->{value}, low => $low, high => $high },
        verdict => $few ? 'inconclusive' : verdict($condition, $left, $right),
    };
}

# What does not depend on the measurement
sub named {
    my ($with, $claim, $condition) = @_;
    my ($left, $right) = @{$condition}{qw(left right)};
    return {
        words     => $condition->{words},
        time      => $left->{time} - ($right->{constant} ? 0 : $right->{time}),
        published => scalar published($with->{experiment}, $claim, $condition),
    };
}

# A value without an error
sub known { my ($value) = @_; return { log => log $value, error => 0, degrees => MANY } }

sub verdict {
    my ($condition, $left, $right) = @_;
    my ($relation, $tolerance) = @{$condition}{qw(relation tolerance)};
    my $agrees =
          $relation eq '>' ? above($left, $right, 1 + $tolerance)
        : $relation eq '<' ? above($right, $left, 1 + $tolerance)
        :                    within($left, $right, $tolerance);
    return !defined $agrees ? 'inconclusive' : $agrees ? 'reproduced' : 'not reproduced';
}

# Whether x is above y times the limit: 1, 0, or undef where the interval allows both
sub above {
    my ($x, $y, $limit) = @_;
    my $as_ratio = $x->{product} && $y->{product} && $x->{value} > 0 && $y->{value} > 0;
    my ($low, $high) =
        interval($as_ratio ? quotient($x, $y) : difference($x, multiple($y, number($limit))));
    my $from = $as_ratio ? $limit : 0;
    return $low > $from ? 1 : $high <= $from ? 0 : undef;
}

sub within {
    my ($x, $y, $share) = @_;
    my ($lower, $upper) = map { scalar above($x, $y, $_) } 1 - $share, 1 + $share;
    return 0 if defined $lower && !$lower || $upper;
    return 1 if $lower && defined $upper;
    return;
}

# ---- what was published ---------------------------------------------------------------

# The figure of a condition by the figures of the first machine that has all of them; else the
# claim's own text
sub published {
    my ($experiment, $claim, $condition) = @_;
    return $claim->{published} if defined $claim->{published};
    my @machines =
        defined $claim->{from} ? $claim->{from} : map { $_->{name} } @{ $experiment->{machines} };
    for my $machine (@machines) {
        my $complete = 1;
        my $center_of = sub {
            my $figure = figure_of($experiment, $machine, @_);
            $complete = 0 if !$figure;
            return known($figure || 1);
        };
        my ($left, $right) = map { quantity($condition->{$_}, $center_of) } qw(left right);
        next if !$complete;
        return $condition->{right}{constant} ? $left->{value} : quotient($left, $right)->{value};
    }
    return;
}

# figure_of(experiment, machine, measure, series, label) -> microseconds, rates per microsecond;
# the median where there are several figures; undef where there is none
sub figure_of {
    my ($experiment, $machine, $measure, $series, $label) = @_;
    my @found = grep {
               $_->{machine} eq $machine
            && $_->{measure} eq $measure
            && $_->{series} eq $series
            && $_->{label} eq $label
    } @{ $experiment->{figures} };
    my @values = map { $measure eq 'rate' ? per_us($_) : us($_) } @found;
    return @values ? median(@values) : undef;
}

sub us { my ($figure) = @_; return defined $figure->{us} ? $figure->{us} : 1e6 / $figure->{rate} }

sub per_us {
    my ($figure) = @_;
    return defined $figure->{rate} ? $figure->{rate} / 1e6 : 1 / $figure->{us};
}

1;
