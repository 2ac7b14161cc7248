# SPDX-License-Identifier: GPL-2.0-or-later
# Limits of the system (resource limits, control groups), met at the start
# of a pass and in the middle, with 1 copy and with 16.  The test that meets one fails with
# its reason, the others' numbers are kept, the run exits with status 1 and is stored as
# incomplete; no process and no file is left.  16 copies in the middle of a pass, which take
# 10 s each: with LONG=1 (make check-long).
use lib 't/lib';
use TestHelp;
use Config;
use Faults;
use List::Util  qw(sum);
use POSIX       ();
use Time::HiRes qw(sleep);

plan skip_all => 'the limits are those of Linux' if $^O ne 'linux';
needs_proc();

my @SHORT = qw(-v --slice 0.05 --max-time 0.3);
my @LONG = qw(-v --slice 4 -i 1 --seed 1);    # with this seed the other test comes first

my $prlimit = tool('prlimit');
my $root = $> == 0;
my $PIPE = qr/^Pipe Throughput +\d+\.\d lps/m;
my $FORK = qr/^Fork Throughput +\d/m;
my $AFTER = qr/after [1-9]\d* creations/;
my $EAGAIN = 'Resource temporarily unavailable';
my $tree = tree();

# A user without processes
my $user = 60_000 + $$ % 5_000;
sub as_user { $) = "$user $user"; POSIX::setgid($user) or die; POSIX::setuid($user) or die; return }

# A folder of programs with these lines added to its tests.list
my %programs;

sub programs {
    my (@lines) = @_;
    return $programs{"@lines"} ||= do {
        my $folder = File::Temp->newdir('sm-programs-XXXXXX', TMPDIR => 1);
        chmod oct 755, $folder;
        my @own = grep { !/tests[.]list/ } glob "\Q$tree\E/pgms/*";
        symlink $_, "$folder/" . s{.*/}{}r for @own;
        my $list = slurp_file("$ROOT/pgms/tests.list") . join q{}, map { "$_\n" } @lines;
        spew("$folder/tests.list", $list);
        $folder;
    };
}

# One run under a limit: { run => arguments of Run, failing => pattern of the report's line,
# kept => [patterns of the others'], meanwhile => sub (running), status => 1 unless given,
# and what Faults::start takes }
sub limited {
    my ($fault, %of) = @_;
    subtest $fault => sub {
        my $run = start({ tree => $tree, open => 1, %of }, @{ $of{run} || [] });
        $of{meanwhile}->($run) if $of{meanwhile};
        finish($run);
        my $status = defined $of{status} ? $of{status} : 1;
        like($run->{out_text}, $of{failing}, 'the reason is given') or diag messages($run);
        like($run->{out_text}, $_, "the others' numbers are kept") for @{ $of{kept} };
        like($run->{out_text}, qr/^INCOMPLETE: \d+ of the tests failed$/m, 'incomplete')
            if $run->{status} == 1;
        check_end($fault, $run, status => $status, shown => 1);
    };
    return;
}

sub messages {
    my ($run) = @_;
    return grep { /fail|skip|stored|Run:/i } split /^/, "$run->{out_text}$run->{err_text}";
}

sub under_prlimit {
    my ($limit, @arguments) = @_;
    return command => [ $prlimit, $limit, "$tree/Run", @arguments ];
}

# A copy of this program, when it is past its warm-up: that takes less CPU time than this
use constant WARM_TICKS => 15;

sub running_copy {
    my ($run, $program) = @_;
    my $pid = pick_copy($run, $program) or return 0;
    sleep 0.4;
    wait_until(sub { exited($pid) || cpu_ticks($pid) >= WARM_TICKS });
    return $pid;
}

# Its CPU time and that of its reaped children
sub cpu_ticks {
    my ($pid) = @_;
    my @fields = split q{ }, (slurp_file("/proc/$pid/stat") || q{}) =~ s/.*\) //sr;
    return @fields > 14 ? sum(@fields[ 11 .. 14 ]) : 0;
}

# Lowers a limit of such a copy, as its owner: in some containers root may not
sub lowering {
    my ($program, $limit) = @_;
    return meanwhile => sub {
        my ($run) = @_;
        my $pid = running_copy($run, $program);
        my $owner = $pid && (stat "/proc/$pid")[4];
        my $as_owner = sub { as_user() if $owner && $owner == $user };
        my $done = $pid
            && command({ before => $as_owner }, $prlimit, '--pid', $pid, $limit)->{status} == 0;
        ok($done, 'the limit was lowered in the middle of a pass');
    };
}

