# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run ab whose sides change the machine: --set-back runs however Run ends.  The state of the
# machine is a file here.
use lib 't/lib';
use TestHelp;
use Faults;

needs_proc();

my $tree = tree();
my $number = 0;
my @LONG = qw(-v --slice 0.05 --max-time 60 -c 1 --seed 5 fork vfork);

# The options, and the file that they change
sub sets {
    my (%with) = @_;
    my $state = spew("$tree/state" . ++$number, "before\n");
    my %command = (
        'set-a'    => "echo A >>$state",
        'set-b'    => "echo B >>$state",
        'set-back' => "echo back >>$state",
        %with
    );
    return ($state, map { ("--$_", $command{$_} =~ s/STATE/$state/gr) } sort keys %command);
}

sub last_line { my ($file) = @_; return (split /\n/, slurp_file($file))[-1] }

sub pending {
    my @files = glob "$tree/tmp/set-back-*";
    return scalar @files;
}

sub measuring {
    my ($state, @options) = @_;
    my $run = start({ tree => $tree }, 'ab', @LONG, @options);
    ok(printed($run, qr/ [4-9] pairs/), 'Run measures');
    is(pending(), 1, 'what is pending stands on the disk');
    return $run;
}

sub ab { my (@options) = @_; return finish(start({ tree => $tree }, 'ab', @options)) }

subtest 'SIGTERM' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    kill 'TERM', $run->{pid};
    finish($run);
    is(last_line($state), 'back', 'the state is set back');
    is(scalar(() = slurp_file($state) =~ /^back$/mg), 1, 'once');
    is(pending(), 0, 'nothing is pending');
    like($run->{out_text}, qr/^INCOMPLETE: Run was stopped by SIGTERM/m, 'the report says so');
    check_end('ab --set-a: SIGTERM', $run, status => 128 + 15);
};

subtest 'SIGKILL to Run' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    kill 'KILL', $run->{pid};
    finish($run);
    ok(wait_until(sub { return !pending() }), 'the guard sets the state back');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab --set-a: SIGKILL to Run', $run);
};

subtest 'SIGKILL to Run while a state is being set' => sub {
    my ($state, @options) = sets('set-b' => 'echo B >>STATE; sleep 30');
    my $run = start({ tree => $tree }, 'ab', @LONG, @options);
    ok(wait_until(sub { return last_line($state) eq 'B' }), 'it is being set');
    kill 'KILL', $run->{pid};
    finish($run);
    ok(wait_until(sub { return !pending() }), 'the guard sets the state back');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab --set-a: SIGKILL to Run while it sets', $run);
};

subtest 'SIGKILL to Run and guard' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    my $guard = pick_guard($run);
    ok($guard, 'the guard') or return kill 'KILL', $run->{pid};

    # stopped first: a Run whose guard is killed starts another
    kill 'STOP', $run->{pid};
    my $stopped = sub { return (slurp_file("/proc/$run->{pid}/stat") || q{}) =~ /.*\) T /s };
    ok(wait_until($stopped), 'Run is stopped');
    kill 'KILL', $guard, $run->{pid};
    finish($run);
    isnt(last_line($state), 'back', 'nobody sets the state back');
    my $next = finish(start({ tree => $tree }, qw(--slice 0.01 --max-time 0.2 -c 1 fork)));
    says(
        $next,
        qr/'echo back .*' sets it back; first run .\/Run ab --set-back-now$/m,
        'the next Run refuses to measure'
    );
    my $doctor = finish(start({ tree => $tree }, 'doctor'));
    like($doctor->{out_text}, qr/--set-back-now/, 'doctor says so, too');
    my $back = ab('--set-back-now');
    is($back->{status}, 0, './Run ab --set-back-now');
    is(last_line($state), 'back', 'sets the state back');
    is(pending(), 0, 'nothing is pending');
    $next = finish(start({ tree => $tree }, qw(--slice 0.01 --max-time 0.2 -c 1 fork)));
    is($next->{status}, 0, 'then the next Run measures');
    for my $process (processes($run)) { kill 'KILL', $process->{pid} }
    check_end('ab --set-a: SIGKILL to Run and guard', $run, files => qr/set-back/);
};

