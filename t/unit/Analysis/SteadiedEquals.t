# SPDX-License-Identifier: GPL-2.0-or-later
# The own levels of equal runs at one level of the reference loops: what an A/A run finds of a
# machine that moves, and what a comparison makes of it.
use strict;
use warnings;
use lib 'bench';
use Test::More;
use LoopRecording                        qw(recorded_pass);
use Simulation                           qw(normal);
use SpawnMeter::Analysis::AA             qw(sides equals summary);
use SpawnMeter::Analysis::OwnLevel       qw(at_least);
use SpawnMeter::Analysis::Comparison     qw(reduce compare);
use SpawnMeter::Analysis::SteadiedEquals qw(steadied_cells);
use SpawnMeter::Util::Random;

use constant { RATE => 9000, LOOP => 3e5, RUNS => 8, PASSES => 20 };

my $random = SpawnMeter::Util::Random->new(7);
my @TESTS = qw(fork vfork vforkexec);

# A run on a machine of this speed, which the tests follow with this power.  own: { test =>
# level of it in this run }; loops: false without them; loop: the only one; memory: as sparse page
# faults alone have it, and by half the tests; noise: of the passes
sub passes {
    my (%with) = @_;
    my @passes;
    for my $i (1 .. PASSES) {
        for my $test (@TESTS) {
            my $own = ($with{own} || {})->{$test} || 1;
            my %level = map { $_ => LOOP * $with{speed} }
                $with{loop} ? $with{loop} : qw(sparse_faults page_faults);
            $level{sparse_faults} *= $with{memory} || 1 if $level{sparse_faults};
            my @references = ({%level}) x 2;
            my $rate =
                RATE * $own * $with{speed}**($with{power} || 1) * ($with{memory} || 1)
                **($with{share} || 0.5) * exp(($with{noise} || 0.01) * normal($random));
            push @passes, recorded_pass($test, 3 * $i, $rate, [ $with{loops} ? @references : () ]);
        }
    }
    return @passes;
}

my %HEAD = (
    host     => 'here',
    protocol => { name      => 'settle', pin   => 0 },
    system   => { cpu_model => 'A', hypervisor => 'kvm' },
    build    => ['cc'],
    tests    => [],
);

sub run_of { return { %HEAD, passes => [ passes(loops => 1, @_) ] } }

# An A/A run; each argument: what passes() takes
sub aa {
    my (@runs) = @_;
    return sides({
        %HEAD,
        passes => [
            map {
                my $side = $_;
                map { { %{$_}, side => $side } } passes(loops => 1, %{ $runs[$side] })
            } 0 .. $#runs
        ]
    });
}

my @SPEEDS = (1, 0.8, 1.15, 0.9, 0.7, 1.05, 0.85, 1.1);
my $moved = aa(map { { speed => $_ } } @SPEEDS);

subtest 'a machine that moves' => sub {
    my $equals = equals($moved);
    for my $test (@TESTS) {
        my $of = $equals->{"1 $test"};
        cmp_ok($of->{level}, '>', 0.1, "$test: its raw results have a level");
        cmp_ok($of->{steadied}{level}, '<', 0.01, 'steadied ones have hardly any');
        is($of->{steadied}{loop}, 'faults', 'by page faults of both kinds');
        is($of->{steadied}{runs}, RUNS, 'of all runs');
    }
    my $steadied = steadied_cells($moved);
    my @logs = map { $_->{'1 fork'}{log} } @{$steadied};
    my ($lowest, $highest) = (sort { $a <=> $b } @logs)[ 0, -1 ];
    cmp_ok($highest - $lowest, '<', 0.05, 'its steadied results are equal');
    my ($far, $near) = map { $steadied->[$_]{'1 fork'}{shift} } 4, 3;
    cmp_ok($far, '>', 2 * $near, 'the coefficient is less sure far from the mean level');
};

