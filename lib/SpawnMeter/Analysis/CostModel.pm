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

my @LINKED = qw(true-nolibc true-static true-dynamic);

# What a shape adds to another one
my %SHAPES = (
    static_pie => [qw(true-static true-static-pie)],
    pie        => [qw(true-nopie true-pie)],
    large      => [qw(true-dynamic true-100M)],
    read       => [qw(true-100M true-100M-read)],
    script     => [qw(/bin/sh script)],
);

# The sweeps with a slope, and the amount that it is given for
my @TERMS = (
    { sweep => 'memory', words      => 'per MB touched', amount           => 1024**2 },
    { sweep => 'files', words       => 'per 100 files', amount            => 100 },
    { sweep => 'mappings', words    => 'per 1000 mappings', amount        => 1000 },
    { sweep => 'threads', words     => 'per 10 threads', amount           => 10 },
    { sweep => 'environment', words => 'per 64 KB of environment', amount => 65_536 },
);

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
    my @all = map { values %{$_} } map { values %{ $_->{analysis}{points} } } values %{$of};
    my @points = grep { defined $_->{time_us} } @all;
    my @methods = $of->{memory} ? @{ $of->{memory}{run}{sweep}{series} } : ();
    my @targets = map {
        my $target = $_;
        map { { target => $target, us => $_ } } us($of, 'target', 'vforkexec', $target)
    } labels($of, 'target');
    return {
        methods   => [ map { method_of($of, $_) } @methods ],
        targets   => \@targets,
        findings  => { map { $_ => $finding{$_} } grep { $finding{$_} } keys %finding },
        parts     => parts_of_spawn($of),
        missing   => [ grep { !$of->{$_} } map { $_->{sweep} } needed() ],
        points    => scalar @points,
        disturbed => scalar grep { $_->{disturbed} } @points,
    };
}

sub method_of {
    my ($of, $method) = @_;
    my ($base) = us($of, 'memory', $method, '0') or return;
    my @terms = map { term($of, $_->{sweep}, $method) } @TERMS;
    return { method => $method, base => $base, terms => \@terms };
}

# Where the time of one creation of a dynamic program goes, by two ways, each undef where it was not
# measured: { stamps => [ { words, us } ] of posix_spawn, medians of what the programs stamped
# (--phases); steps => [ { words, us } ] of vfork and exec, by how much longer each step takes than
# the one before it }
sub parts_of_spawn {
    my ($of) = @_;
    my ($point) = points($of, 'loader', 'posix_spawn', '0');
    my $start = $point && $point->{start} || {};
    my @us = (0, us($of, 'memory', 'vfork', '0'), us($of, 'target', 'vforkexec', @LINKED));
    my @steps =
        map { { words => $STEPS[ $_ - 1 ], us => $us[$_] - $us[ $_ - 1 ] } } 1 .. $#us;
    my @stamps = map { { words => $_->[1], us => $start->{ $_->[0] }[0] } }
        grep { $start->{ $_->[0] } } @STAMPS;
    return {
        stamps => @stamps == @STAMPS                                  ? \@stamps : undef,
        steps  => @steps == @STEPS && !grep({ $_->{us} <= 0 } @steps) ? \@steps  : undef,
    };
}

# ---- findings -----------------------------------------------------------------------

sub slope_of_fork { return slope(@_, 'memory', 'fork') }
sub open_files    { return slope(@_, 'files', 'vfork', 'clone') }
sub mappings      { return slope(@_, 'mappings', 'fork', 'vfork') }
sub environment   { return slope(@_, 'environment', 'vforkexec') }

# A term that grows; free: its interval shows that that of another method is small beside it
sub slope {
    my ($of, $sweep, $method, $other) = @_;
    my ($term) = grep { grows($_) } term($of, $sweep, $method) or return;
    my ($beside) = defined $other ? term($of, $sweep, $other) : ();
    my $most = $beside ? $beside->{high} : undef;
    return { %{$term}, free => defined $most && $most < NEGLIGIBLE * $term->{slope} ? 1 : 0 };
}

# The largest process that was forked, against posix_spawn
sub largest_process {
    my ($of) = @_;
    my ($label) = grep {
        my $size = $_;
        2 == grep { points($of, 'memory', $_, $size) } qw(fork posix_spawn)
    } reverse labels($of, 'memory');
    return if !$label;
    my ($fork) = points($of, 'memory', 'fork', $label);
    my ($spawn, $small) = points($of, 'memory', 'posix_spawn', $label, '0') or return;
    return if low($fork) < TWICE * high($spawn) || !same($spawn, $small);
    return if abs($spawn->{time_us} / $small->{time_us} - 1) > UNCHANGED;
    return {
        size        => $label,
        fork        => $fork->{time_us},
        posix_spawn => $spawn->{time_us},
        small       => $small->{time_us},
        times       => $fork->{time_us} / $spawn->{time_us},
    };
}

# Those of vfork and clone that take the same time at any size
sub flat_methods {
    my ($of) = @_;
    my @flat;
    for my $method (qw(vfork clone)) {
        my @points = map { points($of, 'memory', $method, $_) } labels($of, 'memory');
        my @us = map { $_->{time_us} } @points;
        next if @us < 3 || max(@us) / min(@us) >= FLAT || !same(@points);
        push @flat, { method => $method, us => us($of, 'memory', $method, '0') };
    }
    return @flat ? \@flat : undef;
}

sub threads {
    my ($of) = @_;
    my ($few, $many) = rising(SLOWED, points($of, 'threads', 'forkexec', 0, 100)) or return;
    return { without => $few, with => $many, times => $many / $few };
}

