# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> the sweeps that the model needs: { sweep => name, tests, values => words of
#       the sweep's line, where it needs only these }
#   model({ sweep's name => { run, analysis of SpawnMeter::Analysis::Points } }) ->
#       { methods => [ { method, base => us, terms => [term] } ], targets => [ { target,
#         us } ], findings => { name => figures }, parts => those of a creation (parts_of_spawn),
#         missing => [names of sweeps], points =>
#         number of measured ones, disturbed => of these }
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Points.
#
# A term: { words, slope, low, high => microseconds for its amount, r2, verdict => adds (the
# interval lies above 0), none (it lies below a twentieth of the base) or inconclusive }.
# A finding is left out where the intervals do not support it; its times are microseconds.

use strict;
use warnings;
use List::Util qw(first max min);

use constant {
    FLAT       => 1.2,       # largest over smallest time where it does not depend on memory
    TWICE      => 2,         # fork of a large process against its posix_spawn, at least
    UNCHANGED  => 0.15,      # posix_spawn of a large process: within this share of a small one's
    SLOWED     => 1.1,       # fork+exec with threads against without, at least
    LARGER     => 1.5,       # fork+exec of a large process against a small one, at least
    HELPS      => 1.05,      # rate of several threads that create against that of one, at least
    SPAWNERS   => 4,         # these threads
    LARGEST    => 3,         # parts of a launch that are named
    STRAIGHT   => 0.9,       # R2 above which a line describes the points
    SURELY     => 1.35,      # largest over smallest end of the intervals of the same time
    NEGLIGIBLE => 0.05,      # a slope below this share of another one, or of the base
    GB         => 1024**3,
    INFINITY   => 9**9**9,
};

# In the order of time, and of rising cost
my @STAMPS = (
    [ first  => 'create and exec' ],
    [ loader => 'dynamic loader' ],
    [ libc   => 'C library starts' ],
    [ ending => 'main(), exit, wait' ],
);
my @STEPS = ('create, exit, wait', 'exec without libc', 'static C library', 'dynamic linking');

# The sweeps with a slope, and the amount that it is given for
my @TERMS = (
    { sweep => 'memory', words      => 'per MB touched', amount           => 1024**2 },
    { sweep => 'files', words       => 'per 100 files', amount            => 100 },
    { sweep => 'mappings', words    => 'per 1000 mappings', amount        => 1000 },
    { sweep => 'threads', words     => 'per 10 threads', amount           => 10 },
    { sweep => 'environment', words => 'per 64 KB of environment', amount => 65_536 },
);
my %TERM = map { $_->{sweep} => $_ } @TERMS;

# All sweeps that are needed; of those with many points the ones that a finding is about
my @NEEDED = (
    @TERMS,
    { sweep => 'loader' },
    { sweep => 'target', tests => ['vforkexec'] },
    { sweep => 'launch', tests => ['launch'] },
    {
        sweep  => 'spawners',
        tests  => [ 'posix_spawn:--spawners,VALUE', 'posix_spawn:@copies=VALUE' ],
        values => [ map { "$_=$_" } 1, SPAWNERS ],
    },
    { sweep => 'stall', tests => [qw(fork posix_spawn)], values => [qw(4M 64M 256M)] },
);

sub needed { return @NEEDED }

# Each sub takes what model() takes
my @FINDINGS = qw(slope_of_fork largest_process flat_methods open_files mappings threads targets
    loader shapes page_faults with_exec environment launch spawners stall);

