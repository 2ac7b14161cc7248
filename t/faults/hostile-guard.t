# SPDX-License-Identifier: GPL-2.0-or-later
# Signals to the process that cleans up after Run (the guard), and SIGKILL to both.  Run does
# the work of a killed guard; a stopped guard does not keep Run from ending; a temporary folder is
# all that is left of a Run that was killed with its guard.
use lib 't/lib';
use TestHelp;
use Faults;
use File::Path ();

needs_proc();

my @SHORT = qw(-v --slice 0.05 --max-time 0.6 -c 2 --seed 5);
my @LONG = qw(-v --slice 0.05 --max-time 60 -c 1 --seed 5 vfork clone);
my @TESTS = qw(vfork clone fork forkexec);
my $MEASURED = qr/^  \S.* \d+ pass/m;

# Its number; undef, and a failed check, where there is none: kill would take that for our group
sub signal_guard {
    my ($run, $signal) = @_;
    my $guard = pick_guard($run);
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
    my (@arguments) = @_;
    my $run = start({}, @arguments);
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

subtest 'SIGKILL to the guard' => sub {
    my $run = measuring(@SHORT, @TESTS);
    signal_guard($run, 'KILL');
    finish($run);
    is(all_measured($run), undef, 'every test is measured') or diag $run->{err_text};
    check_end_of('SIGKILL to the guard', $run);
};

# ---- SIGSTOP to the guard -----------------------------------------------------------------

subtest 'SIGSTOP to the guard' => sub {
    my $run = measuring(@SHORT, @TESTS);
    signal_guard($run, 'STOP');
    finish($run);
    is($run->{hung}, undef, 'Run ends by itself');
    is(all_measured($run), undef, 'every test is measured');
    check_end_of('SIGSTOP to the guard', $run);
};
subtest 'SIGSTOP to the guard, again and again' => sub {
    my $run = measuring(@LONG);
    my $guard = signal_guard($run, 'STOP') or return;
    kill 'TERM', $run->{pid};
    wait_until(sub { exited($guard) || !kill 'STOP', $guard });    # its number can be used again
    ok(wait_until(sub { exited($run->{pid}) }), 'Run ends by itself');
    finish($run, 1);
    is($run->{status}, 143, 'status 143');
    check_end_of('SIGSTOP to the guard, again and again', $run);
};

# ---- SIGKILL to both ----------------------------------------------------------------------

sub folders {
    my ($run) = @_;
    return grep { -d } glob "\Q$run->{tmp}\E/spawnmeter-*";
}

my $BOTH = 'SIGKILL to Run and to its guard';
subtest $BOTH => sub {
    my $killed = measuring(@LONG);
    signal_guard($killed, 'KILL');
    kill 'KILL', $killed->{pid};
    finish($killed);
    is_deeply([ still_running($killed) ], [], 'no process is left');
    my @left = folders($killed);
    is(scalar @left, 1, 'the temporary folder is left');
    File::Path::remove_tree(@left);
    check_end_of($BOTH, $killed);
};
done_testing;
