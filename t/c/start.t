# SPDX-License-Identifier: GPL-2.0-or-later
# START of the test programs and the option --phases: the start-up of the target.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use SpawnMeter::Analysis::Quantity qw(merge_histograms histogram_total);

my @METHODS = qw(forkexec vforkexec posix_spawn launch);
my @TARGETS = grep { -x "$BIN/start-$_" } qw(dynamic static nolibc now lazy);

# Systems on which the entry point is stamped, and a loader made to
my ($machine) = $^O eq 'linux' ? command({}, 'uname', '-m')->{out} =~ /(\S+)/ : q{};
my $has_entry = $machine =~ /^(?:x86_64|i[3-6]86|aarch64|arm|riscv64|s390x)/;
my $has_loader = $machine =~ /^(?:x86_64|aarch64)\z/;

# At most 16 creations are timed one by one
use constant COUNT => 15;

my $tmp = scratch();

$ENV{UB_TMPDIR} = "$tmp";

sub phases {
    my ($name, @arguments) = @_;
    my $got = program($name, '--phases', '--count', COUNT, @arguments);
    return $got->{status} == 0 ? parse($got->{err}) : { error => $got->{err} };
}

# No creation may be out of order: the program checks that.  So no percentile is.
sub ordered {
    my ($what, $said) = @_;
    my $start = $said->{start};
    for my $i (0, 2, 4) {
        my @times = map { $_->[$i] } grep { defined } @{$start}{qw(first main end)},
            $said->{latency};
        is_deeply([ sort { $a <=> $b } @times ],
            \@times, "$what: first, main, end and latency, percentile $i: @times");
    }
    return;
}

cmp_ok(scalar @TARGETS, '>=', 1, "targets that stamp: @TARGETS");

subtest 'each method, each target' => sub {
    for my $method (@METHODS) {
        for my $target (@TARGETS) {
            my $what = "$method, start-$target";
            my $said = phases($method, '--exec', "start-$target");
            my $start = $said->{start};
            ok($start && $start->{main} && $start->{end} && $start->{ending}, "$what: main and end")
                or diag $said->{error};
            ordered($what, $said);
            my $dynamic = $target !~ /static|nolibc/;
            my $first = $has_entry && (!$dynamic || $has_loader);
            is(!!$start->{first}, !!$first, "$what: first, where it is known");
            is(!!$start->{loader}, !!($first && $dynamic), "$what: a loader, if it has one");
            is(!!$start->{libc}, !!$has_entry, "$what: the entry point");
            is(histogram_total(merge_histograms($said->{starts}{main})),
                COUNT, "$what: each creation counts");
        }
    }
    is_deeply([ names_in($tmp) ], [], 'no file is left');
};

subtest 'with other options' => sub {
    for my $case (
        [ forkexec    => [qw(--targets 3)] ],
        [ posix_spawn => [qw(--exec true-dynamic)] ],
        [ posix_spawn => [qw(--environment 10k --files 20 --no-latency)] ],
        [ vforkexec   => [qw(--threads 3 --warmup 0.01)] ],
        [ launch      => [qw(--by vfork --with all)] ],
        [ forkexec    => [qw(--exec-path 7)] ],
        [ posix_spawn => [qw(--exec-path 2 --exec start-static)] ],
        [ launch      => [qw(--by fork --with path)] ],
        [ launch      => [qw(--with none --targets 2)] ],
    ) {
        my ($name, $arguments) = @{$case};
        my $said = phases($name, @{$arguments});
        ok($said->{start} && $said->{start}{main}, "$name @{$arguments}") or diag $said->{error};
    }
    my $without =
        command({ before => sub { close STDIN } }, "$BIN/posix_spawn", qw(--phases --count 3));
    like($without->{err}, qr/^START\|main\|/m, 'without a standard input');
    is(parse(program('forkexec', '--count', 3)->{err})->{start}, undef, 'not without --phases');
};

# -> { phase => [p50, p90, p99] } of ./Run trace's program
sub traced {
    my ($method, @arguments) = @_;
    my $got = program('trace', '--method', $method, qw(--count 30), @arguments);
    return {
        map { /^PHASE[|]([^|]+)[|](.*)/ ? ($1 => [ split /[|]/, $2 ]) : () } split /\n/,
        $got->{out}
    };
}

subtest 'trace: the phases of methods that execute a program' => sub {
    my @phases = ("call to the target's first instruction", 'call to main()', 'total');
    for my $method (qw(forkexec vforkexec posix_spawn)) {
        for my $target (@TARGETS) {
            my $times = traced($method, qw(--heap 1M --files 5 --exec), "start-$target");
            for my $i (0 .. 2) {
                my @of = map { $_->[$i] } grep { defined } @{$times}{@phases};
                is_deeply([ sort { $a <=> $b } @of ], \@of,
                    "$method, start-$target: in order: @of");
            }
            my $loads = $has_loader && $target !~ /static|nolibc/;
            is(!!$times->{'dynamic loader'}, !!$loads, "$method, start-$target: a loader");
        }
    }
    ok(!traced('fork')->{'call to main()'}, 'fork has no target');
    my $stamps = qr/^ERROR[|]--phases: the target does not stamp its start/;
    my @fork = qw(--method fork --count 3);
    refused(
        [ trace => [qw(--method vforkexec --count 30 --exec /bin/true)], $stamps, 1 ],
        [ trace => [ @fork, qw(--heap 900G) ], qr/^SKIP[|]--heap: needs/, 1 ],
        map { [ trace => [ @fork, @{$_} ], qr/./ ] }[qw(--heap x)],
        [qw(--libraries 65)],
        [qw(--method x)],
        [qw(--nonsense 1)]
    );
    is_deeply([ names_in($tmp) ], [], 'no file is left');
};

subtest 'refusals' => sub {
    executable("$tmp/garbage", "printf '%s' 0123456789abcdef >&0\n");
    my @phases = qw(--phases --count 3);
    refused(
        [ forkexec    => [ @phases, qw(--exec /bin/true) ], qr/the target does not stamp/, 1 ],
        [ posix_spawn => [ @phases, qw(--exec sh-dynamic) ], qr/does not stamp|status 2/, 1 ],
        [ vforkexec => [ @phases, '--exec', "$tmp/garbage" ], qr/does not stamp|out of order/, 1 ],
        [ launch    => [ @phases, qw(--exec /nonexistent) ], qr/cannot run the target/, 1 ],
        [ forkexec  => [ @phases, qw(--burst 3) ], qr/exclude each other/ ],
        [ launch    => [ @phases, qw(--with output=5) ], qr/does not stamp its start/ ],
    );
    unlink "$tmp/garbage";
    is_deeply([ names_in($tmp) ], [], 'no file is left');
};
done_testing;
