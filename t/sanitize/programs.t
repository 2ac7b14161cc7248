# SPDX-License-Identifier: GPL-2.0-or-later
# Every program with every option that it takes, under AddressSanitizer and
# UndefinedBehaviorSanitizer (make check-sanitize builds them).
#
# What needs care: the child of vfork and of clone runs in its parent's memory.  vfork's
# child leaves by _exit at once, before which AddressSanitizer clears what it knows of the
# whole stack; so of that frame nothing more is found in the parent, and nothing false.
# clone's child has a stack that AddressSanitizer does not know: that function is not
# instrumented (src/clone.c).  The --raw forms are a few instructions of assembly, which
# no sanitizer sees.  LeakSanitizer stops all threads to look for leaks, which deadlocks now and
# then with idle threads: with --threads it is off.
use lib 't/lib';
use TestHelp;
use Time::HiRes qw(sleep);

my $built = $ENV{PROGRAMS} || "$ROOT/build/sanitize/pgms";
plan skip_all => 'make check-sanitize builds the programs first' if !-x "$built/fork";
my $folder = scratch();
my $tmp = "$folder/tmp";
mkdir $tmp;
my %env = (
    UB_TMPDIR    => $tmp,
    UB_TESTDIR   => "$ROOT/testdir",
    ASAN_OPTIONS =>
        'detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1',
    UBSAN_OPTIONS => 'print_stacktrace=1'
);
my @names = map { m{/([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";

my @cases = (
    [], [qw(--no-latency)],
    [qw(--warmup 0.02)], [qw(--cpu 0)],
    [qw(--burst 7)], [qw(--raw)],
    [qw(--raw --burst 3)], [qw(--heap 3M)],
    [qw(--heap 5M --hugepages)], [qw(--heap 3M --dontfork)],
    [qw(--mappings 100)], [qw(--files 50)],
    [qw(--threads 5)], [qw(--libraries 3)],
    [qw(--environment 100k)], [qw(--environment 0)],
    [qw(--environment 1025)], [qw(--targets 3)],
    [qw(--exec true-nolibc)], [qw(--exec /nonexistent)],
    [qw(--buffer 4k --blocks 64)], [qw(--read)],
    [qw(--write)], [qw(--buffer 1 --blocks 1)],
    [qw(--heap 900G)], [qw(--files 99999999)],
    [qw(--burst 1000000000000)], [qw(--cpu 4095)],
    [qw(--cpu 60000)], [ '--gate', '9999,9998' ],
    ['0.05'], [qw(0.3 --burst 2)],
    [qw(--with none)], [qw(--with output=300k)],
    [qw(--by vfork)], [qw(--by fork)],
    [qw(--exec-path 3)], [qw(--exec-path 2 --spawners 2)],
    ['--own-target'], [qw(--own-target --by execveat)],
    [qw(--by fexecve)], [qw(--by fexecve --own-target)],
    [qw(--spawners 3)], [qw(--spawners 3 --targets 2)],
    [qw(--spawners 3 --raw)], [qw(--spawners 2 0.1)],
    [qw(--spawners 4 --by fork)], [qw(--spawners 4 --with output=70k)],
    ['--pidfd'], [qw(--pidfd --burst 9)],
    [qw(--into-cgroup)], [qw(--cgroup-procs v2)],
    [qw(--cgroup-procs none)], [ qw(--burst 3 --pidfd --cgroup-procs), 'v1,v2' ],
    [qw(--cgroup-procs nosuch)], [qw(--into-cgroup --pause 0.1)],
    [qw(--clear-sighand)], [qw(--namespaces all)],
    [ '--namespaces', 'user+net,pid' ], [qw(--namespaces x)],
    [ '--with', 'pipes,,' ], [qw(--by vfork --with all+output=1)],
    [qw(--phases)], [qw(--phases --exec start-nolibc)],
    [qw(--phases --own-target)], [qw(--phases --targets 3 --warmup 0.02)],
    [qw(--phases --exec /bin/true)],
);

sub bad {
    my ($name, $case, $got) = @_;
    my ($report) =
        "$got->{out}$got->{err}" =~ /^(.*(?:Sanitizer|runtime error|False positive).*)$/m;
    return "$name @{$case}: $report" if defined $report;
    return "$name @{$case}: status $got->{status}: $got->{err}"
        if $got->{status} !~ /^(?:0|1|2|77)\z/;
    return;
}

# A test that this system, or valgrind, does not have
sub skipped {
    my ($got) = @_;
    return $got->{status} == 77 && $got->{err} =~ /\ASKIP[|][^\n]+\n\z/;
}

my ($measured, $refused, @trouble) = (0, 0);
for my $name (@names) {
    for my $case (@cases) {
        my @end = "@{$case}" =~ /(?:^| )0[.]\d/ ? () : ('--count', 30);
        my $got = command(
            {
                env => {
                    %env,
                    UB_BINDIR => $built,
                    "@{$case}" =~ /threads/
                    ? (ASAN_OPTIONS => "$env{ASAN_OPTIONS}:detect_leaks=0")
                    : ()
                },
                before => sub { alarm 300 }
            },
            "$built/$name",
            @{$case},
            @end
        );
        push @trouble, bad($name, $case, $got);
        $got->{status} == 0 ? $measured++ : $refused++;
    }
}
is_deeply(\@trouble, [], "sanitizers: $measured passes, $refused refusals");
cmp_ok($measured, '>', 150, 'sanitizers: most command lines are passes');

# Stopped in the middle
@trouble = ();
for my $name (@names) {
    for my $options ([], [ '--targets', 20 ], [ '--spawners', 3 ], ['--phases']) {
        my $got = command(
            {
                env       => { %env, UB_BINDIR => $built },
                before    => sub { alarm 300 },
                meanwhile => sub { sleep 0.25; kill 'TERM', $_[0] }
            },
            "$built/$name",
            @{$options},
            20
        );
        next if $got->{status} == 2;    # it takes no such option
        next if skipped($got);
        push @trouble, "$name: $got->{err}"
            if $got->{err} =~ /Sanitizer|runtime error/ || $got->{status} != 143;
    }
}
is_deeply(\@trouble, [], 'sanitizers: stopped by SIGTERM');

# The phases of ./Run trace
@trouble = ();
my @methods = split q{ },
    command({}, 'make', '-s', '--no-print-directory', '-C', $ROOT, 'methods')->{out};
cmp_ok(scalar @methods, '>=', 6, 'make methods names the methods');
for my $method (@methods) {
    my $got = command(
        { env => \%env, before => sub { alarm 300 } },
        "$built/trace",
        qw(--heap 1M --files 3 --libraries 1 --count 30 --method),
        $method,
        $method =~ /exec|spawn/ ? ('--exec', "$built/start-nolibc") : ()
    );
    push @trouble, bad("trace $method", [], $got),
        $got->{status} ? "trace $method: $got->{err}" : ();
}
is_deeply(\@trouble, [], 'sanitizers: trace');

opendir(my $left, $tmp) or die;
is_deeply([ grep { !/^[.]/ } readdir $left ], [], 'no temporary file is left');
done_testing;
