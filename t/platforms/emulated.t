# SPDX-License-Identifier: GPL-2.0-or-later
# The programs run on other architectures, emulated by qemu-user: each is built by ziglang with
# musl and makes 100 creations.  Their numbers mean nothing.  What qemu-user cannot do is
# expected by name, so that a new failure shows.
# LONG=1 (make check-long): all of them; EMULATED="s390x ..." limits it to these architectures.
use lib 't/lib';
use TestHelp;
use Platforms;

# Built and run; two of them have 32 bits or the other byte order
my %target = (
    aarch64 => 'aarch64-linux-musl',
    arm     => 'arm-linux-musleabihf',
    ppc64le => 'powerpc64le-linux-musl',
    riscv64 => 'riscv64-linux-musl',
    s390x   => 's390x-linux-musl',
);

# Only the smallest target, whose system call is written in assembly
my %assembly = (
    i386        => 'x86-linux-musl',
    loongarch64 => 'loongarch64-linux-musl',
    mips        => 'mips-linux-musleabi',
    riscv32     => 'riscv32-linux-musl',
);

# What qemu-user refuses: clone() with CLONE_FS and without CLONE_VM; clone3(); and vfork(), of
# which it makes a fork
my %refused = (
    clone       => qr/^ERROR\|clone: Invalid argument, after 0 creations$/m,
    clone3      => qr/^SKIP\|clone3\(\) is missing: /m,
    pidfd_spawn => qr/^SKIP\|this C library has no pidfd_spawn\(\)/m,
    vfork       => qr/^SKIP\|vfork\(\) copies the memory of its parent here, /m,
    daemon      => qr/^SKIP\|only Linux \(3[.]4 or newer\) lets this process reap/m,
);

# Programs that run another one, for which the kernel must know qemu-user
my %executes = map { $_ => 1 } qw(execl forkexec launch looper popen posix_spawn system vforkexec);
my $counted = qr/^COUNT\|100\|/m;
my %prints = (filecopy => qr/^COUNT\|\d+\|0\|KBps$/m);

needs_zig();
my $few = join q{ }, 's390x', keys %assembly;    # the other byte order
my %wanted = map { $_ => 1 } split q{ },
    $ENV{EMULATED} || ($ENV{LONG} ? join q{ }, keys %target, keys %assembly : $few);

# The command that runs programs of an architecture, and true if they can run others
sub emulator {
    my ($architecture, $qemu) = @_;
    my @namespace = ("$ROOT/t/platforms/emulate", $architecture, $qemu);
    my $got = command({}, @namespace, 'true');
    return (\@namespace, 1) if $got->{status} == 0;
    diag 'no binfmt_misc in a user namespace here: QEMU is called by name, and the programs '
        . "that run others are left out on $architecture";
    return ([$qemu], 0);
}

sub runs {
    my ($run, $all, $folder) = @_;
    for my $name (programs()) {
    SKIP: {
            skip "$name runs another program", 1 if $executes{$name} && !$all;
            my $got = patiently(120, { env => { UB_BINDIR => $folder } },
                @{$run}, "$folder/$name", '--count', 100);
            if (my $message = $refused{$name}) {
                like($got->{err}, $message, "$name: refused by qemu-user, as expected");
                next;
            }
            like(
                "status $got->{status}\n$got->{err}",
                qr/\Astatus 0\n/,
                "$name --count 100: status 0"
            );
            like($got->{err}, $prints{$name} || $counted, "$name --count 100: all of them");
        }
    }
    return;
}

# Options that touch memory, descriptors and a missing target
sub runs_with_options {
    my ($run, $all, $folder) = @_;
    my $got = command({}, @{$run}, "$folder/fork", qw(--count 10 --heap 20M --files 30 --burst 5));
    like($got->{err}, qr/^COUNT\|10\|1\|lps$/m, 'memory, files and bursts');
    like($got->{err}, qr/^FOOTPRINT\|(?:\d+|-)\|/m, 'and what the process has');
SKIP: {
        skip 'another program is needed', 2 if !$all;
        $got = command({}, @{$run}, "$folder/forkexec", qw(--count 3 --exec /nonexistent));
        like(
            $got->{err},
            qr/^ERROR\|cannot run the target \/nonexistent /m,
            'a missing target is named'
        );
        $got =
            command({}, @{$run}, "$folder/forkexec", '--count', 3, '--exec', "$folder/true-nolibc");
        is($got->{status}, 0, 'the target without a libc runs') or diag $got->{err};
    }
    return;
}

for my $architecture (grep { $wanted{$_} } sort keys %target) {
    my $target = $target{$architecture};
    subtest "run under emulation: $architecture" => sub {
        my $qemu = qemu($architecture);
        if (!defined $qemu) {
            missing("qemu-user for $architecture is not installed (qemu-user-static)");
            return;
        }
        my $work = "build/platforms/$target";
        my $built = build_with_zig($target, $work, qw(-O1 -Werror));
        is($built->{status}, 0, "make all for $target") or diag $built->{err};
        my ($run, $all) = emulator($architecture, $qemu);
        runs($run, $all, "$ROOT/$work/pgms");
        runs_with_options($run, $all, "$ROOT/$work/pgms");
    };
}

for my $architecture (grep { $wanted{$_} } sort keys %assembly) {
SKIP: {
        my $qemu = qemu($architecture);
        skip "qemu-user for $architecture is not installed", 2
            if !defined $qemu;
        my $folder = scratch();
        my $built = command(
            { folder => "$folder" },
            @ZIG, 'cc', '-target',
            $assembly{$architecture},
            qw(-static -nostdlib -o),
            "$folder/true-nolibc", "$ROOT/src/targets/true-nolibc.c"
        );
        is($built->{status}, 0, "$architecture: true-nolibc is built") or diag $built->{err};
        is(command({}, $qemu, "$folder/true-nolibc")->{status},
            0, "$architecture: true-nolibc runs under emulation");
    }
}
done_testing;
