# SPDX-License-Identifier: GPL-2.0-or-later
# --spawners: several threads of one process create at once, each waits for its own children,
# and a failure or a signal ends them all.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use Strace;
use Time::HiRes                    qw(sleep);
use SpawnMeter::Analysis::Quantity qw(merge_histograms histogram_total);

my @NAMES = qw(fork vfork clone forkexec vforkexec posix_spawn launch);
@NAMES = grep { $_ ne 'clone' } @NAMES if !$LINUX;
my $folder = scratch();

# A script as target, in a folder of its own
sub target {
    my ($then) = @_;
    my $own = "$folder/target" . ++our $targets;
    mkdir $own;
    return executable("$own/run", "$then\n");
}

subtest 'all threads together make what was asked for' => sub {
    for my $name (@NAMES) {
        my $said = printed($name, '--spawners', 4, '--count', 43);
        is($said->{count}, 43, "$name: --count is that of all") or diag $said->{error};
        is($said->{spawners}, 4, "$name: SPAWNERS");
        is(histogram_total(merge_histograms($said->{histogram})),
            $said->{timed}, "$name: the histograms are added up");
        my $stalls = histogram_total(merge_histograms($said->{stalls}));
        cmp_ok($stalls, '>', 0, "$name: and the stalls");
        cmp_ok($stalls, '<=', 43, "$name: no more than there are");
    }
    my $raw = printed(qw(fork --raw --spawners 3 --count 30));
    is($raw->{count}, 30, '--raw') if $LINUX;
    my $turns = printed(qw(forkexec --targets 3 --spawners 3 --count 30));
    is($turns->{count}, 30, '--targets');
    is(printed(qw(fork --spawners 1 --count 5))->{spawners}, undef, 'one thread is as without');
    is(printed(qw(fork --spawners 64 --count 640))->{count}, 640, 'many threads');
};

# The parts add up to the whole only if no thread's counters are lost
subtest 'in a time' => sub {
    for my $name (@NAMES) {
        my $got = command({}, 'sh', '-c',
            'exec 8</dev/null 9>/dev/null; exec "$0" --spawners 3 --gate 8,9 0.2', "$BIN/$name");
        my $said = parse($got->{err});
        my ($us, $made) = (0, 0);
        for my $part (split /,/, $said->{progress} || q{}) {
            my ($time, $number) = split /:/, $part;
            $us   += $time;
            $made += $number;
        }
        is($made, $said->{count}, "$name: PROGRESS adds up to COUNT") or diag $got->{err};
        cmp_ok(abs($us - $said->{time} * 1e6), '<', 100, "$name: and to TIME");
        cmp_ok($said->{time}, '>=', 0.2, "$name: as long as asked for");
        my ($spread) = $got->{err} =~ /^SPREAD[|]([\d.]+)$/m;
        ok(defined $spread, "$name: how long after the first thread the last one began");
    }
};

subtest 'there are so many threads' => sub {
    plan skip_all => 'reads /proc' if !$LINUX;
    for my $case ([ [qw(--spawners 5)], 5 ], [ [qw(--spawners 2 --threads 1)], 3 ],) {
        my ($options, $wanted) = @{$case};
        my $most = 0;
        my $got = command(
            {
                meanwhile => sub {
                    my ($pid) = @_;
                    wait_until(sub {
                        my @tasks = glob "/proc/$pid/task/*";
                        $most = @tasks if @tasks > $most;
                        return $most >= $wanted || !@tasks;
                    });
                    kill 'TERM', $pid;
                }
            },
            "$BIN/vfork",
            @{$options},
            60
        );
        is($most, $wanted, "@{$options}: $wanted threads");
    }
};

# { thread => { call => number } } of the program's own threads, and of all others as 'children'
sub traced {
    my ($strace, $name, @options) = @_;
    my $file = "$folder/trace";
    my $got = command({}, $strace, '-f', '-qq', '-o', $file, "$BIN/$name", @options);
    my (%calls, %own);
    for my $line (split /\n/, slurp_file($file)) {

        # what returned; strace splits a call in two if others come between
        my ($task, $call, $result) =
            $line =~ /^(\d+) +(?:<[.]{3} )?(\w+)(?:\(| resumed>).*[)] += (\d+)/
            or next;
        $own{$task} = 1 if !%own;
        $own{$result} = 1 if $line =~ /parent_tid=/;
        $calls{$task}{$call}++;
    }
    my %result = (status => $got->{status});
    for my $task (keys %calls) {
        my $place = $own{$task} ? ($result{own}{$task} ||= {}) : ($result{children} ||= {});
        $place->{$_} += $calls{$task}{$_} for keys %{ $calls{$task} };
    }
    return \%result;
}

