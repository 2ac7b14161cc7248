# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> the sweeps that the model needs: { sweep => name, tests, values => words of
#       the sweep's line, where it needs only these }
#   model(run of these sweeps, measured together) -> { methods => [ { method, base => us, terms =>
#       [term] } ], targets => [ { target, us } ], findings => [ [name, sentence] ], parts => those
#       of a creation (parts_of_spawn), missing => [names of sweeps], points => number of measured
#       ones, disturbed => of these }
#   model_of({ sweep's name => analysis of SpawnMeter::Analysis::Points }) -> the same
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Points.
#
# A term: { words, slope, low, high => microseconds for its amount, r2, verdict => adds (the
# interval lies above 0), none (it lies below a twentieth of the base) or inconclusive }.
#
# A finding is left out where the intervals do not support it.
#
#   interval(low, high) -> words for an interval of times, whose ends may be undefined

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(first max min);
use SpawnMeter::Analysis::Points qw(analysis parts);
use SpawnMeter::Util::Format     qw(duration);

our @EXPORT_OK = qw(interval);

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

# In the order of time, and of rising cost
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

# Each sub takes what model_of() takes and returns a sentence, or nothing; in the order of the text
my @FINDINGS = qw(slope_of_fork largest_process flat_methods open_files mappings threads targets
    loader shapes page_faults with_exec environment launch spawners stall);

sub model {
    my ($run) = @_;
    my $part = parts($run);
    return model_of({ map { $_ => analysis($part->{$_}) } keys %{$part} });
}

sub model_of {
    my ($of) = @_;
    my @findings = map { [ $_, __PACKAGE__->can($_)->($of) ] } @FINDINGS;
    my @all = map { values %{$_} } map { values %{ $_->{points} } } values %{$of};
    my @points = grep { defined $_->{time_us} } @all;
    my @methods = $of->{memory} ? @{ $of->{memory}{sweep}{series} } : ();
    return {
        methods => [ map { method_of($of, $_) } @methods ],
        targets => [
            map  { { target => $_->[0], us => $_->[1] } }
            grep { defined $_->[1] }
            map  { [ $_, us($of, 'target', 'vforkexec', $_) ] } labels($of, 'target')
        ],
        findings  => [ grep { @{$_} > 1 } @findings ],
        parts     => parts_of_spawn($of),
        missing   => [ grep { !$of->{$_} } map { $_->{sweep} } needed() ],
        points    => scalar @points,
        disturbed => scalar grep { $_->{disturbed} } @points,
    };
}

sub method_of {
    my ($of, $method) = @_;
    my ($base) = us($of, 'memory', $method, '0') or return;
    my @terms = map { shares($of, $_->{sweep}, $method) } @TERMS;
    return { method => $method, base => $base, terms => \@terms };
}

# Where the time of one creation of a dynamic program goes, by the ways that were measured: [ [way,
# { words, us } of its parts in order] ... ].  By posix_spawn: medians of what the programs stamped
# (--phases); by vfork and exec: by how much longer each step takes than the one before it
sub parts_of_spawn {
    my ($of) = @_;
    my ($point) = points($of, 'loader', 'posix_spawn', '0');
    my $start = $point && $point->{start} || {};
    my @stamps = map { { words => $_->[1], us => $start->{ $_->[0] }[0] } }
        grep { $start->{ $_->[0] } } @STAMPS;
    my @us = (0, us($of, 'memory', 'vfork', '0'), us($of, 'target', 'vforkexec', @LINKED));
    my @steps = map { { words => $STEPS[ $_ - 1 ], us => $us[$_] - $us[ $_ - 1 ] } } 1 .. $#us;
    my @ways;
    push @ways, [ 'posix_spawn, stamped', @stamps ] if @stamps == @STAMPS;
    push @ways, [ 'vfork and exec, step by step', @steps ]
        if @steps == @STEPS && !grep { $_->{us} <= 0 } @steps;
    return \@ways;
}

# ---- findings -----------------------------------------------------------------------