subtest 'a command that fails' => sub {
    my ($state, @options) = sets('set-a' => 'echo no such thing >&2; exit 3');
    my $run = ab(@LONG, @options);
    says($run, qr/^Run: --set-a '.*': exit status 3: no such thing$/m, '--set-a fails at once');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab: --set-a fails', $run);
    ($state, @options) = sets('set-b' => 'grep -q B STATE && exit 1; echo B >>STATE');
    $run = ab(@LONG, @options);
    says($run, qr/^Run: incomplete: --set-b '.*': exit status 1$/m, '--set-b fails later', 1);
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab: --set-b fails later', $run);
    ($state, @options) = sets('set-back' => 'test -e STATE.ok && echo back >>STATE');
    $run = ab(@LONG, '-i', 2, @options);
    says($run, qr/this machine is NOT set back: .*--set-back-now$/m, '--set-back fails', 1);
    is(pending(), 1, 'it stays pending');
    my $fails = ab('--set-back-now');
    is($fails->{status}, 1, '--set-back-now fails, too');
    like(
        slurp_file($fails->{out}),
        qr{NOT set back[.]  Where the command cannot succeed, .* remove \S.*/set-back-}s,
        'and says what to do'
    );
    spew("$state.ok", q{});
    is(ab('--set-back-now')->{status}, 0, 'and succeeds when the cause is gone');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab: --set-back fails', $run);
};

# As by whoever cleans up the tree meanwhile
my $other = q('{"command":"echo other >>STATE","folder":"/"}');
for my $case ([ removed => 'rm -f' ], [ replaced => "echo $other | tee" ]) {
    my ($what, $command) = @{$case};
    subtest "the pending file is $what in mid-run" => sub {
        my ($state, @options) = sets('set-b' => "$command $tree/tmp/set-back-*");
        my $run = ab(@LONG, '-i', 2, @options);
        is(last_line($state), 'back', 'the state is set back');
        unlike(slurp_file($state), qr/other/, 'by no other command');
        is(pending(), 0, 'nothing is pending');
        check_end("ab: the pending file is $what in mid-run", $run, status => 0);
    };
}

subtest 'a process in the background' => sub {
    my ($state, @options) =
        sets('set-b' => 'sleep 600 & echo $! >STATE.pid', 'set-back' => 'kill $(cat STATE.pid)');
    my $run = ab(@LONG, '-i', 1, @options);
    my $agent = slurp_file("$state.pid") + 0;
    ok(wait_until(sub { return exited($agent) }), 'is stopped');
    check_end('ab: --set-b starts a process', $run, status => 0);

    # It leaves its session only when the command has ended
    my $daemon = 'perl -MPOSIX -e "exit if fork; setsid; sleep 1; exit if fork;'
        . ' open F, q{>}, q{STATE.pid}; print F \$\$; close F; sleep 600"';
    ($state, @options) = sets(
        'set-b'    => "test -e STATE.begun || { : >STATE.begun; $daemon; }",
        'set-back' => 'true'
    );
    my @passes = map { $_ eq '0.05' ? '1.5' : $_ } @LONG;
    $run = ab(@passes, '-i', 2, @options);
    is($run->{status}, 0, 'a daemon') or diag $run->{err_text};
    ok(wait_until(sub { return -s "$state.pid" }), 'leaves the session of its command') or return;
    $agent = slurp_file("$state.pid") + 0;
    ok(!exited($agent), 'stays, though it became an orphan while a pass ran');
    kill 'KILL', $agent;
};

subtest 'doctor meanwhile' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    my $doctor = finish(start({ tree => $tree, results => $run->{results} }, 'doctor'));
    my $words = $doctor->{out_text} =~ s/\s+/ /gr;
    like(
        $words,
        qr{[(]a Run measures, .* [.]/Run ab --set-back-now, which waits for a Run that measures},
        'doctor, while it measures'
    );
    kill 'INT', $run->{pid};
    finish($run);
    is(last_line($state), 'back', 'which is so');
};

done_testing;
