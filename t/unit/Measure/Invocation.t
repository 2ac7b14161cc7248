# SPDX-License-Identifier: GPL-2.0-or-later
# How the test programs are started.  t/unit/Measure/Loop.t has their options, Turns.t those of two
# that take turns.
use lib 't/lib';
use TestHelp;
use File::Spec                    ();
use SpawnMeter::Measure::Settings qw(invocation of_copy options_of settings_of);

sub invocation_of {
    my (%cell) = @_;
    my $seconds = delete $cell{seconds} || 1;
    my %option = (pass_on => ['--own-target'], target_arguments => []);
    my %suite = (binaries => '/b', testdir => '/t', option => \%option);
    my $settings = settings_of({}, cells => 1);
    my $plan = { suite => \%suite, settings => $settings, cpus => [0], usable => 2 };
    return invocation($plan,
        { program => 'execl', copies => 1, options => [], arguments => [], %cell }, $seconds);
}

my @no_pauses = (
    [ 'a short pass', seconds  => 0.1 ],
    [ 'several copies', copies => 2 ],
    [ 'a count', count         => 9 ]
);
for my $case (@no_pauses) {
    my ($name, %cell) = @{$case};
    my $arguments = invocation_of(%cell)->{arguments};
    is((grep { $_ eq '--pauses' } @{$arguments}), 0, "no pauses: $name");
}

my $static = invocation_of(static => 1, environment => { LANG => 'C' });
is_deeply(
    $static->{environment},
    { LANG => 'C', UB_BINDIR => '/b/static' },
    'UB_BINDIR has the target of a program that is linked statically'
);
my $side = invocation_of(static => 1, of_side => { programs => '/a' });
is($side->{environment}{UB_BINDIR}, '/a/static', 'of a side with programs of its own');
my $both = invocation_of(of_side => { options => [ '--raw', q{--}, 'word' ] });
is_deeply(
    $both->{arguments},
    [qw(--own-target --raw --warmup 0.025 1 --reference 0.035 --pauses 0.02 -- word)],
    'of a side with options and arguments of a target'
);
my $line = of_copy({ %{$side}, pin => [ 4, 7 ], wrap => ['nice'] }, 3)->{line};
is_deeply([ @{$line}[ 0 .. 3 ] ], [qw(nice /a/static/execl --cpu 7)],
    'the fourth copy on two CPUs');
is_deeply(
    [ options_of([ heap => '1M,file=h' ], [ exec => './y' ], [ seccomp => '7,z+/a b' ]) ],
    [
        '--heap', '1M,file=' . File::Spec->rel2abs('h'),
        '--exec', File::Spec->rel2abs('y'),
        '--seccomp', '7,' . File::Spec->rel2abs('z') . '+/a b'
    ],
    'options of the user'
);
my %of_tree = (program => 'dc', options => [], environment => { A => 1 }, copies => 1);
is_deeply(
    invocation({ tree => '/ub', settings => {} }, { %of_tree, tree => 1 }, 1)->{environment},
    { UB_BINDIR => '/ub/pgms', UB_TESTDIR => '/ub/testdir', A => 1 },
    'the environment of a test of a classic tree'
);
done_testing;
