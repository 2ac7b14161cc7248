# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> the sweeps that the model needs: { sweep => name, tests, values => words of
#       the sweep's line, where it needs only these }
#   model(run of these sweeps, measured together) -> { methods => [ { method, base => us, terms =>
#       [term] } ], targets => [ { target, us } ], findings => [ [clause, ...] ], parts => those of
#       a creation (parts_of_spawn), missing => [names of sweeps], points => number of
#       measured ones, disturbed => of these }
#   model_of({ sweep's name => analysis of SpawnMeter::Analysis::Points }) -> the same
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Points.
#
# A term: { words, part, slope, low, high => microseconds for its amount, r2, verdict => adds (the
# interval lies above 0), none (it lies below a twentieth of the base) or inconclusive }.
#
# A finding is left out where the intervals do not support it.  A clause of one is [name, { values
# }], which Report::Explain puts into words.

use strict;
use warnings;
use List::Util                   qw(first max min);
use SpawnMeter::Analysis::Points qw(analysis parts);

use constant {
    TWICE      => 2,         # fork of a large process against its posix_spawn, at least
    SLOWED     => 1.1,       # fork+exec with threads against without, at least
    LARGER     => 1.5,       # fork+exec of a large process against a small one, at least
    HELPS      => 1.05,      # rate of several threads that create against that of one, at least
    SPAWNERS   => 4,         # these threads
    LARGEST    => 3,         # parts of a launch that are named
    STRAIGHT   => 0.9,       # R2 above which a line describes the points
    FLAT       => 1.15,      # largest over smallest of times that are the same
    SURELY     => 1.35,      # and over smallest end of their intervals
    NEGLIGIBLE => 0.05,      # a slope below this share of another one, or of the base
    GB         => 1024**3,
    INFINITY   => 9**9**9,
};

# The parts of a start-up, in the order of time, and the steps of an exec, each dearer than before
my @STAMPS = (
    [ first  => 'create and exec' ],
    [ loader => 'dynamic loader' ],
    [ libc   => 'C library starts' ],
    [ ending => 'main(), exit, wait' ],
);
my @STEPS = ('create, exit, wait', 'exec without libc', 'static C library', 'dynamic linking');

my @LINKED = qw(true-nolibc true-static true-dynamic);

# What the shape of a target adds to another one
my @SHAPES = (
    [ 'being position-independent', qw(true-nopie true-pie) ],
    [
        'being static and position-independent instead of static alone',
        qw(true-static true-static-pie)
    ],
    [ '100 MB that it does not use', qw(true-dynamic true-100M) ],
    [ 'reading a byte of each page of 100 MB', qw(true-100M true-100M-read) ],
    [ 'being a script by #! instead of a text after sh -c', qw(/bin/sh script) ],
);

