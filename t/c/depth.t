# SPDX-License-Identifier: GPL-2.0-or-later
# --depth: each level is made before the first creation, the children are below all of them, and
# what the kernel does not permit is skipped with the reason.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Packaging qw(as_user);
use Strace;

my $folder = scratch();

# The reason why the program cannot run so here, or nothing
sub reason_of { return program(@_, '--count', 1)->{err} =~ /^SKIP\|(.*)/m ? $1 : () }

# What the target prints
sub child_sees {
    my ($depth, $script) = @_;
    return program('forkexec', '--depth', $depth, qw(--count 1 --exec /bin/sh -- -c), $script)
        ->{out};
}

subtest 'PID namespaces' => sub {
    my ($reason) = reason_of('vfork', qw(--depth pid=3));
    plan skip_all => $reason if defined $reason;
    my ($levels) = child_sees('pid=3', 'cat /proc/self/status') =~ /^NSpid:(.*)/m;
    my ($outside) = slurp_file('/proc/self/status') =~ /^NSpid:(.*)/m;
    is(scalar(split q{ }, $levels), 3 + split(q{ }, $outside), 'the child has an id in each');
    for my $name (qw(fork clone posix_spawn launch clone3)) {
        my $got = program($name, qw(--depth pid=3 --count 20));
        like($got->{err}, qr/\A(?:COUNT\|20\||SKIP\|)/, "$name: counts, or says why not");
    }
    is(
        program(qw(vfork --depth pid=2 --threads 2 --siblings 2 --count 3))->{status},
        $> == 0 ? 0 : 77,
        'with threads'
    );
};

subtest 'layers of Landlock, by strace' => sub {
    my ($reason) = reason_of('vfork', qw(--depth landlock=16));
    plan skip_all => $reason if defined $reason;
    my $strace = strace_here("$BIN/fork");
    patiently(60, {}, $strace, qw(-f -qq -o), "$folder/trace", "$BIN/vforkexec",
        qw(--depth landlock=16 --count 3));
    my @lines = split /\n/, slurp_file("$folder/trace");
    my @layers = grep { $lines[$_] =~ /landlock_restrict_self.* = 0/ } 0 .. $#lines;
    my ($first) = grep { $lines[$_] =~ /vfork[(]/ } 0 .. $#lines;
    is(scalar @layers, 16, 'as many as asked');
    cmp_ok($layers[-1], '<', $first, 'before the first creation');
};

subtest 'control groups' => sub {
    my ($reason) = reason_of('forkexec', qw(--depth cgroup=3));
    plan skip_all => $reason if defined $reason;
    my @before = own_groups();
    my $script = 'f=$(sed -n s/^0:://p /proc/self/cgroup); echo $f; '
        . 'find /sys/fs/cgroup -path "*$f/memory.max"';
    my $seen = child_sees('cgroup=3', $script);
    like($seen, qr{spawnmeter[^/]*/d/d\n.*memory[.]max}, 'the child is in the last one');
    is_deeply(left_besides(\@before), [], 'no group is left');
};

# An instruction that allows all, and one that the kernel does not know
my ($allow, $unknown) = map { pack 'SCCL', $_, 0, 0, 0x7fff_0000 } 6, 0xffff;

subtest 'filters from files, and several, by strace' => sub {
    spew("$folder/$_->[0]", $_->[1])
        for [ good => $allow ], [ bad => $unknown ], [ odd => 'x' x 15 ],
        [ long => $allow x 4097 ];
    refused(map { [ fork => [ '--seccomp', "$folder/$_", 1 ], qr/^ERROR.*is no filter/, 1 ] }
            qw(bad odd long));
    refused(
        [ fork => [ '--seccomp', "$folder/none", 1 ], qr/^ERROR.*No such file/, 1 ],
        [ fork => [ '--seccomp', join('+', (4096) x 8), 1 ], qr/^SKIP.* 32,768 instr/, 77 ],
    );
    my $strace = strace_here("$BIN/fork");
    patiently(
        60, {}, $strace, qw(-f -qq -o),
        "$folder/trace", "$BIN/forkexec", '--seccomp', "3,0+$folder/good",
        qw(--count 2)
    );
    my ($before, @creations) = split /^.*\bclone[(].*child_stack=NULL.*/m,
        slurp_file("$folder/trace");
    is_deeply(
        [ $before =~ /PR_SET_SECCOMP.*\{len=(\d+),.* = 0$/mg ],
        [ 3, 1 ],
        'both, then the creations'
    );
};

subtest 'limits and refusals' => sub {
    refused(
        [ fork => [qw(--depth pid=x 1)], qr/'pid=x' is not one of pid=N, cgroup=N, landlock=N/ ],
        [ fork => [qw(--depth pid 1)], qr/'pid' is not one of/ ],
        [ fork => [qw(--depth pid=257 1)], qr/'pid=257' is not one of/ ],
        [ fork => [qw(--depth pid=33 1)], qr/^SKIP\|--depth pid=33: /, 77 ],
        [ fork => [qw(--depth landlock=17 1)], qr/^SKIP\|--depth landlock=17: /, 77 ],
    );
    my ($reason) = reason_of(qw(clone3 --namespaces user+pid));
    refused([ clone3 => [qw(--depth pid=1 --namespaces user+pid 1)], qr/exclude each other/, 77 ])
        if !defined $reason;
};

subtest 'another user' => sub {
    plan skip_all => 'only root can become another user' if $> != 0 || !needs(0, 'setpriv');
    chmod 0755, "$folder";
    command({}, 'cp', "$BIN/fork", "$folder/fork");
    for my $depth (qw(pid=2 cgroup=2 landlock=2)) {
        my $got = command({}, as_user(), "$folder/fork", '--depth', $depth, '--count', 5);
        like(
            "$got->{status} $got->{err}",
            qr/\A(?:0 COUNT\|5\||77 SKIP\|--depth)/,
            "$depth: measured, or skipped with the reason"
        );
    }
};

done_testing;
