# SPDX-License-Identifier: GPL-2.0-or-later
# How the cleaner recognises a process.
use lib 't/lib';
use TestHelp;
use POSIX ();
use SpawnMeter::Util::Cleanup;

my $began = SpawnMeter::Util::Cleanup::born($$);
SKIP: {
    skip 'no /proc', 1 if !-r '/proc/self/stat';
    subtest 'a group' => sub {
        my $pid = fork;
        die if !defined $pid;
        if ($pid == 0) { $0 = "a) S 1 $$ "; sleep 30; POSIX::_exit(0) }
        my $born = SpawnMeter::Util::Cleanup::born($pid);
        my %ours = ($born => 1, $born - 1 => q{});
        is(SpawnMeter::Util::Cleanup::is_ours($pid, $_), $ours{$_}, "a leader that began at $_")
            for sort keys %ours;
        local $0 = 'a) Z 1 1 1';
        is(SpawnMeter::Util::Cleanup::born($$), $began, 'the name is not taken for other fields');
        setpgrp $pid, $pid;
        is_deeply([ SpawnMeter::Util::Cleanup::living($pid, 99_999_999) ],
            [$pid], 'living: a group with a process');
        wait_until(sub { slurp_file("/proc/$pid/comm") =~ /\Aa\)/ });
        kill 'KILL', $pid;
        ok(wait_until(sub { !SpawnMeter::Util::Cleanup::living($pid) }),
            'living: not a group with nothing but a zombie');
        waitpid $pid, 0;
    };
}

done_testing;
