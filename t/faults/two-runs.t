# SPDX-License-Identifier: GPL-2.0-or-later
# Two Runs at once in one tree.  The second says that it waits, and measures
# after the first; SIGKILL to the first frees the lock once its processes are ended; a
# waiting Run can be interrupted; another tree has another lock.
use lib 't/lib';
use TestHelp;
use Faults;
use SpawnMeter::Store::RunFile qw(load);

needs_proc();

my $tree = tree();
my @SHORT = qw(-v --slice 0.05 --max-time 1 -c 1 vfork);
my @LONG = qw(-v --slice 0.5 --max-time 60 -c 1 vfork);
my $MEASURES = qr/1 copy of each test/;
my $WAITS = qr/^Run: waiting for /m;

sub start_measuring {
    my (@arguments) = @_;
    my $run = start({ tree => $tree }, @arguments);
    ok(printed($run, $MEASURES), 'the first Run measures');
    return $run;
}

subtest 'both end by themselves' => sub {
    my $first = start_measuring(@SHORT);
    kill 'STOP', $first->{pid};    # else it can end before the second one has started
    my $second =
        start({ tree => $tree, results => $first->{results}, tmp => $first->{tmp} }, @SHORT);
    ok(printed($second, qr/${WAITS}another .\/Run to end/m), 'the second says that it waits')
        or diag slurp_file($second->{err});
    kill 'CONT', $first->{pid};
    finish($_) for $first, $second;
    my @runs = map { load($_) } sort glob "\Q$first->{results}\E/*.json";
    is(scalar @runs, 2, 'both are stored, under different names');
    is_deeply([ grep { !$_->{complete} } @runs ], [], 'both are complete');
    my ($ended, $started) = ($runs[0]{blocks}[-1]{ended}, $runs[1]{blocks}[0]{started});
    cmp_ok($started, '>=', $ended, 'the second measured after the first');
    check_end('two Runs at once in one tree', [ $first, $second ], status => 0);
};

subtest 'SIGKILL to the first' => sub {
    my $killed = start_measuring(@LONG);
    my $second = start({ tree => $tree }, @SHORT);
    ok(printed($second, $WAITS), 'the second waits');
    kill 'KILL', $killed->{pid};
    finish($killed);
    ok(printed($second, $MEASURES), 'the second measures after the first was killed');
    is_deeply([ processes($killed) ], [], 'by then no process of the first is left');
    is(finish($second)->{status}, 0, 'the second has status 0');
    check_end('two Runs, SIGKILL to the first', [ $second, $killed ]);
};

subtest 'SIGINT to the second while it waits' => sub {
    my $first = start_measuring(@LONG);
    my $second = start({ tree => $tree }, @SHORT);
    ok(printed($second, $WAITS), 'the second waits');
    kill 'INT', $second->{pid};
    is(finish($second)->{status}, 130, 'the second has status 130');
    is_deeply([ left_files($second) ], [], 'the second leaves no file');
    kill 'TERM', $first->{pid};
    is(finish($first)->{status}, 143, 'the first measured until its own SIGTERM');
    check_end('two Runs, SIGINT to the waiting one', [ $first, $second ]);
};

# The second does not wait, and neither touches the other's files
my $NAME = 'two trees, one folder of results, one given name';
subtest $NAME => sub {
    my %named = (env => { UB_OUTPUT_FILE_NAME => 'nightly-2026-01-01-01' });
    my $first = start({ %named, tree => $tree }, @SHORT, qw(--max-time 60 -i 12));
    ok(printed($first, qr/ 2 passes/), 'the first Run measures');
    kill 'STOP', $first->{pid};
    my $other = tree();
    my $second = finish(start({ %named, tree => $other, results => $first->{results} }, @SHORT));
    kill 'CONT', $first->{pid};
    unlike($second->{err_text}, $WAITS, 'the second does not wait');
    says($second, qr/^Run: UB_OUTPUT_FILE_NAME: another Run is writing \S+-01[.]part;/m,
        'the second');
    ok(-e "$first->{results}/nightly-2026-01-01-01.part", 'the journal of the first is there');
    finish($first);
    check_end($NAME, $first, status => 0);
    my $third = finish(start({ %named, tree => $other, results => $first->{results} }, @SHORT));
    check_end("$NAME, which is free again", $third, status => 0);
};
done_testing;
