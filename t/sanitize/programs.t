# SPDX-License-Identifier: GPL-2.0-or-later
# Every program with every option that it takes, under AddressSanitizer and
# UndefinedBehaviorSanitizer (make check-sanitize builds them).  What it does not take is refused
# by options-fuzz.t; by each program with LONG=1 (make check-long).
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
use TestPrograms;
use Time::HiRes qw(sleep);

my $built = $ENV{SANITIZED} || "$ROOT/build/sanitize/pgms";
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
    [qw(--heap 900G)], [qw(--files 999999999)],
    [qw(--burst 1000000000000)], [qw(--cpu 4095)],
    [qw(--cpu 60000)], [ '--gate', '9999,9998' ],
    ['0.05'], [qw(0.3 --burst 2)],
    [qw(--with none)], [qw(--with output=300k)],
    [qw(--by vfork)], [qw(--by fork)],
    [qw(--exec-path 3)], [qw(--exec-path 2 --spawners 2)],
    ['--own-target'], [qw(--spawners 3)],
    [qw(--spawners 3 --targets 2)], [qw(--spawners 3 --raw)],
    [qw(--spawners 2 0.1)], [qw(--spawners 4 --by fork)],
    [qw(--spawners 4 --with output=70k)], ['--pidfd'],
    [qw(--pidfd --burst 9)], [qw(--into-cgroup)],
    [qw(--cgroup-procs v2)], [qw(--cgroup-procs none)],
    [qw(--burst 3 --pidfd --cgroup-procs v2)], [qw(--cgroup-procs nosuch)],
    [qw(--into-cgroup --pause 0.1)], [qw(--clear-sighand)],
    [qw(--namespaces all)], [ '--namespaces', 'user+net,pid' ],
    [qw(--namespaces x)], [ '--with', 'pipes,,' ],
    [qw(--by vfork --with all+output=1)], [qw(--phases)],
    [qw(--by vfork --with mask+tcsetpgrp)], [qw(--by fork --with all+tcsetpgrp)],
    [ '--files', '3,/' ], [qw(--exec true-static -- {})],
    [qw(--phases --exec start-nolibc)], [qw(--phases --own-target)],
    [qw(--phases --targets 3 --warmup 0.02)], [qw(--phases --exec /bin/true)],
);

@ENV{ keys %env, 'UB_BINDIR' } = (values %env, $built);

# One command line; -> (its status, what is wrong)
sub run_it {
    my ($with, $name, @line) = @_;
    my %own = "@line" =~ /threads/ ? (ASAN_OPTIONS => "$env{ASAN_OPTIONS}:detect_leaks=0") : ();
    my $got =
        command({ env => \%own, before => sub { alarm 900 }, %{$with} }, "$built/$name", @line);
    my ($report) =
        "$got->{out}$got->{err}" =~ /^(.*(?:Sanitizer|runtime error|False positive).*)$/m;
    my $ended = $with->{meanwhile} ? qr/^(?:2|77|143)\z/ : qr/^(?:0|1|2|77)\z/;
    $report = "status $got->{status}: $got->{err}" if $got->{status} !~ $ended;
    return ($got->{status}, defined $report ? "$name @line: $report" : ());
}

# Whether a program takes all options of a line, as its help says
sub takes {
    my ($name, @line) = @_;
    our %help;
    $help{$name} ||= command({}, "$built/$name", '--help')->{out};
    return !grep { /^--/ && $help{$name} !~ /^  $_\b/m } @line;
}

my ($measured, $refused, @trouble) = (0, 0);
for my $name (@names) {
    for my $case (@cases) {
        next if !$ENV{LONG} && !takes($name, @{$case});
        my @end = "@{$case}" =~ /(?:^| )0[.]\d/ ? () : ('--count', 30);
        my ($status, @wrong) = run_it({}, $name, @{$case}, @end);
        push @trouble, @wrong;
        $status == 0 ? $measured++ : $refused++;
    }
}
is_deeply(\@trouble, [], "sanitizers: $measured passes, $refused refusals");
cmp_ok($measured, '>', 150, 'sanitizers: most command lines are passes');

# Stopped in the middle
my %stop = (meanwhile => sub { sleep 0.25; kill 'TERM', $_[0] });
@trouble = map {
    my $options = $_;
    map { (run_it(\%stop, $_, @{$options}, 20))[ 1 .. 1 ] } grep { takes($_, @{$options}) } @names
} [], [qw(--targets 20)], [qw(--spawners 3)], ['--phases'];
is_deeply([ grep { defined } @trouble ], [], 'sanitizers: stopped by SIGTERM');

# The phases of ./Run trace
my @methods = methods();
cmp_ok(scalar @methods, '>=', 6, 'make methods names the methods');
for my $method (@methods) {
    my @target = $method =~ /exec|spawn/ ? ('--exec', "$built/start-nolibc") : ();
    my @line = (qw(trace --heap 1M --files 3 --libraries 1 --count 30 --method), $method, @target);
    my ($status, @wrong) = run_it({}, @line);
    is("$status @wrong", '0 ', "sanitizers: trace $method");
}

is_deeply([ names_in($tmp) ], [], 'no temporary file is left');
done_testing;