# A limit that a test meets while it is measured: the test (or those of 1 copy and of 16), why it
# fails, and what limited() takes; beside: another test, which takes 4 s
sub in_the_middle {
    my ($limit, $test, $why, %with) = @_;
    for my $copies (1, $ENV{LONG} ? 16 : ()) {
        my $word = $copies == 1 ? '1 copy' : "$copies copies";
        my $name = ref $test ? $test->[ $copies > 1 ] : $test;
        limited(
            "$limit, $word, in the middle",
            run  => [ @LONG, @{ $with{longer} || [] }, '-c', $copies, $name, $with{beside} || () ],
            kept => $with{beside} ? [$PIPE] : [],
            failing => qr/^$name +failed: $why/m,
            %with
        );
    }
    return;
}

# ---- resource limits ----------------------------------------------------------------

sub limits_of_processes {
    my $in_use = qr/RLIMIT_NPROC \(ulimit -u\) = 1, of which \d+ are in use, $AFTER/;
    my $likely = qr/fork: $EAGAIN; likely $in_use/;
    my %as_user = (before => \&as_user);
    limited(
        'RLIMIT_NPROC, 16 copies, at the start',
        %as_user,
        kept    => [ $PIPE, $FORK ],
        failing => qr/^fork, 16 copies: failed: copy \d+: cannot start a process: $EAGAIN$/m,
        under_prlimit('--nproc=12:12', @SHORT, qw(-c 1 -c 16 fork pipe))
    );
    in_the_middle('RLIMIT_NPROC', 'fork', $likely, %as_user, lowering('fork', '--nproc=1:1'));
    return;
}

sub limits_of_memory {
    my $big = programs('big|Large Parent|process||long 10||fork --heap 300M');
    for my $copies (1, 16) {
        limited(
            "RLIMIT_AS, copies: $copies, at the start",
            env     => { UB_BINDIR => "$big" },
            kept    => [$PIPE],
            failing => qr/^big +failed: .*(?:heap|memory)/mi,
            under_prlimit('--as=200000000', @SHORT, '-c', $copies, qw(big pipe))
        );
    }
    return;
}

sub limits_of_descriptors {
    limited(
        'RLIMIT_NOFILE, 16 copies, at the start',
        kept    => [$PIPE],
        failing =>
            qr/^fork, 16 copies: skipped: 16 copies need 32 open files, and the limit is 24;/m,
        status => 0,
        under_prlimit('--nofile=24:24', @SHORT, qw(-c 1 -c 16 fork pipe))
    );
    says(
        command({}, 'prlimit', '--nofile=8:8', "$ROOT/Run", @SHORT, 'fork'),
        qr/^Run: only \d+ more files can be opened, and Run needs 16: .*\(ulimit -n 64\)$/,
        'RLIMIT_NOFILE, too few for Run itself'
    );
    return;
}

sub limits_in_the_middle {
    my %popen = (env => { UB_BINDIR => q{} . programs('popen|Popen|process||long 10||popen') });
    my $why = qr/popen: Too many open files, $AFTER/;
    my @files = lowering('popen', '--nofile=3:3');
    in_the_middle('RLIMIT_NOFILE', 'popen', $why, %popen, @files);
    $why = qr/write to a file in .*: File too large.*, $AFTER/;
    in_the_middle(
        'RLIMIT_FSIZE', 'fstime', $why,
        beside => 'pipe',
        lowering('filecopy', '--fsize=1000')
    );
    return;
}

# The limit of Run itself; a program of a pass has used less then
sub limits_of_cpu_time {
    my @options = qw(-v --slice 0.02 --max-time 60 --precision 0.001% -c 1 pipe fork);
    my $run = finish(start({ tree => $tree, under_prlimit('--cpu=1:60', @options) }));
    my ($xcpu) = grep { (split q{ }, $Config{sig_name})[$_] eq 'XCPU' } 0 .. 64;
    is($run->{status}, 128 + $xcpu, 'RLIMIT_CPU: status 128 + SIGXCPU') or diag messages($run);
    like($run->{out_text}, qr/^INCOMPLETE: Run was stopped by SIGXCPU$/m, 'RLIMIT_CPU: the report');
    like($run->{out_text}, $PIPE, 'RLIMIT_CPU: the numbers are kept');
    like($run->{out_text}, qr/^Stored: /m, 'RLIMIT_CPU: they are stored');
    check_end('RLIMIT_CPU', $run);
    return;
}