sub model {
    my ($of) = @_;
    my %finding = map { $_ => scalar __PACKAGE__->can($_)->($of) } @FINDINGS;
    my @series = map { values %{ $_->{analysis}{points} } } values %{$of};
    my @points = grep { defined $_->{time_us} } map { values %{$_} } @series;
    return {
        methods =>
            [ map { method_of($of, $_) } grep { point($of, 'memory', $_, '0') } methods($of) ],
        targets => [
            map  { { target => $_, us => time_at($of, 'target', 'vforkexec', $_) } }
            grep { point($of, 'target', 'vforkexec', $_) } labels($of, 'target')
        ],
        findings  => { map { $_ => $finding{$_} } grep { $finding{$_} } keys %finding },
        parts     => parts_of_spawn($of),
        missing   => [ grep { !$of->{$_} } map { $_->{sweep} } needed() ],
        points    => scalar @points,
        disturbed => scalar grep { $_->{disturbed} } @points,
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

# Where the time of one creation of a dynamic program goes, by two ways, each undef where it was not
# measured: { stamps => [ { words, us } ] of posix_spawn, medians of what the programs stamped
# (--phases); steps => [ { words, us } ] of vfork and exec, by how much longer each step takes than
# the one before it }
sub parts_of_spawn {
    my ($of) = @_;
    my $point = point($of, 'loader', 'posix_spawn', '0');
    my $start = $point && $point->{start} || {};
    my @steps = (
        time_at($of, 'memory', 'vfork', '0'),
        map { time_at($of, 'target', 'vforkexec', $_) } qw(true-nolibc true-static true-dynamic)
    );
    my $rise = !grep({ !defined } @steps) && !grep { $steps[$_] <= $steps[ $_ - 1 ] } 1 .. $#steps;
    my @from = (0, @steps);
    return {
        stamps => grep({ !$start->{ $_->[0] } } @STAMPS) ? undef
        : [ map { { words => $_->[1], us => $start->{ $_->[0] }[0] } } @STAMPS ],
        steps => $rise
        ? [ map { { words => $STEPS[$_], us => $steps[$_] - $from[$_] } } 0 .. $#STEPS ]
        : undef,
    };
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
    my @spawned = points($of, 'memory', 'posix_spawn', $label, '0') or return;
    return if low($forked) < TWICE * high($spawned[0]) || !same(@spawned);
    my ($fork, $spawn, $small) = us_of($forked, @spawned);
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
    my @points = points($of, 'threads', 'forkexec', 0, 100) or return;
    return if low($points[1]) < SLOWED * high($points[0]);
    my ($few, $many) = us_of(@points);
    return { without => $few, with => $many, times => $many / $few };
}

sub targets {
    my ($of) = @_;
    my @points = points($of, 'target', 'vforkexec', qw(true-nolibc true-static true-dynamic));
    my ($bare, $static, $dynamic) = rising(@points) or return;
    return {
        nolibc  => $bare,
        static  => $static,
        dynamic => $dynamic,
        loader  => 1 - $bare / $dynamic,
    };
}

# What a shape adds to another one (us), where their intervals do not overlap
my @SHAPES = (
    [ static_pie => qw(true-static true-static-pie) ],
    [ pie        => qw(true-nopie true-pie) ],
    [ large      => qw(true-dynamic true-100M) ],
    [ read       => qw(true-100M true-100M-read) ],
    [ script     => qw(/bin/sh script) ],
);

sub shapes {
    my ($of) = @_;
    my %us;
    for my $shape (@SHAPES) {
        my ($name, @labels) = @{$shape};
        my ($from, $to) = rising(points($of, 'target', 'vforkexec', @labels)) or next;
        $us{$name} = $to - $from;
    }
    return %us ? \%us : undef;
}

# What a target with many page faults takes more than one with few, for each of them
sub page_faults {
    my ($of) = @_;
    my @points = points($of, 'target', 'vforkexec', qw(true-nolibc true-dynamic));
    my ($from, $to) = rising(@points) or return;
    my ($few, $many) = grep { defined } map { $_->{faults_child} } @points;
    return if !defined $many || $many - $few < 1;
    return { few => $few, many => $many, us => ($to - $from) / ($many - $few) };
}

# Of the time until main() of a dynamic target, that of its loader; library: the slope for each
# library that it needs, or undef
sub loader {
    my ($of) = @_;
    my $point = point($of, 'loader', 'posix_spawn', '0');
    my $main = $point && $point->{start} && $point->{start}{main} or return;
    my ($us, $low, $high) = @{$point}{qw(time_us time_low time_high)};
    my $line = $of->{loader}{analysis}{lines}{posix_spawn};
    return {
        us      => $us,
        low     => $low,
        high    => $high,
        main    => $main->[0],
        share   => $us / $main->[0],
        sure    => same($point) ? 1     : 0,
        library => grows($line) ? $line : undef,
    };
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($of) = @_;
    my ($in_large) = map { point($of, 'memory', 'forkexec', $_) || () } qw(300M 100M);
    my @small = map { point($of, 'memory', $_, '0') } qw(vforkexec forkexec);
    my ($vfork, $fork, $large) = rising(@small, $in_large) or return;
    return if $large < LARGER * $fork;
    return { fork => $fork, vfork => $vfork, large => $large, more => $fork / $vfork - 1 };
}

sub environment {
    my ($of) = @_;
    my $term = term($of, 'environment', 'vforkexec');
    return grows($term) ? $term : undef;
}

# What a program's launch adds to posix_spawn of the same program, and its largest parts
sub launch {
    my ($of) = @_;
    my ($bare, $all) = us_of(points($of, qw(launch launch none all))) or return;
    my @sure =
        grep { $_->{series} eq 'launch' && defined $_->{low} && $_->{low} > 0 }
        @{ $of->{launch}{analysis}{added} };
    my $added = first { $_->{label} eq 'all' } @sure or return;
    my @parts = sort { $b->{us} <=> $a->{us} } grep { $_->{label} !~ /all|[+]/ } @sure;
    return {
        (map { $_ => $added->{$_} } qw(us low high)),
        bare  => $bare,
        all   => $all,
        parts => [ @parts[ 0 .. min(LARGEST, scalar @parts) - 1 ] ],
    };
}

# How many times as many creations a second several threads, and as many processes, make as one
# thread: { number, threads, processes => { times, low, high }, verdict of the threads }
sub spawners {
    my ($of) = @_;
    my %found = (number => SPAWNERS);
    my %series = (threads => 'posix_spawn --spawners', processes => 'posix_spawn -c');
    for my $kind (keys %series) {
        my ($one, $several) = points($of, 'spawners', $series{$kind}, 1, SPAWNERS) or return;
        return if grep { !defined $_->{time_low} } $one, $several;
        $found{$kind} = {
            times => SPAWNERS * $one->{time_us} / $several->{time_us},
            low   => SPAWNERS * low($one) / high($several),
            high  => SPAWNERS * high($one) / low($several),
        };
    }
    $found{verdict} =
          $found{threads}{low} > HELPS  ? 'help'
        : $found{threads}{high} < HELPS ? 'no help'
        :                                 'inconclusive';
    return \%found;
}

# How long fork stops its parent for each GB; flat: the time of posix_spawn where it does not depend
# on memory, else undef
sub stall {
    my ($of) = @_;
    my $line = $of->{stall} && $of->{stall}{analysis}{lines}{fork} or return;
    return if !grows($line);
    my ($small, $large) = points($of, 'stall', 'posix_spawn', qw(4M 256M));
    return {
        (map { $_ => $line->{$_} * GB } qw(slope low high)),
        flat => $small && same($small, $large) ? $large->{time_us} : undef,
    };
}

# ---- points and slopes ----

# A measured point of a sweep, or undef
sub point {
    my ($of, $sweep, $series, $label) = @_;
    my $p = $of->{$sweep} && $of->{$sweep}{analysis}{points}{$series}{$label};
    return $p && defined $p->{time_us} ? $p : undef;
}

# These of a series; nothing unless all are measured
sub points {
    my ($of, $sweep, $series, @labels) = @_;
    my @points = map { point($of, $sweep, $series, $_) || () } @labels;
    return @points == @labels ? @points : ();
}

sub us_of {
    return map { $_->{time_us} } @_;
}

# Their times, where each is surely above the one before it; else nothing
sub rising {
    my (@points) = @_;
    return if grep { !$_ } @points;
    return if grep { low($points[$_]) <= high($points[ $_ - 1 ]) } 1 .. $#points;
    return us_of(@points);
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
    $term{$_} = defined $line->{$_} ? $line->{$_} * $amount : undef for qw(slope low high);
    $term{verdict} = verdict(\%term, time_at($of, $sweep, $method, '0'));
    return \%term;
}

sub verdict {
    my ($term, $base) = @_;
    return 'inconclusive' if !defined $term->{low};
    return 'adds' if $term->{low} > 0;
    return defined $base && $term->{high} <= NEGLIGIBLE * $base ? 'none' : 'inconclusive';
}

# The interval shows that it is small beside another one
sub negligible_beside {
    my ($term, $other) = @_;
    return 0 if !$term || !defined $term->{high};
    return $term->{high} < NEGLIGIBLE * $other->{slope} ? 1 : 0;
}

# The interval lies above 0, and a line describes it
sub grows {
    my ($term) = @_;
    return if !$term || !defined $term->{low};
    return $term->{low} > 0 && defined $term->{r2} && $term->{r2} > STRAIGHT;
}

# Without an interval nothing is shown
sub low  { my ($p) = @_; return defined $p->{time_low}  ? $p->{time_low}  : 0 }
sub high { my ($p) = @_; return defined $p->{time_high} ? $p->{time_high} : INFINITY }

sub same {
    my (@points) = @_;
    return 0 if grep { !low($_) } @points;
    return max(map { high($_) } @points) / min(map { low($_) } @points) < SURELY;
}

1;
