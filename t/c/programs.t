# SPDX-License-Identifier: GPL-2.0-or-later
# The contract of the test programs when they are run by hand, without Run: the programs in
# UB_BINDIR if it is set.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Fcntl                          qw(F_SETFD);
use File::Copy                     ();
use Packaging                      qw(run_make);
use Time::HiRes                    ();
use POSIX                          qw(uname);
use SpawnMeter::Analysis::Quantity qw(merge_histograms histogram_quantiles);

my @METHODS = methods();
my @ALL = (@METHODS, qw(spawn execl));

cmp_ok(scalar @METHODS, '>=', 6, 'make methods names the methods');

for my $name (@ALL) {
    my $got = program($name, '0.05');
    is($got->{status}, 0, "$name runs") or diag $got->{err};
    is($got->{out}, q{}, "$name: nothing on stdout");
    my $said = parse($got->{err});
    ok(!$said->{error}, "$name: its lines are well-formed") or diag $said->{error};
    cmp_ok($said->{time}, '>=', 0.05, "$name: measured as long as asked");
    cmp_ok($said->{count} / $said->{time}, '>', 0, "$name: creates");
    like(
        $got->{err},
        qr/\ACOUNT\|\d+\|1\|lps\nTIME\|\d+\.\d{6}\n/,
        "$name: the classic lines come first"
    );
    unlike($got->{err}, qr/^[^|]*$/m, "$name: no line without a |");

    my $counted = parse(program($name, '--count', 100)->{err});
    is($counted->{count}, 100, "$name: --count is exact");
    my $merged = merge_histograms($counted->{histogram});
    my $total = 0;
    $total += $_ for values %{$merged};
    is($counted->{timed}, $total, "$name: TIMED is the number in the histogram");
    cmp_ok($total, '<=', 100, "$name: no more than there are");
    cmp_ok($total, '>=', 16, "$name: the first creations are in the histogram");
    my ($p50, $p99) = histogram_quantiles($merged, 0.5, 0.99);
    cmp_ok(abs($p50 / $counted->{latency}[0] - 1), '<', 0.02,
        "$name: p50 is that of the histogram");
    cmp_ok(abs($p99 / $counted->{latency}[2] - 1), '<', 0.02, "$name: p99 too");
    is(program($name, '--version')->{status}, 0, "$name --version");
}

# Usage errors: status 2, what is wrong, the usage.  t/c/units.c has numbers, t/lint/lint.t which
# options a test takes
refused(
    [ fork => [], qr/SECONDS is missing\nusage: fork/ ],
    [ fork => ['0'], qr/'0' is not a number of seconds/ ],
    [ fork => ['-1'], qr/unknown option/ ],
    [ fork => [ 1, 2 ], qr/unexpected argument '2' after SECONDS/ ],
    [ fork => [ '--bogus', 1 ], qr/^fork: this test takes no --bogus$/m ],
    [ fork => [ '--count', 0 ], qr/--count: '0' is not a whole number above 0/ ],
    [ fork => [ '--heap', '-5', 1 ], qr/--heap: '-5' is not one of SIZE, shared, / ],
    [ fork => [qw(--heap shared 1)], qr/--heap needs a SIZE/ ],
    [ fork => [ '--heap', '1M,folio=48k', 1 ], qr/'folio=48k' is not one of SIZE, shared, / ],
    [ fork => [ '--cpu', 'x', 1 ], qr/--cpu: 'x' is not a whole number/ ],
    [ fork => [ '--dontfork', 1 ], qr/needs --heap/ ],
    [ fork => [ '1', '--', 'x' ], qr/runs no target/ ],
);

