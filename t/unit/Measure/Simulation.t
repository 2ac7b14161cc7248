# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth and equal runs are called different: simulated runs with
# a fixed seed, so that no check fails by chance.  make simulate prints the whole table.
# LONG=1 (make check-long): more kinds of noise.
use lib 't/lib', 'bench';
use TestHelp;
use Simulation                       qw(measured describe);
use SpawnMeter::Analysis::Comparison qw(reduce compare);
use SpawnMeter::Analysis::Results    qw(results);
use SpawnMeter::Util::Random;

use constant { RUNS => 12, TESTS => 8, SPREAD => 0.03, PAIRS => $ENV{LONG} ? 15 : 6 };

# Each part has its own numbers, whichever others run
my $random;
sub begin { $random = SpawnMeter::Util::Random->new(20_101); return }

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
    my %sum = map { $_ => 0 } qw(holds settled levels least);
    my $n = 0;
    for (1 .. RUNS) {
        my $run = simulated($noise, %with);
        my $truth = $run->{simulated}{truth};
        for my $r (@{ results($run) }) {
            $n++;
            $sum{holds}++
                if $r->{low} <= $truth->{ $r->{test} } && $truth->{ $r->{test} } <= $r->{high};
            $sum{levels}++ if $r->{levels};
            $sum{settled} += $r->{settled};
            $sum{least} = $r->{passes} if !$sum{least} || $r->{passes} < $sum{least};
        }
    }
    my $least = delete $sum{least};
    return { least => $least, map { $_ => $sum{$_} / $n } keys %sum };
}

for my $noise ($ENV{LONG} ? qw(normal skewed heavy ar0.3 ar0.5 ar0.7) : qw(ar0.5)) {
    subtest describe($noise) => sub {
        begin();
        for my $passes (35, undef) {
            my $of = shares($noise, passes => $passes);
            my $until = $passes ? "$passes passes" : 'until settled';
            cmp_ok($of->{holds}, '>=', 0.87, "$until: intervals hold the truth");
            cmp_ok($of->{levels}, '<=', 0.05, "$until: no two levels");
            note sprintf '%s, %s: holds %.1f %%', $noise, $until, 100 * $of->{holds};
            next if $passes;
            cmp_ok($of->{least}, '>=', 15, 'never fewer than 15 passes');
        }
    };
}

subtest 'two levels' => sub {
    begin();
    for my $noise ('50:50', $ENV{LONG} ? '60:40' : ()) {
        cmp_ok(shares($noise, passes => 35)->{levels}, '>=', 0.85, "$noise: named");
    }
};

# Groups of runs whose levels differ by 2 % (all tests alike), in turn
sub groups {
    my ($k, $factor) = @_;
    my @groups = ([], []);
    for my $i (0 .. 2 * $k - 1) {
        my $run = simulated(
            'normal',
            passes  => 20,
            machine => 0.02,
            factor  => $i % 2 ? $factor : 1
        );
        push @{ $groups[ $i % 2 ] }, reduce({ %{$run}, started => 1 + $i }, 'x');
    }
    return @groups;
}

subtest 'comparisons of four runs a side' => sub {
    begin();
    my $wrong = 0;
    for (1 .. PAIRS) {
        $wrong++ if grep { $_->{verdict} =~ /er\z/ } @{ compare(groups(4, 1))->{rows} };
    }
    cmp_ok($wrong, '<=', PAIRS / 5, "equal groups are called so, in nearly all of @{[ PAIRS ]}");
    my $found = 0;
    for (1 .. PAIRS) {
        $found += grep { $_->{verdict} eq 'slower' } @{ compare(groups(4, 0.9))->{rows} };
    }
    cmp_ok($found / PAIRS / TESTS, '>', 0.9, 'a tenth is found');
};
done_testing;
