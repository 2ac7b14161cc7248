# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::AA;

# Equal runs: how much they differ, and what follows for comparisons.  Pure functions.
#
#   sides(run of kind equals, its name) -> [machines of Analysis::Comparison]: the short runs in
#       it, in order
#   summary([machines], shorter => length of these runs as a share of a usual run's) ->
#       { runs => number, rows => [ { test, title, copies, unit, rate => center of all runs,
#       plus_minus => half of its 95 % interval over the runs, spread => standard deviation of
#       their centers: shares } ], by copies, then title;
#       groups => [ { copies, tests => number, f => degrees of freedom, shared => standard
#       deviation of what all tests of a run share, own => of what each has for itself: shares;
#       resolves => { runs a side => half of the interval of a difference, a share } of usual
#       runs, with these as further equal runs } ] }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Comparison qw(reduce spread_of);
use SpawnMeter::Stats::Difference    qw(half_of_runs);
use SpawnMeter::Stats::Distribution  qw(t_quantile);
use SpawnMeter::Stats::Numbers       qw(mean);

our @EXPORT_OK = qw(sides summary SIDES);

use constant SIDES => (1, 2, 4, 8);    # runs a side
use constant ERROR => 0.05;            # that an interval does not hold the truth

sub sides {
    my ($run, $name) = @_;
    my (%of, @order);
    for my $pass (@{ $run->{passes} }) {
        my $side = defined $pass->{side} ? $pass->{side} : q{};
        push @order, $side if !$of{$side};
        push @{ $of{$side} }, $pass;
    }
    return [ map { reduce({ %{$run}, passes => $of{$_} }, "$name $_") } @order ];
}

sub summary {
    my ($all, %with) = @_;
    my $machines = [ map { { %{$_}, cells => estimated($_->{cells}) } } @{$all} ];
    my @groups = @{ spread_of($machines) };
    my @rows = map { rows($_, $machines) } @groups;
    return {
        runs   => scalar @{$machines},
        rows   => [ sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @rows ],
        groups => [ map { shown($_, scalar @groups, scalar @rows, $with{shorter}) } @groups ],
    };
}

# Those with the passes for an estimate
sub estimated {
    my ($cells) = @_;
    return { map { $_ => $cells->{$_} } grep { defined $cells->{$_}{center} } keys %{$cells} };
}

sub rows {
    my ($group, $machines) = @_;
    return map { row("$group->{copies} $_", $machines) } @{ $group->{tests_of} };
}

sub row {
    my ($key, $machines) = @_;
    my @cells = map { $_->{cells}{$key} } @{$machines};
    my @centers = map { log $_->{center} } @cells;
    my $mean = mean(@centers);
    my $squares = 0;
    $squares += ($_ - $mean)**2 for @centers;
    return {
        (map { $_ => $cells[0]{$_} } qw(test title copies unit)),
        rate       => exp $mean,
        spread     => share(sqrt($squares / $#centers)),
        plus_minus => share(t_quantile(ERROR, $#centers) * sqrt($squares / $#centers / @centers)),
    };
}

sub shown {
    my ($group, $strata, $rows, $shorter) = @_;
    my ($shared, $own) = @{ $group->{level} };
    my %usual = (%{$group}, within => $group->{passes} * $shorter);
    my %resolves =
        map { $_ => share(half_of_runs(\%usual, $_, $strata, $rows, $group->{f})) } SIDES;
    return {
        (map { $_ => $group->{$_} } qw(copies tests f)),
        shared   => share(sqrt $shared),
        own      => share(sqrt $own),
        resolves => \%resolves,
    };
}

sub share { my ($log) = @_; return exp($log) - 1 }

1;