subtest 'tests with own levels' => sub {
    my @own = (0.05, -0.06, 0.02, 0.06, -0.04, -0.05, 0.07, -0.02);
    my @runs = map {
        my $i = $_;
        { speed => 1, own => { map { $_ => exp $own[$i] } @TESTS } }
    } 0 .. $#own;
    my $of = equals(aa(@runs))->{'1 fork'};
    cmp_ok(abs($of->{steadied}{level} / 0.052 - 1), '<', 0.2, 'the loops do not take them out');
};

subtest 'tests that follow the loops by a little more' => sub {
    my $of = equals(aa(map { { speed => $_, power => 1.15 } } @SPEEDS))->{'1 fork'}{steadied};
    cmp_ok($of->{level}, '<', 0.01, 'the error of the coefficient explains it');
};

subtest 'another process takes the memory' => sub {
    for my $share (0.5, 0.3, 0.7) {
        my $of =
            equals(aa(map { { speed => 1, memory => $_, share => $share } } @SPEEDS))->{'1 fork'};
        cmp_ok($of->{level}, '>', 0.03, "share $share: raw results have a level");
        cmp_ok($of->{steadied}{level}, '<', 0.01, 'the loops explain it');
        cmp_ok($of->{steadied}{shift}, '>', 0.02, 'though not for certain');
    }
};

subtest 'a quiet machine' => sub {
    my $of = equals(aa(map { { speed => 1, noise => 0.001 } } 1 .. RUNS))->{'1 fork'};
    cmp_ok($of->{level}, '<', 0.005, 'raw results hardly differ');
    cmp_ok($of->{steadied}{level}, '<', 0.005, 'steadied ones, too');
};

subtest 'runs without loops' => sub {
    my @without = map { { speed => $_, loops => 0 } } @SPEEDS;
    is(equals(aa(@without))->{'1 fork'}{steadied}, undef, 'none of them has any');
    my $few = equals(aa(@without[ 0 .. 4 ], map { { speed => $_ } } @SPEEDS[ 5 .. 7 ]));
    is($few->{'1 fork'}{steadied}, undef, 'three have: too few');
    my $some = equals(aa(@without[ 0 .. 3 ], map { { speed => $_ } } @SPEEDS[ 4 .. 7 ]));
    is($some->{'1 fork'}{steadied}{runs}, 4, 'four have: those');
};

subtest 'stored runs' => sub {
    my @same = map { { speed => $_ } } @SPEEDS;
    my @other = map { { loop => 'page_faults', speed => $_ } } @SPEEDS;
    is(equals($moved, aa(@same))->{'1 fork'}{steadied}{runs}, 2 * RUNS, 'add to an A/A run');
    my $of = equals($moved, aa(@other))->{'1 fork'};
    is($of->{runs}, 2 * RUNS, 'also those by another loop');
    is($of->{steadied}{runs}, RUNS, 'but not to its steadied results');
};

subtest 'summary' => sub {
    my ($row) = @{ summary($moved, equals($moved), shorter => 0.4, least => 0.02)->{rows} };
    cmp_ok($row->{largest}, '>', 0.4, 'raw runs differ by much');
    cmp_ok($row->{steadied}{largest}, '<', 0.05, 'steadied ones by little');
    cmp_ok($row->{steadied}{smallest}, '<', $row->{smallest} / 3, 'so is what is significant');
    cmp_ok(abs($row->{steadied}{level} - 0.02), '<', 0.001, 'with the least level');
    cmp_ok($row->{steadied}{smallest}, '>', 1.96 * sqrt(2) * 0.02, 'which counts');
    my $known = { level => 0.01, degrees => 14, loop => 'faults' };
    is_deeply(
        at_least($known, 0.02),
        { %{$known}, level => 0.02, degrees => 1000 },
        'a lower level'
    );
    is_deeply(at_least($known, 0.005), $known, 'and one that is higher');
    my $faster = aa(map { { speed => $_ } } (1) x 5, (0.7) x 3);
    my ($mostly) = @{ summary($faster, equals($faster), shorter => 0.4)->{rows} };
    cmp_ok(abs($mostly->{rate} / RATE - 1), '<', 0.02, 'the raw rate: the usual speed');
    my $mean_speed = 0.7**(3 / 8);
    cmp_ok(abs($mostly->{steadied}{rate} / $mean_speed / RATE - 1),
        '<', 0.02, 'the steadied one: the mean speed');
    my ($long) = @{ summary($moved, equals($moved), shorter => 0)->{rows} };
    cmp_ok($long->{steadied}{smallest}, '>', 0.05, 'longer runs leave the coefficient\'s error');
    my ($bare) =
        @{ summary($moved, { map { $_ => raw_only($_) } '1 fork', '1 vfork' }, shorter => 0.4)
            ->{rows} };
    ok($bare && !$bare->{steadied}, 'nothing where it is not known');
};

