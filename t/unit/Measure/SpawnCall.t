# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::SpawnCall qw(spawn_call spawn_call_words);

is(
    spawn_call_words({ posix_spawn => 1.02, fork => 9.5 }),
    'posix_spawn of this C library takes 1.0 times the CPU time where the parent has 64 MB more '
        . '(fork: 9.5 times), so it shares the parent\'s memory.',
    'a library that shares the memory'
);
like(
    spawn_call_words({ posix_spawn => 9, fork => 9.5 }),
    qr/ it copies the parent's page tables, as fork does[.]\z/,
    'a library that forks'
);
is(spawn_call_words({}), q{}, 'nothing is known');
is_deeply(spawn_call({ binaries => '/none' }), {}, 'programs that are not built');

SKIP: {
    skip('the programs are not built', 1) if !-x "$ROOT/pgms/posix_spawn";
    my $of = spawn_call({ binaries => "$ROOT/pgms" });
    ok($of->{posix_spawn} && $of->{fork}, 'both are measured');
}

done_testing;
