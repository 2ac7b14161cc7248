# SPDX-License-Identifier: GPL-2.0-or-later
# A test program that crashes where core files are allowed: RLIMIT_CORE is 0 for it, so that
# testdir/core is not left behind.
use lib 't/lib';
use TestHelp;
use Faults;

plan skip_all => 'prlimit and /proc/self/limits are Linux\'s' if $^O ne 'linux';
needs_proc();
if (!needs(1, 'prlimit')) { done_testing; exit }

my $tree = tree();
my $bin = File::Temp->newdir('sm-programs-XXXXXX', TMPDIR => 1);
symlink "$tree/pgms/true-dynamic", "$bin/true-dynamic" or die;

# It notes its limit, and crashes
executable("$bin/crashes", "grep 'core file' /proc/self/limits >'$bin/limit'\nkill -SEGV \$\$\n");
spew("$bin/tests.list", <<'LIST');
category|process|Process Benchmarks|
default|crashes
crashes|Crashes|process||long 10||crashes
LIST

my @unlimited = (tool('prlimit'), '--core=unlimited:unlimited');
plan skip_all => skip_reason('RLIMIT_CORE cannot be raised here')
    if command({}, @unlimited, '/bin/true')->{status} != 0;

my $fault = 'a test program crashes where core files are allowed';
subtest $fault => sub {
    my @run = qw(-v --slice 0.02 --max-time 0.2 -c 1 crashes);
    my $run = finish(start({
        tree    => $tree,
        before  => sub { chdir "$bin" or die },
        env     => { UB_BINDIR => "$bin" },
        command => [ @unlimited, "$tree/Run", @run ]
    }));
    like(
        $run->{out_text},
        qr/^crashes, 1 copy: failed: .*killed by signal 11/m,
        'the test fails with the reason'
    );
    like(slurp_file("$bin/limit"), qr/^Max core file size +0 /, 'its soft limit was 0');
    is_deeply([ glob "\Q$tree\E/testdir/core*" ], [], 'no core file in testdir');
    is_deeply([ glob "\Q$bin\E/core*" ], [], 'no core file where Run was started');
    check_end($fault, $run);
};

subtest 'a test program that is started by itself' => sub {
    my $crash = <<'SHELL';
cd "$1" || exit
shift
"$@" 30 >out 2>&1 &
while grep 'core file' "/proc/$!/limits" >limit && ! grep -q ' 0  ' limit; do sleep 0.1; done
kill -SEGV $!
wait $!
SHELL
    my @program = (@unlimited, "$tree/pgms/fork");
    my $got = command({}, 'timeout', 300, '/bin/sh', '-c', $crash, 'sh', "$bin", @program);
    is($got->{status}, 128 + 11, 'it ends by signal 11') or diag explain $got;
    like(slurp_file("$bin/limit"), qr/^Max core file size +0 /, 'its soft limit was 0');
    is_deeply([ glob "\Q$bin\E/core*" ], [], 'no core file where it was started');
};
done_testing;