sub raw_only {
    my ($test) = @_;
    my %of = %{ equals($moved)->{$test} };
    delete $of{steadied};
    return \%of;
}

# Of fork; the new run is slower in fork alone
sub compared {
    my ($factor, $equals, %head) = @_;
    my ($old, $new) = map { run_of(speed => 1, own => { fork => $_ }) } 1, $factor;
    my @machines = (reduce($old, 'old'), reduce({ %{$new}, %head }, 'new'));
    my $pair = compare(@machines, { usual => 0.12, equals => $equals });
    my ($row) = grep { $_->{test} eq 'fork' } @{ $pair->{rows} };
    return ($row, $pair->{reference});
}

subtest 'a comparison' => sub {
    my $equals = equals($moved);
    my ($known) = compared(0.93, $equals);
    is($known->{verdict}, 'slower', 'by 7 %, where an A/A run knows the level');
    my ($width, $bare) = map { log($_->{steadied}{high} / $_->{steadied}{low}) } $known,
        (compared(0.93))[0];
    cmp_ok($width, '>', 1.5 * $bare, 'the interval counts it');
    my ($row, $reference) = compared(0.93);
    is_deeply(
        [ @{$row}{qw(verdict why)} ],
        [ 'inconclusive', 'equal runs can differ by as much' ],
        'by 7 % without one'
    );
    is($reference->{own_level}, 0.024, 'because of the own levels that are named');
    is((compared(0.9))[0]{verdict}, 'slower', 'by 10 % without one');
    is((compared(0.9))[0]{why}, undef, 'though it is below the usual one');
    is((compared(0.93, $equals))[1]{own_level}, undef, 'which do not matter with one');
    my ($raw) = compared(0.93, { '1 fork' => raw_only('1 fork') });
    is($raw->{verdict}, 'inconclusive', 'by 7 %, where it knows only those of raw results');
    my %other = %{ $equals->{'1 fork'} };
    $other{steadied} = { %{ $other{steadied} }, loop => 'page_faults' };
    my ($row_of_other, $of_other) = compared(0.93, { '1 fork' => \%other });
    is($row_of_other->{verdict}, 'inconclusive', 'or those at one level of another loop');
    is($of_other->{own_level}, 0.024, 'which it then takes');
    is(
        (compared(0.97, $equals))[0]{verdict},
        'no difference shown',
        'by 3 % after short runs without any level'
    );
};

subtest 'another kernel: loops in user mode' => sub {
    my $changed = { system => { %{ $HEAD{system} }, kernel_release => '7' } };
    my $arithmetic = sub {
        my ($run) = @_;
        for my $pass (@{ $run->{passes} }) {
            $_->{arithmetic} = 6e8 for @{ $pass->{results}[0]{references} };
        }
        return $run;
    };
    my ($old, $new) =
        map { $arithmetic->(run_of(speed => 1, own => { fork => $_ })) } 1, 0.9;
    my @machines = (reduce($old, 'old'), reduce({ %{$new}, %{$changed} }, 'new'));
    for my $equals (undef, equals($moved)) {
        my $pair = compare(@machines, { usual => 0.12, equals => $equals });
        my ($row) = grep { $_->{test} eq 'fork' } @{ $pair->{rows} };
        is($pair->{reference}{loops}{1}, 'arithmetic', 'they are used');
        is($pair->{reference}{own_level}, undef, 'the level of kernel loops is not theirs');
        isnt($row->{verdict}, 'slower', 'by 10 %: ' . ($equals ? 'raw levels' : 'the usual one'));
    }
};

done_testing;
