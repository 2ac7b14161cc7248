# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published;

# A run that repeats a published experiment (Catalog::Published), beside what was published.
#
#   found(experiment, run) -> { sides => [ { name, run, analysis } ] of each part, with a series
#       "fork (laptop)" of what was published, whose own series
#       "published" of the sweep names; points => { series => { label => point } } and
#       together, of all
#   judged(experiment, found, { fact => value }) -> its claims; those that are judged have verdict,
#       here => [value, low, high] (the first alone: too few passes), published, why => not
#       measured, or no verdict
#   unmet([needs], facts) -> why the machine does not meet them, or undef

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Sweep qw(analysis parts difference quotient);
use SpawnMeter::Stats::Numbers  qw(median);

our @EXPORT_OK = qw(found judged unmet);

use constant DISTURBED => 'most passes of a point are disturbed';

sub found {
    my ($experiment, $run) = @_;
    my $part_of = $run->{sweep}{parts} ? parts($run) : { q{} => $run };
    my %found = (sides => [], points => {});
    for my $part (@{ $experiment->{parts} }) {
        my $own = $part_of->{ $part->{name} } or next;
        my $sweep = { %{ $own->{sweep} }, quantity => $part->{quantity} };
        my $analysis = analysis({ %{$own}, sweep => $sweep });
        $found{together} ||= $analysis->{together};
        my $prefix = length $part->{name} ? "$part->{name} " : q{};
        $sweep->{series} = with_published($experiment, $prefix, $sweep, $analysis->{points});
        push @{ $found{sides} },
            { name => $part->{name}, run => { %{$own}, sweep => $sweep }, analysis => $analysis };
        for my $series (@{ $sweep->{series} }) {
            my $points = $analysis->{points}{$series};
            $found{points}{$series}{"$prefix$_"} = $points->{$_} for keys %{$points};
        }
    }
    return \%found;
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

sub judged {
    my ($experiment, $found, $facts) = @_;
    return [ map { $_->{kind} ? judge($experiment, $_, $found->{points}, $facts) : $_ }
            @{ $experiment->{claims} } ];
}

sub judge {
    my ($experiment, $claim, $points, $facts) = @_;
    my ($from, $to) = map { $points->{ $_->{series} }{ $_->{label} } || {} } @{$claim}{qw(from to)};
    my %judged = (%{$claim}, published => scalar published($experiment, $claim, $points));
    my $why = unmet([ @{ $experiment->{needs} }, @{ $claim->{needs} } ], $facts);
    my ($lost) = grep { !$_->{time_us} } $from, $to;
    return { %judged, verdict => 'not measured', why => defined $why ? $why : $lost->{reason} }
        if defined $why || $lost;
    my @here = $claim->{kind} eq 'slope' ? difference($from, $to) : quotient($from, $to);
    return { %judged, here => \@here, verdict => 'inconclusive', why => DISTURBED }
        if grep { 2 * ($_->{flagged} || 0) > ($_->{passes} || 0) } $from, $to;
    return { %judged, here => \@here, verdict => verdict($claim, @here) };
}

sub verdict {
    my ($claim, undef, $least, $most) = @_;
    my ($low, $high) = @{$claim}{qw(low high)};
    return 'inconclusive' if !defined $least;
    return 'differs' if defined $low      && $most < $low  || defined $high && $least > $high;
    return 'inconclusive' if defined $low && $least < $low || defined $high && $most > $high;
    return 'agrees';
}

# By the first machine that has both points
sub published {
    my ($experiment, $claim, $points) = @_;
    for my $machine (@{ $experiment->{machines} }) {
        my ($from, $to) = map { $_->{time_us} || () }
            map { $points->{"$_->{series} ($machine)"}{ $_->{label} } } @{$claim}{qw(from to)};
        return $claim->{kind} eq 'slope' ? $to - $from : $to / $from if defined $to;
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
