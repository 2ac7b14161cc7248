# SPDX-License-Identifier: GPL-2.0-or-later
# The programs of the classic system tests: what an iteration is, and that they leave no
# files behind.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Time::HiRes                         qw(sleep time);
use SpawnMeter::Analysis::ProgramOutput qw(parse rate_of);

my $tmp = scratch();
@ENV{qw(UB_TMPDIR UB_BINDIR UB_TESTDIR)} = ("$tmp", $BIN, "$ROOT/testdir");

sub with {
    my ($with, $name, @arguments) = @_;
    return command($with, "$BIN/$name", @arguments);
}

sub left { my @left = glob "\Q$tmp\E/*"; return @left }

my %RUN = (
    pipe     => [ [], '1|lps' ],
    syscall  => [ [], '1|lps' ],
    context1 => [ [], '1|lps' ],
    filecopy => [ [], '0|KBps' ],
    looper   => [ [qw(--exec shells)], '60|lpm', [qw(-- 2)] ],
);
for my $name (sort keys %RUN) {
    my ($options, $unit, $arguments) = @{ $RUN{$name} };
    my $got = program($name, @{$options}, '0.1', @{ $arguments || [] });
    is($got->{status}, 0, "$name runs") or diag $got->{err};
    is($got->{out}, q{}, "$name: nothing on stdout");
    like($got->{err}, qr/\ACOUNT\|\d+\|\Q$unit\E\n/, "$name: COUNT has its unit");
    my $said = parse($got->{err});
    ok(!$said->{error}, "$name: its lines are well-formed") or diag $said->{error};
    ok(!(grep { !defined } @{ $said->{cpu} }), "$name: CPU time is known") if $^O eq 'linux';
    my $counted =
        parse(program($name, @{$options}, qw(--count 20), @{ $arguments || [] })->{err});
    is($counted->{iterations} || $counted->{count}, 20, "$name: --count is exact");
}
my $two = parse(program('context1', '0.2')->{err});
my ($own, $all) = ($two->{cpu}[0] + $two->{cpu}[1], 0);
$all += $_ for @{ $two->{cpu} };
cmp_ok($all, '>', 1.2 * $own, 'context1: the other process\'s CPU time counts, too')
    if $^O eq 'linux';

# KBps: buffers of that size in that time
my $copy = parse(program('filecopy', qw(--buffer 4096 --blocks 8000 0.1))->{err});
cmp_ok(abs($copy->{count} / ($copy->{iterations} * 4 / $copy->{time}) - 1),
    '<', 0.001, 'KBps are KiB that were copied, by the seconds');
is(rate_of([$copy], 99), $copy->{count}, 'and a rate already');
my $lpm = parse(program('looper', qw(--exec shells 0.1 -- 1))->{err});
cmp_ok(abs(rate_of([$lpm], 99) / ($lpm->{count} / $lpm->{time} * 60) - 1),
    '<', 1e-9, 'looper: per minute');
refused(
    map { [ filecopy => [ @{$_}, 1 ], qr/^usage:/m ] } [qw(--buffer 1000 --blocks 1)],
    [qw(--buffer 0)], [qw(--buffer 2G --blocks 2097152)],
    [qw(--read --write)], [qw(--blocks 0)]
);

# What an iteration does, by the calls that the kernel sees
sub calls {
    my ($count, $name, @arguments) = @_;
    my $trace = File::Temp->new;
    my $got = command(
        {}, tool('strace'), '-f', '-qq', '-o', "$trace",
        "$BIN/$name", '--warmup', 0, '--count', $count, @arguments
    );
    return if $got->{status} != 0;
    return slurp_file("$trace");
}
if (needs(1, 'strace') && defined calls(1, 'pipe')) {
    my $n = sub { my ($pattern, $text) = @_; return scalar(() = $text =~ /$pattern/g) };
    my $number =
        command({}, 'od', '-An', '-tu1', '-j4', '-N1', "$BIN/pipe")->{out} == 1
        ? 4
        : 8;    # bytes of a long: ELF says it
    my $pipe = calls(100, 'pipe');
    is($n->(qr/ write\(\d+, "p+"\.*, 512\) += 512/, $pipe),
        100, 'pipe: one write of 512 bytes an iteration');
    is($n->(qr/ read\(\d+, "p+"\.*, 512\) += 512/, $pipe), 100, 'and one read');
    my $syscall = calls(100, 'syscall');
    for my $call (qw(dup getpid getuid umask)) {
        my $own = $call eq 'getpid' ? 1 : 0;    # of the program, for its handlers
        is($n->(qr/ \Q$call\E(?:32)?\(/, $syscall) - $own, 100, "syscall: one $call an iteration");
    }
    is($n->(qr/ close\((?!0)/, $syscall) >= 100, 1, 'and one close');
    my $copying = calls(6, 'filecopy', qw(--buffer 1024 --blocks 2));
    is($n->(qr/ read\(\d+, "f+"\.*, 1024\) = 1024/, $copying) - 2,
        6, 'filecopy: a read of a buffer an iteration (and the file once before)');
    is($n->(qr/ write\(\d+, "f+"\.*, 1024\) = 1024/, $copying) - 4,
        6, 'and a write (and both files once before)');
    cmp_ok($n->(qr/ _?ll?seek\(\d+, 0, (?:\[0\], )?SEEK_SET\) += 0/, $copying),
        '>=', 4, 'at the end of the file both begin again');
    my @made = $copying =~ /open(?:at)?\([^\n]*"([^"]+)", [^\n]*O_CREAT[^\n]*/g;
    is(scalar(grep { index($_, "$tmp/") != 0 } @made), 0, 'it makes no file outside UB_TMPDIR');
    is($n->(qr/O_CREAT\|O_EXCL[^\n]*, 0600\)/, $copying),
        2, 'its two files have mode 0600, and were not there before');
    my $switching = calls(50, 'context1');
    is($n->(qr/ write\(\d+, "[^\n]*", $number(?:\) += $number| <unfin)/, $switching),
        100, 'context1: two writes of a number an iteration, one by each process');
}

