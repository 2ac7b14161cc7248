# SPDX-License-Identifier: GPL-2.0-or-later
# How the programs of a run were built: said once, with those that bind symbols otherwise.
use lib 't/lib', 'lib';
use TestHelp;
use SpawnMeter::Measure::RunHead;

my $folder = scratch();

sub program {
    my ($name, $ending) = @_;
    spew("$folder/$name", "#!/bin/sh\necho $name, SpawnMeter 1\necho cc 1\necho 'libc 1$ending'\n");
    chmod oct 755, "$folder/$name";
    return;
}
program('fork', ', symbols bound at start');
program('clone3', ', symbols bound at start');
program('spawn', ', symbols bound lazily');
program('execl', ', symbols bound lazily');
program('vfork', q{});

sub facts {
    my (@tests) = @_;
    return [
        SpawnMeter::Measure::RunHead::build_facts(
            { suite => { binaries => $folder }, tests => \@tests }
        )
    ];
}

sub own {
    return map { { program => $_ } } @_;
}

is_deeply(facts(own('fork', 'clone3')), [ 'cc 1', 'libc 1, symbols bound at start' ], 'all alike');
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
is_deeply(facts(own('vfork', 'spawn')), [ 'cc 1', 'libc 1' ], 'a first one that does not say it');
is_deeply(
    facts({ program => 'nothing', tree => 1 }),
    [ 'cc 1', 'libc 1, symbols bound at start' ],
    'no own test: fork'
);
done_testing;
