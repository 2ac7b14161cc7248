# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Record  qw(cell);
use SpawnMeter::Measure::Settings qw(settings_of spec seconds_of note_iteration);

sub spec_of {
    my (%cell) = @_;
    my $plan = {
        settings         => settings_of({}, cells => 1, seed => 1),
        binaries         => '/b',
        testdir          => '/t',
        cpus             => [0],
        usable           => 1,
        pass_on          => ['--own-target'],
        target_arguments => [],
    };
    return spec($plan,
        cell(program => 'execl', copies => 1, options => [], arguments => [], %cell), 1);
}

my $static = spec_of(static => 1, environment => { LANG => 'C' });
is_deeply(
    $static->{environment},
    { LANG => 'C', UB_BINDIR => '/b/static' },
    'which executes a statically linked one, too'
);
my $side = spec_of(static => 1, of_side => { programs => '/a' });
is($side->{environment}{UB_BINDIR}, '/a/static', 'of a side with programs of its own');

subtest 'copies that share a CPU, on two sides' => sub {
    my %plan = (
        settings => settings_of({}, cells => 1, seed => 1),
        cpus     => [0],
        usable   => 1,
        state    => {}
    );
    my ($a, $b) = map { cell(test => 'fork', copies => 4, side => $_) } qw(A B);
    my $both = cell(test => 'fork', copies => 4);
    my $usual = seconds_of(\%plan, $both);
    note_iteration(\%plan, $a, 0.001);
    note_iteration(\%plan, $b, 0.02);
    is(seconds_of(\%plan, $_), 0.6, 'both have the passes that the slower one needs') for $a, $b;
    is(seconds_of(\%plan, $both), 0.6, 'as the schedule knows');
    is(seconds_of(\%plan, cell(test => 'vfork', copies => 4)), $usual, 'another test has not');
};
done_testing;
