# SPDX-License-Identifier: GPL-2.0-or-later
# Execution, targets that only one copy runs (--own-target), and a search in PATH.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Strace;
use Time::HiRes qw(sleep);

my $folder = scratch();
mkdir "$folder/tmp";
$ENV{UB_TMPDIR} = "$folder/tmp";

subtest 'one creation, one execution, one wait, by strace' => sub {
    strace_here("$BIN/fork");
    plan skip_all => 'true-static is not built here' if !-x "$BIN/true-static";
    for my $name (qw(forkexec vforkexec)) {
        for my $own ([], ['--own-target']) {
            my $calls = calls_each("$folder/trace", "$BIN/$name", qw(--exec true-static), @{$own});
            my $created = 0;
            $created += $calls->{$_} || 0 for qw(clone clone3 fork vfork);
            is($created, 1, "$name @{$own}: one creation");
            is($calls->{execve}, 1, "$name @{$own}: one execution");
            is($calls->{wait4}, 1, "$name @{$own}: one wait");
        }
    }
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
        [ forkexec => [qw(--exec-path 2 --own-target 1)], qr/exclude each other/ ],
        [ forkexec => [qw(--exec-path 2 --environment 1k 1)], qr/exclude each other/ ],
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
        [ launch   => [qw(--by execve 1)], qr/'execve' is not posix_spawn, / ],
        [ forkexec => [qw(--own-target --targets 2 1)], qr/exclude each other/ ],
        [ launch   => ['--by'], qr/--by needs a value/ ],
    );
    local $ENV{UB_TMPDIR} = "$folder/missing";
    my $none = qr/^ERROR\|cannot create a folder for copies of the target in /;
    refused(map { [ $_, [qw(--own-target --count 1)], $none, 1 ] } qw(execl forkexec vforkexec));
};
done_testing;
