# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use List::Util                    qw(max);
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Measure::Schedule;

my %UNLIMITED = (
    (
        map {
            $_ => sub { 9**9**9 }
        } qw(limit time_for_all)
    ),
    pass_seconds => sub { 0 },
);

sub schedule {
    my (%with) = @_;
    my %settings = (name => 'settle', precision => 0.03, %{ delete $with{settings} || {} });
    return SpawnMeter::Measure::Schedule->new(
        %UNLIMITED,
        cells    => [ map { { name => $_ } } qw(a b c d) ],
        settings => \%settings,
        max_time => sub { 10 },
        seed     => 5,
        %with
    );
}

# runs it to the end; rate is sub (name, number of the pass) -> rate
sub finish {
    my ($s, $rate, $wall) = @_;
    my @order;
    while (my $state = $s->next_pass) {
        my $name = $state->{cell}{name};
        push @order, $name;
        $s->record(
            $state,
            {
                status => 'ok',
                rate   => $rate->($name, scalar @{ $state->{passes} }),
                wall   => $wall || 0.3
            }
        );
    }
    return @order;
}

my $quiet = schedule();
my @order = finish($quiet, sub { 100 });
is(scalar @order, 4 * 15, 'quiet: settled at the second look, after 15 passes');
my @rounds = map { join q{}, sort @order[ 4 * $_ .. 4 * $_ + 3 ] } 0 .. 14;
is_deeply(\@rounds, [ ('abcd') x 15 ], 'every round has every test once');
my %seen = map { join(q{}, @order[ 4 * $_ .. 4 * $_ + 3 ]) => 1 } 0 .. 11;
cmp_ok(scalar keys %seen, '>', 4, 'each round has a new order');
is_deeply([ finish(schedule(), sub { 100 }) ], \@order, 'the same seed gives the same order');
isnt(join(q{}, finish(schedule(seed => 6), sub { 100 })), join(q{}, @order),
    'another seed another');

my $noisy = schedule();
finish($noisy, sub { 100 + 40 * ($_[1] % 2) });
for my $state (@{ $noisy->{states} }) {
    ok(!$state->{settled}, 'what does not settle is not called settled');
    cmp_ok($state->{used}, '<=', 10, 'a test that does not settle: its time is not exceeded');
    cmp_ok($state->{used}, '>', 9, 'a test that does not settle: its time is used');
}
my $slow = schedule();
finish($slow, sub { 100 }, 4);
is(max(map { $_->{used} } @{ $slow->{states} }),
    8, 'a pass that would run over the time is not begun');

# Of cells that are all measured with these rates -> passes of the first until it is done
sub until_done {
    my ($cells, $rate, $flagged) = @_;
    my $s = schedule(cells => [ map { { name => $_ } } 1 .. $cells ]);
    while (my $state = $s->next_pass) {
        my $n = @{ $state->{passes} };
        my %pass = (status => 'ok', rate => $rate->($n), wall => 0.2);
        $s->record($state, { %pass, machine => { steal => $n < ($flagged || 0) ? 0.1 : 0 } });
    }
    return scalar @{ $s->{states}[0]{passes} };
}

# Without pattern, within two thousandths
sub quiet { my ($n) = @_; return 1000 + $n * 7 % 5 / 2 }

my %wild = (12 => 500, 13 => 1500, 14 => 875);
is(until_done(2, sub { $wild{ $_[0] } || quiet($_[0]) }), 21, 'two with a bad one between are not');
is(until_done(1, \&quiet), 24, 'a cell by itself: under 24 passes do not show correlation');
is(until_done(2, sub { $_[0] < 6 ? 500 : quiet($_[0]) }, 6), 18, 'flagged passes are left out');

my $failing = schedule();
while (my $state = $failing->next_pass) {
    my $bad = $state->{cell}{name} eq 'b';
    $failing->record($state, { status => $bad ? 'failed' : 'ok', rate => 100, wall => 0.3 });
}
is_deeply(
    [ map { scalar @{ $_->{passes} } } @{ $failing->{states} } ],
    [ 15, 1, 15, 15 ],
    'one test\'s failure ends only that test'
);

