# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Schedule;

my @TESTS = qw(fork vfork clone);

sub schedule {
    my (%with) = @_;
    my @cells = map {
        my $side = $_;
        map { { test => $_, side => $side } } @TESTS
    } qw(A B);
    return SpawnMeter::Measure::Schedule->new(
        paired       => 1,
        protocol     => 'settle',
        cells        => \@cells,
        precision    => 0.01,
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
    my @turns = turns(schedule(), 2, sub { return (rate => 90 + rand 20) });
    is(scalar @turns, 12, 'each round has each test twice');
    my @first = map { [ split q{ }, $_ ] } @turns;
    is_deeply(
        [ map { $_->[1] } @first ],
        [ (qw(A B)) x 3, (qw(B A)) x 3 ],
        'the side that is first alternates'
    );
    my @apart = grep { $first[ 2 * $_ ][0] ne $first[ 2 * $_ + 1 ][0] } 0 .. 5;
    is_deeply(\@apart, [], 'the passes of a pair follow each other');
    my @set = turns(schedule(sets => 1), 2, sub { return (rate => 90 + rand 20) });
    is(join(q{}, map { /(.)\z/ } @set),
        'AAABBBBBBAAA', 'where a state must be set each side has its tests together');
};

subtest 'when it ends' => sub {
    my $schedule = schedule();
    my @turns = turns($schedule, 0, sub { return (rate => 100 + rand 0.1) });
    is(scalar @turns, 3 * 2 * 15, 'the precision, at two looks in a row');
    ok(!(grep { !$_->{settled} } @{ $schedule->{states} }), 'settled');
    $schedule = schedule(max_time => sub { return 6.1 });
    @turns = turns($schedule, 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 3 * 20, 'the time of each test');
    ok(!(grep { $_->{settled} } @{ $schedule->{states} }), 'not settled');
    @turns = turns(schedule(limit => 4), 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 3 * 8, 'the number of pairs');
    my $left = 10;
    $schedule = schedule(time_for_all => sub { return $left -= 1.8 });
    @turns = turns($schedule, 0, sub { return (rate => 50 + rand 100) });
    is(scalar @turns, 4 * 6, 'the time of the whole run');
};

subtest 'what goes wrong' => sub {
    my $schedule = schedule();
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
    @turns = grep { /^vfork/ } turns(schedule(), 3, $skips);
    is_deeply(\@turns, [ 'vfork A', 'vfork B' ], 'one that a side skips is, once');
    my ($stalls, %times) = (0);
    my $stalling = sub {
        return (rate => 100, machine => { stall => !$stalls++ });
    };
    $times{$_}++ for turns(schedule(), 1, $stalling);
    is_deeply(
        [ sort { $b <=> $a } values %times ],
        [ 2, 1, 1, 1, 1, 1 ],
        'a pass with a stall is made again'
    );
    $schedule = schedule();
    my $turn = $schedule->next_pass;
    $schedule->again($turn);
    is($schedule->next_pass, $turn, 'a pass that does not count is the next one again');
    my $partner = $schedule->partner($turn);
    is(
        "$partner->{cell}{test} $partner->{cell}{side}",
        "$turn->{cell}{test} B",
        'the other side of its test'
    );
    $schedule->again($turn, $partner);
    is_deeply([ map { $schedule->next_pass } 1, 2 ], [ $turn, $partner ], 'both are made again');
    my %pass = (status => 'ok', wall => 0.3, at => 1, round => 1, rate => 1, results => []);
    $schedule->record(
        $turn    => { %pass, machine => { stall => 1 } },
        $partner => { %pass, machine => {} }
    );
    is_deeply([ map { $schedule->next_pass } 1, 2 ], [ $turn, $partner ], 'so is one of a stall');
    $schedule->record(map { $_ => { %pass, machine => {} } } $turn, $partner);
    is($schedule->shown($turn)->{cell}{side}, undef, 'what is shown is the test, without a side');
};

done_testing;
