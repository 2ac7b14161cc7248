# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostModel;

# The parts of a creation's cost on this machine, from its sweeps.  Pure functions.
#
#   needed() -> the sweeps that the model needs: { sweep => name, tests, values => words of
#       the sweep's line, where it needs only these }
#   model(run of these sweeps, measured together) -> { methods => [ { method, base => us, terms =>
#       { words => term } } ], what the C library adds to one being a method of its own without
#       base; target => analysis of the sweep target, or undef; findings => [ [clause, ...] ],
#       parts => those of a creation (parts_of_spawn), missing => [names of sweeps], points =>
#       [measured ones] }
#   model_of({ sweep's name => analysis of SpawnMeter::Analysis::Points }) -> the same
#   terms() -> the words of the terms, in order
#
# The model: microseconds of a creation = base + a term for each MB touched, each 100 files,
# 1,000 mappings and 10 threads of the parent, and each 64 KB of environment.  Base is the
# median at 0; the slopes are those of SpawnMeter::Analysis::Points.
#
# A term: { base, slope, low, high => microseconds for its amount, r2, verdict => adds (the
# interval lies above 0), none (it lies below a twentieth of the base) or inconclusive }.
#
# A finding is left out where the intervals do not support it.  A clause of one is [words, {
# values }], which Report::Explain puts into the braces of the words.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Points qw(analysis parts);

our @EXPORT_OK = qw(terms);

use constant {
    SPAWNERS   => 4,         # threads that create, as in the sweep
    LARGEST    => 3,         # parts of a launch that are named
    STRAIGHT   => 0.9,       # R2 above which a line describes the points
    NARROW     => 1.35,      # one end of an interval over the other, at most
    NEGLIGIBLE => 0.05,      # a slope below this share of the base
    INFINITY   => 9**9**9,
};

# The parts of a start-up, in the order of time, and the steps of an exec
my @STAMPS = (
    [ first  => 'create and exec' ],
    [ loader => 'dynamic loader' ],
    [ libc   => 'C library starts' ],
    [ ending => 'main(), exit, wait' ],
);
my @STEPS = (
    [ 'create, exit, wait' => 'memory/vfork/0' ],
    [ 'exec without libc'  => 'target/vforkexec/true-nolibc' ],
    [ 'static C library'   => 'target/vforkexec/true-static' ],
    [ 'dynamic linking'    => 'target/vforkexec/true-dynamic' ],
);

# The sweeps that are needed; the amount that a slope is given for, and its words as a term of the
# model; of those with many points the tests and values that a finding is about
my @NEEDED = map {
    my ($sweep, $amount, $words, @lists) = split / *[|] */;
    my @names = qw(tests values);
    my %lists = map { shift(@names) => [ split q{ } ] } @lists;
    +{ sweep => $sweep, amount => $amount, words => $words, %lists }
} split /\n/, <<'TABLE';
memory      | 1048576    | MB touched
files       | 100        | 100 files
mappings    | 1000       | 1000 mappings
threads     | 10         | 10 threads
environment | 65536      | 64 KB environ.
loader      | 1
stall       | 1073741824 | | fork fork:--heap,shared | 4M 64M 256M
target      |            | | vforkexec
launch      |            | | launch
reaping     |            | | vfork:--reap,pid vfork:--reap,any | 1000
containers  |            | | fork | none= pid-8=--depth,pid=8
spawners    |            | | posix_spawn:--spawners,VALUE posix_spawn:@copies=VALUE | 1=1 4=4
TABLE
my %AMOUNT = map { $_->{sweep} => $_->{amount} } @NEEDED;
my @TERMS = grep { $_->{words} } @NEEDED;

sub needed { return @NEEDED }

sub terms {
    return map { $_->{words} } @TERMS;
}

# Each finding, in the order of the text: the words of a clause, and below them the sub with
# arguments that gives its values, or nothing where it does not hold; then those of clauses that may
# follow it.  In braces: a value, which is a time where no format follows; low-high: the interval;
# or values, and what stands between them
my $FINDINGS = <<'TEXT';
fork takes {base}, plus {slope} for each MB that the process has touched ({low-high}): its page
tables are copied, and freed at the end
    growing: memory, fork
In a process of {size%s}B, fork takes {fork}, {times%.1f} times as long as posix_spawn, which also
runs a program ({spawn})
    largest_process: 2
100 more open files add {slope} to vfork, which copies the table of open files
    growing: files, vfork
1,000 more mappings add {slope} to fork
    growing: mappings, fork
With 100 idle threads in the parent, fork and exec take {times%.1f} times as long: {many} instead of
{few}
    rising: 1.1, few = threads/forkexec/0, many = threads/forkexec/100
.  Of fork's time for 10 threads {slope} are the C library's, which a bare call does not take
    library_of_threads
The time depends on the target: a program without libc takes {bare}, a static one {static}, a
dynamic one {dynamic} ({share%.0f} % of it: loader and libc)
    rising: 1, bare = target/vforkexec/true-nolibc, static = target/vforkexec/true-static,
    dynamic = target/vforkexec/true-dynamic
