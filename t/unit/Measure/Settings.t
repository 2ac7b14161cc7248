# SPDX-License-Identifier: GPL-2.0-or-later
# The settings of a run from its options.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Measure::Settings qw(settings_of copies_of new_seed);

# The settings of these options, without what is undefined
sub settings {
    my ($option, %with) = @_;
    my $settings = settings_of($option, cells => 8, seed => 7, %with);
    return { map { $_ => $settings->{$_} } grep { defined $settings->{$_} } keys %{$settings} };
}

my %DEFAULT = (
    name         => 'settle',
    slice        => 0.25,
    warmup       => 0.025,
    precision    => 0.03,
    max_time     => 10,
    seed         => 7,
    pin          => 0,
    least_passes => 3,
);
is_deeply(settings({}), \%DEFAULT, 'without options');
my @cases = (
    {
        name   => 'values that are given',
        option => { precision => '1.5%', 'max-time' => 20, seed => 3, pin => 1, iterations => 4 },
        want   => { precision => 0.015, max_time    => 20, seed => 3, pin => 1, iterations => 4 },
        lacks  => ['least_passes'],
    },
    {
        name   => '--precision without the sign',
        option => { precision => '5' },
        want   => { precision => 0.05 },
    },
    {
        name   => '--slice is for all tests',
        option => { slice => '0.5' },
        want   => { slice => 0.5, same_slice => 1 },
    },
    {
        name   => '--count needs no warm-up',
        option => { count   => 50 },
        want   => { counted => 50, warmup => 0 },
    },
    {
        name   => '--classic',
        option => { classic => 1 },
        want   => { name    => 'classic', warmup => 0 },
        lacks  => ['least_passes'],
    },
    {
        name   => '--quick, few cells',
        option => { quick => 1 },
        want   => { name  => 'quick', max_time => 1.75, same_slice => 1 },
        lacks  => ['least_passes'],
    },
    {
        name   => '--quick, many cells',
        option => { quick => 1 },
        with   => { cells => 100 },
        want   => { name  => 'quick', max_time => 0.28, same_slice => 1 },
        lacks  => ['least_passes'],
    },
    {
        name   => 'a sweep',
        option => {},
        with   => { sweep       => 1, fixed => 20 },
        want   => { sweep_least => 6, fixed => 20 },
    },
);
for my $case (@cases) {
    my %want = (%DEFAULT, %{ $case->{want} });
    delete @want{ @{ $case->{lacks} || [] } };
    is_deeply(settings($case->{option}, %{ $case->{with} || {} }), \%want, $case->{name});
}

is_deeply([ copies_of({}, 1) ], [1], 'copies: one CPU');
is_deeply([ copies_of({}, 4) ], [ 1, 4 ], 'copies: four CPUs');
is_deeply([ copies_of({ copies => [ '2', '08' ] }, 4) ], [ 2, 8 ], 'copies: as given');
isnt(new_seed(1_700_000_000, 10), new_seed(1_700_000_000, 11), 'seeds of processes differ');
isnt(new_seed(1_700_000_000, 10), new_seed(1_700_000_001, 10), 'seeds of seconds differ');
done_testing;
