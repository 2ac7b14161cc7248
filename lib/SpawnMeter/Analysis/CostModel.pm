# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> the sweeps that the model needs: { sweep => name, tests, values => words of
#       the sweep's line, where it needs only these }
#   model({ sweep's name => { run, analysis of SpawnMeter::Analysis::Sweep } }) ->
#       { methods => [ { method, base => us, terms => [term] } ], targets => [ { target,
#         us } ], findings => { name => figures }, missing => [names of sweeps], points =>
#         number of measured ones, disturbed => of these }
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Line.
#
# A term: { words, slope, low, high => microseconds for its amount, r2, verdict => adds (the
# interval lies above 0), none (it lies below a twentieth of the base) or inconclusive }.
# A finding is left out where the intervals do not support it; its times are microseconds.

use strict;
use warnings;
use List::Util qw(first max min);
use SpawnMeter::Analysis::CostTerms
    qw(point time_at labels low high sloping term grows negligible_beside same);
use SpawnMeter::Analysis::LaunchCosts qw(parts_needed launch spawners stall);

use constant {
    FLAT      => 1.2,     # largest over smallest time where it does not depend on memory
    TWICE     => 2,       # fork of a large process against its posix_spawn, at least
    UNCHANGED => 0.15,    # posix_spawn of a large process: within this share of a small one's
    SLOWED    => 1.1,     # fork+exec with threads against without, at least
    LARGER    => 1.5,     # fork+exec of a large process against a small one, at least
};

sub needed {
    return ((map { { sweep => $_ } } sloping(), qw(targets loader)), parts_needed());
}

my %FINDING = (
    slope_of_fork   => \&slope_of_fork,
    largest_process => \&largest_process,
    flat_methods    => \&flat_methods,
    open_files      => \&open_files,
    mappings        => \&mappings,
    threads         => \&threads,
    targets         => \&ladder_of_targets,
    loader          => \&loader,
    with_exec       => \&with_exec,
    environment     => \&environment,
    launch          => \&launch,
    spawners        => \&spawners,
    stall           => \&stall,
);

sub model {
    my ($of) = @_;
    my %finding = map { $_ => scalar $FINDING{$_}->($of) } keys %FINDING;
    return {
        methods =>
            [ map { method_of($of, $_) } grep { point($of, 'memory', $_, '0') } methods($of) ],
        targets  => [ targets($of) ],
        findings => { map { $_ => $finding{$_} } grep { $finding{$_} } keys %finding },
        missing  => [ grep { !$of->{$_} } map { $_->{sweep} } needed() ],
        disturbance($of),
    };
}

sub disturbance {
    my ($of) = @_;
    my @series = map { values %{ $_->{analysis}{points} } } values %{$of};
    my @points = grep { defined $_->{time_us} } map { values %{$_} } @series;
    return (points => scalar @points, disturbed => scalar grep { $_->{disturbed} } @points);
}

# Those that the sweep of memory measured, in its order
sub methods {
    my ($of) = @_;
    return $of->{memory} ? @{ $of->{memory}{run}{sweep}{series} } : ();
}

sub method_of {
    my ($of, $method) = @_;
    return {
        method => $method,
        base   => time_at($of, 'memory', $method, '0'),
        terms  => [ grep { defined } map { scalar term($of, $_, $method) } sloping() ],
    };
}

sub targets {
    my ($of) = @_;
    my @measured = grep { point($of, 'targets', 'vforkexec', $_) } labels($of, 'targets');
    return map { { target => $_, us => time_at($of, 'targets', 'vforkexec', $_) } } @measured;
}

# ---- findings -----------------------------------------------------------------------

sub slope_of_fork {
    my ($of) = @_;
    my $term = term($of, 'memory', 'fork');
    my $base = time_at($of, 'memory', 'fork', '0');
    return if !grows($term) || !defined $base;
    return { %{$term}, base => $base };
}

