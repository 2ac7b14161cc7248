# SPDX-License-Identifier: GPL-2.0-or-later
# Commands: their output, their status, and what they inherit.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Process qw(output output_of);

my $folder = scratch();

subtest 'output' => sub {
    is_deeply(
        [ output('/bin/sh', '-c', 'echo a; echo b >&2; exit 3') ],
        [ 3 << 8, "a\nb\n" ],
        'both outputs and the status'
    );
    open my $kept, '<&', \*STDIN                     or die;
    open STDIN, '<', spew("$folder/input", "ours\n") or die;
    is((output('/bin/sh', '-c', 'read x; echo "[$x]"'))[1], "[]\n", 'nothing on standard input');
    open STDIN, '<&', $kept or die;
    is((output('/bin/echo', '$HOME; *'))[1], "\$HOME; *\n", 'no shell');
};

subtest 'output_of' => sub {
    my ($status) = output_of({ line => [ '/bin/sh', '-c', 'exec sleep 60' ], seconds => 0.2 });
    is($status, 9, 'seconds without output: killed');
    local $SIG{USR1} = sub { };
    my $signals = 'for i in 1 2 3; do sleep 0.2; kill -USR1 $PPID; done; exec sleep 20';
    ($status) = output_of({ line => [ '/bin/sh', '-c', $signals ], seconds => 1 });
    is($status, 9, 'a signal does not end the limit');
};

# Runs a shell script by start -> its standard error
sub started {
    my ($script, %with) = @_;
    my $process = SpawnMeter::Util::Process::start(
        { line => [ '/bin/sh', '-c', $script ], folder => "$folder", %with });
    my $text = q{};
    waitpid $process->{pid}, 0;
    1 while sysread $process->{err}, $text, 4096, length $text;
    SpawnMeter::Util::Cleanup::ungroup($process->{pid});
    return $text;
}

subtest 'start' => sub {
    local $ENV{SM_UNSET} = 1;
    is(
        started(
            'echo "$SM_SET-${SM_UNSET-unset}" >&2',
            environment => { SM_SET => 2, SM_UNSET => q{} }
        ),
        "2-unset\n",
        'variables that are set and unset'
    );
    is(started('read x; echo "$x" >&2', input => spew("$folder/input", "hello\n")),
        "hello\n", 'standard input from a file');
    my $log = File::Temp->new;
    is(started('echo out; echo err >&2', log => $log), "err\n", 'standard error is read');
    is(slurp_file("$log"), "out\n", 'standard output goes to the log');
    like(
        started('true', line => ["$folder/none"]),
        qr{^ERROR\|cannot run \Q$folder\E/none: No such},
        'a program that does not exist'
    );
};

subtest 'much output' => sub {
    my ($status, $words) = output('/bin/sh', '-c', 'exec head -c 6000000 /dev/zero');
    is($status, 0, 'the command ends');
    cmp_ok(length $words, '>=', 4 * 1024 * 1024, 'the beginning is kept');
    cmp_ok(length $words, '<', 6_000_000, 'the rest is dropped');
};

subtest 'memory is short' => sub {
    plan skip_all => 'no /proc' if !-w '/proc/self/oom_score_adj';
    is(started('cat /proc/self/oom_score_adj >&2'), "500\n", 'the kernel ends a test before Run');
    is(
        (output('cat', '/proc/self/oom_score_adj'))[1],
        slurp_file('/proc/self/oom_score_adj'),
        'not so a command of Run itself'
    );
};
done_testing;
