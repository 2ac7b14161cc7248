# SPDX-License-Identifier: GPL-2.0-or-later
# The cleaner's messages, and how it recognises a process.
use lib 't/lib';
use TestHelp;
use POSIX ();
use SpawnMeter::Util::Cleanup;

SKIP: {
    skip 'no /proc', 1 if !-r '/proc/self/stat';
    subtest 'a process and its number' => sub {
        my $pid = fork;
        die if !defined $pid;
        if ($pid == 0) { sleep 30; POSIX::_exit(0) }
        my $born = SpawnMeter::Util::Cleanup::born($pid);
        like($born, qr/^\d+\z/, 'born: in ticks');
        my %ours = (
            "$born"     => 1,
            ($born - 1) => 0,    # the number was reused
        );
        for my $then (sort keys %ours) {
            is(SpawnMeter::Util::Cleanup::still_ours($pid, $then) ? 1 : 0,
                $ours{$then}, "still_ours, begun at '$then': $ours{$then}");
        }
        setpgrp $pid, $pid;
        is_deeply([ SpawnMeter::Util::Cleanup::living($pid, 99_999_999) ],
            [$pid], 'living: a group with a process');
        kill 'KILL', $pid;
        ok(wait_until(sub { !SpawnMeter::Util::Cleanup::living($pid) }),
            'living: not a group with nothing but a zombie');
        waitpid $pid, 0;
        $born = SpawnMeter::Util::Cleanup::born($$);
        local $0 = 'a) Z 1 1 1';
        is(SpawnMeter::Util::Cleanup::born($$),
            $born, 'born: the name of a process is not taken for the fields after it');
    };
}

done_testing;
