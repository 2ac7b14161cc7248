# SPDX-License-Identifier: GPL-2.0-or-later
# Signals to the process that cleans up after Run (the guard), and SIGKILL to both.  A
# killed guard is replaced, and its successor does its work; a stopped guard does not keep
# Run from ending; the temporary folder of a Run that was killed with its guard is removed
# by the next Run of the same user (t/unit/Util/FolderTemporary.t: and no other folder is).
use lib 't/lib';
use TestHelp;
use Faults;
use Faults::Random;
use Time::HiRes qw(sleep);

needs_proc();

my @SHORT = qw(-v --slice 0.05 --max-time 0.6 -c 2 --seed 5);
my @LONG = qw(-v --slice 0.05 --max-time 60 -c 1 --seed 5 vfork clone);
my @TESTS = qw(vfork clone fork forkexec);
my $MEASURED = qr/^  \S.* \d+ pass/m;

# It leads a session of its own, as no copy of a native test does
sub is_guard {
    my ($run, $process) = @_;
    return 0 if $process->{parent} != $run->{pid};
    my $stat = slurp_file("/proc/$process->{pid}/stat") || q{};
    return $stat =~ /.*\) \S \d+ \d+ $process->{pid} /s;
}

sub guard {
    my ($run, $but) = @_;
    return pick($run, sub { (!$but || $_[0]{pid} != $but) && is_guard($run, $_[0]) });
}

# Its number; undef, and a failed check, where there is none: kill would take that for our group
sub signal_guard {
    my ($run, $signal) = @_;
    my $guard = guard($run);
    ok($guard && kill($signal, $guard), "SIG$signal was sent to the guard");
    return $guard;
}

# No process of a Run that did not end as it should keeps the next from measuring
sub check_end_of {
    my ($fault, @runs) = @_;
    check_end($fault, \@runs);
    for my $process (map { processes($_) } @runs) {
        kill 'KILL', $process->{pid};
    }
    return;
}

sub measuring {
    my ($with, @arguments) = @_;
    my $run = start($with, @arguments);
    ok(printed($run, $MEASURED), 'Run measures');
    return $run;
}

sub all_measured {
    my ($run) = @_;
    return "status $run->{status}" if $run->{status} != 0;
    my ($failed) = $run->{out_text} =~ /(.*(?:failed|skipped):.*)/;
    return $failed;
}

# ---- SIGKILL to the guard -----------------------------------------------------------------

at_random_moments(
    'SIGKILL to the guard',
    run    => [ @SHORT, @TESTS ],
    from   => 0.3,
    inject => sub {
        my $guard = guard($_[0]);
        return $guard && kill 'KILL', $guard;
    },
    expect => \&all_measured
);
subtest 'SIGKILL to each guard, again and again' => sub {
    my $run = start({}, @SHORT, @TESTS);
    my $killed = 0;
    while (my $guard = guard($run)) { $killed += kill 'KILL', $guard; sleep 0.05 }
    finish($run);
    cmp_ok($killed, '>', 1, 'more than one guard was killed');
    is(all_measured($run), undef, 'every test is measured') or diag $run->{err_text};
    check_end_of('SIGKILL to each guard, again and again', $run);
};
subtest 'SIGKILL to the guard, then to Run' => sub {
    my $run = measuring({}, @LONG);
    my $guard = signal_guard($run, 'KILL') or return;
    ok(guard($run, $guard), 'another guard is started');
    kill 'KILL', $run->{pid};
    finish($run);
    check_end_of('SIGKILL to the guard, then to Run', $run);
};

# ---- SIGSTOP to the guard -----------------------------------------------------------------

subtest 'SIGSTOP to the guard' => sub {
    my $run = measuring({}, @SHORT, @TESTS);
    signal_guard($run, 'STOP');
    finish($run, 60);
    is($run->{hung}, undef, 'Run ends by itself');
    is(all_measured($run), undef, 'every test is measured');
    check_end_of('SIGSTOP to the guard', $run);
};
subtest 'SIGSTOP to the guard, then SIGTERM to Run' => sub {
    my $run = measuring({}, @LONG);
    signal_guard($run, 'STOP');
    kill 'TERM', $run->{pid};
    finish($run, 60);
    is($run->{status}, 143, 'status 143');
    check_end_of('SIGSTOP to the guard, then SIGTERM to Run', $run);
};
subtest 'SIGSTOP to the guard, again and again' => sub {
    my $run = measuring({}, @LONG);
    my $guard = signal_guard($run, 'STOP') or return;
    kill 'TERM', $run->{pid};
    for (1 .. 6000) { last if exited($run->{pid}); kill 'STOP', $guard; sleep 0.01 }
    ok(exited($run->{pid}), 'Run ends by itself');
    finish($run, 1);
    is($run->{status}, 143, 'status 143');
    check_end_of('SIGSTOP to the guard, again and again', $run);
};

# ---- SIGKILL to both ----------------------------------------------------------------------

sub folders {
    my ($run) = @_;
    return grep { -d } glob "\Q$run->{tmp}\E/spawnmeter-*";
}

# A Run that was killed with its guard; Run is stopped first, lest it start another one
sub killed_with_its_guard {
    my ($with) = @_;
    my $run = measuring($with, @LONG);
    kill 'STOP', $run->{pid};
    signal_guard($run, 'KILL');
    kill 'KILL', $run->{pid};
    finish($run);
    is_deeply([ still_running($run) ], [], 'no process is left');
    is(scalar folders($run), 1, 'the temporary folder is left');
    return $run;
}

my $BOTH = 'SIGKILL to Run and to its guard';
subtest $BOTH => sub {
    my $killed = killed_with_its_guard({});
    my $next = start({ tmp => $killed->{tmp} }, @SHORT, 'vfork');
    finish($next);
    is($next->{status}, 0, 'the next Run has status 0');
    check_end_of($BOTH, $killed, $next);
};
subtest 'two Runs share UB_TMPDIR' => sub {
    my $first = measuring({}, @LONG);
    my ($folder) = folders($first);
    my $second = finish(start({ tree => tree(), tmp => $first->{tmp} }, @SHORT, 'vfork'));
    is($second->{status}, 0, 'the second has status 0');
    is_deeply([ folders($first) ], [$folder], 'the folder of the first is not removed');
    kill 'TERM', $first->{pid};
    is(finish($first)->{status}, 143, 'the first measured until its SIGTERM');
    check_end_of('two Runs share UB_TMPDIR', $first, $second);
};

done_testing;