my $classic = schedule(
    settings     => { name => 'classic' },
    limit        => sub { $_[0]{name} eq 'a' ? 3 : 2 },
    max_time     => sub { 9**9**9 },
    pass_seconds => sub { 10 }
);
$classic->record($classic->next_pass, { status => 'ok', rate => 1, wall => 10 });
is($classic->time_left, 80, 'classic: the time that is left follows from the passes');
is(join(q{}, finish($classic, sub { 100 })),
    'aabbccdd', 'classic: test after test, as many passes as it has');

my $quick = schedule(settings => { name => 'quick' }, max_time => sub { 4.5 });
is(scalar(my @q = finish($quick, sub { 100 })), 4 * 15, 'quick uses its time up, settled or not');

my $long =
    schedule(cells => [ { name => 'a' } ], max_time => sub { 1 }, settings => { sweep_least => 3 });
$long->record($long->next_pass, { status => 'ok', rate => 1, wall => 0.9 });
ok($long->next_pass, 'the least number of passes may take longer than the time');

for my $case ([ 0.79, 5 ], [ 0.81, 4 ]) {
    my ($wall, $expected) = @{$case};
    my $s = schedule(
        cells    => [ { name => 'a' } ],
        max_time => sub { 1 },
        settings => { sweep_least => 5 }
    );
    is(scalar(my @made = finish($s, sub { 100 }, $wall)),
        $expected, "up to four times the time: passes of $wall s");
}

my $beyond =
    schedule(cells => [ { name => 'a' } ], max_time => sub { 1 }, pass_seconds => sub { 3 });
is($beyond->time_left, 3, 'a pass that is longer than the time is made, and counted');

my $sweep = schedule(
    cells        => [ { name => 'a' }, { name => 'b' } ],
    max_time     => sub { 1 },
    settings     => { sweep_least => 3 },
    pass_seconds => sub { 0.5 }
);
is($sweep->time_left, 3, 'the time that is left is that of the least passes where it is longer');
$sweep->record($sweep->next_pass, { status => 'ok', rate => 1, wall => 1 });
is($sweep->time_left, 2 + 1.5, 'of each by its own passes');

# ---- pairs of two sides ----

my @TESTS = qw(fork vfork clone);

sub pair_schedule {
    my (%with) = @_;
    my @cells = map {
        my $side = $_;
        map { { test => $_, side => $side } } @TESTS
    } qw(A B);
    return SpawnMeter::Measure::Schedule->new(
        %UNLIMITED,
        settings     => { name => 'settle', precision => 0.01, paired => 1 },
        cells        => \@cells,
        max_time     => sub { return 30 },
        pass_seconds => sub { return 0.3 },
        seed         => 3,
        %with
    );
}

srand 7;    # the same values each time

# Runs it to its end, or for so many rounds -> (texts like "fork A")
sub turns {
    my ($schedule, $rounds, $rate) = @_;
    my (@turns, $at);
    while (my $turn = $schedule->next_pass) {
        last if $rounds && $schedule->{round} > $rounds;
        my $cell = $turn->{cell};
        push @turns, "$cell->{test} $cell->{side}";
        $at += 0.3;
        my %pass = (status => 'ok', wall => 0.3, at => $at, round => $schedule->{round});
        $schedule->record($turn, { %pass, machine => {}, results => [], $rate->($cell) });
    }
    return @turns;
}

subtest 'rounds' => sub {
    my @turns = turns(pair_schedule(), 2, sub { return (rate => 90 + rand 20) });
    is(scalar @turns, 12, 'each round has each test twice');
    my @first = map { [ split q{ }, $_ ] } @turns;
    is_deeply(
        [ map { $_->[1] } @first ],
        [ (qw(A B)) x 3, (qw(B A)) x 3 ],
        'the side that is first alternates'
    );
    my @apart = grep { $first[ 2 * $_ ][0] ne $first[ 2 * $_ + 1 ][0] } 0 .. 5;
    is_deeply(\@apart, [], 'the passes of a pair follow each other');
    my @set = turns(pair_schedule(sets => 1), 2, sub { return (rate => 90 + rand 20) });
    is(join(q{}, map { /(.)\z/ } @set),
        'AAABBBBBBAAA', 'where a state must be set each side has its tests together');
};