subtest 'each thread waits for its own children, by strace' => sub {
    my $strace = strace_here("$BIN/fork");
    for my $name (@NAMES) {
        my $executes = $name =~ /exec|spawn|launch/;
        my @target = $executes && -x "$BIN/true-static" ? qw(--exec true-static) : ();
        my @waits = $name eq 'launch' ? qw(waitid wait4) : 'wait4';
        my $said = traced($strace, $name, '--spawners', 3, @target, '--count', 30);
        is($said->{status}, 0, "$name under strace");
        my @made = map {
            my $calls = $_;
            my $waits = 0;
            $waits += $calls->{$_} || 0 for @waits;
            $waits
        } values %{ $said->{own} };

        # the first thread has also reaped the trial run of the target, or vfork's trial
        my @wanted = (10, 10, 10 + ($executes || $name eq 'vfork' ? 1 : 0));
        is_deeply([ sort { $a <=> $b } grep { $_ } @made ], \@wanted,
            "$name: a third of the waits");
        next if !$executes;
        is($said->{children}{execve}, 31, "$name: an exec for each creation");
    }
};

subtest 'a failure in one thread ends all' => sub {
    for my $name (grep { /exec|spawn/ } @NAMES) {
        my $own = target(
            join "\n",
            'cd "${0%/*}" || exit 9',
            'mkdir 1 2>/dev/null && exit 0',
            'mkdir 2 2>/dev/null && { while [ ! -e sleeps ]; do :; done; exit 3; }',
            ': >sleeps; exec /bin/sleep 300'
        );
        local $ENV{SPAWNERS_CHECK} = $own;
        my $began = time;
        my $got = command(
            { before => sub { alarm 280 } },
            "$BIN/$name", qw(--warmup 0 --spawners 4 --exec),
            $own, 60
        );
        is($got->{status}, 1, "$name: status 1");
        is(
            $got->{err},
            "ERROR|the child exited with status 3, after 0 creations\n",
            "$name: one message, the cause"
        );
        cmp_ok(time - $began, '<', 250, "$name: the others do not go on waiting");
        is(still_running($own), 0, "$name: no child is left") if $LINUX;
    }
};

# Processes of that check, by their environment; what a script has started itself ends soon
sub still_running {
    my ($script) = @_;
    my $count;
    for (1 .. 300) {
        $count = grep { defined && /\bSPAWNERS_CHECK=\Q$script\E\0/ }
            map {
            eval { slurp_file($_) }
            } glob '/proc/[0-9]*/environ';
        last if !$count;
        sleep 0.1;
    }
    return $count;
}

subtest 'a signal ends all' => sub {
    for my $signal ('TERM', $ENV{LONG} ? qw(INT HUP) : ()) {
        my $own = target(': >"${0%/*}/$$"; [ -e "${0%/*}/sleep" ] || exit 0; exec /bin/sleep 300');
        my $asleep = $own =~ s{/run\z}{}r;
        local $ENV{SPAWNERS_CHECK} = $own;
        my $got = command(
            {
                before    => sub { alarm 280 },
                meanwhile => sub {
                    my ($pid) = @_;
                    my $started = sub { return scalar(() = glob "\Q$asleep\E/[0-9]*") };
                    wait_until($started);
                    spew("$asleep/sleep", q{});
                    wait_until(sub {    # until all threads wait for such a target
                        my $before = $started->();
                        sleep 0.5;
                        $started->() == $before;
                    });
                    kill $signal, $pid;
                }
            },
            "$BIN/forkexec",
            qw(--spawners 4 --exec),
            $own,
            60
        );
        my %number = (HUP => 1, INT => 2, TERM => 15);
        is($got->{status}, 128 + $number{$signal}, "SIG$signal: ends by it");
        my @messages = $got->{err} =~ /^ERROR/mg;
        is(scalar @messages, 1, "SIG$signal: one message");
        is(still_running($own), 0, "SIG$signal: no child is left") if $LINUX;
    }
};

subtest 'refusals' => sub {
    refused(
        [ fork     => [qw(--spawners x 1)], qr/'x' is not a whole number/ ],
        [ fork     => [qw(--spawners 1025 1)], qr/--spawners: at most 1024/ ],
        [ fork     => [qw(--spawners 2 --burst 3 1)], qr/--burst exclude each other/ ],
        [ forkexec => [qw(--spawners 2 --exec-threads 1 1)], qr/--exec-threads and --spawners/ ],
        [ fork     => [qw(--spawners 2 --touch 1M 1)], qr/exclude each other/ ],
        [ fork     => [qw(--spawners 4 --count 3)], qr/at least 1 for each of the 4 / ],
    );
};
done_testing;
