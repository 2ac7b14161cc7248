# Limits of the system, met at the start and in the middle of a pass, with 1 copy and
# with 16: the test that meets one fails with its reason, the others go on, their
# numbers are kept, the run ends with status 1 and says incomplete.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use POSIX       ();
use Time::HiRes qw(sleep time);

plan skip_all => 'the limits are those of Linux' if $^O ne 'linux' || !-r '/proc/self/environ';

my @SHORT = qw(-v --slice 0.05 --max-time 0.3);
my @LONG = qw(-v --slice 1.5 -i 1 --seed 1);    # the other test comes first
my $prlimit = tool('prlimit');
my $root = $> == 0;

# A user who has no processes yet
my $user = 64_321;
sub as_user { $) = "$user $user"; POSIX::setgid($user) or die; POSIX::setuid($user) or die; return }

my $tree = tree();
my %programs;

# Tests of one's own beside the real ones
sub programs {
    my (@lines) = @_;
    my $folder = $programs{"@lines"};
    return $folder if $folder;
    $folder = $programs{"@lines"} = File::Temp->newdir('sb-programs-XXXXXX', TMPDIR => 1);
    chmod oct 755, $folder;
    symlink $_, "$folder/" . s{.*/}{}r for grep { !/tests[.]list/ } glob "\Q$tree\E/pgms/*";
    spew(
        "$folder/tests.list",
        slurp_file("$ROOT/pgms/tests.list") . join q{},
        map { "$_\n" } @lines
    );
    return $folder;
}

# Runs under a fault: { fault, run => arguments, failing => qr/line of the report/, kept => [qr],
# and of Faults::start before, command, env; meanwhile => sub (running); status }
sub limited {
    my (%of) = @_;
    my $run = start({ tree => $tree, open => 1, %of }, @{ $of{run} });
    $of{meanwhile}->($run) if $of{meanwhile};
    finish($run, 60);
    my $name = $of{fault};
    my $status = defined $of{status} ? $of{status} : 1;
    is($run->{status}, $status, "$name: status $status") or diag told($run);
    my @failing = ref $of{failing} eq 'ARRAY' ? @{ $of{failing} } : $of{failing};
    ok($run->{out_text} =~ $_, "... the reason: $_") or diag told($run) for @failing;
    ok($run->{out_text} =~ /^INCOMPLETE: \d+ of the tests failed$/m, '... incomplete')
        if $status == 1 && !$of{unstored};
    ok($run->{out_text} =~ $_, "... the others' numbers are kept: $_") for @{ $of{kept} };
    my @left = grep { $_ } gone($run);
    my @files = left_files($run);
    is((passes($run))[2], $run->{out_text}, '... show shows the same') if !$of{unstored};
    is_deeply([ @left, @files ], [], '... nothing is left');
    my $lost = lost($run, $of{unstored});
    is($lost, 0, '... nothing is lost');
    tally($name, 1, $lost, scalar @left, scalar @files);
    return $run;
}

sub told {
    my ($run) = @_;
    return join q{}, grep { /fail|skip|stored|Run:/i } split /^/,
        "$run->{out_text}$run->{err_text}";
}

my $PIPE = qr/^Pipe Throughput +\d+\.\d lps/m;

# The copy of this program, when it is past its warm-up
sub running_copy {
    my ($run, $program) = @_;
    my $pid =
        pick($run, sub { $_[0]{parent} == $run->{pid} && $_[0]{line} =~ m{/$program --gate} });
    sleep 0.4;
    return $pid || 0;
}

# By the user whose process it is: in some containers root may not
sub lower {
    my ($pid, @limits) = @_;
    return 0 if !$pid;
    my $owner = (stat "/proc/$pid")[4];
    return command({ before => sub { as_user() if $owner && $owner == $user } },
        $prlimit, '--pid', $pid, @limits)->{status} == 0;
}

