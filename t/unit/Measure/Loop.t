# SPDX-License-Identifier: GPL-2.0-or-later
# What Loop makes of the outcomes of passes, with a runner that starts nothing.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Measure::Loop    qw(sample seconds_of_iteration);
use SpawnMeter::Measure::Settings;

{

    package FakeRunner;
    sub new { my ($class, @outcomes) = @_; return bless { outcomes => \@outcomes, specs => [] } }

    sub run {
        my ($self, $spec) = @_;
        push @{ $self->{specs} }, $spec;
        my $next = @{ $self->{outcomes} } > 1 ? shift @{ $self->{outcomes} } : $self->{outcomes}[0];
        return {
            wall   => 0.3,
            before => { time => 0 },
            after  => { time => 1 },
            output => [],
            %{$next}
        };
    }

    package FakeProgress;
    sub new    { return bless { updates => 0 } }
    sub start  { $_[0]{started} = [ @_[ 1 .. $#_ ] ]; return }
    sub begin  { return }
    sub update { $_[0]{updates}++; return }
    sub finish { return }
}

my %OK = (
    status  => 'ok',
    results =>
        [ { count => 100, timebase => 1, label => 'lps', time => 0.25, cpu => [ (0.05) x 4 ] } ]
);

sub a_cell {
    my (%with) = @_;
    return {
        test      => 'fork',
        name      => 'fork',
        copies    => 1,
        program   => 'fork',
        options   => [],
        arguments => [],
        classic   => { length => 'short', seconds => 10, options => ['--prime'] },
        %with
    };
}

my %SETTINGS = (
    name      => 'settle',
    slice     => 0.25,
    warmup    => 0.025,
    precision => 0.03,
    max_time  => 10,
    seed      => 1,
    pin       => 0,
);
my %PLAN = (
    cpus       => [ 2, 3 ],
    usable     => 4,
    conditions => sub { return { cpus => [ 0 .. 3 ], quota => undef, traced => 0 } },
    stopped    => sub { return 0 },
);

# With these options of the command line
sub suite_with {
    my (%option) = @_;
    return record(
        suite   => binaries => '/pgms',
        testdir => '/testdir',
        option  => { pass_on => [], target_arguments => [], %option },
    );
}

# Measures these cells -> { passes, specs, log, cost, started => what the progress was told
# first }; with: settings, options of the command line, and parts of the plan
sub measured {
    my ($cells, $outcomes, %with) = @_;
    my $runner = FakeRunner->new(@{$outcomes});
    my $log = File::Temp->new;
    my $progress = FakeProgress->new;
    my ($now, @passes) = (0);
    my $settings = { %SETTINGS, %{ delete $with{settings} || {} } };
    my $plan = record(
        plan     => %PLAN,
        suite    => suite_with(%{ delete $with{option} || {} }),
        blocks   => [ { copies => 1, cells => $cells } ],
        settings => $settings,
        runner   => $runner,
        progress => $progress,
        log      => $log,
        record   => sub { push @passes, $_[1] if $_[0] eq 'pass' },
        clock    => sub { return $now += 0.01 },
        %with
    );
    my $cost = SpawnMeter::Measure::Loop::measure($plan);
    return {
        passes  => \@passes,
        started => $progress->{started},
        specs   => $runner->{specs},
        log     => slurp_file("$log"),
        cost    => $cost
    };
}

subtest 'good passes' => sub {
    my $got = measured([ a_cell() ], [ \%OK ]);
    is(scalar @{ $got->{passes} }, 24, 'until the test is settled');
    my $pass = $got->{passes}[0];
    is($pass->{machine}{occupancy}, undef, 'no occupancy of a copy that is not pinned');
    cmp_ok(abs($got->{cost}{measured} - 24 * 0.275), '<', 1e-9, 'slices and warm-ups are counted');
    like($got->{log}, qr/^## fork, 1 copy: ok$/m, 'the log has the pass');
    my $spec = $got->{specs}[0];
    is($spec->{timeout}, 30.5, 'the time-out');
};

subtest 'the time of a sweep' => sub {
    my $seconds = sub {
        my %settings = (sweep_least => 6, max_time => 1);
        my $got = measured([ a_cell(options => [@_]) ], [ \%OK ], settings => \%settings);
        return $got->{started}[0];
    };
    cmp_ok($seconds->(qw(--siblings 10000)), '>', $seconds->(), 'children that wait are created');
};

subtest 'what is passed to the program' => sub {
    my %limit = (iterations => 1);
    my $got = measured(
        [ a_cell(options => ['--x'], arguments => ['own']) ],
        [ \%OK ],
        settings => { %limit, pin => 1 },
        option   => { pass_on     => [qw(--heap 1M)], target_arguments => [qw(-c true)] }
    );
    is_deeply(
        $got->{specs}[0]{arguments},
        [qw(--x --heap 1M --warmup 0.025 0.25 -- -c true)],
        'options and target arguments'
    );
    is_deeply($got->{specs}[0]{pin}, [ 2, 3 ], '--pin: the CPUs');
    my $with = measured([ a_cell() ], [ \%OK ], settings => { %limit, reference => 0.04 });
    is_deeply(
        $with->{specs}[0]{arguments},
        [qw(--warmup 0.025 0.25 --reference 0.01 --pauses 0.02)],
        'the reference loops'
    );
    cmp_ok(abs($got->{passes}[0]{machine}{occupancy} - 0.8), '<', 1e-9, '--pin: the occupancy');
    $got =
        measured([ a_cell(static => 1, pinned => 1, count => 5) ], [ \%OK ], settings => \%limit);
    is($got->{specs}[0]{program}, '/pgms/static/fork', 'a cell that is linked statically');
    is_deeply($got->{specs}[0]{arguments}, [qw(--count 5 --warmup 0.025)], 'a cell with a count');
    is_deeply($got->{specs}[0]{pin}, [ 2, 3 ], 'a cell that is pinned');
    $got = measured([ a_cell() ], [ \%OK ], settings => { %limit, counted => 9 });
    is($got->{specs}[0]{timeout}, 3600, 'the time-out of --count');
};

subtest 'bad passes' => sub {
    my $got = measured([ a_cell() ], [ { status => 'failed', reason => 'why', results => [] } ]);
    is_deeply([ map { "$_->{status} $_->{reason}" } @{ $got->{passes} } ],
        ['failed why'], 'a failed pass is the last of its test');
    $got = measured([ a_cell(skip => 'no tree', copies => 2) ], [ \%OK ]);
    is_deeply([ map { "$_->{status} $_->{reason}" } @{ $got->{passes} } ],
        ['skipped no tree'], 'a test that cannot run');
    $got = measured([ a_cell() ], [ { status => 'stopped', reason => 'stopped' } ]);
    is_deeply($got->{passes}, [], 'a stopped pass is not recorded');
};

subtest 'Run is stopped' => sub {
    my $asked = 0;
    my $before = measured([ a_cell() ], [ \%OK ], stopped => sub { return 1 });
    is_deeply([ @{$before}{qw(passes specs)} ], [ [], [] ], 'before the first block: no pass');
    my $later = measured([ a_cell() ], [ \%OK ], stopped => sub { return ++$asked > 3 });
    is(scalar @{ $later->{passes} }, 2, 'between two passes: those that were made are recorded');
};

subtest 'the whole time of ab' => sub {
    my @sides = map { a_cell(side => $_, of_side => { name => $_ }) } qw(A B);
    my $got = measured(
        [], [ \%OK ],
        blocks   => [ map { { copies => $_, cells => \@sides } } 1, 2 ],
        settings => { paired => 1, max_time => 60, max_total => 60 },
        stopped  => sub { return 1 }
    );
    cmp_ok($got->{started}[0], '<=', 60, 'what is announced is not above --max-total');
};

subtest 'tests that last longer' => sub {
    my @cells = a_cell(slice => 2);
    my $own = measured(\@cells, [ \%OK ], settings => { iterations => 1 });
    is($own->{specs}[0]{arguments}[-1], 2, 'a test has its own slice');
    my $same = measured(\@cells, [ \%OK ], settings => { slice_given => 1, iterations => 1 });
    is($same->{specs}[0]{arguments}[-1], 0.25, 'unless --slice names one for all');
};

subtest 'a pass in which the program was stopped' => sub {
    my %stalled =
        (%OK, wall => 10.3, results => [ { %{ $OK{results}[0] }, gate => 5, time => 10.25 } ]);
    my $got = measured([ a_cell() ], [ ({%OK}) x 2, \%stalled, \%OK ]);
    my @passes = @{ $got->{passes} };
    is(scalar @passes, 25, 'the test still settles: its time is not used up');
    is_deeply(
        [ map { $_->{machine}{stall} || 0 } @passes ],
        [ 0, 0, 10, (0) x 22 ],
        'the pass is marked with its length'
    );
    is_deeply([ map { $_->{round} } @passes[ 2, 3 ] ], [ 3, 3 ], 'it is made again at once');
    $got = measured([ a_cell() ], [ \%stalled ]);
    is(scalar @{ $got->{passes} }, 4, 'but not again and again');
    $got = measured([ a_cell() ], [ ({%OK}) x 4, { %OK, wall => 9 }, \%OK ]);
    is($got->{passes}[4]{machine}{stall}, 8.7, 'before the start, by the time of the others');
};

subtest 'what changes on the machine while it is measured' => sub {
    my @readings = (
        { cpus => [ 0 .. 3 ], quota => undef, traced => 0 },
        { cpus => [ 0 .. 3 ], quota => undef, traced => 0 },
        { cpus => [ 0, 1 ], quota   => 1.5, traced   => 1 },
    );
    my $got = measured(
        [ a_cell() ], [ \%OK ],
        settings   => { iterations => 2 },
        conditions => sub { return @readings > 1 ? shift @readings : $readings[0] }
    );
    my @machine = map { $_->{machine} } @{ $got->{passes} };
    is_deeply(
        [ @{ $machine[1] }{qw(cpus_changed quota_changed traced)} ],
        [ 2, 1, 1 ],
        'then two CPUs, the quota and a tracer'
    );
};

subtest 'several copies' => sub {
    my %many = (settings => { iterations => 1 });
    my @results = map { { %{ $OK{results}[0] }, gate => 5 + $_ / 100 } } 0 .. 7;
    my %of = (%OK, results => \@results);
    my $got = measured([ a_cell(copies => 8) ], [ \%of ], %many);
    my $pass = $got->{passes}[0];
    is($pass->{window}{length}, 0.18, 'the time in which all ran is stored');
    is($pass->{machine}{apart}, 0.28, 'more copies than CPUs: the share in which not all ran');
    is($pass->{machine}{gate_spread}, undef, 'and not the spread of their starts');
    $got = measured(
        [ a_cell(copies => 8) ],
        [ { %of, results => [ @results[ 0, 1 ] ] } ],
        %many, usable => 8
    );
    is($got->{passes}[0]{machine}{gate_spread}, 0.04, 'a CPU each: the spread of the starts');
    $got = measured([ a_cell(copies => 400) ], [ \%of ], %many);
    is_deeply($got->{specs}[0]{arguments}, [ '--warmup', 0.0003, 1 ], '100 on each CPU');
    cmp_ok($got->{specs}[0]{timeout}, '>', 40, '400 copies have more time to start');
};

for my $of ([ long => 10 ], [ short => 3 ]) {
    my ($length, $passes) = @{$of};
    my $limit = SpawnMeter::Measure::Settings::limit_of({ settings => { name => 'classic' } },
        { classic => { length => $length } });
    is($limit, $passes, "classic: a $length test");
}

# ---- what is recorded of a pass ----

sub copy {
    my (%with) = @_;
    return {
        count     => 100,
        timebase  => 1,
        label     => 'lps',
        time      => 0.25,
        gate      => 5,
        cpu       => [ 0.01, 0.02, 0.03, 0.04 ],
        latency   => [ 10, 20, 30, 40, 50 ],
        stall     => [ 5, 6, 7, 8, 9 ],
        stalls    => '300:4',
        fault     => [ 4, 500, 700 ],
        histogram => '640:60,40',
        timed     => 100,
        footprint => [ 1, 2, 3, 4 ],
        disturb   => { rundelay_ns => 7, nivcsw => 3, traced => 0 },
        progress  => '250000:100',
        %with
    };
}

# CPUs that others use, where 0.15 s of CPU time were used in 0.3 s
sub elsewhere {
    my ($with, %of_copy) = @_;
    my %outcome = (
        results => [ copy(%of_copy) ],
        wall    => 0.3,
        before  => { time => 10, busy   => 0 },
        after   => { time => 10.3, busy => 0.15 },
    );
    my %plan = (%PLAN, settings => { %SETTINGS, %{$with} });
    return { sample(\%plan, a_cell(), \%outcome, 0.25) }->{machine}{busy_elsewhere};
}

subtest 'CPU time of the reference loops is not that of others' => sub {
    cmp_ok(abs(elsewhere({ reference => 0.08 }) - 0.03 / 0.3), '<', 1e-3, 'after the pass');
    cmp_ok(abs(elsewhere({}, paused_cpu => 0.02) - 0.03 / 0.3), '<', 1e-3, 'in its pauses');
};

subtest 'a pass that takes longer than it should' => sub {
    my @cases = (
        { name => 'a last iteration', copy => { time => 0.6 }, stall  => undef },
        { name => 'stopped for 2 s', copy  => { time => 2.25 }, stall => 2 },
        {
            name  => 'long iterations',
            copy  => { time => 2.25, latency => [ (1_900_000) x 5 ] },
            stall => undef
        },
        {
            name  => 'stopped in the first iteration',
            copy  => { time => 2.25, latency => [ (2e6) x 5 ], disturb => { stops => 1 } },
            stall => 2
        },
        { name => 'stood still', copy => { latency => [ 84, 90, 500, 600, 3e5 ] }, stall => 0.3 },
        {
            name  => 'for a moment',
            copy  => { latency => [ 84, 90, 500, 600, 9e4 ] },
            stall => undef
        },
        {
            name   => 'waits for others that share its CPU',
            copy   => { latency => [ 84, 90, 2e5, 3e5, 3e5 ] },
            usable => 0,
            stall  => undef
        },
        {
            name     => 'of --count',
            copy     => { time               => 2.25 },
            settings => { %SETTINGS, counted => 1 },
            stall    => undef
        },
    );
    for my $case (@cases) {
        my %outcome = (
            results => [ copy(%{ $case->{copy} }) ],
            wall    => 0.3,
            before  => { time => 0 },
            after   => { time => 1 }
        );
        my %plan = (%PLAN, settings => \%SETTINGS, %{$case});
        my %sample = sample(\%plan, a_cell(), \%outcome, 0.25);
        is($sample{machine}{stall}, $case->{stall}, $case->{name});
    }
};

is(seconds_of_iteration([ copy(), copy(time => 0.75) ]),
    0.005, 'the time of an iteration as a copy sees it');
done_testing;