# The child's status is checked, and the target is tried first
my @killed = ('--exec', '/bin/sh', 1, '--', '-c', 'kill -9 $$');
refused(
    [ forkexec => [qw(--exec /bin/false 1)], qr/\AERROR\|.*status 1/, 1 ],
    [
        vforkexec => [qw(--exec /no/such/program 1)],
        qr/\AERROR\|cannot run the target .*No such file or directory, after 0 creations$/, 1
    ],
    [ posix_spawn => [ '--exec', $ROOT, 1 ], qr/\AERROR\|.*(?:Permission denied|directory)/, 1 ],
    [ forkexec    => \@killed, qr/\AERROR\|.*killed by signal 9/, 1 ],
);
{
    # a target that breaks in the middle
    my $folder = scratch();
    executable("$folder/t", "echo >>'$folder/n'; test \$(wc -l <'$folder/n') -lt 5\n");
    my $got = program('forkexec', '--warmup', 0, '--exec', "$folder/t", 20);
    like(
        $got->{err},
        qr/^ERROR\|the child exited with status 1, after 3 creations$/,
        'a failure reports how many were created before'
    );
}
my $out =
    program('posix_spawn', '--count', 3, '--exec', '/bin/sh', '--', '-c', 'echo $#; echo "$1"',
    'x', '-a b')->{out};
is($out, "1\n-a b\n" x 4, 'arguments of the target arrive (once to try it, then three times)');
my $size = program('vforkexec', '--count', 1, '--environment', '10k', '--exec', '/bin/cat', '--',
    '/proc/self/environ')->{out};
is(length $size, 2 * 10_240, '--environment is exact') if $LINUX;

# A larger parent, as its footprint shows
if ($LINUX) {

    # How many page tables a program has depends on where its address space begins: 9 to
    # 13 of 4 kB with musl in 2000 starts of pgms/vfork --count 1 (FOOTPRINT's third
    # figure). So the median of five, column by column
    my $footprint = sub {
        my @of = map { parse(program('vfork', '--count', 5, @_)->{err})->{footprint} } 1 .. 5;
        return [
            map {
                my $column = $_;
                (sort { $a <=> $b } map { $_->[$column] } @of)[2]
            } 0 .. $#{ $of[0] }
        ];
    };
    my $plain = $footprint->();
    my %grown = (

        # ten page tables
        '--heap 20M'  => sub { $_[0][1] - $plain->[1] >= 20_000 && $_[0][2] - $plain->[2] >= 28 },
        '--files 100' => sub { $_[0][3] - $plain->[3] == 100 },
        '--mappings 1000' => sub { $_[0][0] - $plain->[0] >= 4000 },
        '--threads 10'    => sub { $_[0][0] - $plain->[0] >= 2560 },
        '--libraries 10'  => sub { $_[0][0] - $plain->[0] >= 160 },
    );
    for my $options (sort keys %grown) {
        my $got = $footprint->(split q{ }, $options);
        ok($grown{$options}->($got), "$options shows in the footprint")
            or diag explain [ $plain, $got ];
    }
    my $much = program('fork', '--count', 1, '--heap', '900000G');
    says(
        $much,
        qr{^SKIP\|--heap: needs \d+ MB .* and may use \d+ MB [(]three quarters of what is}m,
        'more memory than there is: skipped', 77
    );
    like(
        program('fork', '--count', 1, '--touch', '4611686018427387904')->{err},
        qr/^SKIP\|--touch: needs \d+ MB/,
        'four times as much is not counted beyond 64 bits'
    );
    is(
        command({}, 'sh', '-c', 'ulimit -n 99; exec "$0" --count 1 --files 99', "$BIN/fork")
            ->{status},
        77,
        'more files than the hard limit: skipped'
    );
    my $raw = program('clone', '--raw', '--count', 50);
    my $written = join(q{ }, (uname())[4], slurp_file("$BIN/clone") =~ /\A\x7fELF\x02/ ? 64 : 32) =~
        /^(?:x86_64|aarch64) 64$/;
    is($raw->{status}, $written ? 0 : 77, 'clone --raw, where it is written for the architecture');
    is(program('fork', '--cpu', 60_000, '--count', 5)->{status}, 1, 'a CPU that does not exist');
}

# What is inherited changes nothing
for my $case (
    [ 'SIGCHLD ignored'                     => sub { $SIG{CHLD} = 'IGNORE' } ],
    [ 'SIGPIPE, SIGALRM and SIGHUP ignored' => sub { $SIG{$_} = 'IGNORE' for qw(PIPE ALRM HUP) } ],
    [
        'all signals blocked' => sub {
            my $all = POSIX::SigSet->new;
            $all->fillset;
            POSIX::sigprocmask(POSIX::SIG_BLOCK(), $all);
        }
    ],
) {
    my ($what, $before) = @{$case};
    for my $name (qw(fork spawn execl posix_spawn)) {
        is(command({ before => $before }, "$BIN/$name", '--count', 20)->{status}, 0,
            "$what: $name");
    }
}

SKIP: {
    skip 'there is no /proc to see that it runs', 1 if $^O ne 'linux';
    my $got = command(
        {
            before    => sub { $SIG{HUP} = 'IGNORE' },
            meanwhile => sub {
                my ($pid) = @_;
                wait_until(sub { (slurp_file("/proc/$pid/cmdline") || q{}) =~ m{/fork\0} });
                for (1 .. 20) { kill 'HUP', $pid; select undef, undef, undef, 0.02 }
                kill 'TERM', $pid;
            }
        },
        "$BIN/fork",
        60
    );
    is($got->{status}, 143, 'under nohup a hang-up changes nothing');
}

# The gate: the process that held it has ended
{
    pipe my $go, my $keep    or die;
    pipe my $seen, my $ready or die;
    my ($r, $w) = (fileno $go, fileno $ready);
    my $faults;    # of children
    my $got = command(
        {
            before    => sub { fcntl $_, F_SETFD, 0 for $go, $ready; close $keep },
            meanwhile => sub {
                my ($pid) = @_;
                close $ready;
                close $go;
                sysread $seen, my $byte, 1;
                $faults = (split q{ }, slurp_file("/proc/$pid/stat") || q{0 } x 11)[10];
                close $keep;
            }
        },
        "$BIN/fork",
        '--gate',
        "$r,$w",
        5
    );
    says(
        $got,
        qr/^ERROR\|--gate: the program at the other end has ended/,
        'a closed gate ends the program', 1
    );
    is($faults, 0, 'ready before the warm-up: all copies warm up at once');
}

SKIP: {
    skip 'needs root, on Linux', 1 if !$LINUX || $> != 0;
    my $many = sub { local $! = 0; $) = join q{ }, 0, 100_000 .. 101_500 };
    my $got = command({ before => $many }, "$BIN/fork", '--count', 1);
    like($got->{err}, qr/^FOOTPRINT\|\d+\|\d+\|\d+\|/m, 'a process of many groups');
}