SKIP: {
    skip aloud('prlimit (util-linux) is not installed'), 30 if !needs(1, 'prlimit');
SKIP: {
        skip aloud('RLIMIT_NPROC does not hold root, and only root can become another user'), 12
            if !$root;
        my $why =
            qr/^fork, 1 copy: failed: fork: Resource temporarily unavailable; likely RLIMIT_NPROC .* after \d+ creations$/m;
        limited(
            fault   => 'RLIMIT_NPROC, 1 copy, at the start',
            before  => sub { as_user() },
            kept    => [$PIPE],
            failing => $why,
            command => [ $prlimit, '--nproc=3:3', "$tree/Run", @SHORT, qw(-c 1 fork pipe) ]
        );
        limited(
            fault   => 'RLIMIT_NPROC, 16 copies, at the start',
            before  => sub { as_user() },
            kept    => [ $PIPE, qr/^Fork Throughput +\d/m ],
            failing =>
                qr/^fork, 16 copies: failed: copy \d+: cannot start a process: Resource temporarily unavailable$/m,
            command => [ $prlimit, '--nproc=12:12', "$tree/Run", @SHORT, qw(-c 1 -c 16 fork pipe) ]
        );
        limited(
            fault     => 'RLIMIT_NPROC, 1 copy, in the middle',
            before    => sub { as_user() },
            run       => [ @LONG, qw(-c 1 fork pipe) ],
            kept      => [$PIPE],
            failing   => $why,
            meanwhile => sub {
                my $pid = running_copy($_[0], 'fork');
                ok($pid && lower($pid, '--nproc=1:1'), 'lowered');
            }
        );
        limited(
            fault   => 'RLIMIT_NPROC, 16 copies, in the middle',
            before  => sub { as_user() },
            run     => [ @LONG, qw(-c 16 fork pipe) ],
            kept    => [$PIPE],
            failing =>
                qr/^fork, 16 copies: failed: fork: Resource temporarily unavailable; likely RLIMIT_NPROC/m,
            meanwhile => sub {
                my $pid = running_copy($_[0], 'fork');
                ok($pid && lower($pid, '--nproc=1:1'), 'lowered');
            }
        );
    }
    my $big = programs('big|Large Parent|process||long 10||fork --heap 300M');
    limited(
        fault   => 'RLIMIT_AS, 1 copy, at the start',
        env     => { UB_BINDIR => "$big" },
        kept    => [$PIPE],
        status  => undef,
        failing => qr/^big, 1 copy: failed: .*(?:heap|memory)/mi,
        command => [ $prlimit, '--as=200000000', "$tree/Run", @SHORT, qw(-c 1 big pipe) ]
    );
    limited(
        fault   => 'RLIMIT_AS, 16 copies, at the start',
        env     => { UB_BINDIR => "$big" },
        kept    => [$PIPE],
        failing => qr/^big, 16 copies: failed: .*(?:heap|memory)/mi,
        command => [ $prlimit, '--as=200000000', "$tree/Run", @SHORT, qw(-c 16 big pipe) ]
    );
    my $popen = programs('popen|Popen|process||long 10||popen') . q{};
    for my $copies (1, 16) {
        my $word = $copies == 1 ? '1 copy' : "$copies copies";
        limited(
            fault   => "RLIMIT_AS, $word, in the middle",
            env     => { UB_BINDIR => $popen },
            run     => [ @LONG, '-c', $copies, qw(popen pipe) ],
            kept    => [$PIPE],
            failing =>
                qr/^popen, $word: failed: popen: Cannot allocate memory, after [1-9]\d* creations$/m,
            meanwhile => sub {
                my $pid = running_copy($_[0], 'popen');
                ok($pid && lower($pid, '--as=1'), 'lowered');
            }
        );
        limited(
            fault   => "RLIMIT_NOFILE, $word, in the middle",
            env     => { UB_BINDIR => $popen },
            run     => [ @LONG, '-c', $copies, qw(popen pipe) ],
            kept    => [$PIPE],
            failing =>
                qr/^popen, $word: failed: popen: Too many open files, after [1-9]\d* creations$/m,
            meanwhile => sub {
                my $pid = running_copy($_[0], 'popen');
                ok($pid && lower($pid, '--nofile=3:3'), 'lowered');
            }
        );
        limited(
            fault   => "RLIMIT_FSIZE, $word, in the middle",
            run     => [ @LONG, '-c', $copies, qw(fstime pipe) ],
            kept    => [$PIPE],
            failing =>
                qr/^fstime, $word: failed: write to a file in .*: File too large, after [1-9]\d* creations$/m,
            meanwhile => sub {
                my $pid = running_copy($_[0], 'filecopy');
                ok($pid && lower($pid, '--fsize=1000'), 'lowered');
            }
        );
    }
    limited(
        fault   => 'RLIMIT_NOFILE, 1 copy, at the start',
        kept    => [$PIPE],
        env     => { UB_BINDIR => programs('many|Many Files|process||long 10||fork --files 1000') },
        failing => qr/^many, 1 copy: (?:failed|skipped): .*(?:--files|open files)/m,
        status  => 0,
        command => [ $prlimit, '--nofile=100:100', "$tree/Run", @SHORT, qw(-c 1 many pipe) ]
    );
    limited(
        fault   => 'RLIMIT_NOFILE, 16 copies, at the start',
        kept    => [$PIPE],
        failing => qr/^fork, 16 copies: failed: copy \d+: pipe: Too many open files$/m,
        command => [ $prlimit, '--nofile=24:24', "$tree/Run", @SHORT, qw(-c 1 -c 16 fork pipe) ]
    );
    for my $copies (1, 16) {
        my $word = $copies == 1 ? '1 copy' : "$copies copies";
        limited(
            fault   => "RLIMIT_FSIZE, $word, at the start",
            kept    => [$PIPE],
            failing => qr/^fstime, $word: failed: write to a file in .*: File too large/m,
            command =>
                [ $prlimit, '--fsize=500000', "$tree/Run", @SHORT, '-c', $copies, qw(fstime pipe) ]
        );
    }
    my $unstored = limited(
        fault    => 'RLIMIT_FSIZE, results cannot be written',
        kept     => [$PIPE],
        unstored => 1,
        failing  => qr/^RESULT: /m,
        command  => [ $prlimit, '--fsize=6000', "$tree/Run", @SHORT, qw(-c 1 pipe) ]
    );
    like(
        $unstored->{err_text},
        qr/^Run: NOT STORED: .*File too large/m,
        'and it says that it was not stored'
    );
}

