# SPDX-License-Identifier: GPL-2.0-or-later
# The calls that execute (--by), and targets that only one copy runs (--own-target).
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Strace;
use Time::HiRes qw(sleep);

my @NAMES = qw(execl forkexec vforkexec);
my @CALLS = qw(execve execveat fexecve);
my $folder = scratch();
mkdir "$folder/tmp";
$ENV{UB_TMPDIR} = "$folder/tmp";

subtest 'each call executes' => sub {
    plan skip_all => 'only Linux has all of them' if !$LINUX;
    for my $name (@NAMES) {
        for my $case (map { [$_], [ $_, '--own-target' ] } @CALLS) {
            my ($call, @own) = @{$case};
            my $got = program($name, '--by', $call, @own, '--count', 20);
            is($got->{status}, 0, "$name --by $call @own") or diag $got->{err};
            is(parse($got->{err})->{count}, 20, "$name --by $call @own: as often as asked");
        }
    }
    my $got = program('forkexec', qw(--by execveat --targets 3 --count 7));
    is($got->{status}, 0, 'execveat with --targets') or diag $got->{err};
    my $threads = program('vforkexec', qw(--by fexecve --spawners 3 --count 9));
    is($threads->{status}, 0, 'fexecve in several threads') or diag $threads->{err};
    is_deeply([ names_in("$folder/tmp") ], [], 'no copy is left');
};

subtest 'one creation, one execution, one wait, by strace' => sub {
    strace_here("$BIN/fork");
    plan skip_all => 'true-static is not built here' if !-x "$BIN/true-static";
    for my $name (qw(forkexec vforkexec)) {
        for my $case (map { [$_], [ $_, '--own-target' ] } @CALLS) {
            my ($call, @own) = @{$case};
            my $calls =
                calls_each("$folder/trace", "$BIN/$name", qw(--exec true-static --by), $call, @own);
            my ($created, $executed) = (0, 0);
            $created  += $calls->{$_} || 0 for qw(clone clone3 fork vfork);
            $executed += $calls->{$_} || 0 for qw(execve execveat);
            is($created, 1, "$name --by $call @own: one creation");
            is($executed, 1, "$name --by $call @own: one execution");
            ok($calls->{ $call eq 'execve' ? 'execve' : 'execveat' }, "$name: by that call");
            is($calls->{wait4}, 1, "$name --by $call @own: one wait");
        }
    }
    my $opened = calls_each("$folder/trace", "$BIN/execl", qw(--by fexecve));
    is($opened->{execveat}, 1, 'execl --by fexecve: one execution');
};

# A target that writes which file it is: its path by /proc
subtest 'the target is a file of its own' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    my $shell = command({}, 'readlink', '-f', '/bin/sh')->{out};
    chomp $shell;
    for my $name (qw(forkexec vforkexec posix_spawn launch)) {
        my @see = ('--exec', $shell, '--count', 1, q{--}, '-c', 'readlink /proc/$$/exe >&3');
        my $where = sub {
            return command(
                {}, 'sh', '-c', 'exec 3>"$0"; exec "$@"',
                "$folder/seen", "$BIN/$name", $name eq 'launch' ? qw(--with none) : (),
                @_, @see
            );
        };
        is($where->()->{status}, 0, "$name: without");
        like(slurp_file("$folder/seen"), qr{^\Q$shell\E$}m, "$name: the target itself");
        my $got = $where->('--own-target');
        is($got->{status}, 0, "$name: with") or diag $got->{err};
        like(slurp_file("$folder/seen"), qr{^\Q$folder\E/tmp/spawnmeter-\w+/own$}m,
            "$name: a copy");
    }
    is_deeply([ names_in("$folder/tmp") ], [], 'no copy is left');
};

subtest 'a search in PATH' => sub {
    my @tests = qw(forkexec vforkexec posix_spawn);
    for my $name (@tests) {
        my $got = program($name, qw(--exec-path 7 --count 10));
        is($got->{status}, 0, "$name --exec-path 7") or diag $got->{err};
        is(parse($got->{err})->{count}, 10, "$name: as often as asked");
        my $lost;
        for my $seconds (0.5, 5, 30) {    # its trial is over then
            my $remove = sub {
                my $copy;
                wait_until(sub { ($copy) = glob "\Q$folder\E/tmp/*/3/target" });
                sleep $seconds;
                command({}, 'rm', '-rf', $copy =~ s{/target\z}{}r);
            };
            $lost = command({ meanwhile => $remove }, "$BIN/$name", qw(--exec-path 3 60));
            last if $lost->{err} =~ /after [1-9]\d* creations/;
        }
        says(
            $lost,
            qr{^ERROR\|.*; \Q$folder\E/tmp/\S+/3/target, which the search in PATH is},
            "$name: a folder that vanishes fails the test", 1
        );
    }
    is_deeply([ names_in("$folder/tmp") ], [], 'no folder is left');
    refused(
        [ forkexec => [qw(--exec-path 257 1)], qr/--exec-path: at most 256/ ],
        [ forkexec => [qw(--exec-path 2 --own-target 1)], qr/--exec-path excludes --own-target/ ],
        [ forkexec => [qw(--exec-path 2 --environment 1k 1)], qr/--exec-path excludes / ],
    );
    return if !needs(1, 'strace') || !$LINUX;
    for my $name (@tests) {
        my $file = "$folder/trace";
        command({}, tool('strace'), '-f', '-qq', '-e', 'trace=execve', '-o', $file,
            "$BIN/$name", qw(--exec-path 4 --count 5));
        my @missed = slurp_file($file) =~ m{/([1-4])/target.* = -1 ENOENT}g;
        is_deeply([ sort @missed ], [ map { ($_) x 5 } 1 .. 3 ], "$name: three misses each time")
            or diag slurp_file($file);
    }
};

subtest 'refusals and failures' => sub {
    refused(
        [ forkexec => [qw(--by vfork 1)], qr/'vfork' is not execve, execveat/ ],
        [ launch   => [qw(--by execve 1)], qr/'execve' is not posix_spawn, / ],
        [ forkexec => [qw(--own-target --targets 2 1)], qr/exclude each other/ ],
        [ forkexec => [qw(--by fexecve --targets 2 1)], qr/exclude each other/ ],
        [ forkexec => ['--by'], qr/--by needs a value/ ],
    );
    local $ENV{UB_TMPDIR} = "$folder/missing";
    my $none = qr/^ERROR\|cannot create a folder for copies of the target in /;
    refused(map { [ $_, [qw(--own-target --count 1)], $none, 1 ] } @NAMES);
};
done_testing;
