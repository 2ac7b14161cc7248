# SPDX-License-Identifier: GPL-2.0-or-later
# How often the interval holds the truth: passes with a known true median go through Schedule
# and Stats.  The manual quotes these figures; prove -v prints them.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Disturbance qw(sound);
use SpawnMeter::Analysis::Stats       qw(interval);
use SpawnMeter::Measure::Schedule;

use constant {
    TRUTH     => 1000,     # lps
    WALL      => 0.285,    # seconds of a pass with everything
    MAX_TIME  => 10,       # seconds of a test
    PASSES    => 35,       # that fit into it
    RUNS      => 2000,     # simulated runs
    FEWER     => 400,      # the same, where a coarser figure will do
    LEAST     => 12,       # passes: two looks
    PRECISION => 0.03,
};

srand 20_101;

sub gauss { return sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) }

# Runs one test to its end; each pass is that of the sub (number of passes so far).
# -> state of the schedule
sub run_of {
    my ($pass) = @_;
    my $schedule = SpawnMeter::Measure::Schedule->new(
        cells     => [ {} ],
        protocol  => 'settle',
        precision => PRECISION,
        max_time  => sub { return MAX_TIME },
        seed      => 1
    );
    while (my $state = $schedule->next_pass) {
        $schedule->record($state, $pass->(scalar @{ $state->{passes} }));
    }
    return $schedule->{states}[0];
}

sub holds_truth {
    my (@passes) = @_;
    my ($low, $high) = interval(map { $_->{rate} } @passes);
    return $low <= TRUTH && TRUTH <= $high ? 1 : 0;
}

sub pass_of {
    my ($rate, %with) = @_;
    return { rate => $rate, wall => WALL, status => 'ok', results => [], %with };
}

# Many runs -> shares { covered, settled, covered_settled (of those that settled), passes =>
# mean number, early, late => numbers of runs with too few passes or too much time }
sub simulated {
    my ($runs, $pass) = @_;
    my %sum = map { $_ => 0 } qw(covered settled covered_settled passes early late);
    for (1 .. $runs) {
        my $state = run_of($pass);
        my @passes = @{ $state->{passes} };
        my $holds = holds_truth(@{ sound(\@passes) });
        $sum{covered}         += $holds / $runs;
        $sum{passes}          += @passes / $runs;
        $sum{early}           += @passes < LEAST;
        $sum{late}            += $state->{used} > MAX_TIME;
        $sum{settled}         += $state->{settled} ? 1 : 0;
        $sum{covered_settled} += $holds if $state->{settled};
    }
    $sum{covered_settled} /= $sum{settled} if $sum{settled};
    $sum{settled}         /= $runs;
    return \%sum;
}

sub within {
    my ($share, $low, $high, $name) = @_;
    ok(
        $low <= $share && $share <= $high,
        sprintf '%s: %.0f to %.0f of 100',
        $name, 100 * $low, 100 * $high
    ) or diag sprintf '%.1f of 100', 100 * $share;
    return;
}

# share of noise => sub -> a rate whose median is TRUTH
my %NOISE = (
    normal => sub { return TRUTH * (1 + $_[0] * gauss()) },

    # delays only, with a long tail: the median of an exponential is log 2
    skewed => sub { return TRUTH * exp(-$_[0] * 1.5 * (-log(1 - rand) - log 2)) },

    # two placements that are equally frequent
    bimodal => sub { return TRUTH * (rand() < 0.5 ? 1 - $_[0] * rand : 1 + $_[0] * rand) },
);

for my $kind (sort keys %NOISE) {
    subtest "stationary noise, $kind" => sub {
        for my $share (0.01, 0.03, 0.05, 0.08) {
            my $of = simulated(RUNS, sub { return pass_of($NOISE{$kind}->($share)) });
            within($of->{covered}, 0.93, 0.975, "noise of $share: intervals that hold the truth");
            is($of->{early}, 0, "noise of $share: never fewer than @{[ LEAST ]} passes");
            is($of->{late}, 0, "noise of $share: never over the time");
            within($of->{covered_settled},
                0.45, 0.93,
                "noise of $share: intervals that hold the truth, of the runs that settled")
                if $share == 0.08;
            note sprintf
                '%-8s %2.0f %%: covers %.1f %%; settles %.0f %%, of which it covers %.0f %%;'
                . ' %.0f passes',
                $kind, 100 * $share, (map { 100 * $_ } @{$of}{qw(covered settled covered_settled)}),
                $of->{passes};
        }
    };
}

# Beside other work, which the counters show
sub beside {
    my ($rate, $busy) = @_;
    my $elsewhere = ($busy ? 0.9 : 0) + 0.05 * gauss();
    return pass_of($rate, machine => { busy_elsewhere => $elsewhere, steal => 0, throttled => 0 });
}

my %TROUBLE = (
    'delays in 5 % of the passes' => sub {
        return beside(TRUTH * (1 + 0.02 * gauss()) * (rand() < 0.05 ? 0.5 : 1), 0);
    },
    'a third of the passes disturbed' => sub {
        my $busy = rand() < 0.33;
        return beside(TRUTH * (1 + 0.02 * gauss()) * ($busy ? 0.6 : 1), $busy);
    },
);
for my $what (sort keys %TROUBLE) {
    my $of = simulated(FEWER, $TROUBLE{$what});
    within($of->{covered}, 0.9, 1, "$what: intervals that hold the undisturbed truth");
    is($of->{late}, 0, "$what: never over the time");
    note sprintf '%-32s covers %.1f %%', $what, 100 * $of->{covered};
}

# The interval does not include drift: the machine becomes slower while the test runs
my %DRIFT = (0.02 => [ 0.8, 0.93 ], '0.10' => [ 0, 0.15 ]);
for my $drift (sort keys %DRIFT) {
    my $of = simulated(
        FEWER,
        sub {
            my ($number) = @_;
            return beside(TRUTH * (1 + 0.02 * gauss() - $drift * ($number / PASSES - 0.5)), 0);
        }
    );
    within($of->{covered}, @{ $DRIFT{$drift} }, "drift of $drift: intervals that hold the truth");
    note sprintf 'drift of %2.0f %% %18s covers %.1f %%', 100 * $drift, q{}, 100 * $of->{covered};
}
done_testing;