# ---- control groups ---------------------------------------------------------------

# A group of one's own, below the one that this process is in: its folder, or undef
sub group {
    my ($controller) = @_;
    for my $line (split /\n/, slurp_file('/proc/self/cgroup') || q{}) {
        my (undef, $names, $path) = split /:/, $line, 3;
        my $mount = $names eq q{} ? '/sys/fs/cgroup' : "/sys/fs/cgroup/$controller";
        next if $names ne q{} && !grep { $_ eq $controller } split /,/, $names;
        next if !-e "$mount$path/cgroup.procs";
        my $folder = "$mount$path/spawnmeter-test-$$";
        $folder =~ s{/+}{/}g;
        next if !mkdir $folder;
        return $folder
            if grep { -e "$folder/$_" }
            $controller eq 'pids' ? 'pids.max' : qw(memory.max memory.limit_in_bytes);
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

SKIP: {
    my $group = $root ? group('pids') : undef;
    skip aloud('no control group for pids can be made here'), 20 if !$group;
    my $why =
        qr/failed: fork: Resource temporarily unavailable; likely pids\.max of the cgroup = \d+, of which \d+ are in use, after \d+ creations$/m;
    set("$group/pids.max", 3);
    limited(
        fault   => 'pids.max, 1 copy, at the start',
        before  => enter($group),
        run     => [ @SHORT, qw(-c 1 fork pipe) ],
        kept    => [$PIPE],
        failing => $why
    );
    set("$group/pids.max", 12);
    limited(
        fault   => 'pids.max, 16 copies, at the start',
        before  => enter($group),
        run     => [ @SHORT, qw(-c 1 -c 16 fork pipe) ],
        kept    => [ $PIPE, qr/^Fork Throughput +\d/m ],
        failing =>
            qr/^fork, 16 copies: failed: copy \d+: cannot start a process: Resource temporarily unavailable$/m
    );
    for my $copies (1, 16) {
        set("$group/pids.max", 1000);
        limited(
            fault     => "pids.max, $copies cop" . ($copies == 1 ? 'y' : 'ies') . ', in the middle',
            before    => enter($group),
            run       => [ @LONG, '-c', $copies, qw(fork pipe) ],
            kept      => $copies == 1 ? [$PIPE] : [],
            failing   => $why,
            meanwhile => sub {
                my ($run) = @_;
                running_copy($run, 'fork');
                ok(set("$group/pids.max", 2), 'lowered');

                # for the others there is room again
                sleep 0.02
                    while slurp_file($run->{err}) !~ /failed/
                    && (slurp_file("/proc/$run->{pid}/stat") || ') Z') !~ /\) Z/;
                set("$group/pids.max", 1000);
            }
        );
    }
    sleep 0.1;
    ok(rmdir $group, 'the group is empty again');
}
SKIP: {
    my $group = $root ? group('memory') : undef;
    skip aloud('no control group for memory can be made here'), 20 if !$group;
    my $file = -e "$group/memory.max" ? "$group/memory.max" : "$group/memory.limit_in_bytes";
    set($file, 300 * 1024 * 1024);
    my $heap = programs(
        'big|Large Parent|process||long 10||fork --heap 900M',
        'medium|Larger Parent|process||long 10||fork --heap 100M',
        'little|Little Parent|process||long 10||fork --heap 10M'
    );
    limited(
        fault   => 'memory.max, 1 copy, at the start',
        before  => enter($group),
        env     => { UB_BINDIR => "$heap" },
        run     => [ @SHORT, qw(-c 1 big pipe) ],
        kept    => [$PIPE],
        status  => 0,
        failing => qr/^big, 1 copy: skipped: .*memory/m
    );
    limited(
        fault   => 'memory.max, 16 copies, at the start',
        before  => enter($group),
        env     => { UB_BINDIR => "$heap" },
        run     => [ @SHORT, qw(-c 16 medium pipe) ],
        kept    => [$PIPE],
        failing => qr/^medium, 16 copies: failed: .*killed by signal 9.*out of memory/m
    );

    # In the middle of a pass something else in the group takes what is left
    my $hog;
    for my $of ([ 1, 'medium', 1.5 ], [ 16, 'little', 4 ]) {
        my ($copies, $test, $slice) = @{$of};
        my $word = $copies == 1 ? '1 copy' : "$copies copies";
        limited(
            fault     => "memory.max, $word, in the middle",
            before    => enter($group),
            env       => { UB_BINDIR => "$heap" },
            run       => [ @LONG, '--slice', $slice, '-c', $copies, $test, 'pipe' ],
            kept      => [$PIPE],
            failing   => qr/^$test, $word: failed: .*killed by signal 9.*out of memory/m,
            meanwhile => sub {
                running_copy($_[0], 'fork');
                $hog = fork;
                die if !defined $hog;
                if ($hog == 0) {
                    enter($group)->();
                    my @memory;
                    push @memory, chr(65 + @memory) x 4_000_000 while @memory < 60;
                    sleep 60;
                    POSIX::_exit(0);
                }
                for (1 .. 200) { last if slurp_file($_[0]{err}) =~ /failed/; sleep 0.02 }
                kill 'KILL', $hog;
                waitpid $hog, 0;
                ok(1, 'something else has taken the memory');
            }
        );
    }
    sleep 0.1;
    ok(rmdir $group, 'the group is empty again');
}

# ---- numbers of processes ------------------------------------------------------------

# Only where they are the namespace's own, so that the machine's stays as it is
SKIP: {
    my ($major, $minor) = (POSIX::uname())[2] =~ /^(\d+)[.](\d+)/;
    skip aloud('kernel.pid_max is not a namespace\'s own before Linux 6.14'), 8
        if $major < 6 || ($major == 6 && $minor < 14);
    my @unshare = (tool('unshare'), qw(--pid --fork --mount-proc));
    skip aloud('no namespace of process numbers can be made here'), 8
        if !$root || !$unshare[0] || command({}, @unshare, '/bin/true')->{status} != 0;
    my $before = slurp_file('/proc/sys/kernel/pid_max');

    # its first process: leaves so many numbers, then runs the command; takes those, too,
    # for a while, after so many seconds; with its end all end
    my $init = <<'PERL';
use Time::HiRes qw(sleep);
my ($most, $leave, $later, @command) = @ARGV;
open my $out, '>', '/proc/sys/kernel/pid_max' or exit 125;
syswrite $out, $most or exit 125;
close $out;
my @sleepers;
my $one = sub { my $pid = fork; return 0 if !defined $pid; if (!$pid) { close STDOUT; close STDERR; sleep 300; exit } push @sleepers, $pid; return 1 };
while ($one->()) { }
kill 'KILL', splice @sleepers, -$leave;
1 while waitpid(-1, 1) > 0 or sleep(0.2) < 0;
sleep 0.2; 1 while waitpid(-1, 1) > 0;
my $pid = fork;
exec { $command[0] } @command if defined $pid && !$pid;
if ($later) {
    sleep $later;
    my $from = @sleepers;
    my $until = time + 3;
    while (time < $until) { $one->() or sleep 0.01 }
    kill 'KILL', splice @sleepers, $from;
}
1 while waitpid($pid, 0) < 0 && $!{EINTR};
my $status = $?;
kill 'KILL', @sleepers;
exit($status >> 8 || $status & 127);
PERL
    my $pids = sub {
        my ($leave, $later, @run) = @_;
        return command =>
            [ @unshare, $^X, '-MErrno', '-e', $init, 310, $leave, $later, "$tree/Run", @run ];
    };
    my $why =
        qr/^fork, (?:1 copy|16 copies): failed: (?:copy \d+: cannot start a process|fork): Resource temporarily unavailable/m;
    limited(
        fault   => 'kernel.pid_max of a namespace, 1 copy, at the start',
        kept    => [$PIPE],
        failing => $why,
        $pids->(3, 0, @SHORT, qw(-c 1 fork pipe))
    );
    limited(
        fault   => 'kernel.pid_max of a namespace, 16 copies, at the start',
        kept    => [ $PIPE, qr/^Fork Throughput +\d/m ],
        failing => $why,
        $pids->(23, 0, @SHORT, qw(-c 1 -c 16 fork pipe))
    );
    for my $copies (1, 16) {
        my $word = $copies == 1 ? '1 copy' : "$copies copies";
        limited(
            fault   => "kernel.pid_max of a namespace, $word, in the middle",
            kept    => [],
            failing => $why,
            $pids->(60, 1, @LONG, '-c', $copies, qw(--slice 2.5 fork pipe))
        );
    }
    is(slurp_file('/proc/sys/kernel/pid_max'), $before, 'the machine\'s own is as it was');
}
done_testing;