The dynamic loader takes {share%.0f} % of a dynamic program's start: {time_us}
({time_low-time_high}) of the {main} from posix_spawn to main()
    loader
.  Each library that the program needs adds {slope} to that ({low-high})
    growing: loader, posix_spawn
With an exec, fork takes {more%.0f} % longer than vfork in a small process ({fork} and {vfork})
    rising: 1, vfork = memory/vforkexec/0, fork = memory/forkexec/0
; in a process of 100 MB, fork and exec take {large}
    rising: 1.5, small = memory/forkexec/0, large = memory/forkexec/100M
64 KB of environment, which are copied into the new program, add {slope}
    growing: environment, vforkexec
A launch as programs make it (two pipes that are read, file actions, attributes, a search in PATH)
takes {all}, {more} ({low-high}) more than posix_spawn of the same program
    launch
.  Its largest parts, each alone: {parts|, }
    parts_of_launch
4 threads that create at once start {ratio%.2f} ({least%.2f} to {most%.2f}) times as many processes
in a second as one thread
    together: posix_spawn --spawners
, and 4 processes {ratio%.2f} ({least%.2f} to {most%.2f}) times
    together: posix_spawn -c
While fork copies the page tables, its parent stands still: {slope} for each GB that it has touched
({low-high})
    growing: stall, fork
; with 256 MB that are shared, as a database has them, {shared} instead of {private}
    rising: 1.5, shared = stall/fork --heap shared/256M, private = stall/fork/256M
Beside 1,000 idle children vfork takes {pid} with a wait for its child, and {any} with a wait for
any child, which looks at each
    rising: 1.1, pid = reaping/vfork --reap pid/1000, any = reaping/vfork --reap any/1000
In 8 PID namespaces below one another fork takes {deep} instead of {none}
    rising: 1, none = containers/fork/none, deep = containers/fork/pid-8
TEXT

# [ [words, sub, arguments] of each clause ] of each finding
my @FINDINGS;
while ($FINDINGS =~ /((?:^\S.*\n)+)((?:^ .*\n)+)/mg) {
    my ($words, $values) = map { join q{ }, split /\n/ } $1, $2;
    my ($name, @arguments) = split /(?:,|:| =) +/, $values =~ s/^ +//r;
    push @FINDINGS, [] if $words !~ /^[.,;]/;
    push @{ $FINDINGS[-1] }, [ $words, __PACKAGE__->can($name), @arguments ];
}

sub model {
    my ($run) = @_;
    my $part = parts($run);
    return model_of({ map { $_ => analysis($part->{$_}) } keys %{$part} });
}

sub model_of {
    my ($sweeps) = @_;
    my @all = map { values %{$_} } map { values %{ $_->{points} } } values %{$sweeps};
    my $memory = ($sweeps->{memory} || {})->{sweep} || {};
    return {
        methods  => [ map { method_of($sweeps, $_) } @{ $memory->{series} || [] } ],
        target   => $sweeps->{target},
        findings => [ map { clauses($sweeps, @{$_}) } @FINDINGS ],
        parts    => parts_of_spawn($sweeps),
        missing  => [ grep { !$sweeps->{$_} } map { $_->{sweep} } needed() ],
        points   => [ grep { defined $_->{time_us} } @all ],
    };
}

sub clauses {
    my ($sweeps, @given) = @_;
    my @clauses;
    for (@given) {
        my ($words, $values_of, @arguments) = @{$_};
        my ($values) = $values_of->($sweeps, @arguments);
        push @clauses, [ $words, $values ] if $values;
        return if !@clauses;
    }
    return \@clauses;
}

sub method_of {
    my ($sweeps, $method) = @_;
    my ($base) = us($sweeps, "memory/$method/0") or return;
    my (%own, %library);
    for my $kind (@TERMS) {
        my ($term, $rest) = shares($sweeps, $kind->{sweep}, $method);
        $own{ $kind->{words} } = $term if $term;
        $library{ $kind->{words} } = $rest if $rest;
    }
    my @methods = { method => $method, base => $base, terms => \%own };
    return (@methods, %library ? { method => '  C library', terms => \%library } : ());
}

# Where the time of one creation of a dynamic program goes, by the ways that were measured: [ [way,
# { words, us } of its parts in order] ... ].  By posix_spawn: medians of what the programs stamped
# (--phases); by vfork and exec: by how much longer each step takes than the one before it
sub parts_of_spawn {
    my ($sweeps) = @_;
    my ($point) = points($sweeps, 'loader/posix_spawn/0');
    my $start = $point && $point->{start} || {};
    my @stamps = map { { words => $_->[1], us => $start->{ $_->[0] }[0] } }
        grep { $start->{ $_->[0] } } @STAMPS;
    my @us = (0, us($sweeps, map { $_->[1] } @STEPS));
    my @steps = map { { words => $STEPS[ $_ - 1 ][0], us => $us[$_] - $us[ $_ - 1 ] } } 1 .. $#us;
    my @ways;
    push @ways, [ 'posix_spawn, stamped', @stamps ] if @stamps == @STAMPS;
    push @ways, [ 'vfork and exec, step by step', @steps ]
        if @steps && !grep { $_->{us} <= 0 } @steps;
    return \@ways;
}

