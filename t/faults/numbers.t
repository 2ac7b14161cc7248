# SPDX-License-Identifier: GPL-2.0-or-later
# What makes numbers wrong without a failure: a copy that is stopped, once or again and again,
# CPUs that are taken away in mid-run, a copy that is moved, strace, a monotonic clock that goes
# back or is slow to read, variables of the loader.  Each is flagged, reported, or an error of
# the pass; the time of the test is not used up.
use lib 't/lib';
use TestHelp;
use Faults;
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Analysis::Results       qw(results);
use Time::HiRes                         qw(sleep);

plan skip_all => 'the faults are those of Linux' if $^O ne 'linux';
needs_proc();

my $MAX_TIME = 2;
my @SHORT = (qw(-v --slice 0.1 --precision 0.001% -c 1 --max-time), $MAX_TIME);

# In the report a list is folded
sub report { my ($run) = @_; return $run->{out_text} =~ s/\s+/ /gr }

subtest 'a copy that is stopped for 2 s' => sub {
    my $run = start({}, @SHORT, 'fork');
    printed($run, qr/ 2 passes/);
    my ($copy, $stopped);
    for (1 .. 20) {    # it may end just then
        $copy = pick_copy($run, 'fork') or last;
        last if $stopped = kill('STOP', -$copy) && !exited($copy);
    }
    ok($stopped, 'it is stopped');
    sleep 2;
    kill 'CONT', -$copy;
    finish($run);
    my @passes = @{ stored($run)->{passes} };
    my @stalled = grep { $_->{machine}{stall} } @passes;
    cmp_ok(scalar @stalled, '>=', 1, 'a pass is marked');
    my @others = grep { !$_->{machine}{stall} } @passes;
    cmp_ok(sum(map { $_->{wall} } @others) + $others[-1]{wall},
        '>', $MAX_TIME, 'the others have the whole time of the test');
    like(report($run), qr/took far too long in \d+/, 'the report says so');
    check_end('a copy that is stopped for 2 s', $run, status => 0);
};

# Each pass for a moment, too short to be far too long
subtest 'copies that are stopped and continued' => sub {
    my $run = start({}, @SHORT, 'fork');
    my $stopped = 0;
    while (!exited($run->{pid})) {
        my $copy = pick_copy($run, 'fork', 1) or next;
        $stopped++ if kill 'STOP', -$copy;
        sleep 0.02;
        kill 'CONT', -$copy;
        sleep 0.01;
    }
    finish($run);
    cmp_ok($stopped, '>', 0, 'they were');
    like(report($run), qr/stopped by a signal in \d+/, 'the report says so');
    my @flagged = grep { $_->{results}[0]{disturb}{stops} } @{ stored($run)->{passes} };
    cmp_ok(scalar @flagged, '>=', 1, 'passes are marked');
    check_end('copies that are stopped and continued', $run, status => 0);
};

SKIP: {
    my ($cpus) = (slurp_file('/proc/self/status') || q{}) =~ /^Cpus_allowed_list:\s*(\S+)/m;
    skip skip_reason('one CPU, or no taskset: none can be taken away'), 1
        if !tool('taskset') || $cpus =~ /^\d+$/;
    my ($first) = $cpus =~ /^(\d+)/;
    subtest 'CPUs are taken away in mid-run' => sub {
        my $run = start({}, @SHORT, 'fork');
        printed($run, qr/ 2 passes/);
        my $taskset = command({}, tool('taskset'), '-pc', $first, $run->{pid});
        is($taskset->{status}, 0, 'they are taken away');
        finish($run);
        like(report($run), qr/usable CPUs changed in \d+/, 'the report says so');
        my @passes = @{ stored($run)->{passes} };
        is($passes[0]{machine}{cpus_changed}, undef, 'the first pass is not flagged');
        ok($passes[-1]{machine}{cpus_changed}, 'the last one is');
        check_end('CPUs are taken away in mid-run', $run, status => 0);
    };
}

# By a daemon that looks after processes, for one: a niceness, which needs no root
subtest 'a copy that is moved while it is timed' => sub {
    my $run = start({}, @SHORT, '--slice', '0.4', 'fork');
    printed($run, qr/ 1 pass/);
    my $copy;
    while (!exited($run->{pid})) {
        my $next = pick_copy($run, 'fork', 1) or next;
        sleep 0.2 if !defined $copy || $next != $copy;    # in the timed part of some
        setpriority 0, $copy = $next, 10;
    }
    finish($run);
    my $reason = 'moved to another control group, CPUs or priority';
    like(report($run), qr/\Q$reason\E in \d+/, 'the report says so');
    check_end('a copy that is moved while it is timed', $run, status => 0);
};