sub targets {
    my ($of) = @_;
    my ($nolibc, $static, $dynamic) = rising(1, points($of, 'target', 'vforkexec', @LINKED))
        or return;
    my $loader = 1 - $nolibc / $dynamic;
    return { nolibc => $nolibc, static => $static, dynamic => $dynamic, loader => $loader };
}

# What a shape adds to another one (us), where their intervals do not overlap
sub shapes {
    my ($of) = @_;
    my %us;
    for my $name (keys %SHAPES) {
        my ($from, $to) = rising(1, points($of, 'target', 'vforkexec', @{ $SHAPES{$name} }))
            or next;
        $us{$name} = $to - $from;
    }
    return %us ? \%us : undef;
}

# What a target with many page faults takes more than one with few, for each of them
sub page_faults {
    my ($of) = @_;
    my @points = points($of, 'target', 'vforkexec', @LINKED[ 0, -1 ]);
    my ($from, $to) = rising(1, @points) or return;
    my ($few, $many) = grep { defined } map { $_->{faults_child} } @points;
    return if !defined $many || $many - $few < 1;
    return { few => $few, many => $many, us => ($to - $from) / ($many - $few) };
}

# Of the time until main() of a dynamic target, that of its loader; library: the slope for each
# library that it needs, or undef
sub loader {
    my ($of) = @_;
    my ($point) = points($of, 'loader', 'posix_spawn', '0') or return;
    my $main = $point->{start} && $point->{start}{main}     or return;
    my $line = line($of, 'loader', 'posix_spawn');
    return {
        us      => $point->{time_us},
        low     => $point->{time_low},
        high    => $point->{time_high},
        main    => $main->[0],
        share   => $point->{time_us} / $main->[0],
        sure    => same($point) ? 1     : 0,
        library => grows($line) ? $line : undef,
    };
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($of) = @_;
    my ($in_large) = map { points($of, 'memory', 'forkexec', $_) } qw(300M 100M);
    my @small = map { points($of, 'memory', $_, '0') } qw(vforkexec forkexec);
    return if !$in_large || @small < 2;
    my ($vfork, $fork, $large) = rising(1, @small, $in_large) or return;
    return if $large < LARGER * $fork;
    return { fork => $fork, vfork => $vfork, large => $large, more => $fork / $vfork - 1 };
}

# What a program's launch adds to posix_spawn of the same program, and its largest parts
sub launch {
    my ($of) = @_;
    my ($all) = points($of, 'launch', 'launch', 'all') or return;
    my %point = %{ $of->{launch}{analysis}{points}{launch} };
    my %added = map { $_ => $point{$_}{added} }
        grep { (($point{$_}{added} || [])->[1] || 0) > 0 } keys %point;
    my ($us, $low, $high) = @{ $added{all} || return };
    my @parts = sort { $added{$b}[0] <=> $added{$a}[0] } grep { !/all|[+]/ } keys %added;
    splice @parts, LARGEST if @parts > LARGEST;
    my @largest = map { { label => $_, us => $added{$_}[0] } } @parts;
    return { us => $us, low => $low, high => $high, all => $all->{time_us}, parts => \@largest };
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
    my $line = line($of, 'stall', 'fork');
    return if !grows($line);
    my ($small, $large) = points($of, 'stall', 'posix_spawn', qw(4M 256M));
    return { amount_of(GB, $line),
        flat => $small && same($small, $large) ? $large->{time_us} : undef };
}

# ---- points and slopes ----

# The points of a series, or their times; nothing unless all are measured
sub points {
    my ($of, $sweep, $series, @labels) = @_;
    my $known = $of->{$sweep} && $of->{$sweep}{analysis}{points}{$series} || {};
    my @points = grep { $_ && defined $_->{time_us} } @{$known}{@labels};
    return @points == @labels ? @points : ();
}

sub us {
    return map { $_->{time_us} } points(@_);
}

# Times of points, where each is surely more than so many times the one before it; else nothing
sub rising {
    my ($times, @points) = @_;
    return if grep { low($points[$_]) < $times * high($points[ $_ - 1 ]) } 1 .. $#points;
    return map     { $_->{time_us} } @points;
}

sub labels {
    my ($of, $sweep) = @_;
    return $of->{$sweep} ? @{ $of->{$sweep}{run}{sweep}{values} } : ();
}

sub line {
    my ($of, $sweep, $series) = @_;
    return $of->{$sweep} && $of->{$sweep}{analysis}{lines}{$series};
}

# Of an amount
sub amount_of {
    my ($amount, $line) = @_;
    return map { $_ => defined $line->{$_} ? $line->{$_} * $amount : undef } qw(slope low high);
}

# Nothing where there is none
sub term {
    my ($of, $sweep, $method) = @_;
    my $line = line($of, $sweep, $method) or return;
    my $kind = first { $_->{sweep} eq $sweep } @TERMS;
    my %term = (words => $kind->{words}, r2 => $line->{r2}, amount_of($kind->{amount}, $line));
    ($term{base}) = us($of, $sweep, $method, '0');
    my ($base, $low, $high) = @term{qw(base low high)};
    $term{verdict} =
          !defined $low                                ? 'inconclusive'
        : $low > 0                                     ? 'adds'
        : defined $base && $high <= NEGLIGIBLE * $base ? 'none'
        :                                                'inconclusive';
    return \%term;
}

# The interval lies above 0, and a line describes it
sub grows {
    my ($line) = @_;
    return $line && defined $line->{low} && $line->{low} > 0 && ($line->{r2} || 0) > STRAIGHT;
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