if (needs(16, 'prlimit')) {
SKIP: {
        skip skip_reason('only root can become a user whom RLIMIT_NPROC holds'), 4 if !$root;
        limits_of_processes();
    }
    limits_of_memory();
    limits_of_descriptors();
    limits_in_the_middle();
    limits_of_cpu_time();
}

# ---- control groups ---------------------------------------------------------------

# The folder of a new group below the one that this process is in, or undef
sub new_group {
    my ($controller, @files) = @_;
    for my $line (split /\n/, slurp_file('/proc/self/cgroup') || q{}) {
        my (undef, $names, $path) = split /:/, $line, 3;
        my $mount = $names eq q{} ? '/sys/fs/cgroup' : "/sys/fs/cgroup/$controller";
        next if $names ne q{} && !grep { $_ eq $controller } split /,/, $names;
        next if !-e "$mount$path/cgroup.procs";

        # clone3 takes away groups of the suite's own name that nobody uses
        my $folder = "$mount$path/sm-test-$$" =~ s{/+}{/}gr;
        next if !mkdir $folder;
        return $folder if grep { -e "$folder/$_" } @files;
        rmdir $folder;
    }
    return;
}

sub set {
    my ($path, $value) = @_;
    open my $out, '>', $path or return 0;
    my $done = syswrite $out, $value;
    return close($out) && defined $done;
}

sub enter {
    my ($folder) = @_;
    return sub { set("$folder/cgroup.procs", $$) or POSIX::_exit(125) }
}

my $IN_USE = qr/pids\.max of the cgroup = \d+, of which \d+ are in use/;

sub limits_of_pids {
    my ($group) = @_;
    set("$group/pids.max", 1000);
    in_the_middle(
        'pids.max', 'fork',
        qr/fork: $EAGAIN; likely $IN_USE, after \d+ creations/,
        before    => enter($group),
        meanwhile => sub { lower_pids($group, @_) }
    );
    return;
}

# Until the test has failed: the other tests find room again
sub lower_pids {
    my ($group, $run) = @_;
    my $pid = running_copy($run, 'fork');
    ok($pid && set("$group/pids.max", 2), 'the limit was lowered in the middle of a pass');
    sleep 0.02 while slurp_file($run->{err}) !~ /failed/ && !exited($run->{pid});
    set("$group/pids.max", 1000);
    return;
}

SKIP: {
    my $group = $root ? new_group('pids', 'pids.max') : undef;
    skip skip_reason('no control group for pids can be made here'), 3 if !$group;
    limits_of_pids($group);
    ok(wait_until(sub { rmdir $group }), 'pids.max: no process is left in the group');
}

sub limits_of_group_memory {
    my ($group) = @_;
    my $heap = programs(
        'medium|Larger Parent|process||long 10||fork --heap 100M',
        'little|Little Parent|process||long 10||fork --heap 10M'
    );
    in_the_middle(
        'memory.max', [qw(medium little)],
        qr/.*killed by signal 9.*out of memory/,
        before    => enter($group),
        env       => { UB_BINDIR => "$heap" },
        longer    => [qw(--slice 8)],
        meanwhile => sub { take_memory($group, @_) }
    );
    return;
}

# Another process of the group takes what is left, until the test has failed
sub take_memory {
    my ($group, $run) = @_;
    running_copy($run, 'fork');
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        enter($group)->();
        my @memory;
        push @memory, chr(65 + @memory) x 4_000_000 while @memory < 60;
        sleep 60;
        POSIX::_exit(0);
    }
    wait_until(sub { slurp_file($run->{err}) =~ /failed/ || exited($run->{pid}) });
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return;
}

SKIP: {
    my @files = qw(memory.max memory.limit_in_bytes);
    my $group = $root ? new_group('memory', @files) : undef;
    skip skip_reason('no control group for memory can be made here'), 3 if !$group;
    my ($file) = grep { -e } map { "$group/$_" } @files;
    set($file, 300 * 1024 * 1024);
    set($_, $_ =~ /max\z/ ? 0 : 300 * 1024 * 1024)    # no more by swapping
        for grep { -e } map { "$group/$_" } qw(memory.swap.max memory.memsw.limit_in_bytes);
    limits_of_group_memory($group);
    ok(wait_until(sub { rmdir $group }), 'memory.max: no process is left in the group');
}

done_testing;