is_deeply([ left() ], [], 'no file is left');
for my $signal (qw(TERM KILL), $ENV{LONG} ? qw(INT HUP) : ()) {
    for my $line ([qw(filecopy 30)], [qw(looper --exec shells 30 -- 4)]) {
        my $group;
        my $got = with(
            {
                before    => sub { setpgrp 0, 0 },
                meanwhile => sub {
                    ($group) = @_;
                    wait_until(sub { kill 0, -$group });
                    sleep 0.4;
                    kill $signal, -$group;
                }
            },
            @{$line}
        );
        cmp_ok($got->{status}, '>', 128, "@{$line}: ended by SIG$signal");
        ok(wait_until(sub { !kill 0, -$group }), 'no process is left');
        wait_until(sub { !left() }) if $signal ne 'KILL';

        # a shell that is killed removes nothing; Run's own folder goes with Run
        unlink left() if $signal eq 'KILL' && $line->[0] eq 'looper';
        is_deeply([ left() ], [], 'and no file');
    }
}

# Ctrl-C: system() ignores it in its caller, while it waits
my $interrupted = with(
    {
        before    => sub { setpgrp 0, 0 },
        meanwhile => sub {
            my ($group) = @_;
            wait_until(sub { kill 0, -$group });
            for (1 .. 5) { sleep 0.2; kill 'INT', -$group }
        }
    },
    qw(system 30)
);
is($interrupted->{status}, 130, 'system: ended by SIGINT');

# Where files cannot be made
like(
    with({ env => { UB_TMPDIR => "$tmp/none" } }, 'filecopy', 1)->{err},
    qr/^ERROR\|cannot create a file in \S+.*\(set UB_TMPDIR to another folder\): No such file/m,
    'UB_TMPDIR is missing'
);
like(
    with({ env => { UB_TMPDIR => "$tmp/none" } }, 'looper', qw(--exec shells 1 -- 1))->{err},
    qr/cannot create.*none/,
    'for the shell tests too'
);
like(
    with({ env => { UB_TMPDIR => undef } }, 'looper', qw(--exec shells 1 -- 1))->{err},
    qr/must be set to a folder for temporary files/,
    'which insist on one'
);
SKIP: {
    my $small = "$tmp/small";
    mkdir $small;
    if ($> != 0 || system("mount -t tmpfs -o size=1m tmpfs '$small' 2>/dev/null") != 0) {
        diag 'SKIPPED: a full file system: mounting a small one needs root';
        skip 'needs root to mount a small file system', 5;
    }
    my $full = with({ env => { UB_TMPDIR => $small } }, 'filecopy', 1);
    says(
        $full,
        qr/^ERROR\|write to a file in .*: No space left on device, after 0 creations$/m,
        'a file system with 1 MB: fails', 1
    );
    spew("$small/fill", 'x' x 1_040_384);
    my $shell = with({ env => { UB_TMPDIR => $small } }, 'looper', qw(--exec shells 1 -- 1));
    isnt($shell->{status}, 0, 'the shell tests fail there, too');
    like($shell->{err}, qr/No space left on device/, 'with the reason');
    is_deeply([ glob "\Q$small\E/task*" ], [], 'and leave no file');
    system('umount', $small) == 0 or diag "umount $small failed";
}
rmdir "$tmp/small";

# A tool of the shell tests that is missing is named
my $path = scratch();
for my $name (qw(sh sort grep tee wc rm)) {
    symlink tool($name), "$path/$name" or die;
}
my $without = with({ env => { PATH => "$path" } }, 'looper', qw(--exec shells 1 -- 1));
is($without->{status}, 77, 'without od: skipped');
is(parse($without->{err})->{skip}, 'od is not installed', 'and named');
done_testing;