# The progress, which is printed behind a gate
for my $line (
    [ 'fork', 0.2 ],
    [ 'execl', 0.2 ],
    [ 'pipe', 0.2 ],
    [ 'fork', '--count', 3 ],
    [ 'fork', '--pauses', 0.02, 0.2 ]
) {
    my ($name, @arguments) = @{$line};
    my $begun = monotonic();
    my $got = parse(behind_gate("$BIN/$name", @arguments)->{err});
    my $ended = monotonic();
    my ($us, $made) = (0, 0);
    for my $step (split /,/, $got->{progress}) {
        my ($more, $number) = split /:/, $step;
        $us   += $more;
        $made += $number;
    }
    is($made, $got->{count}, "$name @arguments: PROGRESS has all iterations");
    cmp_ok(abs($us / 1e6 - $got->{time}), '<', 2e-6, "$name @arguments: and all of the time");
    cmp_ok($got->{gate}, '>=', $begun, "$name @arguments: GATE is when it began,");
    cmp_ok($got->{gate} + $got->{time}, '<=', $ended, 'by the monotonic clock');
    is($got->{footprint}[3], printed($name, '--count', 3)->{footprint}[3], 'the gate is closed');
    ok(defined $got->{warmed}, 'WARMED: the CPU time of the warm-up');
    like(behind_gate("$BIN/$name", @arguments)->{err},
        qr/[|]children_nivcsw=\d+$/m, 'nivcsw of its children, too')
        if $LINUX;
}
is(parse(program('fork', '--count', 5)->{err})->{progress}, undef, 'no PROGRESS without a gate');

