# SPDX-License-Identifier: GPL-2.0-or-later
# The settings of a run from its options.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Settings qw(settings_of copies_of seconds_of time_of
    warmup_of reference_of note_pass);

# The settings of these options, without what is undefined
sub settings {
    my ($option, %with) = @_;
    my $settings = settings_of({ seed => 7, %{$option} }, cells => 8, %with);
    return { map { $_ => $settings->{$_} } grep { defined $settings->{$_} } keys %{$settings} };
}

my %DEFAULT = (
    name      => 'settle',
    slice     => 0.25,
    warmup    => 0.025,
    reference => 0.035,
    precision => 0.03,
    max_time  => 10,
    seed      => 7,
    pin       => 0,
);
is_deeply(settings({}), \%DEFAULT, 'without options');
my %TIMED = (max_time => 20, time_given => 1);
my %QUICK = (name => 'quick', slice => 0.15);

# What it is, the options, what differs from the default, undef for what is not there, and what the
# command says
my @CASES = (
    [ 'without reference loops', { 'no-reference' => 1 }, { reference => undef } ],
    [ '--precision', { precision => '1.5%' }, { precision => 0.015 } ],
    [ '--max-time', { 'max-time' => 20 }, {%TIMED} ],
    [
        '--seed, and a number of passes',
        { seed => 3, iterations => 4 },
        { seed => 3, iterations => 4 }
    ],
    [ '--slice is for all tests', { slice => '0.5' }, { slice => 0.5, slice_given => 1 } ],
    [
        '--slice so long that only one pass would fit',
        { slice => 100 },
        { slice => 100, slice_given => 1, max_time => 330 }
    ],
    [ '--count needs no warm-up', { count => 50 }, { counted => 50, warmup => 0 } ],
    [ '--classic', { classic => 1 }, { name => 'classic', warmup => 0 } ],
    [
        '--quick, many cells', { quick => 1 }, { %QUICK, max_time => 0.28 }, cells => 100
    ],
    [
        '--quick of ab: twice the time, for both sides',
        { quick            => 1 },
        { %QUICK, max_time => 3.5, precision => 0.01, paired => 1 },
        cells  => 16,
        paired => 1
    ],
    [ '--pin', { pin => 'usable' }, { pin => 1, cpus => '0-3,8' }, cpus => [ 0 .. 3, 8 ] ],
    [
        '--pin cores',
        { pin => 'cores' },
        { pin => 1, cpus => '0,2,1,3', placement => 'cores' },
        cpus => [ 0, 2, 1, 3 ]
    ],
    [
        'a sweep that is pinned without --pin, with a time of its own',
        {},
        { sweep_least => 6, pin => 1, max_time => 3 },
        sweep    => 1,
        pin      => 1,
        max_time => 3
    ],
    [
        '--quick of a sweep: a time for each value, and passes enough for a line',
        { quick            => 1 },
        { %QUICK, max_time => 0.7, sweep_least => 3 },
        sweep => 1,
        cells => 40
    ],
);
for my $case (@CASES) {
    my ($name, $option, $differs, %with) = @{$case};
    my %want = (%DEFAULT, %{$differs});
    delete @want{ grep { !defined $want{$_} } keys %want };
    is_deeply(settings($option, %with), \%want, $name);
}

is_deeply([ copies_of({}, 4) ], [ 1, 4 ], 'copies: four CPUs');
my @copies = (
    [ [ '2', '08' ], 4, [ 2, 8 ], 'as given' ],
    [ [ '8-9,1', 'cpus' ], 4, [ 8, 9, 1, 4 ], 'ranges, a list and a word, in order' ],
    [ ['half'], 1, [1], 'half of one CPU' ],
    [ ['half,cpus,1-2'], 2, [ 1, 2 ], 'each number once' ],
);
for my $case (@copies) {
    my ($given, $cpus, $want, $name) = @{$case};
    is_deeply([ copies_of({ copies => $given }, $cpus) ], $want, "copies: $name");
}

# What the sub says of so many copies on these CPUs
sub of_copies {
    my ($sub, $option, $copies, $cpus, @more) = @_;
    my $plan = { settings => settings({ %{$option} }), usable => $cpus };
    return $sub->($plan, { test => 'fork', copies => $copies }, @more);
}

subtest 'copies that share a CPU' => sub {
    is(of_copies(\&seconds_of, {}, $_, 4), 0.25, "$_ copies on 4 CPUs: the slice") for 1, 4, 8;
    cmp_ok(of_copies(\&seconds_of, {}, 1024, 2), '>', 4, '512 on a CPU: a longer pass');
    cmp_ok(of_copies(\&time_of, {}, 1024, 2), '>', 6 * 5, '512 on a CPU: time for six passes');
    is(of_copies(\&time_of, { quick => 1 }, 1024, 2), 1.75, '--quick: its time');
    my %given = (slice => 0.5, 'max-time' => 2);
    is(of_copies(\&seconds_of, \%given, 1024, 2), 0.5, '--slice is heeded');
    is(of_copies(\&time_of, \%given, 1024, 2), 2, '--max-time is heeded');
    is(of_copies(\&warmup_of, {}, 8, 2), 0.0063, '4 on a CPU: they share it');
    is(of_copies(\&warmup_of, {}, 99_999, 1), 0.0001, 'never less than the programs can read');
    is(of_copies(\&warmup_of, { count => 5 }, 64, 2), 0, '--count: none');
};
subtest 'the reference loops' => sub {
    is(of_copies(\&reference_of, {}, 1, 2, 0.2), 0.007, 'a share of a pass');
    is(settings({ turns => '0.03' })->{turns}, 0.03, '--turns');
    for my $option ({ turns => '0.03' }, { 'no-reference' => 1 }) {
        my ($name) = keys %{$option};
        is(of_copies(\&reference_of, $option, 1, 2, 0.2), 0, "--$name: none");
    }
    is(of_copies(\&reference_of, {}, 2, 2, 30), 0.1, 'of long ones no more than that');
    is(of_copies(\&reference_of, {}, 1, 2, 0.01), 0, 'none in a pass that is too short');
};

subtest 'copies that share a CPU, on two sides' => sub {
    my %plan = (
        settings => settings_of({}, cells => 1),
        cpus     => [0],
        usable   => 1
    );
    my ($a, $b) = map { { test => 'fork', copies => 4, side => $_ } } qw(A B);
    my $both = { test => 'fork', copies => 4 };
    my $usual = seconds_of(\%plan, $both);
    note_pass(\%plan, $a, 0.001, undef);
    note_pass(\%plan, $b, 0.02, undef);
    is(seconds_of(\%plan, $_), 0.6, 'both have the passes that the slower one needs') for $a, $b;
    is(seconds_of(\%plan, $both), 0.6, 'as the schedule knows');
    my $other = { test => 'vfork', copies => 4 };
    is(seconds_of(\%plan, $other), $usual, 'another test has not');
    note_pass(\%plan, $a, 0.001, 0.07);
    note_pass(\%plan, $b, 0.02, 0.02);
    is(seconds_of(\%plan, $_), 0.7, 'ten times as long as the starts of the first were apart')
        for $a, $both, $other;
    my $many = { test => 'fork', copies => 64 };
    my $time = time_of(\%plan, $many);
    note_pass(\%plan, $many, undef, 0.2);
    cmp_ok(time_of(\%plan, $many), '>', $time, 'as the time of the test says');
    is(seconds_of(\%plan, { test => 'fork', copies => 8 }), $usual, 'of that number of copies');
};
done_testing;
