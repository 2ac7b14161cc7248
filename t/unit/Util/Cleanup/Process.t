# SPDX-License-Identifier: GPL-2.0-or-later
# How the cleaner recognises a process.
use lib 't/lib';
use TestHelp;
use POSIX ();
use SpawnMeter::Util::Cleanup;

SKIP: {
    skip 'no /proc', 1 if !-r '/proc/self/stat';
    subtest 'a group' => sub {
        my $pid = fork;
        die if !defined $pid;
        if ($pid == 0) { sleep 30; POSIX::_exit(0) }
        setpgrp $pid, $pid;
        is_deeply([ SpawnMeter::Util::Cleanup::living($pid, 99_999_999) ],
            [$pid], 'living: a group with a process');
        kill 'KILL', $pid;
        ok(wait_until(sub { !SpawnMeter::Util::Cleanup::living($pid) }),
            'living: not a group with nothing but a zombie');
        waitpid $pid, 0;
    };
}

done_testing;
