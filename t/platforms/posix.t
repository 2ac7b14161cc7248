# SPDX-License-Identifier: GPL-2.0-or-later
# What other systems than Linux run, as far as Linux can show it: the programs built without the
# parts for Linux, and Run with another system's name, without /proc and /sys.  And the shells
# and makes that other systems have, as far as Debian has them.
use lib 't/lib';
use TestHelp;
use Platforms;

my $WORK = 'build/posix';
my $BIN = "$ROOT/$WORK/pgms";
mkdir "$ROOT/build";
delete $ENV{UB_BINDIR};

# Only a new C library has it
my %skipped = (pidfd_spawn => qr/this C library has no pidfd_spawn\(\)/);

subtest 'the POSIX build' => sub {
    my $got =
        command({},
        'make', '-s', '-j2', '-C', $ROOT, 'SYSTEM=posix', "WORK=$WORK", "BINDIR=$WORK/pgms",
        'CFLAGS=-O1 -Werror', 'all');
    is($got->{status}, 0, 'make all') or diag $got->{err};
    for my $name (programs()) {
        $got = command({ folder => $ROOT }, "$WORK/pgms/$name", '--count', 20);
        if (my $why = $got->{status} == 0 && $name eq 'pidfd_spawn' ? undef : $skipped{$name}) {
            like($got->{err}, qr/^SKIP\|$why/m, "$name: skipped, with the reason");
            next;
        }
        is($got->{status}, 0, "$name, by a relative path, runs") or diag $got->{err};
    }
    $got = command({}, "$BIN/fork", qw(--count 3 --placement));
    like($got->{err}, qr/^SKIP\|/m, 'what only Linux has is skipped: --placement');
    $got = command({}, "$BIN/fork", qw(--count 3 --files 20 --heap 1M --threads 2));
    is($got->{status}, 0, 'what all have works: --files, --heap, --threads') or diag $got->{err};
};

# /proc and /sys are empty, and the process has no other namespace's processes
my @user = $> == 0 ? () : qw(--user --map-root-user);
my @without = (
    'unshare', @user,
    qw(--mount --pid --fork sh -c),
    'mount -t tmpfs none /proc && mount -t tmpfs none /sys || exit 77; exec "$@"', 'sh'
);

subtest 'Run without /proc and /sys, on another system by name' => sub {
    if (!tool('unshare') || command({}, @without, 'true')->{status} != 0) {
        missing('mount namespaces');
        return;
    }
    my $results = scratch();
    my $run = sub {
        return command(
            {
                env    => { UB_BINDIR => $BIN, UB_RESULTDIR => "$results" },
                folder => $ROOT
            },
            @without, $^X,
            '-It/lib',
            '-MFakeSystem',
            'Run', @_
        );
    };
    my $got = $run->(qw(-i 3 --slice 0.02 -c 1 fork pidfd_spawn vforkexec posix_spawn));
    is($got->{status}, 0, './Run measures') or diag $got->{err};
    like($got->{out}, qr/^   OS: FreeBSD -- 14[.]1-RELEASE/m, 'the report has the system');
    like($got->{out}, qr/^Fork Throughput +[\d.]+ lps/m, 'and results');
    like(
        $got->{out},
        qr/^pidfd_spawn +(?:not measured: $skipped{pidfd_spawn}|\d)/m,
        'what this C library lacks is skipped with its reason'
    );
    is($got->{err} =~ /\bat \S+ line \d+/ ? $got->{err} : q{}, q{}, 'perl warns of nothing');

    for my $command ([qw(doctor)], [qw(list)], [qw(show latest)], [qw(show latest --csv)]) {
        $got = $run->(@{$command});
        is($got->{status}, 0, "./Run @{$command}") or diag $got->{err};
        is($got->{err} =~ /\bat \S+ line \d+/ ? $got->{err} : q{}, q{}, 'without a warning');
    }
};

# GNU make 3.81, bash 3.2 and dash are linted: what came later is not used
subtest 'old makes and shells' => sub {
    my $makefile = join q{}, map { slurp_file($_) } "$ROOT/Makefile", glob "\Q$ROOT\E/mk/*.mk";
    for my $later (
        qr/^[^#\t]*!=/m, qr/\$[({](?:file|guile|let|intcmp) /,
        qr/::=/, qr/^\.ONESHELL/m,
        qr/^undefine /m, qr/^\.EXTRA_PREREQS/m
    ) {
        unlike($makefile, $later, "Makefile: nothing that make 3.81 lacks: $later");
    }
    my @scripts =
        grep { slurp_file($_) =~ m{\A\#!/bin/sh\b} }
        map  { "$ROOT/$_" }
        grep { m{^(?:[.]ci|pgms|packaging|t/platforms|tools)/} } split /\n/,
        slurp_file("$ROOT/MANIFEST");
    cmp_ok(scalar @scripts, '>=', 5, 'the scripts for sh are found');
    my $bash4 = qr/\bdeclare -A|\bmapfile\b|\breadarray\b|\$\{\w+(?:\^|,)|\bcoproc\b|&>>|\|&/;
    is(join(q{ }, grep { slurp_file($_) =~ $bash4 } @scripts), q{}, 'none is newer than bash 3.2');
    for my $shell ([qw(sh)], [qw(dash)], [qw(bash --posix)], [qw(busybox sh)]) {
        next if !tool($shell->[0]);
        my @bad = grep { command({}, @{$shell}, '-n', $_)->{status} } @scripts;
        is("@bad", q{}, "@{$shell} reads them");
    }
};
done_testing;