# The sweeps with a slope, and the amount that it is given for
my @TERMS = (
    { sweep => 'memory', words      => 'MB touched', amount     => 1024**2 },
    { sweep => 'files', words       => '100 files', amount      => 100 },
    { sweep => 'mappings', words    => '1000 mappings', amount  => 1000 },
    { sweep => 'threads', words     => '10 threads', amount     => 10 },
    { sweep => 'environment', words => '64 KB environ.', amount => 65_536 },
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

# In the order of the text: subs (analyses of the sweeps) -> clauses of a finding, or nothing
my @FINDINGS = (
    sub { slope_of(slope_of_fork => @_, qw(memory fork)) },
    \&largest_process,
    \&flat_methods,
    sub { slope_of(open_files => @_, qw(files vfork clone)) },
    sub { slope_of(mappings   => @_, qw(mappings fork vfork)) },
    \&threads,
    \&targets,
    \&loader,
    \&shapes,
    \&page_faults,
    \&with_exec,
    sub { slope_of(environment => @_, qw(environment vforkexec)) },
    \&launch,
    \&spawners,
    \&blocked,
);

sub model {
    my ($run) = @_;
    my $part = parts($run);
    return model_of({ map { $_ => analysis($part->{$_}) } keys %{$part} });
}

sub model_of {
    my ($sweeps) = @_;
    my @all = map { values %{$_} } map { values %{ $_->{points} } } values %{$sweeps};
    my @points = grep { defined $_->{time_us} } @all;
    my @methods = $sweeps->{memory} ? @{ $sweeps->{memory}{sweep}{series} } : ();
    return {
        methods => [ map { method_of($sweeps, $_) } @methods ],
        targets => [
            map  { { target => $_->[0], us => $_->[1] } }
            grep { defined $_->[1] }
            map  { [ $_, us($sweeps, 'target', 'vforkexec', $_) ] } labels($sweeps, 'target')
        ],
        findings  => [ grep { @{$_} } map { [ $_->($sweeps) ] } @FINDINGS ],
        parts     => parts_of_spawn($sweeps),
        missing   => [ grep { !$sweeps->{$_} } map { $_->{sweep} } needed() ],
        points    => scalar @points,
        disturbed => scalar grep { $_->{disturbed} } @points,
    };
}

sub method_of {
    my ($sweeps, $method) = @_;
    my ($base) = us($sweeps, 'memory', $method, '0') or return;
    my @terms = map { shares($sweeps, $_->{sweep}, $method) } @TERMS;
    return { method => $method, base => $base, terms => \@terms };
}

# Where the time of one creation of a dynamic program goes, by the ways that were measured: [ [way,
# { words, us } of its parts in order] ... ].  By posix_spawn: medians of what the programs stamped
# (--phases); by vfork and exec: by how much longer each step takes than the one before it
sub parts_of_spawn {
    my ($sweeps) = @_;
    my ($point) = points($sweeps, 'loader', 'posix_spawn', '0');
    my $start = $point && $point->{start} || {};
    my @stamps = map { { words => $_->[1], us => $start->{ $_->[0] }[0] } }
        grep { $start->{ $_->[0] } } @STAMPS;
    my @us = (0, us($sweeps, 'memory', 'vfork', '0'), us($sweeps, 'target', 'vforkexec', @LINKED));
    my @steps = map { { words => $STEPS[ $_ - 1 ], us => $us[$_] - $us[ $_ - 1 ] } } 1 .. $#us;
    my @ways;
    push @ways, [ 'posix_spawn, stamped', @stamps ] if @stamps == @STAMPS;
    push @ways, [ 'vfork and exec, step by step', @steps ]
        if @steps == @STEPS && !grep { $_->{us} <= 0 } @steps;
    return \@ways;
}

# ---- findings -----------------------------------------------------------------------

# A clause for a term that grows, and one where the term of another method is small beside it
sub slope_of {
    my ($name, $sweeps, $sweep, $method, $other) = @_;
    my ($term) = grep { grows($_) } term($sweeps, $sweep, $method) or return;
    my ($beside) = defined $other ? term($sweeps, $sweep, $other) : ();
    my $most = $beside ? $beside->{high} : undef;
    my $is_small = defined $most && $most < NEGLIGIBLE * $term->{slope};
    return ([ $name => $term ], $is_small ? ["${name}_alone"] : ());
}

# The largest process that was forked, against posix_spawn
sub largest_process {
    my ($sweeps) = @_;
    for my $size (reverse labels($sweeps, 'memory')) {
        my ($fork) = points($sweeps, 'memory', 'fork', $size)                      or next;
        my ($spawn, $small) = points($sweeps, 'memory', 'posix_spawn', $size, '0') or next;
        return if low($fork) < TWICE * high($spawn) || !same($spawn, $small);
        my %us = (fork => $fork, spawn => $spawn, small => $small);
        $_ = $_->{time_us} for values %us;
        return [ largest_process => { %us, size => $size, times => $us{fork} / $us{spawn} } ];
    }
    return;
}

# vfork or clone or both, where they take the same time at any size
sub flat_methods {
    my ($sweeps) = @_;
    my @flat = grep {
        my $method = $_;
        my @points = map { points($sweeps, 'memory', $method, $_) } labels($sweeps, 'memory');
        @points > 2 && same(@points);
    } qw(vfork clone);
    my @us = map { us($sweeps, 'memory', $_, '0') } @flat or return;
    return [ flat_methods => { methods => join(' and ', @flat), us => \@us } ];
}

sub threads {
    my ($sweeps) = @_;
    my ($few, $many) = rising(SLOWED, points($sweeps, 'threads', 'forkexec', 0, 100)) or return;
    my (undef, $library) = shares($sweeps, 'threads', 'fork');
    return (
        [ threads => { times => $many / $few, few => $few, many => $many } ],
        $library && $library->{verdict} eq 'adds' ? [ threads_library => $library ] : ()
    );
}

sub targets {
    my ($sweeps) = @_;
    my ($bare, $static, $dynamic) = rising(1, points($sweeps, 'target', 'vforkexec', @LINKED))
        or return;
    my %us = (bare => $bare, static => $static, dynamic => $dynamic);
    return [ targets => { %us, share => 100 * (1 - $bare / $dynamic) } ];
}

# What each shape adds, where the intervals do not overlap
sub shapes {
    my ($sweeps) = @_;
    my @parts;
    for my $shape (@SHAPES) {
        my ($words, @labels) = @{$shape};
        my ($from, $to) = rising(1, points($sweeps, 'target', 'vforkexec', @labels)) or next;
        push @parts, [ $words, $to - $from ];
    }
    return @parts ? [ shapes => { parts => \@parts } ] : ();
}

# What a target with many page faults takes more than one with few, for each of them
sub page_faults {
    my ($sweeps) = @_;
    my @points = points($sweeps, 'target', 'vforkexec', @LINKED[ 0, -1 ]);
    my ($from, $to) = rising(1, @points) or return;
    my ($few, $many) = grep { defined } map { $_->{faults_child} } @points;
    return if !defined $many || $many - $few < 1;
    my $each = ($to - $from) / ($many - $few);
    return [ page_faults => { few => $few, many => $many, each => $each } ];
}

# The time until main() of a dynamic target: how much is its loader, and each library that it needs
sub loader {
    my ($sweeps) = @_;
    my ($point) = points($sweeps, 'loader', 'posix_spawn', '0') or return;
    my $main = $point->{start} && $point->{start}{main}         or return;
    my %loader = (%{$point}, main => $main->[0], share => 100 * $point->{time_us} / $main->[0]);
    return [ loader_unclear => \%loader ] if !same($point);
    my $line = line($sweeps, 'loader', 'posix_spawn');
    return ([ loader => \%loader ], grows($line) ? [ loader_library => $line ] : ());
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($sweeps) = @_;
    my ($in_large) = map { points($sweeps, 'memory', 'forkexec', $_) } qw(300M 100M);
    my @small = map { points($sweeps, 'memory', $_, '0') } qw(vforkexec forkexec);
    return if !$in_large || @small < 2;
    my ($vfork, $fork, $large) = rising(1, @small, $in_large) or return;
    return if $large < LARGER * $fork;
    my %us = (fork => $fork, vfork => $vfork, large => $large);
    return [ with_exec => { %us, more => 100 * ($fork / $vfork - 1) } ];
}

# What a program's launch adds to posix_spawn of the same program, and its largest parts
sub launch {
    my ($sweeps) = @_;
    my ($all) = us($sweeps, 'launch', 'launch', 'all') or return;
    my %point = %{ $sweeps->{launch}{points}{launch} };
    my %added = map { $_ => $point{$_}{added} }
        grep { (($point{$_}{added} || [])->[1] || 0) > 0 } keys %point;
    return if !$added{all};
    my @parts = sort { $b->[1] <=> $a->[1] }
        map { [ $_, $added{$_}[0] ] } grep { !/all|[+]/ } keys %added;
    splice @parts, LARGEST if @parts > LARGEST;
    my %launch = (all => $all, parts => \@parts);
    @launch{qw(more low high)} = @{ $added{all} };
    return ([ launch => \%launch ], @parts ? [ launch_parts => \%launch ] : ());
}

# How many times as many creations a second several threads, and as many processes, make as one
# thread
sub spawners {
    my ($sweeps) = @_;
    my @ratios;
    for my $series ('posix_spawn --spawners', 'posix_spawn -c') {
        my ($one, $several) = points($sweeps, 'spawners', $series, 1, SPAWNERS) or return;
        return if grep { !defined $_->{time_low} } $one, $several;
        my %ratio = (number => SPAWNERS, ratio => SPAWNERS * $one->{time_us} / $several->{time_us});
        $ratio{least} = SPAWNERS * low($one) / high($several);
        $ratio{most} = SPAWNERS * high($one) / low($several);
        push @ratios, \%ratio;
    }
    my ($threads, $processes) = @ratios;
    my $verdict =
        $threads->{least} > HELPS ? q{} : $threads->{most} < HELPS ? 'no help' : 'inconclusive';
    return (
        [ spawners => $threads ],
        length $verdict ? [ spawners_verdict => { verdict => $verdict } ] : (),
        [ spawners_processes => $processes ]
    );
}

# How long fork stops its parent for each GB, and posix_spawn where that does not depend on memory
sub blocked {
    my ($sweeps) = @_;
    my $line = line($sweeps, 'stall', 'fork');
    return if !grows($line);
    my %per_gb = map { $_ => GB * $line->{$_} } qw(slope low high);
    my ($small, $large) = points($sweeps, 'stall', 'posix_spawn', qw(4M 256M));
    return ([ blocked => \%per_gb ],
        $small && same($small, $large) ? [ blocked_spawn => $large ] : ());
}

# ---- points and slopes ----

# The points of a series, or their times; nothing unless all are measured
sub points {
    my ($sweeps, $sweep, $series, @labels) = @_;
    my $measured = $sweeps->{$sweep} && $sweeps->{$sweep}{points}{$series} || {};
    my @points = grep { $_ && defined $_->{time_us} } @{$measured}{@labels};
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
    my ($sweeps, $sweep) = @_;
    return $sweeps->{$sweep} ? @{ $sweeps->{$sweep}{sweep}{values} } : ();
}

sub line {
    my ($sweeps, $sweep, $series) = @_;
    return $sweeps->{$sweep} && $sweeps->{$sweep}{lines}{$series};
}

# The term of a sweep; where the sweep also has the bare call, two terms: the kernel's, which is
# that of the bare call, and the C library's, which is the rest
sub shares {
    my ($sweeps, $sweep, $method) = @_;
    my ($whole, $bare) = map { term($sweeps, $sweep, $_) } $method, "$method --raw";
    return $whole || () if !$whole || !$bare;
    my %rest = (%{$whole}, slope => $whole->{slope} - $bare->{slope}, r2 => undef);
    my @halves = map { ($_->{high} // return $whole) - $_->{slope} } $whole, $bare;
    my $half = sqrt($halves[0]**2 + $halves[1]**2);
    @rest{qw(low high)} = map { $rest{slope} + $_ } -$half, $half;
    return ($bare, { %rest, part => 'C library', verdict => verdict(%rest) });
}

# The term of a method; nothing where its line is unknown
sub term {
    my ($sweeps, $sweep, $method) = @_;
    my $line = line($sweeps, $sweep, $method) or return;
    my $kind = first { $_->{sweep} eq $sweep } @TERMS;
    my %term = (words => $kind->{words}, r2 => $line->{r2});
    $term{$_} = $line->{$_} * $kind->{amount} for grep { defined $line->{$_} } qw(slope low high);
    ($term{base}) = us($sweeps, $sweep, $method, '0');
    $term{verdict} = verdict(%term);
    return \%term;
}

sub verdict {
    my (%term) = @_;
    my ($base, $low, $high) = @term{qw(base low high)};
    return
          !defined $low                                ? 'inconclusive'
        : $low > 0                                     ? 'adds'
        : defined $base && $high <= NEGLIGIBLE * $base ? 'none'
        :                                                'inconclusive';
}

# The interval lies above 0, and a line describes it
sub grows {
    my ($line) = @_;
    return $line && defined $line->{low} && $line->{low} > 0 && ($line->{r2} || 0) > STRAIGHT;
}

# The ends of an interval; a point without one shows nothing
sub low  { my ($p) = @_; return defined $p->{time_low} ? $p->{time_low} : 0 }
sub high { my ($p) = @_; return $p->{time_high} // INFINITY }

sub same {
    my (@points) = @_;
    my @us = map { $_->{time_us} } @points;
    return 0 if max(@us) > FLAT * min(@us) || grep { !low($_) } @points;
    return max(map { high($_) } @points) / min(map { low($_) } @points) < SURELY ? 1 : 0;
}

1;
