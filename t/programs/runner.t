# SPDX-License-Identifier: GPL-2.0-or-later
# The outcome of a pass with programs that misbehave.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Measure::Runner;
use Time::HiRes qw(time);

my $log = File::Temp->new;
SpawnMeter::Util::Cleanup::begin();

sub run_program {
    my ($name, %with) = @_;
    return SpawnMeter::Measure::Runner->new(%{ delete $with{runner} || {} })->run({
        program   => "$ROOT/t/programs/$name",
        arguments => [],
        copies    => 1,
        gate      => 1,
        timeout   => 60,
        folder    => q{/},
        log       => $log,
        %with
    });
}

# Every process whose command line names this folder: ours that were left
sub left {
    my @left;
    for my $path (glob '/proc/[0-9]*/cmdline') {
        my ($pid) = $path =~ /(\d+)/;
        next if $pid == $$;
        my $line = slurp_file($path);
        push @left, $line if defined $line && $line =~ m{\Q$ROOT\E/t/programs/(?!runner)};
    }
    return @left;
}

my @table = (
    [ 'good'        => 'ok', undef ],
    [ 'closes'      => 'ok', undef ],
    [ 'leaves'      => 'ok', undef ],
    [ 'skips'       => 'skipped', qr/^this machine has no such call$/ ],
    [ 'garbage'     => 'failed', qr/^the test printed: \\x1b\[31mSegmentation fault\\x07$/ ],
    [ 'nothing'     => 'failed', qr/^the test printed no COUNT line$/ ],
    [ 'half-a-line' => 'failed', qr/^the test printed an incomplete line: COUNT\|100\|1$/ ],
    [ 'killed'      => 'failed', qr/^the test was killed by signal 11$/ ],
    [ 'fails'    => 'failed', qr/^fork: Resource temporarily unavailable, after 812 creations$/ ],
    [ 'exits-3'  => 'failed', qr/^the test exited with status 3: COUNT/ ],
    [ 'negative' => 'failed', qr/malformed line: COUNT\|-1/ ],
    [ 'huge'     => 'failed', qr/malformed line: COUNT\|10000/ ],
    [ 'floods'   => 'failed', qr/^printed too much output$/ ],
    [ 'no-such'  => 'failed', qr/cannot run .*no-such: No such file/ ],
);
for my $case (@table) {
    my ($name, $status, $reason) = @{$case};
    for my $copies (1, 3) {
        my $got = run_program($name, copies => $copies);
        is($got->{status}, $status, "$name, $copies copies: $status");
        like($got->{reason}, $reason, "$name: the reason") if defined $reason;
        is(scalar @{ $got->{results} }, $copies, "$name: a result for each copy")
            if $status eq 'ok';
    }
}

my $began = time;
my $hung = run_program('hangs', timeout => 1, copies => 2);
is($hung->{status}, 'failed', 'a program that hangs fails');
like($hung->{reason}, qr/^timed out after 1 s$/, 'a program that hangs: the reason');
cmp_ok(time - $began, '<', 60, 'a program that ignores SIGTERM is killed');

my $stop = 0;
$began = time;
my $stopped =
    run_program('hangs', timeout => 60, runner => { stopped => sub { return $stop++ > 2 } });
is($stopped->{status}, 'stopped', 'a stop ends the pass');
cmp_ok(time - $began, '<', 60, 'before its time-out');

{
    # the clock is handed in: no real time passes until its time-out
    my $fake = 0;
    my $got = run_program('hangs', timeout => 12, runner => { clock => sub { return $fake += 2 } });
    like($got->{reason}, qr/timed out after 12 s/, 'time-outs go by the clock that it is given');

    # Run was stopped, or the machine was suspended: that is not the program's time
    my ($later, $turn) = (0, 0);
    $got = run_program(
        'slow',
        timeout => 10,
        runner  => { clock => sub { return $later += $turn++ == 4 ? 1000 : 0.01 } }
    );
    is($got->{status}, 'ok', 'a jump of 1000 s is no time-out');
}

SKIP: {
    skip 'no /proc to look for processes in', 5 if !-r '/proc/self/environ';
    wait_until(sub { !left() });
    is_deeply([ left() ], [], 'no process is left');
    waitpid -1, 1;
    is(waitpid(-1, 1), 0, 'no zombie is left');
    for my $copies (1, 3) {
        is(run_program('escapes', copies => $copies)->{status}, 'ok',
            "escapes, $copies copies: ok");
        is_deeply([ left() ],
            [], "escapes, $copies copies: a process that left its session is ended with the pass");
    }
}

my $two = run_program('good', copies => 2);
is($two->{results}[1]{count}, 100, 'copies: each has its own result');
done_testing;