sub monotonic { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

# A gate that is open from the beginning
sub behind_gate {
    my (@line) = @_;
    pipe my $go, my $keep    or die;
    pipe my $seen, my $ready or die;
    syswrite $keep, 'g';
    my ($program, @arguments) = @line;
    my $gate = join q{,}, fileno $go, fileno $ready;
    return command({ before => sub { fcntl $_, F_SETFD, 0 for $go, $ready } },
        $program, '--gate', $gate, @arguments);
}

SKIP: {
    skip 'a limit of Linux', 1 if !$LINUX;

    # as nobody, whom the limit binds; t/faults/limits.t has forks that meet it
    my $open = scratch();
    chmod 0755, "$open";
    system('cp', '--', "$BIN/forkexec", "$BIN/true-dynamic", "$open") == 0 or die;
    my $trial = sub {
        if ($> == 0) { POSIX::setgid(65_534); POSIX::setuid(65_534) }
        exec '/bin/sh', '-c', 'ulimit -u 1 2>/dev/null || ulimit -p 1; exec "$0" --count 1',
            "$open/forkexec";
    };
    like(
        command({ before => $trial }, '/bin/true')->{err},
        qr/^ERROR\|trial\ run\ of\ the\ target:\ Resource\ temporarily\ unavailable;
            \ likely\ RLIMIT_NPROC\ \(ulimit\ -u\)\ =\ 1,\ of\ which\ \d+\ are\ in\ use/x,
        'the trial run of a target meets RLIMIT_NPROC'
    );
}

# The system calls of a program and its children, in their order
sub calls {
    my (@line) = @_;
    my $trace = File::Temp->new;
    command({}, tool('strace'), '-f', '-o', "$trace", @line);
    return map { /^\d+\s+(\w+)\(/ ? $1 : () } split /\n/, slurp_file("$trace");
}

# How often it makes each call between the first and the last creation, by creation
sub per_creation {
    my ($creates, @calls) = @_;
    my @at = grep { $calls[$_] =~ $creates } 0 .. $#calls;
    my %count;
    $count{$_}++ for @calls[ $at[0] .. $at[-1] - 1 ];
    my %per = map { $_ => int($count{$_} / $#at + 0.5) } keys %count;
    return { map { $per{$_} ? ($_ => $per{$_}) : () } keys %per };
}

SKIP: {
    skip 'no strace', 1 if !needs(1, 'strace') || !$LINUX;
    my $strace = tool('strace');
    my %creates = (
        fork  => qr/^clone3?\b|^fork\b/,
        vfork => qr/^vfork\b/,
        clone => qr/^clone\b/,
        spawn => qr/^clone3?\b|^fork\b/,
    );
    my $probe = command({}, $strace, '-f', '-c', "$BIN/fork", '--count', 2);
    skip 'strace may not trace here', 1 if $probe->{status} != 0;

    # What the libc's own fork and the like call differs between versions: a bare loop tells
    my $bare = $ENV{UB_BINDIR} ? "$BIN/../bare" : "$ROOT/build/bare";
    run_make($ROOT, 'build/bare') if !$ENV{UB_BINDIR};
    for my $name (sort keys %creates) {
        is_deeply(
            per_creation($creates{$name}, calls("$BIN/$name", '--count', 200)),
            per_creation($creates{$name}, calls($bare, $name, 0.2, "$BIN/true-dynamic")),
            "$name: the calls of a bare loop, and no other"
        );
    }
    my %made = (
        'daemon --count 20'                    => [ 40, qr/^clone3?\b|^fork\b/ ],
        'forkexec --exec-threads 3 --count 10' => [ 30, qr/^clone3?\b.*CLONE_THREAD/ ],
        'forkexec --seccomp 7 --count 1'       => [ 1, qr/^prctl\(PR_SET_SECCOMP.*len=7,/ ],
        'fork --heap 5M --count 3'             => [ 1, qr/^madvise\(.*, 5242880, MADV_NOHUGEPAGE/ ],
        'fork --heap 5M,folio=system --count 3'  => [ 0, qr/^madvise\(.*HUGEPAGE/ ],
        'fork --heap shared --heap 5M --count 3' =>
            [ 1, qr/^mmap\(NULL, 5242880, PROT_READ\|PROT_WRITE, MAP_SHARED\|MAP_ANONYMOUS/ ],
        'launch --with setsid --count 5'               => [ 5, qr/^setsid\b/ ],
        'launch --with setsid --by fork --count 5'     => [ 5, qr/^setsid\b/ ],
        'launch --with pdeathsig --by vfork --count 5' =>
            [ 5, qr/^prctl\(PR_SET_PDEATHSIG, SIGTERM/ ],
    );
    for my $line (sort keys %made) {
        my ($name, @options) = split q{ }, $line;
        my $calls = command({}, $strace, '-f', "$BIN/$name", @options)->{err};
        my @found = grep { /$made{$line}[1]/ } map { s/^(?:\[pid +\d+\] )?//r } split /\n/, $calls;
        is(scalar @found, $made{$line}[0], "$line: as often as asked");
    }
    my $folder = scratch();
    my @of_file = ("$BIN/fork", '--heap', "5M,file=$folder/heap", qw(--count 3));
    like(
        command({}, $strace, @of_file)->{err},
        qr/^mmap\(NULL, 5242880, .*, MAP_SHARED, \d/m,
        'the heap of a file'
    );
    ok(!-e "$folder/heap", 'which has no name any more');
    spew("$folder/heap", 'mine');
    says(command({}, @of_file), qr/^ERROR\|--heap: .*File exists/m, 'one that exists', 1);
    my $held = command({}, $strace, qw(-f -e trace=/clone|fork|exit_group),
        "$BIN/fork", qw(--hold --burst 5 --count 5))->{err};
    my ($before) = split /exit_group/, $held;
    my @created = $before =~ /\b(?:clone3?|fork)\(/g;
    is(scalar @created, 5, 'fork --hold: no child ends before all are created');
    my $trace = command({}, $strace, '-f', '-e', 'trace=clone', "$BIN/clone", '--count', 1)->{err};
    like(
        $trace,
        qr/clone\(child_stack=0x[0-9a-f]+,\ flags=CLONE_VM\|CLONE_FS\|CLONE_FILES\|CLONE_SIGHAND
            \|CLONE_VFORK\|SIGCHLD(?:\)|\S*strace:\ Process)/x,
        'clone: the flags of the book'
    );
}
subtest 'it is stopped and continued' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    my $tmp = scratch();
    my $target = "cd '$tmp'; [ -e tried ] || { : >tried; exit; }; : >runs; "
        . 'while [ ! -e go ]; do sleep 0.05; done';
    my $stop = sub {
        my ($pid) = @_;
        wait_until(sub { -e "$tmp/runs" });
        kill STOP => $pid;
        wait_until(sub { slurp_file("/proc/$pid/stat") =~ /[)] T / });
        kill CONT => $pid;
        spew("$tmp/go", q{});
    };
    my @line = (qw(--count 1 --exec /bin/sh -- -c), $target);
    my $got = command({ meanwhile => $stop }, "$BIN/forkexec", @line);
    like($got->{err}, qr/^DISTURB\|.*\|stops=1\|/m, 'once, which it counts');
};

subtest 'a target that vanishes' => sub {
    my $target = scratch() . '-target';
    for my $options ([qw(launch)], [qw(launch --by fork)], [qw(posix_spawn)], [qw(forkexec)]) {
        my ($program, @more) = @{$options};
        my $got;
        for my $seconds (0.3, 5, 30) {    # its trial is over then
            File::Copy::copy("$BIN/true-dynamic", $target);
            chmod oct 755, $target;
            my $remove = sub { Time::HiRes::sleep($seconds); unlink $target };
            $got = command({ meanwhile => $remove }, "$BIN/$program", @more, '--exec', $target, 60);
            last if $got->{err} =~ /after [1-9]\d* creations/;
        }
        says($got, qr/^ERROR\|.*; the target \Q$target\E is gone/m, "@{$options}: failed", 1);
    }
};

subtest 'a reader that has gone' => sub {
    for my $options ('--own-target', '--exec-path 3') {
        my $folder = scratch();
        command({ env => { UB_TMPDIR => "$folder" } },
            'sh', '-c', "$BIN/forkexec $options 0.1 2>&1 | true");
        my @left;
        wait_until(sub { !(@left = names_in($folder)) });
        is_deeply(\@left, [], "$options: its folder is removed");
    }
};
done_testing;
