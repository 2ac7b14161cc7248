# SPDX-License-Identifier: GPL-2.0-or-later
# What the values of a sweep add to "none": from known times, and where there is too little.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(added);

# Passes around a time in microseconds: 1 % apart
sub point {
    my ($us, $passes) = @_;
    return {
        time_us => $us,
        rates   => [ map { 1e6 / ($us * (1 + ($_ % 3 - 1) / 100)) } 1 .. $passes ],
        flags   => [ (0) x $passes ],
    };
}

my %sweep = (values => [qw(none pipes path)], series => ['launch']);

subtest 'the difference of the medians, with an interval around it' => sub {
    my ($pipes, $path, @more) = @{
        added(
            \%sweep,
            {
                launch =>
                    { none => point(500, 15), pipes => point(520, 15), path => point(500, 15) }
            }
        )
    };
    is_deeply([ @{$pipes}{qw(series label)} ], [qw(launch pipes)], 'series and label');
    cmp_ok(abs($pipes->{us} - 20), '<', 1e-6, '20 microseconds more');
    ok($pipes->{low} > 0 && $pipes->{low} <= 20 && $pipes->{high} >= 20,
        'the interval is around it')
        or diag explain $pipes;
    ok($path->{low} <= 0 && $path->{high} >= 0, 'no difference: 0 is in the interval')
        or diag explain $path;
    is(scalar @more, 0, 'nothing else');
};

subtest 'too little to say' => sub {
    my ($few) =
        @{ added(\%sweep, { launch => { none => point(500, 15), pipes => point(520, 2) } }) };
    cmp_ok(abs($few->{us} - 20), '<', 1e-6, 'few passes: the difference');
    is($few->{low}, undef, 'but no interval');
    is_deeply(added(\%sweep, { launch => { pipes => point(520, 15) } }),
        [], '"none" was not measured: nothing is said');
    is_deeply(added(\%sweep, {}), [], 'no point of the series');
    is_deeply(added({ values => [qw(0 1M)], series => ['fork'] }, { fork => { 0 => point(9, 9) } }),
        [], 'a sweep of numbers has no "none"');
};

done_testing;