subtest 'variables of the loader' => sub {
    my %long = (LD_LIBRARY_PATH => join(q{:}, map { "/nonexistent/$_" } 1 .. 40));
    my $run = finish(start({ env => \%long }, @SHORT, '--brief', 'forkexec'));
    like(report($run), qr/LOADER: LD_LIBRARY_PATH changed/, 'the report says so');
    is(stored($run)->{system}{loader}, 'LD_LIBRARY_PATH', 'it is stored, without the value');
    my $doctor = command({ env => \%long }, "$ROOT/Run", 'doctor');
    like(
        $doctor->{out} =~ s/\s+/ /gr,
        qr/- Set here: LD_LIBRARY_PATH[.] This changes what/,
        'doctor, too'
    );
    check_end('variables of the loader', $run, status => 0);
};

SKIP: {
    my $strace = tool('strace');
    skip skip_reason('strace is not installed, or may not trace'), 1
        if !$strace || command({}, $strace, '-o', '/dev/null', '/bin/true')->{status} != 0;
    subtest 'strace on Run' => sub {
        my @traced = ($strace, qw(-f -o /dev/null -e trace=none));
        my $run = start({ command => [ @traced, $^X, tree() . '/Run', @SHORT, 'vfork' ] });
        finish($run);
        like(report($run), qr/under strace or a debugger in \d+/, 'the report says so');
        like(report($run), qr/! 1 of 1 results: | BUSY: /, 'the result is marked');
        my $stored = stored($run);
        my ($result) = @{ results($stored) };
        ok($result->{disturbed}, 'and disturbed');
        is($result->{flagged}, $result->{passes}, 'by each of its passes');
        my @passes = @{ $stored->{passes} };
        is(
            scalar(grep { $_->{results}[0]{disturb}{traced} } @passes),
            scalar @passes,
            'in each pass the program saw the tracer'
        );
        check_end('strace on Run', $run, status => 0);
    };
}

SKIP: {
    my $folder = File::Temp->newdir('sm-clock-XXXXXX', TMPDIR => 1);
    my $library = compiled('clock');
    skip 'clock.c cannot be compiled here', 2 if !$library;

    subtest 'the monotonic clock goes back' => sub {
        my %fake = (LD_PRELOAD => $library, FAKE_FROM => "$folder/from", FAKE_BACK => 3);
        my $run = start({ env => \%fake }, qw(-v --slice 20 --max-time 40 -c 1 fork));
        my $copy = pick_copy($run, 'fork');
        wait_until(sub {    # until it creates: its children had page faults
            (split q{ }, (slurp_file("/proc/$copy/stat") || q{}) =~ s/.*\) //sr)[8];
        });
        sleep 0.2;
        spew("$folder/from", q{});
        finish($run);
        like(
            report($run),
            qr/fork +failed: the monotonic clock went back by [23][.]\d+ s, after \d+ cre/,
            'an error of the pass'
        );
        check_end('the monotonic clock goes back', $run, status => 1);
    };

    subtest 'the monotonic clock jumps' => sub {
        unlink "$folder/from";
        my %fake = (LD_PRELOAD => $library, FAKE_FROM => "$folder/from", FAKE_BACK => -5000);
        my $jump = sub {
            wait_until(sub { -s "$folder/ready" });
            sleep 0.5;
            spew("$folder/from", q{});
        };
        my $got = parse(
            command(
                { env => \%fake, meanwhile => $jump },
                'sh', '-c', 'exec 8</dev/null 9>"$1"; exec "$0" --gate 8,9 200',
                "$ROOT/pgms/fork", "$folder/ready"
            )->{err}
        );
        my $us = 0;
        $us += $_ for $got->{progress} =~ /(\d+):/g;
        cmp_ok($got->{time}, '>', 5000, 'the jump is in TIME');
        cmp_ok(abs($us / 1e6 - $got->{time}), '<', 1e-3, 'and in PROGRESS');
    };

    subtest 'how many creations were timed' => sub {

        # again where other work on the machine made the first iterations long
        my $slow;
        for (1 .. 5) {
            my %fake = (LD_PRELOAD => $library, FAKE_SLOW => 2000);
            $slow =
                parse(command({ env => \%fake }, "$ROOT/pgms/syscall", '--count', 20_000)->{err});
            last if $slow->{timed} < $slow->{count};
        }
        is($slow->{count}, 20_000, 'a clock that is slow to read: all are counted');
        cmp_ok($slow->{timed}, '<', 20_000, 'a share of them is timed');
        cmp_ok($slow->{timed}, '>=', 16, 'and the first ones are');
        my @long = ("$ROOT/pgms/forkexec", qw(--count 20 --exec /bin/sh -- -c), 'sleep 0.05');
        my $all = parse(command({}, @long)->{err});
        is($all->{timed}, 20, 'long creations: each is timed');
    };
}
done_testing;