sub slope_of_fork {
    my ($term) = slope(@_, 'memory', 'fork') or return;
    return
        sprintf 'fork takes %s, plus %s for each MB that the process has touched (%s): its page '
        . 'tables are copied, and freed at the end', in_time(@{$term}{qw(base slope)}),
        interval(@{$term}{qw(low high)});
}

# The largest process that was forked, against posix_spawn
sub largest_process {
    my ($of) = @_;
    for my $size (reverse labels($of, 'memory')) {
        my ($fork) = points($of, 'memory', 'fork', $size)                      or next;
        my ($spawn, $small) = points($of, 'memory', 'posix_spawn', $size, '0') or next;
        return if low($fork) < TWICE * high($spawn) || !same($spawn, $small);
        my @us = map { $_->{time_us} } $fork, $spawn, $small;
        return
              sprintf 'In a process of %sB, fork takes %s.  posix_spawn, which also runs a '
            . 'program, takes %s there and %s in a small process; fork takes %.1f times as long as '
            . 'posix_spawn in a process of %sB', $size, in_time(@us), $us[0] / $us[1], $size;
    }
    return;
}

# Those of vfork and clone that take the same time at any size
sub flat_methods {
    my ($of) = @_;
    my @flat = grep {
        my $method = $_;
        my @points = map { points($of, 'memory', $method, $_) } labels($of, 'memory');
        @points > 2 && same(@points);
    } qw(vfork clone);
    return if !@flat;
    return
          join(' and ', @flat)
        . ': the memory of the parent is shared, and its size does not matter: '
        . join ' and ', map { in_time(us($of, 'memory', $_, '0')) } @flat;
}

sub open_files {
    my ($term, $is_free) = slope(@_, 'files', 'vfork', 'clone') or return;
    my ($slope) = in_time($term->{slope});
    my $words = "100 more open files add $slope to vfork, which copies the table of open files";
    $words .= '; clone shares the table (CLONE_FILES), and they add less than 5 % of that to it'
        if $is_free;
    return $words;
}

sub mappings {
    my ($term, $is_free) = slope(@_, 'mappings', 'fork', 'vfork') or return;
    my $words = sprintf '1,000 more mappings add %s to fork', in_time($term->{slope});
    return $is_free ? "$words, and less than 5 % of that to vfork" : $words;
}

sub environment {
    my ($term) = slope(@_, 'environment', 'vforkexec') or return;
    return sprintf '64 KB of environment, which are copied into the new program, add %s',
        in_time($term->{slope});
}

# -> (a term that grows, true where its interval shows that that of another method is small beside
# it), or nothing
sub slope {
    my ($of, $sweep, $method, $other) = @_;
    my ($term) = grep { grows($_) } term($of, $sweep, $method) or return;
    my ($beside) = defined $other ? term($of, $sweep, $other) : ();
    my $most = $beside ? $beside->{high} : undef;
    return ($term, defined $most && $most < NEGLIGIBLE * $term->{slope});
}

sub threads {
    my ($of) = @_;
    my ($few, $many) = rising(SLOWED, points($of, 'threads', 'forkexec', 0, 100)) or return;
    my $words =
        sprintf 'With 100 idle threads in the parent, fork and exec take %.1f times as long: %s '
        . 'instead of %s', $many / $few, in_time($many, $few);
    my (undef, $library) = shares($of, 'threads', 'fork');
    return $words if !$library || $library->{verdict} ne 'adds';
    return
        sprintf q{%s.  Of fork's time for 10 threads %s are the C library's, which a bare call }
        . 'does not take', $words, in_time($library->{slope});
}

sub targets {
    my ($of) = @_;
    my @us = rising(1, points($of, 'target', 'vforkexec', @LINKED)) or return;
    return
        sprintf 'The time depends on the target: a program without libc takes %s, a static one '
        . '%s, a dynamic one %s (%.0f %% of it: loader and libc)', in_time(@us),
        100 * (1 - $us[0] / $us[-1]);
}

