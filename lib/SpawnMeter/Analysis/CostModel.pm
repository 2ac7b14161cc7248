# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> names of the sweeps that the model needs
#   model({ sweep's name => { run, analysis of SpawnMeter::Analysis::Sweep } }) ->
#       { methods => [ { method, base => us, terms => [term] } ], targets => [ { target,
#         us } ], findings => { name => figures }, missing => [names of sweeps] }
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Line.
#
# A term: { words, slope, low, high => microseconds for its amount, r2 }.
# A finding is left out where the figures do not support it; its times are microseconds.

use strict;
use warnings;
use List::Util qw(first max min);

use constant {
    STRAIGHT   => 0.9,     # R2 above which a line describes the points
    FLAT       => 1.2,     # largest over smallest time where it does not depend on memory
    TWICE      => 2,       # fork of a large process against its posix_spawn, at least
    UNCHANGED  => 0.15,    # posix_spawn of a large process: within this share of a small one's
    NEGLIGIBLE => 0.05,    # a slope below this share of another one
    SLOWED     => 1.1,     # fork+exec with threads against without, at least
    LARGER     => 1.5,     # fork+exec of a large process against a small one, at least
};

# The sweeps with a slope, and the amount that it is given for
my @TERMS = (
    { sweep => 'memory', words      => 'per MB touched', amount           => 1024**2 },
    { sweep => 'files', words       => 'per 100 files', amount            => 100 },
    { sweep => 'mappings', words    => 'per 1000 mappings', amount        => 1000 },
    { sweep => 'threads', words     => 'per 10 threads', amount           => 10 },
    { sweep => 'environment', words => 'per 64 KB of environment', amount => 65_536 },
);
my %TERM = map { $_->{sweep} => $_ } @TERMS;

sub needed {
    return (map({ $_->{sweep} } @TERMS), 'targets');
}

my %FINDING = (
    slope_of_fork   => \&slope_of_fork,
    largest_process => \&largest_process,
    flat_methods    => \&flat_methods,
    open_files      => \&open_files,
    mappings        => \&mappings,
    threads         => \&threads,
    targets         => \&ladder_of_targets,
    with_exec       => \&with_exec,
    environment     => \&environment,
);

sub model {
    my ($of) = @_;
    my %finding = map { $_ => scalar $FINDING{$_}->($of) } keys %FINDING;
    return {
        methods =>
            [ map { method_of($of, $_) } grep { point($of, 'memory', $_, '0') } methods($of) ],
        targets  => [ targets($of) ],
        findings => { map { $_ => $finding{$_} } grep { $finding{$_} } keys %finding },
        missing  => [ grep { !$of->{$_} } needed() ],
    };
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
        terms  => [ grep { defined } map { scalar term($of, $_->{sweep}, $method) } @TERMS ],
    };
}

# A measured point of a sweep, or undef
sub point {
    my ($of, $sweep, $series, $label) = @_;
    my $p = $of->{$sweep} && $of->{$sweep}{analysis}{points}{$series}{$label};
    return $p && defined $p->{time_us} ? $p : undef;
}

sub time_at {
    my ($of, @place) = @_;
    my $p = point($of, @place);
    return $p ? $p->{time_us} : undef;
}

sub labels {
    my ($of, $sweep) = @_;
    return $of->{$sweep} ? @{ $of->{$sweep}{run}{sweep}{values} } : ();
}

sub term {
    my ($of, $sweep, $method) = @_;
    my $line = $of->{$sweep} && $of->{$sweep}{analysis}{lines}{$method} or return;
    my ($words, $amount) = @{ $TERM{$sweep} }{qw(words amount)};
    my %term = (words => $words, r2 => $line->{r2});
    $term{$_} = $line->{$_} * $amount for qw(slope low high);
    return \%term;
}

# The interval lies above 0, and a line describes it
sub grows {
    my ($term) = @_;
    return $term && $term->{low} > 0 && defined $term->{r2} && $term->{r2} > STRAIGHT;
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
    my $fork = time_at($of, 'memory', 'fork', $label);
    my ($spawn, $small) = map { time_at($of, 'memory', 'posix_spawn', $_) } $label, '0';
    return if !$small || $fork < TWICE * $spawn || abs($spawn / $small - 1) > UNCHANGED;
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
        my @times =
            grep { defined } map { time_at($of, 'memory', $method, $_) } labels($of, 'memory');
        next if @times < 3 || max(@times) / min(@times) >= FLAT;
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
        clone_free => abs($clone->{slope}) < NEGLIGIBLE * $vfork->{slope} ? 1 : 0,
    };
}

sub mappings {
    my ($of) = @_;
    my ($fork, $vfork) = map { scalar term($of, 'mappings', $_) } qw(fork vfork);
    return if !grows($fork);
    return { fork => $fork->{slope}, vfork_free => $vfork && $vfork->{low} <= 0 ? 1 : 0 };
}

sub threads {
    my ($of) = @_;
    my ($few, $many) = map { time_at($of, 'threads', 'forkexec', $_) } 0, 100;
    return if !$few || !$many || $many < SLOWED * $few;
    return { without => $few, with => $many, times => $many / $few };
}

sub ladder_of_targets {
    my ($of) = @_;
    my ($bare, $static, $dynamic) =
        map { point($of, 'targets', 'vforkexec', $_) } qw(true-nolibc true-static true-dynamic);
    return if !$bare || !$static || !$dynamic;
    return if $bare->{time_high} >= $static->{time_low};
    return if $static->{time_high} >= $dynamic->{time_low};
    return {
        nolibc  => $bare->{time_us},
        static  => $static->{time_us},
        dynamic => $dynamic->{time_us},
        loader  => 1 - $bare->{time_us} / $dynamic->{time_us},
    };
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($of) = @_;
    my ($fork, $vfork) = map { time_at($of, 'memory', $_, '0') } qw(forkexec vforkexec);
    my $large = first { defined } map { time_at($of, 'memory', 'forkexec', $_) } qw(300M 100M);
    return if !$fork || !$vfork || $fork <= $vfork || !$large || $large < LARGER * $fork;
    return { fork => $fork, vfork => $vfork, large => $large, more => $fork / $vfork - 1 };
}

sub environment {
    my ($of) = @_;
    my $term = term($of, 'environment', 'vforkexec');
    return grows($term) ? $term : undef;
}

1;