# ---- the values of a finding ----

# A slope whose interval lies above 0, where a line describes the points
sub growing {
    my ($sweeps, $sweep, $method) = @_;
    return
        grep { $_->{verdict} eq 'adds' && ($_->{r2} || 0) > STRAIGHT }
        term($sweeps, $sweep, $method);
}

# name => point ... -> { name => us, and by how much the last is longer than the first: times, more
# => per cent of the first, share => of the last }, where each takes surely more than so many times
# as long as the one before it
sub rising {
    my ($sweeps, $times, @named) = @_;
    my @names = @named[ grep { $_ % 2 == 0 } 0 .. $#named ];
    my @points = points($sweeps, @named[ grep { $_ % 2 } 0 .. $#named ]) or return;
    return if grep { low($points[$_]) < $times * high($points[ $_ - 1 ]) } 1 .. $#points;
    my %us = map { $names[$_] => $points[$_]{time_us} } 0 .. $#points;
    my $ratio = $points[-1]{time_us} / $points[0]{time_us};
    return { %us, times => $ratio, more => 100 * ($ratio - 1), share => 100 * (1 - 1 / $ratio) };
}

# The largest process whose fork takes so many times as long as its posix_spawn
sub largest_process {
    my ($sweeps, $times) = @_;
    for my $size (reverse @{ ($sweeps->{memory} || {})->{sweep}{values} || [] }) {
        my @both = (spawn => "memory/posix_spawn/$size", fork => "memory/fork/$size");
        my ($found) = rising($sweeps, $times, @both) or next;
        return { %{$found}, size => $size };
    }
    return;
}

sub library_of_threads {
    my ($sweeps) = @_;
    my (undef, $library) = shares($sweeps, 'threads', 'fork');
    return $library && $library->{verdict} eq 'adds' ? $library : ();
}

# The time until main() of a dynamic target
sub loader {
    my ($sweeps) = @_;
    my ($point) = points($sweeps, 'loader/posix_spawn/0') or return;
    my $main = $point->{start} && $point->{start}{main};
    return if !$main || high($point) > NARROW * low($point);
    return { %{$point}, main => $main->[0], share => 100 * $point->{time_us} / $main->[0] };
}

# What a program's launch adds to posix_spawn of the same program
sub launch {
    my ($sweeps) = @_;
    my ($all) = points($sweeps, 'launch/launch/all') or return;
    my ($more, $low, $high) = @{ $all->{added} || [] };
    return if ($low || 0) <= 0;
    return { all => $all->{time_us}, more => $more, low => $low, high => $high };
}

sub parts_of_launch {
    my ($sweeps) = @_;
    my $points = $sweeps->{launch}{points}{launch};
    my @parts = sort { $b->[1] <=> $a->[1] }
        map { [ $_, $points->{$_}{added}[0] ] }
        grep { !/all|[+]/ && (($points->{$_}{added} || [])->[1] || 0) > 0 } keys %{$points};
    splice @parts, LARGEST if @parts > LARGEST;
    return @parts ? { parts => \@parts } : ();
}

# How many times as many creations a second several at once make as one
sub together {
    my ($sweeps, $series) = @_;
    my ($one, $several) = points($sweeps, map { "spawners/$series/$_" } 1, SPAWNERS) or return;
    return if grep { !defined $_->{time_low} } $one, $several;
    return {
        ratio => SPAWNERS * $one->{time_us} / $several->{time_us},
        least => SPAWNERS * low($one) / high($several),
        most  => SPAWNERS * high($one) / low($several),
    };
}

# ---- points and slopes ----

# The points "sweep/series/value", or their times; nothing unless all are measured
sub points {
    my ($sweeps, @places) = @_;
    my @points = map {
        my ($sweep, $series, $label) = split m{/}, $_, 3;
        $sweeps->{$sweep} && $sweeps->{$sweep}{points}{$series}{$label};
    } @places;
    return (grep { !$_ || !defined $_->{time_us} } @points) ? () : @points;
}

sub us {
    return map { $_->{time_us} } points(@_);
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
    return ($bare, { %rest, verdict => verdict(%rest) });
}

# The term of a method; nothing where its line is unknown
sub term {
    my ($sweeps, $sweep, $method) = @_;
    my $line = $sweeps->{$sweep} && $sweeps->{$sweep}{lines}{$method} or return;
    my %term = (r2 => $line->{r2});
    $term{$_} = $line->{$_} * $AMOUNT{$sweep} for grep { defined $line->{$_} } qw(slope low high);
    ($term{base}) = us($sweeps, "$sweep/$method/0");
    return { %term, verdict => verdict(%term) };
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

# The ends of an interval; a point without one shows nothing
sub low  { my ($p) = @_; return defined $p->{time_low} ? $p->{time_low} : 0 }
sub high { my ($p) = @_; return $p->{time_high} // INFINITY }

1;