# Where the intervals do not overlap
sub shapes {
    my ($of) = @_;
    my @words;
    for my $shape (@SHAPES) {
        my ($words, @labels) = @{$shape};
        my ($from, $to) = rising(1, points($of, 'target', 'vforkexec', @labels)) or next;
        push @words, "$words " . duration($to - $from);
    }
    return @words ? 'What the shape of a program adds: ' . join '; ', @words : ();
}

# What a target with many page faults takes more than one with few, for each of them
sub page_faults {
    my ($of) = @_;
    my @points = points($of, 'target', 'vforkexec', @LINKED[ 0, -1 ]);
    my ($from, $to) = rising(1, @points) or return;
    my ($few, $many) = grep { defined } map { $_->{faults_child} } @points;
    return if !defined $many || $many - $few < 1;
    return
        sprintf 'A dynamic program starts with %.0f page faults, one without libc with %.0f: %s '
        . 'for each, with what else the loader does', $many, $few,
        in_time(($to - $from) / ($many - $few));
}

# Of the time until main() of a dynamic target, that of its loader, and of each library that it
# needs
sub loader {
    my ($of) = @_;
    my ($point) = points($of, 'loader', 'posix_spawn', '0') or return;
    my $main = $point->{start} && $point->{start}{main}     or return;
    my $us = $point->{time_us};
    my $words = sprintf '%s (%s) of the %s from posix_spawn to main()', in_time($us),
        interval(@{$point}{qw(time_low time_high)}), in_time($main->[0]);
    return "What the dynamic loader takes of a program's start is inconclusive: $words"
        if !same($point);
    $words = sprintf q{The dynamic loader takes %.0f %% of a dynamic program's start: %s},
        100 * $us / $main->[0], $words;
    my $line = line($of, 'loader', 'posix_spawn');
    return $words if !grows($line);
    return sprintf '%s.  Each library that the program needs adds %s to that (%s)', $words,
        in_time($line->{slope}), interval(@{$line}{qw(low high)});
}

# Fork against vfork, both with exec, in a small and in a large process
sub with_exec {
    my ($of) = @_;
    my ($in_large) = map { points($of, 'memory', 'forkexec', $_) } qw(300M 100M);
    my @small = map { points($of, 'memory', $_, '0') } qw(vforkexec forkexec);
    return if !$in_large || @small < 2;
    my ($vfork, $fork, $large) = rising(1, @small, $in_large) or return;
    return if $large < LARGER * $fork;
    return
        sprintf 'With an exec, fork takes %.0f %% longer than vfork in a small process (%s and '
        . '%s); in a large process, fork and exec take %s', 100 * ($fork / $vfork - 1),
        in_time($fork, $vfork, $large);
}

# What a program's launch adds to posix_spawn of the same program, and its largest parts
sub launch {
    my ($of) = @_;
    my ($all) = us($of, 'launch', 'launch', 'all') or return;
    my %point = %{ $of->{launch}{points}{launch} };
    my %added = map { $_ => $point{$_}{added} }
        grep { (($point{$_}{added} || [])->[1] || 0) > 0 } keys %point;
    return if !$added{all};
    my @parts = sort { $added{$b}[0] <=> $added{$a}[0] } grep { !/all|[+]/ } keys %added;
    splice @parts, LARGEST if @parts > LARGEST;
    my ($more, @ends) = @{ $added{all} };
    my $words =
          sprintf 'A launch as programs make it (two pipes that are read, file actions, '
        . 'attributes, a search in PATH) takes %s, %s (%s) more than posix_spawn of the same '
        . 'program', in_time($all, $more), interval(@ends);
    return $words if !@parts;
    return "$words.  Its largest parts, each alone: " . join ', ',
        map { "$_ " . duration($added{$_}[0]) } @parts;
}

# How many times as many creations a second several threads, and as many processes, make as one
# thread
sub spawners {
    my ($of) = @_;
    my @ratios;
    for my $series ('posix_spawn --spawners', 'posix_spawn -c') {
        my ($one, $several) = points($of, 'spawners', $series, 1, SPAWNERS) or return;
        return if grep { !defined $_->{time_low} } $one, $several;
        push @ratios, SPAWNERS * $one->{time_us} / $several->{time_us},
            SPAWNERS * low($one) / high($several), SPAWNERS * high($one) / low($several);
    }
    my (undef, $low, $high) = @ratios;
    my $verdict = $low > HELPS ? q{} : $high < HELPS ? ' (no help)' : ' (inconclusive)';
    my $times = '%.2f (%.2f to %.2f) times';
    return
        sprintf "%d threads that create at once start $times as many processes in a second as "
        . "one thread$verdict, and %d processes $times", SPAWNERS, @ratios[ 0 .. 2 ], SPAWNERS,
        @ratios[ 3 .. 5 ];
}

# How long fork stops its parent for each GB, and posix_spawn where that does not depend on memory
sub stall {
    my ($of) = @_;
    my $line = line($of, 'stall', 'fork');
    return if !grows($line);
    my ($slope, @ends) = map { $_ * GB } @{$line}{qw(slope low high)};
    my $words = sprintf 'While fork copies the page tables, its parent stands still: %s for each '
        . 'GB that it has touched (%s)', in_time($slope), interval(@ends);
    my ($small, $large) = points($of, 'stall', 'posix_spawn', qw(4M 256M));
    return $words if !$small || !same($small, $large);
    return sprintf '%s; with posix_spawn for %s at 4 MB and at 256 MB alike', $words,
        in_time($large->{time_us});
}

sub in_time {
    return map { duration($_) } @_;
}

sub interval {
    my @ends = grep { defined } @_;
    return @ends ? join ' to ', in_time(@ends) : 'too few passes';
}

# ---- points and slopes ----

# The points of a series, or their times; nothing unless all are measured
sub points {
    my ($of, $sweep, $series, @labels) = @_;
    my $known = $of->{$sweep} && $of->{$sweep}{points}{$series} || {};
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
    return $of->{$sweep} ? @{ $of->{$sweep}{sweep}{values} } : ();
}

sub line {
    my ($of, $sweep, $series) = @_;
    return $of->{$sweep} && $of->{$sweep}{lines}{$series};
}

# A term; of a sweep that has the bare call, too, the kernel's, which is that of this call, and
# the C library's, which is the rest
sub shares {
    my ($of, $sweep, $method) = @_;
    my ($whole, $bare) = map { term($of, $sweep, $_) } $method, "$method --raw";
    return $whole || () if !$whole || !$bare;
    my %rest = (%{$whole}, slope => $whole->{slope} - $bare->{slope}, r2 => undef);
    my @halves = map { ($_->{high} // return $whole) - $_->{slope} } $whole, $bare;
    my $half = sqrt($halves[0]**2 + $halves[1]**2);
    @rest{qw(low high)} = map { $rest{slope} + $_ } -$half, $half;
    return ({ %{$bare}, words => "$bare->{words}, kernel" },
        { %rest, words => "$rest{words}, C library", verdict => verdict(%rest) });
}

# Nothing where there is none
sub term {
    my ($of, $sweep, $method) = @_;
    my $line = line($of, $sweep, $method) or return;
    my $kind = first { $_->{sweep} eq $sweep } @TERMS;
    my %term = (words => $kind->{words}, r2 => $line->{r2});
    $term{$_} = $line->{$_} * $kind->{amount} for grep { defined $line->{$_} } qw(slope low high);
    ($term{base}) = us($of, $sweep, $method, '0');
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

# Without an interval nothing is shown
sub low  { my ($p) = @_; return defined $p->{time_low} ? $p->{time_low} : 0 }
sub high { my ($p) = @_; return $p->{time_high} // INFINITY }

sub same {
    my (@points) = @_;
    my @us = map { $_->{time_us} } @points;
    return 0 if max(@us) > FLAT * min(@us) || grep { !low($_) } @points;
    return max(map { high($_) } @points) / min(map { low($_) } @points) < SURELY ? 1 : 0;
}

1;
