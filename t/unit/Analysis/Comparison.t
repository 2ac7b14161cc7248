# SPDX-License-Identifier: GPL-2.0-or-later
# Comparisons of runs whose truth is known.  How often compare is wrong: make simulate.
use strict;
use warnings;
use lib 't/lib', 'bench';
use Test::More;
use Simulation qw(normal);
use TestHelp;
use SpawnMeter::Analysis::Comparison  qw(reduce compare usual);
use SpawnMeter::Analysis::Fingerprint qw(differences same_machine);
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(11);

# A run of one test whose passes lie around a rate
sub run_of {
    my ($rate, $spread, $passes, %with) = @_;
    return {
        protocol => { name => 'settle', precision => 0.03 },
        suite    => '1',
        system   => {},
        tests    => [ { name   => 'a', title => 'Aa' } ],
        blocks   => [ { copies => 1 } ],
        %with,
        passes => [
            map { {
                test    => 'a',
                copies  => 1,
                status  => 'ok',
                unit    => 'lps',
                wall    => 0.3,
                rate    => $rate * (1 + $spread * normal($random)),
                results => []
            } } 1 .. $passes
        ],
    };
}

# Where equal runs usually differ by so much; level: of runs of this machine
sub verdict {
    my ($x, $y, $usual, $level) = @_;
    my %spread = (usual => $usual || 0);
    $spread{equals} = { '1 a' => { level => $level, degrees => 14 } } if defined $level;
    return compare(reduce($x, 'x'), reduce($y, 'y'), \%spread)->{rows}[0];
}

subtest 'without an A/A run' => sub {
    is(verdict(run_of(1000, 0.001, 20), run_of(980, 0.001, 20))->{verdict},
        'slower', 'slower by 2 %, and quiet');
    my $usual = verdict(run_of(1000, 0.001, 20), run_of(980, 0.001, 20), 0.05);
    is_deeply(
        [ @{$usual}{qw(verdict why)} ],
        [ 'inconclusive', 'equal runs can differ by as much' ],
        'slower by 2 % where equal runs usually differ by 5 %'
    );
    is(verdict(run_of(1000, 0.001, 20), run_of(1100, 0.001, 20), 0.05)->{verdict},
        'faster', 'faster by 10 % where equal runs usually differ by 5 %');
    is(
        verdict(run_of(1000, 0.1, 20), run_of(1000, 0.1, 20), 0.05)->{verdict},
        'no difference shown',
        'equal runs'
    );
    my ($metal, $guest) = map { { run => { system => { hypervisor => $_ } } } } qw(none KVM);
    cmp_ok(usual($metal, $metal), '<', usual($metal, $guest), 'more on a virtual machine');
    is(usual($guest, $guest), usual({ run => {} }, $metal), 'or on an unknown one');
};

subtest 'with an A/A run' => sub {
    my @pair = (run_of(1000, 0.001, 20), run_of(950, 0.001, 20));
    is(verdict(@pair, 0.12, 0.002)->{verdict}, 'slower', '5 % where levels differ by 0.2 %');
    my $row = verdict(@pair, 0.12, 0.04);
    is($row->{verdict}, 'no difference shown', '5 % where levels differ by 4 %');
    cmp_ok($row->{high}, '>', 1, 'the interval counts the levels');
};

subtest 'a family of tests' => sub {
    my @p = (0.02, (0.5) x 15);
    my ($x, $y) = (run_of(1000, 0.02, 20), run_of(1000, 0.02, 20));
    for my $run ($x, $y) {
        my @passes = @{ $run->{passes} };
        $run->{passes} = [
            map {
                my $test = $_;
                map { { %{$_}, test => "t$test", rate => 1000 * (1 + 0.02 * normal($random)) } }
                    @passes
            } 1 .. 16
        ];
    }
    my @rows = @{ compare(reduce($x, 'x'), reduce($y, 'y'), { usual => 0 })->{rows} };
    is(scalar(grep { $_->{adjusted} < $_->{p} } @rows), 0, 'adjusted p are not smaller');
    my ($least) = sort { $a->{p} <=> $b->{p} } @rows;
    my $expected = 16 * $least->{p} > 1 ? 1 : 16 * $least->{p};
    cmp_ok(abs($least->{adjusted} - $expected), '<', 1e-9, 'the smallest counts 16 times');
};

# scaled samples: exactly that ratio
my $run = run_of(1000, 0.02, 33);
my $scaled =
    { %{$run}, passes => [ map { { %{$_}, rate => 0.9 * $_->{rate} } } @{ $run->{passes} } ] };
my $row = verdict($run, $scaled);
is(sprintf('%.6f', $row->{ratio}), '0.900000', 'samples times 0.9: a ratio of 0.9');
is($row->{verdict}, 'slower', 'slower');
cmp_ok($row->{low}, '<=', 0.9, 'its interval');
cmp_ok($row->{high}, '>=', 0.9, 'holds it');