subtest 'when it ends' => sub {
    my $schedule = pair_schedule();
    my @turns = turns($schedule, 0, sub { return (rate => 100 + rand 0.1) });
    is(scalar @turns, 3 * 2 * 15, 'the precision, at two looks in a row');
    ok(!(grep { !$_->{settled} } @{ $schedule->{states} }), 'settled');
    $schedule = pair_schedule(max_time => sub { return 6.1 });
    @turns = turns($schedule, 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 3 * 20, 'the time of each test');
    ok(!(grep { $_->{settled} } @{ $schedule->{states} }), 'not settled');
    @turns = turns(pair_schedule(limit => sub { 4 }), 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 3 * 8, 'the number of pairs');
    my $left = 10;
    $schedule = pair_schedule(time_for_all => sub { return $left -= 1.8 });
    @turns = turns($schedule, 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 4 * 6, 'the time of the whole run');
};

subtest 'what goes wrong' => sub {
    my $schedule = pair_schedule();
    my $fails = sub {
        my ($cell) = @_;
        return "$cell->{test} $cell->{side}" eq 'vfork A' ? (status => 'failed') : (rate => 100);
    };
    my @turns = turns($schedule, 3, $fails);
    is(scalar(grep { /^vfork/ } @turns), 1, 'a test that fails is not measured on the other side');
    my $skips = sub {
        my ($cell) = @_;
        return "$cell->{test} $cell->{side}" eq 'vfork A' ? (status => 'skipped') : (rate => 100);
    };
    @turns = grep { /^vfork/ } turns(pair_schedule(), 3, $skips);
    is_deeply(\@turns, [ 'vfork A', 'vfork B' ], 'one that a side skips is, once');
    my ($stalls, %times) = (0);
    my $stalling = sub {
        return (rate => 100, machine => { stall => !$stalls++ });
    };
    $times{$_}++ for turns(pair_schedule(), 1, $stalling);
    is_deeply(
        [ sort { $b <=> $a } values %times ],
        [ 2, 1, 1, 1, 1, 1 ],
        'a pass with a stall is made again'
    );
    $schedule = pair_schedule();
    my $turn = $schedule->next_pass;
    my $partner = $schedule->next_pass;
    is(
        "$partner->{cell}{test} $partner->{cell}{side}",
        "$turn->{cell}{test} B",
        'the other side of its test'
    );
    my %pass = (status => 'ok', wall => 0.3, at => 1, round => 1, rate => 1, results => []);
    $schedule->record(
        $turn    => { %pass, machine => { stall => 1 } },
        $partner => { %pass, machine => {} }
    );
    is_deeply(
        [ map { $schedule->next_pass } 1, 2 ],
        [ $turn, $partner ],
        'after a stall of one both are made again'
    );
    $schedule->record(map { $_ => { %pass, machine => {} } } $turn, $partner);
    is($turn->{test}{cell}{side}, undef, 'what is shown is the test, without a side');
};

# What is shown at the end is the report's: of tests that drift, with passes that do not count
my $shown = schedule(cells => [ map { { test => $_ } } qw(c a b) ]);
my %drift = (a => 0, b => 9, c => 30);
my %made;
my @measured;
while (my $state = $shown->next_pass) {
    my $test = $state->{cell}{test};
    my $n = $made{$test}++;
    my $rate = 1000 + $drift{$test} * $n + 60 * ($n % 4);
    my %pass = (test => $test, copies => 1, status => 'ok', at => scalar @measured, wall => 0.3);
    push @measured, { %pass, rate => $rate, machine => { steal => $n == 5 ? 0.1 : 0 } };
    $shown->record($state, $measured[-1]);
}
my %result = map { $_->{test} => $_ } @{ results({ passes => \@measured, system => {} }) };
for my $state (@{ $shown->{states} }) {
    my $test = $state->{cell}{test};
    is_deeply(
        [ @{$state}{qw(rate plus_minus)} ],
        [ @{ $result{$test} }{qw(rate plus_minus)} ],
        "$test: as in the report"
    );
}
done_testing;
