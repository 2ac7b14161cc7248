# SPDX-License-Identifier: GPL-2.0-or-later
# The reason why a run is not complete.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Session qw(end_of);

sub passes {
    my (@words) = @_;
    return [
        map {
            my ($test, $copies, $side, $status) = split q{ };
            +{ test => $test, copies => $copies, side => $side, status => $status };
        } @words
    ];
}

sub reason { my (@arguments) = @_; return end_of(@arguments)->{reason} }

my @planned = map { { test => 'fork', copies => $_ } } 1, 1, 2, 2;
my @BOTH = ('fork 1 A ok', 'fork 1 B ok');
is(reason(passes('fork 1 A skipped', 'fork 1 B skipped')),
    'nothing was measured: every test was skipped', 'skipped');
is(reason(passes()), 'nothing was measured: there was no time for it', 'no pass at all');
is(
    reason(passes(@BOTH, 'vfork 1 A skipped', 'vfork 1 B ok'), undef, undef, @planned),
    'measured on one side only: vfork with 1 copy',
    'one side'
);
is(
    reason(passes(@BOTH), undef, undef, @planned),
    'there was no time for fork with 2 copies',
    'planned, and not measured'
);
is(reason(passes(@BOTH, 'fork 2 A skipped'), undef, undef, @planned),
    undef, 'a test that is skipped was tried');
done_testing;
