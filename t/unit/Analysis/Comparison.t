# SPDX-License-Identifier: GPL-2.0-or-later
# Comparisons of runs whose truth is known.  -v prints how often each error is made.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Analysis::Comparison qw(reduce compare differences same_machine);

my $RUNS = 400;
srand 11;
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.28318530717959 * rand) }

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
                rate    => $rate * (1 + $spread * normal()),
                results => []
            } } 1 .. $passes
        ],
    };
}

sub verdict {
    my ($x, $y, $least) = @_;
    return compare(reduce($x, 'x'), reduce($y, 'y'), $least)->{rows}[0];
}

sub share_of {
    my ($verdict, $make) = @_;
    my $hits = grep { verdict($make->())->{verdict} eq $verdict } 1 .. $RUNS;
    return $hits / $RUNS;
}

for my $passes (9, 12, 33) {
    for my $spread (0.02, 0.05) {
        my $equal = 1 - share_of('no difference shown',
            sub { (run_of(1000, $spread, $passes), run_of(1000, $spread, $passes)) });
        note sprintf 'equals called different: %4.1f %% (%d passes, spread %.0f %%)', 100 * $equal,
            $passes, 100 * $spread;
        cmp_ok($equal, '<', 0.09, "equals are called so, $passes passes of $spread");
        my $missed = 1 - share_of('slower',
            sub { (run_of(1000, $spread, $passes), run_of(900, $spread, $passes)) });
        note sprintf '10 %% slower not seen:     %4.1f %%', 100 * $missed;
        cmp_ok(
            $missed, '<',
            $spread < 0.03 ? 0.01 : $passes < 33 ? 0.35 : 0.01,
            'what is slower by a tenth is seen'
        );
    }
}

# the least that can be claimed
is(verdict(run_of(1000, 0.001, 20), run_of(980, 0.001, 20))->{verdict},
    'slower', 'slower by 2 %, and quiet');
is(
    verdict(run_of(1000, 0.001, 20), run_of(980, 0.001, 20), 0.05)->{verdict},
    'no difference shown',
    'slower by 2 % is not shown where equal runs differ by 5 %'
);
is(verdict(run_of(1000, 0.001, 20), run_of(1100, 0.001, 20), 0.05)->{verdict},
    'faster', 'faster by 10 % is shown where equal runs differ by 5 %');

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

# In logarithms: a slowdown can exceed any smallest difference, as a speedup can
my $quiet = run_of(1000, 0.001, 20);
for my $factor (0.01, 0.25, 0.5, 0.8) {
    my $slow = run_of(1000 * $factor, 0.001, 20);
    for my $least (0.05, 0.2, 0.9, 2.367) {
        my $shown = -log($factor) >= log(1 + $least);
        is(
            verdict($quiet, $slow, $least)->{verdict},
            $shown ? 'slower' : 'no difference shown',
            "a rate times $factor where equals differ by $least"
        );
        is(
            verdict($slow, $quiet, $least)->{verdict},
            $shown ? 'faster' : 'no difference shown',
            "the reverse where equals differ by $least"
        );
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
done_testing;
