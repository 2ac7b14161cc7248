# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::RunHead qw(end_of);

sub passes {
    my (@words) = @_;
    return [
        map {
            my ($test, $copies, $side, $status) = split q{ };
            +{
                kind => 'pass',
                data => { test => $test, copies => $copies, side => $side, status => $status }
            };
        } @words
    ];
}

sub reason { my (@arguments) = @_; return end_of(@arguments)->{reason} }

my @BOTH = ('fork 1 A ok', 'fork 1 B ok');
is(reason(passes(@BOTH)), undef, 'complete');
is(reason(passes(@BOTH), 'INT'), 'Run was stopped by SIGINT', 'a signal');
is(reason(passes(@BOTH, 'vfork 1 A failed')), '1 of the tests failed', 'a failure');
is(reason(passes('fork 1 A skipped', 'fork 1 B skipped')),
    'nothing was measured: every test was skipped', 'skipped');
is(reason(passes()), 'nothing was measured: there was no time for it', 'no pass at all');
is(
    reason(passes(@BOTH, 'vfork 1 A skipped', 'vfork 1 B ok')),
    'measured on one side only: vfork',
    'one side'
);
is(reason(passes(@BOTH, 'fork 8 A skipped', 'fork 8 B skipped')),
    undef, 'both sides skip it with more copies');
my @planned = map { { test => 'fork', copies => $_ } } 1, 1, 2, 2;
is(
    reason(passes(@BOTH), undef, undef, @planned),
    'there was no time for fork with 2 copies',
    'planned, and not measured'
);
is(reason(passes(@BOTH, 'fork 2 A skipped'), undef, undef, @planned),
    undef, 'a test that is skipped was tried');

done_testing;
