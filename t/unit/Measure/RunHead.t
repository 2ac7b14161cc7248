# SPDX-License-Identifier: GPL-2.0-or-later
# How the programs of a run were built: said once, with those that bind symbols otherwise; and the
# reason why a run is not complete.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Session qw(end_of);

my $folder = scratch();

sub program {
    my ($name, $ending) = @_;
    return executable("$folder/$name",
        "echo $name, SpawnMeter 1\necho cc 1\necho 'libc 1$ending'\n");
}
program('fork', ', symbols bound at start');
program('clone3', ', symbols bound at start');
program('spawn', ', symbols bound lazily');
program('execl', ', symbols bound lazily');

sub facts {
    my (@tests) = @_;
    return [
        SpawnMeter::Measure::Session::build_facts(
            { suite => { binaries => $folder }, tests => \@tests }
        )
    ];
}

sub own {
    return map { { program => $_ } } @_;
}

is_deeply(
    facts(own(qw(fork spawn clone3 execl spawn))),
    [ 'cc 1', 'libc 1, symbols bound at start (bound lazily: execl, spawn)' ],
    'two bind lazily'
);
is_deeply(
    facts({ program => 'nothing', tree => 1 }, own('spawn')),
    [ 'cc 1', 'libc 1, symbols bound lazily' ],
    'only what is measured, and of the own programs'
);

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
    'measured on one side only: vfork',
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