my $few = verdict(run_of(1000, 0.02, 5), run_of(900, 0.02, 33));
is_deeply(
    [ @{$few}{qw(verdict why)} ],
    [ 'inconclusive', 'too few passes' ],
    'five passes tell nothing'
);
my $printed = {
    %{$run},
    kind    => 'imported',
    passes  => [],
    printed => [ { test => 'a', title => 'Aa', copies => 1, rate => 950 } ]
};
is_deeply(
    [ @{ verdict($printed, $run) }{qw(verdict why)} ],
    [ 'inconclusive', 'no raw samples' ],
    'nor do printed figures'
);
is(
    scalar keys %{
        reduce(
            {
                %{$printed}, printed => [ { test => 'a', title => 'Aa', copies => 0, rate => 950 } ]
            },
            'p'
        )->{cells}
    },
    1,
    'a text that does not say how many copies'
);
is(
    (
        keys %{
            reduce(
                {
                    %{$printed},
                    printed => [ { test => 'a', title => 'Aa', copies => 0, rate => 950 } ]
                },
                'p', 4
            )->{cells}
        }
    )[0],
    '4 a',
    'a text without a number of copies is taken to have the one that was given'
);

# In logarithms: the two directions agree
my $quiet = run_of(1000, 0.001, 20);
for my $factor (0.01, 0.25, 0.5, 0.8) {
    my $slow = run_of(1000 * $factor, 0.001, 20);
    for my $level (0.01, 0.1, 0.5) {
        my ($there, $back) = (verdict($quiet, $slow, 0, $level), verdict($slow, $quiet, 0, $level));
        my $shown = $there->{verdict} eq 'slower';
        is(
            $back->{verdict},
            $shown ? 'faster' : 'no difference shown',
            "a rate times $factor, and the reverse, where levels differ by $level"
        );
        is($shown, -log($factor) > 3.1 * $level, 'shown where it is large enough');
    }
}

# Disturbed passes: nothing is said unless the interval lies far off
sub disturbed {
    my ($run) = @_;
    my @passes = map { { %{$_}, machine => { steal => 0.2 } } } @{ $run->{passes} };
    return { %{$run}, passes => \@passes };
}
my $busy = verdict(disturbed($quiet), run_of(1300, 0.001, 20), 0.05);
is_deeply(
    [ @{$busy}{qw(verdict why)} ],
    [ 'inconclusive', 'disturbed passes' ],
    'a disturbed run shows no 30 %'
);
is(verdict(disturbed($quiet), run_of(2000, 0.001, 20), 0.05)->{verdict},
    'faster', 'a disturbed run shows a factor of two');

# Beside other work: no verdict, however far off, with either run and with both
my $crowded = run_of(100, 0.001, 20, system => { cpus_online => 2 });
$_->{machine}{busy_elsewhere} = 1.84 for @{ $crowded->{passes} };
for my $pair ([ $quiet, $crowded ], [ $crowded, $quiet ], [ $crowded, $crowded ]) {
    my $row = verdict(@{$pair}, 0.05);
    is($row->{verdict}, 'busy', 'a run of a busy machine');
    ok($row->{low} <= $row->{ratio} && $row->{ratio} <= $row->{high}, 'with ratio and interval');
}

# what differs
my ($x, $y) = map { reduce($_, 'n') } run_of(
    1, 0, 6,
    system => { kernel_release => '6.1', cpu_model => 'A', governor => 'performance', smt => 0 },
    build  => ['gcc 12']
    ),
    run_of(
    1, 0, 6,
    system => { kernel_release => '6.6', cpu_model => 'A', governor => 'powersave' },
    build  => ['gcc 12']
    );
my $d = differences($x, $y);
is_deeply(
    $d->{incomparable},
    [ { fact => 'kernel', old => '6.1', new => '6.6' } ],
    'another kernel'
);
is_deeply(
    $d->{notable},
    [ { fact => 'governor', old => 'performance', new => 'powersave' } ],
    'another governor'
);
is_deeply($d->{unknown}, ['SMT'], 'and what only one of them knows');
is(same_machine($x, $y), 0, 'an A/A run of one says nothing about the other');
is(same_machine($x, $x), 1, 'it does of the same');
subtest 'the creating calls' => sub {
    my $with_calls_of = sub {
        my ($us) = @_;
        my $run = run_of(1000, 0.001, 20);
        my $i = 0;
        $_->{results} = [ { stall => [ $us * (1 + 0.001 * ($i++ % 5)), (0) x 4 ] } ]
            for @{ $run->{passes} };
        return reduce($run, 'x');
    };
    my $pair = compare($with_calls_of->(20), $with_calls_of->(30), { usual => 0 });
    my ($row) = @{ $pair->{stalls} };
    is($row->{verdict}, 'longer', 'half as long again');
    is(sprintf('%.2f', $row->{ratio}), '1.50', 'the ratio of the times');
    is(sprintf('%.1f %.1f', @{$row}{qw(old new)}), '20.0 30.1', 'both in microseconds');
    cmp_ok($row->{low}, '<', $row->{high}, 'the interval has its ends in order');
    is($pair->{rows}[0]{verdict}, 'no difference shown', 'and the rates are not touched');
    is(compare($with_calls_of->(30), $with_calls_of->(20), { usual => 0 })->{stalls}[0]{verdict},
        'shorter', 'the other way round');

    for my $case ([ 0.3, 'no difference shown' ], [ 0.01, 'longer' ]) {
        my ($level, $verdict) = @{$case};
        my %spread = (usual => 0, equals => { '1 a' => { level => $level, degrees => 14 } });
        my $found = compare($with_calls_of->(20), $with_calls_of->(30), \%spread);
        is($found->{stalls}[0]{verdict}, $verdict, "where equal runs differ by $level");
    }
    is_deeply(
        compare(reduce(run_of(1, 0.1, 9), 'x'), $with_calls_of->(20), { usual => 0 })->{stalls},
        [], 'none where a run has none');
};

done_testing;
