# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run ab whose sides change the machine: --set-back runs however Run ends.  The state of the
# machine is a file here.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use SpawnMeter::Util::Json qw(decode);
use Time::HiRes            qw(sleep time);

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

sub last_line  { my ($file) = @_; return (split /\n/, slurp_file($file))[-1] }
sub times_back { my ($file) = @_; return scalar(() = slurp_file($file) =~ /^back$/mg) }

sub pending {
    my @files = glob "$tree/tmp/set-back-*";
    return scalar @files;
}

# The guard leads a session of its own, as no copy of a native test does
sub guard {
    my ($run) = @_;
    return pick(
        $run,
        sub {
            my ($process) = @_;
            my $stat = slurp_file("/proc/$process->{pid}/stat") || q{};
            return $process->{parent} == $run->{pid}
                && $stat =~ /.*\) \S \d+ \d+ $process->{pid} /s;
        }
    );
}

# Is it so, at the latest after 60 s?
sub becomes {
    my ($check) = @_;
    my $deadline = time + 60;
    while (time < $deadline) {
        return 1 if $check->();
        sleep 0.02;
    }
    return 0;
}

sub measuring {
    my ($state, @options) = @_;
    my $run = start({ tree => $tree }, 'ab', @LONG, @options);
    ok(printed($run, qr/ [4-9] pairs/), 'Run measures');
    is(pending(), 1, 'what is pending stands on the disk');
    return $run;
}

sub ab { my (@options) = @_; return finish(start({ tree => $tree }, 'ab', @options)) }

for my $signal (qw(INT TERM HUP)) {
    subtest "SIG$signal" => sub {
        my ($state, @options) = sets();
        my $run = measuring($state, @options);
        kill $signal, $run->{pid};
        finish($run);
        my %number = (INT => 2, TERM => 15, HUP => 1);
        is($run->{status}, 128 + $number{$signal}, 'status');
        is(last_line($state), 'back', 'the state is set back');
        is(times_back($state), 1, 'once');
        is(pending(), 0, 'nothing is pending');
        like(
            $run->{out_text},
            qr/^INCOMPLETE: Run was stopped by SIG$signal/m,
            'the report says so'
        );
        like($run->{err_text}, qr/^To go on: .* --resume \S+/m, 'and how to go on');
        check_end("ab --set-a: SIG$signal", $run);
    };
}

subtest 'SIGKILL to Run' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    kill 'KILL', $run->{pid};
    finish($run);
    ok(becomes(sub { return !pending() }), 'the guard sets the state back');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab --set-a: SIGKILL to Run', $run);
};

subtest 'SIGKILL to Run while a state is being set' => sub {
    my ($state, @options) = sets('set-b' => 'echo B >>STATE; sleep 30');
    my $run = start({ tree => $tree }, 'ab', @LONG, @options);
    ok(becomes(sub { return last_line($state) eq 'B' }), 'it is being set');
    kill 'KILL', $run->{pid};
    finish($run);
    ok(becomes(sub { return !pending() }), 'the guard sets the state back');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab --set-a: SIGKILL to Run while it sets', $run);
};

subtest 'SIGKILL to Run and guard' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    my $guard = guard($run);
    ok($guard, 'the guard') or return kill 'KILL', $run->{pid};

    # stopped first: a Run whose guard is killed starts another
    kill 'STOP', $run->{pid};
    my $stopped = sub { return (slurp_file("/proc/$run->{pid}/stat") || q{}) =~ /.*\) T /s };
    ok(becomes($stopped), 'Run is stopped');
    kill 'KILL', $guard, $run->{pid};
    finish($run);
    isnt(last_line($state), 'back', 'nobody sets the state back');
    my $next = finish(start({ tree => $tree }, qw(--slice 0.01 --max-time 0.2 -c 1 fork)));
    is($next->{status}, 2, 'the next Run refuses to measure');
    like(
        $next->{err_text},
        qr/'echo back .*' sets it back; first run .\/Run ab --set-back-now$/m,
        'and says what to do'
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
    is($run->{status}, 2, '--set-a fails at once');
    like($run->{err_text}, qr/^Run: --set-a '.*': exit status 3: no such thing$/m, 'says so');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab: --set-a fails', $run);
    ($state, @options) = sets('set-b' => 'grep -q B STATE && exit 1; echo B >>STATE');
    $run = ab(@LONG, @options);
    is($run->{status}, 1, '--set-b fails later');
    like($run->{err_text}, qr/^Run: incomplete: --set-b '.*': exit status 1$/m, 'says so');
    is(last_line($state), 'back', 'the state is set back');
    check_end('ab: --set-b fails later', $run);
    ($state, @options) = sets('set-back' => 'test -e STATE.ok && echo back >>STATE');
    $run = ab(@LONG, '-i', 2, @options);
    is($run->{status}, 1, '--set-back fails');
    like($run->{err_text}, qr/this machine is NOT set back: .*--set-back-now$/m, 'says so');
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

subtest 'a process in the background' => sub {
    my ($state, @options) =
        sets('set-b' => 'sleep 600 & echo $! >STATE.pid', 'set-back' => 'kill $(cat STATE.pid)');
    my $run = ab(@LONG, '-i', 1, @options);
    is($run->{status}, 0, 'an agent that is started and stopped') or diag $run->{err_text};
    my $agent = slurp_file("$state.pid") + 0;
    ok(becomes(sub { return exited($agent) }), 'is stopped');
    check_end('ab: --set-b starts a process', $run);

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
    ok(becomes(sub { return -s "$state.pid" }), 'leaves the session of its command');
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
        qr/a Run that is measuring has put this machine into another state, and sets it back/,
        'doctor, while it measures'
    );
    kill 'INT', $run->{pid};
    finish($run);
    is(last_line($state), 'back', 'which is so');
};

subtest 'taken up again' => sub {
    my ($state, @options) = sets();
    my $run = measuring($state, @options);
    kill 'INT', $run->{pid};
    finish($run);
    my ($name) = $run->{err_text} =~ /^To go on: .* --resume (\S+)/m;
    my %with = (tree => $tree, results => $run->{results});
    my @short = map { $_ eq '60' ? '2' : $_ } @LONG;
    my $next = finish(start(\%with, 'ab', @short, @options, '--resume', $name));
    is($next->{status}, 0, '--resume') or diag $next->{err_text};
    my ($then, $now) = map { decode(slurp_file($_)) } sort glob "$run->{results}/*.json";
    my @then = map { "$_->{round} $_->{test} $_->{side} $_->{rate}" } @{ $then->{passes} };
    my @now = map { "$_->{round} $_->{test} $_->{side} $_->{rate}" } @{ $now->{passes} };
    cmp_ok(@now, '>', @then, 'more passes are measured');
    is_deeply([ @now[ 0 .. $#then ] ], \@then, 'after those of the run');
    is($now->{complete}, 1, 'and the run is complete');
    my @at = map { $_->{at} } @{ $now->{passes} };
    is_deeply(\@at, [ sort { $a <=> $b } @at ], 'their times go on');
    $next = finish(start(\%with, 'ab', @short, '--b', q{}, '--resume', $name));
    is($next->{status}, 2, 'with other sides');
    like($next->{err_text}, qr/^Run: --resume \S+: that run has other .*\bsides; /m, 'is refused');
};

done_testing;
