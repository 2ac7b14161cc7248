# SPDX-License-Identifier: GPL-2.0-or-later
# START of the test programs and the option --phases: the start-up of the target.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity      qw(merge_histograms histogram_total);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use Time::HiRes                         qw(sleep);

my $BIN = $ENV{UB_BINDIR} || "$ROOT/pgms";
my @METHODS = qw(forkexec vforkexec posix_spawn launch);
my @TARGETS = grep { -x "$BIN/start-$_" } qw(dynamic static nolibc now lazy);

# Systems on which the entry point is stamped, and a loader made to
my ($machine) = $^O eq 'linux' ? command({}, 'uname', '-m')->{out} =~ /(\S+)/ : q{};
my $has_entry = $machine =~ /^(?:x86_64|i[3-6]86|aarch64|arm|riscv64|s390x)/;
my $has_loader = $machine =~ /^(?:x86_64|aarch64)\z/;

# At most 16 creations are timed one by one
use constant COUNT => 15;

my $tmp = scratch();

sub program {
    my ($name, @arguments) = @_;
    return command({ env => { UB_TMPDIR => "$tmp" } }, "$BIN/$name", @arguments);
}

sub phases {
    my ($name, @arguments) = @_;
    my $got = program($name, '--phases', '--count', COUNT, @arguments);
    return $got->{status} == 0 ? parse($got->{err}) : { error => $got->{err} };
}

sub left {
    my $folder = @_ ? $_[0] : $tmp;
    opendir my $in, "$folder" or die "$folder: $!";
    return [ grep { !/^[.]/ } readdir $in ];
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
    is_deeply(left(), [], 'no file is left');
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

# A test that executes itself has no end of its own: the image ends in the next call.
subtest 'execl: of its next image' => sub {
    my %stamped = (execl => [qw(first loader libc main)], 'static/execl' => [qw(first libc main)]);
    for my $name (grep { -x "$BIN/$_" } sort keys %stamped) {
        my @periods = $has_loader ? @{ $stamped{$name} } : ('main');
        for my $arguments ([], [qw(--warmup 0.05)], [qw(--own-target --by fexecve)]) {
            my $what = "$name @{$arguments}";
            my $said = phases($name, @{$arguments});
            is_deeply([ sort keys %{ $said->{start} } ], [ sort @periods ], "$what: its periods")
                or diag $said->{error};
            is($said->{count}, COUNT, "$what: as often as asked");
            is(histogram_total(merge_histograms(@{ $said->{starts} }{$_})),
                COUNT, "$what: each execution counts: $_")
                for @periods;
            ordered($what, $said);
        }
    }
    my $folder = scratch();
    my $stopped = command(
        { env => { UB_TMPDIR => "$folder" }, meanwhile => sub { sleep 0.4; kill 'TERM', $_[0] } },
        "$BIN/execl", '--phases', 60);
    is($stopped->{status}, 143, 'stopped in the middle');
    wait_until(sub { !@{ left($folder) } });
    is_deeply(left($folder), [], 'no file is left');
    my $noexec =
        command({ env => { UB_TMPDIR => "$folder/none" } }, "$BIN/execl", qw(--phases --count 3));
    says($noexec, qr/^ERROR[|]cannot create a folder for copies/m, 'no folder for the copy', 1);
};

# -> { phase => [p50, p90, p99] } of ./Run trace's program
sub traced {
    my (@arguments) = @_;
    my $got = program('trace', @arguments);
    return {
        map { /^PHASE[|]([^|]+)[|](.*)/ ? ($1 => [ split /[|]/, $2 ]) : () } split /\n/,
        $got->{out}
    };
}

subtest 'trace: the phases of methods that execute a program' => sub {
    my @phases = ("call to the target's first instruction", 'call to main()', 'total');
    for my $method (qw(forkexec vforkexec posix_spawn)) {
        for my $target (@TARGETS) {
            my $times = traced(qw(--heap 1M --files 5), $method, 30, "start-$target");
            for my $i (0 .. 2) {
                my @of = map { $_->[$i] } grep { defined } @{$times}{@phases};
                is_deeply([ sort { $a <=> $b } @of ], \@of,
                    "$method, start-$target: in order: @of");
            }
            my $loads = $has_loader && $target !~ /static|nolibc/;
            is(!!$times->{'dynamic loader'}, !!$loads, "$method, start-$target: a loader");
        }
    }
    ok(!traced('fork', 30)->{'call to main()'}, 'fork has no target');
    my $bad = program('trace', 'vforkexec', 30, '/bin/true');
    says(
        $bad,
        qr/^ERROR[|]--phases: the target does not stamp its start/,
        'a target that does not stamp', 1
    );
    is(program('trace', qw(--heap 900G fork 3))->{err} =~ /^SKIP[|]--heap: needs/ ? 1 : 0,
        1, 'no room for its memory: skipped');
    is(program('trace', @{$_}, qw(fork 3))->{status}, 2, "@{$_}: a usage error")
        for [qw(--heap x)], [qw(--libraries 65)], [qw(--files -1)], [qw(--nonsense 1)];
    is_deeply(left(), [], 'no file is left');
};

subtest 'refusals' => sub {
    spew("$tmp/garbage", "#!/bin/sh\nprintf '%s' 0123456789abcdef >&0\n");
    chmod 0755, "$tmp/garbage";
    for my $bad (
        [ 1, forkexec    => [qw(--exec /bin/true)]  => qr/the target does not stamp its start/ ],
        [ 1, posix_spawn => [qw(--exec sh-dynamic)] => qr/does not stamp|status 2/ ],
        [ 1, vforkexec   => [ '--exec', "$tmp/garbage" ] => qr/does not stamp|out of order/ ],
        [ 1, launch      => [qw(--exec /nonexistent)]    => qr/cannot run the target/ ],
        [ 2, forkexec    => [qw(--burst 3)]              => qr/excludes --burst/ ],
        [ 2, launch      => [qw(--with output=5)]        => qr/does not stamp its start/ ],
        [ 2, fork        => []                           => qr/takes no --phases/ ],
    ) {
        my ($status, $name, $arguments, $why) = @{$bad};
        my $got = program($name, '--phases', '--count', 3, @{$arguments});
        is($got->{status}, $status, "$name @{$arguments}: status $status");
        like($got->{err}, $why, 'with the reason');
    }
    unlink "$tmp/garbage";
    my $stopped = command(
        { env => { UB_TMPDIR => "$tmp" }, meanwhile => sub { sleep 0.4; kill 'TERM', $_[0] } },
        "$BIN/forkexec", '--phases', 60);
    is($stopped->{status}, 143, 'stopped in the middle');
    is_deeply(left(), [], 'no file is left');
};
done_testing;
