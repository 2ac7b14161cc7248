# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::SpawnCall qw(call_of spawn_call spawn_call_words);

# As strace 4 to 6 print these calls
my %CALL = (
    'clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7f}, 88) = 5' =>
        'clone3 with CLONE_VM and CLONE_VFORK',
    'clone(child_stack=0x7f51, flags=CLONE_VM|CLONE_VFORK|SIGCHLD) = 17' =>
        'clone with CLONE_VM and CLONE_VFORK',
    'clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 9' =>
        'clone without CLONE_VM, as fork does',
    "[pid 7] vfork( <unfinished ...>\n" => 'vfork',
    'fork() = 7'                        => 'fork',
);
for my $line (sort keys %CALL) {
    is(call_of("$line\n--- SIGCHLD ---\n"), $CALL{$line}, $CALL{$line});
}
is(call_of("strace: ptrace: Operation not permitted\n"), undef, 'no call');

is(
    spawn_call_words({ call => 'vfork', times => 1.02, of_fork => 9.5 }),
    'posix_spawn of this C library calls vfork (seen by strace); it takes 1.0 times the CPU time '
        . 'where the parent has 64 MB more (fork: 9.5 times), so it shares the parent\'s memory.',
    'call and cost'
);
like(
    spawn_call_words({ times => 9, of_fork => 9.5 }),
    qr/ it copies the parent's page tables, as fork does[.]\z/,
    'a library that forks'
);
is(spawn_call_words({}), q{}, 'nothing is known');
is_deeply(spawn_call({ binaries => '/none' }), {}, 'programs that are not built');

SKIP: {
    skip('the programs are not built', 1) if !-x "$ROOT/pgms/posix_spawn";
    my $of = spawn_call({ binaries => "$ROOT/pgms" });
    ok($of->{times} && $of->{of_fork}, 'both are measured');
}

done_testing;
