# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth and equal runs are called different: simulated runs with
# a fixed seed, so that no check fails by chance.  make simulate prints the whole table.
use strict;
use warnings;
use lib 'bench';
use Test::More;
use Simulation                       qw(noises measured recorded scaled describe);
use SpawnMeter::Analysis::Comparison qw(reduce compare);
use SpawnMeter::Analysis::Results    qw(results);
use SpawnMeter::Util::Random;

# USUAL: the difference of equal runs that compare assumes of a machine that is not virtual
use constant { RUNS => 12, TESTS => 8, SPREAD => 0.03, PAIRS => 15, USUAL => 0.05 };

my $random = SpawnMeter::Util::Random->new(20_101);

sub simulated {
    my ($noise, %with) = @_;
    return measured(
        noise  => $noise,
        spread => SPREAD,
        tests  => TESTS,
        random => $random,
        %with
    );
}

# The shares of the results of some runs
sub shares {
    my ($noise, %with) = @_;
    my %sum = map { $_ => 0 } qw(holds settled levels differ least);
    my $n = 0;
    for (1 .. RUNS) {
        my $run = simulated($noise, %with);
        my ($truth, $live) = @{ $run->{simulated} }{qw(truth settled)};
        for my $r (@{ results($run) }) {
            $n++;
            $sum{holds}++
                if $r->{low} <= $truth->{ $r->{test} } && $truth->{ $r->{test} } <= $r->{high};
            $sum{levels}++ if $r->{levels};
            $sum{settled} += $r->{settled};
            $sum{differ}++ if $r->{settled} != ($live->{ $r->{test} } ? 1 : 0);
            $sum{least} = $r->{passes} if !$sum{least} || $r->{passes} < $sum{least};
        }
    }
    my ($differ, $least) = delete @sum{qw(differ least)};
    return { differ => $differ, least => $least, map { $_ => $sum{$_} / $n } keys %sum };
}

for my $noise (qw(normal skewed heavy ar0.3 ar0.5 ar0.7)) {
    subtest describe($noise) => sub {
        for my $passes (35, undef) {
            my $of = shares($noise, passes => $passes);
            my $until = $passes ? "$passes passes" : 'until settled';
            cmp_ok($of->{holds}, '>=', 0.87, "$until: intervals hold the truth");
            cmp_ok($of->{levels}, '<=', 0.05, "$until: no two levels");
            note sprintf '%s, %s: holds %.1f %%', $noise, $until, 100 * $of->{holds};
            next if $passes;
            is($of->{differ}, 0, 'the schedule and the report agree');
            cmp_ok($of->{least}, '>=', 15, 'never fewer than 15 passes');
        }
    };
}

subtest 'two levels' => sub {
    my $even = shares('50:50');
    is($even->{settled}, 0, 'of equal frequency: never settled');
    cmp_ok($even->{levels}, '>=', 0.9, 'of equal frequency: named');
    my $uneven = shares('60:40');
    cmp_ok($uneven->{levels}, '>=', 0.9, '60:40: named');
    cmp_ok(shares("$_, 4")->{levels}, '>=', 0.85, "$_, nearer to each other: named in most runs")
        for '50:50', '60:40';
    cmp_ok($uneven->{holds}, '>=', 0.9, '60:40: intervals hold the median');
};

sub different {
    my ($old, $new, $usual) = @_;
    my $rows = compare(reduce($old, 'x'), reduce($new, 'y'), { usual => $usual || 0 })->{rows};
    return scalar grep { $_->{verdict} =~ /er\z/ } @{$rows};
}

subtest 'comparisons' => sub {
    for my $noise (qw(normal ar0.5)) {
        my $wrong = grep { different(simulated($noise), simulated($noise), USUAL) } 1 .. PAIRS;
        cmp_ok($wrong, '<=', 2, "$noise: equal runs are called so, in nearly all of @{[ PAIRS ]}");
        my $found = 0;
        $found += different(simulated($noise), simulated($noise, factor => 0.9), USUAL)
            for 1 .. PAIRS;
        cmp_ok($found / PAIRS / TESTS, '>', 0.9, "$noise: a tenth is found");
    }
};

# The machine moves within and between runs
subtest 'comparisons with reference loops' => sub {
    my %wrong;
    for my $kind (qw(loops none)) {
        my @with = (passes => 35, machine => 0.08, loops => $kind eq 'loops');
        my @pairs = map { [ map { simulated('common', @with) } 1, 2 ] } 1 .. PAIRS;
        $wrong{$kind} = grep { different(@{$_}, 0.12) } @pairs;
    }
    cmp_ok($wrong{loops}, '<=', 1, 'with them: equal runs are called so');
    cmp_ok($wrong{none}, '>=', 3,
        'without them: a move of the machine is taken for one of the tests');
    my @with = (passes => 35, machine => 0.08, loops => 'around');
    my $found = 0;
    $found +=
        different(simulated('common', @with), simulated('common', @with, factor => 0.84), 0.12)
        for 1 .. PAIRS;
    cmp_ok($found / PAIRS / TESTS, '>', 0.9, 'a slowdown by 16 % is found');
};

subtest 'recorded runs' => sub {
    my ($first, @others) = recorded('t/recorded/busy-host.csv');
    my ($wrong, $found) = (0, 0);
    for my $other (@others) {
        $wrong += different($first, $other);
        $found += different($first, scaled($other, 0.8));
    }
    cmp_ok($wrong, '<=', 1, 'equal tests that are called different, of 48');
    cmp_ok($found, '>=', 30, 'tests that are slower by a fifth and found, of 48');
    note "$wrong different, $found found";
    my @beside = recorded('t/recorded/beside-others.csv');
    my $called = 0;
    for my $i (1 .. $#beside) {
        $called += different($beside[$_], $beside[$i], 0.12) for 0 .. $i - 1;
    }
    cmp_ok($called, '<=', 28,
        'beside work that comes and goes: equal tests called different, of 96');
};
done_testing;