# The largest process that was forked, against posix_spawn
sub largest_process {
    my ($of) = @_;
    my $label =
        first { point($of, 'memory', 'fork', $_) && point($of, 'memory', 'posix_spawn', $_) }
        reverse labels($of, 'memory');
    return if !defined $label || $label eq '0';
    my $forked = point($of, 'memory', 'fork', $label);
    my @spawned = map { scalar point($of, 'memory', 'posix_spawn', $_) } $label, '0';
    return if !$spawned[1] || low($forked) < TWICE * high($spawned[0]) || !same(@spawned);
    my ($fork, $spawn, $small) = map { $_->{time_us} } $forked, @spawned;
    return if abs($spawn / $small - 1) > UNCHANGED;
    return {
        size        => $label,
        fork        => $fork,
        posix_spawn => $spawn,
        small       => $small,
        times       => $fork / $spawn,
    };
}

# Those of vfork and clone that take the same time at any size
sub flat_methods {
    my ($of) = @_;
    my @flat;
    for my $method (qw(vfork clone)) {
        my @points =
            grep { defined } map { scalar point($of, 'memory', $method, $_) } labels($of, 'memory');
        my @times = map { $_->{time_us} } @points;
        next if @times < 3 || max(@times) / min(@times) >= FLAT || !same(@points);
        push @flat, { method => $method, us => time_at($of, 'memory', $method, '0') };
    }
    return @flat ? \@flat : undef;
}

sub open_files {
    my ($of) = @_;
    my ($vfork, $clone) = map { scalar term($of, 'files', $_) } qw(vfork clone);
    return if !grows($vfork) || !$clone;
    return {
        vfork      => $vfork->{slope},
        clone_free => negligible_beside($clone, $vfork),
    };
}

sub mappings {
    my ($of) = @_;
    my ($fork, $vfork) = map { scalar term($of, 'mappings', $_) } qw(fork vfork);
    return if !grows($fork);
    return { fork => $fork->{slope}, vfork_free => negligible_beside($vfork, $fork) };
}

sub threads {
    my ($of) = @_;
    my @points = map { scalar point($of, 'threads', 'forkexec', $_) } 0, 100;
    return if grep({ !defined } @points) || low($points[1]) < SLOWED * high($points[0]);
    my ($few, $many) = map { $_->{time_us} } @points;
    return { without => $few, with => $many, times => $many / $few };
}

sub ladder_of_targets {
    my ($of) = @_;
    my ($bare, $static, $dynamic) =
        map { point($of, 'targets', 'vforkexec', $_) } qw(true-nolibc true-static true-dynamic);
    return if !$bare || !$static || !$dynamic;
    return if high($bare) >= low($static);
    return if high($static) >= low($dynamic);
    return {
        nolibc  => $bare->{time_us},
        static  => $static->{time_us},
        dynamic => $dynamic->{time_us},
        loader  => 1 - $bare->{time_us} / $dynamic->{time_us},
    };
}

# Of the time until main() of a dynamic target, that of its loader
sub loader {
    my ($of) = @_;
    my $point = point($of, 'loader', 'posix_spawn', 'dynamic');
    my $main = $point && $point->{start} && $point->{start}{main} or return;
    my ($us, $low, $high) = @{$point}{qw(time_us time_low time_high)};
    return {
        us    => $us,
        low   => $low,
        high  => $high,
        main  => $main->[0],
        share => $us / $main->[0],
        sure  => same($point) ? 1 : 0,
    };
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($of) = @_;
    my ($forked, $vforked) = map { scalar point($of, 'memory', $_, '0') } qw(forkexec vforkexec);
    my $in_large =
        first { defined } map { scalar point($of, 'memory', 'forkexec', $_) } qw(300M 100M);
    return if grep { !defined } $forked, $vforked, $in_large;
    return if low($forked) <= high($vforked) || low($in_large) <= high($forked);
    my ($fork, $vfork, $large) = map { $_->{time_us} } $forked, $vforked, $in_large;
    return if $large < LARGER * $fork;
    return { fork => $fork, vfork => $vfork, large => $large, more => $fork / $vfork - 1 };
}

sub environment {
    my ($of) = @_;
    my $term = term($of, 'environment', 'vforkexec');
    return grows($term) ? $term : undef;
}

1;
