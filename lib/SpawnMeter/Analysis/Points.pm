# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Points;

# The results of a sweep.  Pure functions.
#
#   parts(run of several sweeps that were measured together) -> { name of the sweep => its
#       run }
#   points(run) -> { series => { label => result record, with time_us, time_low and
#       time_high: microseconds of an iteration, as each copy (or thread that creates) sees it,
#       or of the sweep's quantity } }
#   analysis(run) -> { sweep => its record, points, of which those of a sweep that begins with
#       "none" have added => [microseconds that the value adds to it, low, high], lines => {
#       series => line of Stats::Numbers } where all values are numbers, per => { amount, words }
#       that slopes are given for, together => true where several copies or threads create at once }

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max);
use SpawnMeter::Analysis::Quantity qw(as_rate);
use SpawnMeter::Analysis::Results  qw(cell_of results);
use SpawnMeter::Stats::Difference  qw(between);
use SpawnMeter::Stats::Numbers     qw(around line mean median of_summary);

our @EXPORT_OK = qw(points parts analysis beside_published judged_claims unmet);

use constant FEWEST => 6;    # passes, for the correlation of all that a sweep measures together

sub points {
    my ($run) = @_;
    my (%passes_of_label, %passes_of_cell, %point);
    for my $pass (@{ $run->{passes} }) {
        my $label = $pass->{value} // q{};
        my $own = as_rate($run->{sweep} && $run->{sweep}{quantity}, $pass);
        push @{ $passes_of_label{$label} }, $own;
        push @{ $passes_of_cell{"$label\0$pass->{test}"} }, $own;
    }
    my @estimates =
        map { of_summary(cell_of($passes_of_cell{$_})->{summary}) || () }
        sort keys %passes_of_cell;
    my $correlation = mean(map { $_->{rho} } grep { $_->{n} >= FEWEST } @estimates);
    for my $label (keys %passes_of_label) {
        my $results =
            results({ %{$run}, passes => $passes_of_label{$label} }, correlation => $correlation);
        $point{ $_->{test} }{$label} = $_ for @{$results};
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

sub analysis {
    my ($run) = @_;
    my $sweep = $run->{sweep};
    my $points = points($run);
    add_differences(@{ $sweep->{values} }, $points);
    my @lines = grep({ !defined } @{ $sweep->{x} }) ? () : @{ $sweep->{series} };
    return {
        sweep    => $sweep,
        points   => $points,
        lines    => { map { $_ => scalar line_through($sweep, $points->{$_}) } @lines },
        per      => per($sweep),
        together => scalar(grep { creators($_) > 1 } map { values %{$_} } values %{$points}),
    };
}

# What each value adds to the first one
sub add_differences {
    my ($none, $points) = @_[ 0, -1 ];
    return if $none ne 'none';
    for my $points_of_series (grep { defined time_of($_->{none}) } values %{$points}) {
        $points_of_series->{$_}{added} = [ difference(@{$points_of_series}{ 'none', $_ }) ]
            for grep { $_ ne 'none' && defined time_of($points_of_series->{$_}) }
            keys %{$points_of_series};
    }
    return;
}

sub time_of { my ($point) = @_; return ($point || {})->{time_us} }

# A straight line through the times of a series; undef where too few values have the passes
sub line_through {
    my ($sweep, $points) = @_;
    my @points;
    for my $i (0 .. $#{ $sweep->{x} }) {
        my $point = $points->{ $sweep->{values}[$i] } or next;
        my $estimate = estimate_of($point)            or next;
        my $us = 1e6 * creators($point) / exp $estimate->{center};
        push @points,
            { x => $sweep->{x}[$i], y => $us, se => $us * $estimate->{se}, df => $estimate->{df} };
    }
    return line(\@points);
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

# -> (microseconds that the second takes longer than the first, low, high); the first alone where
# either has too few passes.  The quotient of the centers less 1, times the median of the first
sub difference {
    my ($from, $to) = @_;
    return map { ($_ - 1) * $from->{time_us} } quotient($from, $to);
}

sub quotient {
    my ($from, $to) = @_;
    my @estimates = map { estimate_of($_) || () } $from, $to;
    return $to->{time_us} / $from->{time_us} if @estimates < 2;
    my ($d, $half) = between(reverse @estimates);
    my $times = creators($to) / creators($from);
    return map { $times * $_ } around($d, $half);
}

sub estimate_of { my ($point) = @_; return of_summary(@{$point}{qw(summary correlation)}) }

sub creators { my ($point) = @_; return $point->{creators} || $point->{copies} || 1 }

# ---- published experiments ----
#
# A run that repeats a published experiment (Catalog::Experiments), beside what was published.
#
#   beside_published(experiment, run) -> { sides => [ { name, run, analysis } ] of each part, with
#       a series "fork (laptop)" of what was published, whose own series
#       "published" of the sweep names; points => { series => { label => point } } and
#       together, of all
#   judged_claims(experiment, found, { fact => value }) -> its claims; those that are judged have
#       verdict, here => [value, low, high] (the first alone: too few passes), published, why => not
#       measured, or no verdict
#   unmet([needs], facts) -> why the machine does not meet them, or undef

sub beside_published {
    my ($experiment, $run) = @_;
    my $part_of = $run->{sweep}{parts} ? parts($run) : { q{} => $run };
    my %published = (sides => [], points => {});
    for my $part (@{ $experiment->{parts} }) {
        my $own = $part_of->{ $part->{name} } or next;
        my $sweep = { %{ $own->{sweep} }, quantity => $part->{quantity} };
        my $analysis = analysis({ %{$own}, sweep => $sweep });
        $published{together} ||= $analysis->{together};
        my $prefix = length $part->{name} ? "$part->{name} " : q{};
        $sweep->{series} = with_published($experiment, $prefix, $sweep, $analysis->{points});
        push @{ $published{sides} },
            { name => $part->{name}, run => { %{$own}, sweep => $sweep }, analysis => $analysis };
        for my $series (@{ $sweep->{series} }) {
            my $points = $analysis->{points}{$series};
            $published{points}{$series}{"$prefix$_"} = $points->{$_} for keys %{$points};
        }
    }
    return \%published;
}

# Adds the published points -> [series]
sub with_published {
    my ($experiment, $prefix, $sweep, $points) = @_;
    my @series;
    for my $series (@{ $sweep->{series} }) {
        push @series, $series;
        for my $machine (@{ $experiment->{machines} }) {
            my $name = "$series ($machine)";
            for my $label (@{ $sweep->{values} }) {
                my $figures = $experiment->{figures}{"$prefix$label $series"}{$machine} or next;
                $points->{$name}{$label} = { time_us => scalar median(@{$figures}) };
            }
            next if !$points->{$name};
            $sweep->{published}{$name} = $series;
            push @series, $name;
        }
    }
    return \@series;
}

sub judged_claims {
    my ($experiment, $measured, $facts) = @_;
    return [ map { $_->{kind} ? judge($experiment, $_, $measured->{points}, $facts) : $_ }
            @{ $experiment->{claims} } ];
}

sub judge {
    my ($experiment, $claim, $points, $facts) = @_;
    my @ends = map { $points->{ $_->{series} }{ $_->{label} } || {} } @{$claim}{qw(from to)};
    my %judged = (%{$claim}, published => scalar published($experiment, $claim, $points));
    my $why = unmet([ @{ $experiment->{needs} }, @{ $claim->{needs} } ], $facts);
    my ($lost) = grep { !$_->{time_us} } @ends;
    return { %judged, verdict => 'not measured', why => $why // $lost->{reason} }
        if defined $why || $lost;
    $judged{here} = [ size_of($claim, @ends) ];
    $judged{verdict} = verdict($claim, @{ $judged{here} });
    @judged{qw(verdict why)} = ('inconclusive', 'most passes of a point are disturbed')
        if grep { 2 * ($_->{flagged} || 0) > ($_->{passes} || 0) } @ends;
    return \%judged;
}

sub size_of {
    my ($claim, @ends) = @_;
    return $claim->{kind} eq 'slope' ? difference(@ends) : quotient(@ends);
}

sub verdict {
    my ($claim, undef, $least, $most) = @_;
    my $low = $claim->{low} // -9**9**9;
    my $high = $claim->{high} // 9**9**9;
    return 'inconclusive' if !defined $least;
    return 'differs' if $most < $low       || $least > $high;
    return 'inconclusive' if $least < $low || $most > $high;
    return 'agrees';
}

# The size of a claim as published, by the first machine that has both points
sub published {
    my ($experiment, $claim, $points) = @_;
    for my $machine (@{ $experiment->{machines} }) {
        my @ends = map { $points->{"$_->{series} ($machine)"}{ $_->{label} } || () }
            @{$claim}{qw(from to)};
        return (size_of($claim, @ends))[0] if @ends == 2;
    }
    return;
}

sub unmet {
    my ($needs, $facts) = @_;
    my ($cpus, $system) = @{$facts}{qw(cpus_usable system)};
    for my $need (@{$needs}) {
        if ($need =~ /^(\d+) CPUs/a) {
            return "needs $need, $cpus usable here" if defined $cpus && $cpus < $1;
        } elsif (defined $system && $system ne $need =~ s/macOS/Darwin/r) {
            return "needs $need, this is $system";
        }
    }
    return;
}

1;
