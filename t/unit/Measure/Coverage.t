# SPDX-License-Identifier: GPL-2.0-or-later
# Planted truth: passes with a known true median go through Schedule and Stats.
# prove -v prints the table that the manual quotes.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Disturbance qw(sound);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Analysis::Stats qw(interval median);

use constant { TRUTH => 1000, RUNS => 2000 };

srand 20_101;

sub gauss { return sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) }

# share of noise => sub giving a rate whose median is TRUTH
my %NOISE = (
    normal => sub { return TRUTH * (1 + $_[0] * gauss()) },

    # delays only, with a long tail: an exponential's median is log 2
    skewed => sub { return TRUTH * exp(-$_[0] * 1.5 * (-log(1 - rand) - log 2)) },

    # two placements, of which one is a little more frequent
    bimodal => sub { return TRUTH * (rand() < 0.5 ? 1 - $_[0] * rand : 1 + $_[0] * rand) },
);

sub simulate {
    my ($noise, $share, $runs) = @_;
    my %sum =
        (covered => 0, settled => 0, covered_settled => 0, passes => 0, early => 0, late => 0);
    for (1 .. $runs) {
        my $s = SpawnMeter::Measure::Schedule->new(
            cells     => [ {} ],
            protocol  => 'settle',
            precision => 0.03,
            max_time  => sub { 10 },
            seed      => 1
        );
        while (my $state = $s->next_pass) {
            $s->record($state, { rate => $noise->($share), wall => 0.285, status => 'ok' });
        }
        my $state = $s->{states}[0];
        my @rates = map { $_->{rate} } @{ $state->{passes} };
        my ($low, $high) = interval(@rates);
        my $covers = $low <= TRUTH && TRUTH <= $high ? 1 : 0;
        $sum{covered} += $covers;
        $sum{passes}  += @rates;
        $sum{early}++ if @rates < 12;
        $sum{late}++ if $state->{used} > 10;
        next if !$state->{settled};
        $sum{settled}++;
        $sum{covered_settled} += $covers;
    }
    return \%sum;
}

for my $kind (sort keys %NOISE) {
    for my $share (0.01, 0.03, 0.05, 0.08) {
        my $sum = simulate($NOISE{$kind}, $share, RUNS);
        cmp_ok($sum->{covered} / RUNS,
            '>=', 0.92, "$kind noise of $share: the interval holds the truth");
        is($sum->{early} + $sum->{late}, 0, 'never under 12 passes, never over the time');
        note sprintf
            '%-8s %4.0f %%: covers %.1f %%; settles %.0f %%, of which it covers %s; %.0f passes',
            $kind,
            100 * $share, 100 * $sum->{covered} / RUNS, 100 * $sum->{settled} / RUNS,
            $sum->{settled}
            ? sprintf('%.0f %%', 100 * $sum->{covered_settled} / $sum->{settled})
            : '-',
            $sum->{passes} / RUNS;
    }
}

# What the median forgives, and what flags take out: spikes of delay, and a share of
# passes beside other work that the instruments see
sub made {
    my ($rate, $busy) = @_;
    return {
        rate    => $rate,
        wall    => 0.285,
        status  => 'ok',
        results => [],
        machine =>
            { busy_elsewhere => ($busy ? 0.9 : 0) + 0.05 * gauss(), steal => 0, throttled => 0 }
    };
}

my %TROUBLE = (
    'spikes in 5 % of the passes' =>
        sub { made(TRUTH * (1 + 0.02 * gauss()) * (rand() < 0.05 ? 0.5 : 1), 0) },
    'a third of the passes disturbed' => sub {
        my $busy = rand() < 0.33;
        made(TRUTH * (1 + 0.02 * gauss()) * ($busy ? 0.6 : 1), $busy);
    },
);
for my $what (sort keys %TROUBLE) {
    my ($covered, $late) = (0, 0);
    for (1 .. 400) {
        my $s = SpawnMeter::Measure::Schedule->new(
            cells     => [ {} ],
            protocol  => 'settle',
            precision => 0.03,
            max_time  => sub { 10 },
            seed      => 1
        );
        while (my $state = $s->next_pass) { $s->record($state, $TROUBLE{$what}->()) }
        my $state = $s->{states}[0];
        my ($low, $high) = interval(map { $_->{rate} } @{ sound($state->{passes}) });
        $covered++ if $low <= TRUTH && TRUTH <= $high;
        $late++ if $state->{used} > 10;
    }
    cmp_ok($covered / 400, '>=', 0.9, "$what: the interval of what counts holds the quiet truth");
    is($late, 0, 'and never runs over the time');
    note sprintf '%-32s covers %.1f %%', $what, 100 * $covered / 400;
}

# Drift is not promised, and here is how little: the machine gets slower by so much
# while the test runs, around its true median
for my $drift (0.02, 0.10) {
    my $covered = 0;
    for (1 .. 400) {
        my $s = SpawnMeter::Measure::Schedule->new(
            cells     => [ {} ],
            protocol  => 'settle',
            precision => 0.03,
            max_time  => sub { 10 },
            seed      => 1
        );
        while (my $state = $s->next_pass) {
            my $part = @{ $state->{passes} } / 35 - 0.5;
            $s->record($state, made(TRUTH * (1 + 0.02 * gauss() - $drift * $part), 0));
        }
        my ($low, $high) = interval(map { $_->{rate} } @{ $s->{states}[0]{passes} });
        $covered++ if $low <= TRUTH && TRUTH <= $high;
    }
    note sprintf 'drift of %.0f %% %18s covers %.1f %% (not promised)', 100 * $drift, q{},
        100 * $covered / 400;
}
done_testing;
