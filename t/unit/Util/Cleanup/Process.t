# SPDX-License-Identifier: GPL-2.0-or-later
# The cleaner's messages, and how it recognises a process.
use lib 't/lib';
use TestHelp;
use POSIX ();
use SpawnMeter::Util::Cleanup::Process;

# What is left to clean up after these messages, each [ name, value ]
sub left_after {
    my (@messages) = @_;
    pipe my $read, my $write or die;
    syswrite $write, SpawnMeter::Util::Cleanup::Process::encoded(@{$_}) for @messages;
    close $write;
    my $left = SpawnMeter::Util::Cleanup::Process::nothing_left();
    SpawnMeter::Util::Cleanup::Process::read_messages($read, $left);
    return $left;
}

is_deeply(
    left_after(
        [ group_begun => 99_999_999 ],
        [ group_begun => 99_999_998 ],
        [ file_begun  => "/a\nb" ],
        [ file_begun  => '/c' ],
        [ file_tried  => '/t' ],
        [ prefix      => '/tmp/x-' ],
        [ to_undo     => '/u' ],
    ),
    {
        groups =>
            { map { $_ => SpawnMeter::Util::Cleanup::Process::born($_) } 99_999_999, 99_999_998 },
        files    => { "/a\nb"   => 1, '/c' => 1 },
        tried    => { '/t'      => 1 },
        prefixes => { '/tmp/x-' => 1 },
        undo     => { '/u'      => 1 }
    },
    'what was begun is left'
);
is_deeply(
    left_after(
        [ group_begun  => 99_999_999 ],
        [ file_begun   => '/c' ],
        [ file_tried   => '/c' ],
        [ group_reaped => 99_999_999 ],
        [ file_whole   => '/c' ],
        [ to_undo      => '/u' ],
        [ undone       => '/u' ],
    ),
    { map { $_ => {} } qw(groups files tried prefixes undo) },
    'what was finished is not'
);

SKIP: {
    skip 'no /proc', 1 if !-r '/proc/self/stat';
    subtest 'a process and its number' => sub {
        my $pid = fork;
        die if !defined $pid;
        if ($pid == 0) { sleep 30; POSIX::_exit(0) }
        my $born = SpawnMeter::Util::Cleanup::Process::born($pid);
        like($born, qr/^\d+\z/, 'born: in ticks');
        my %ours = (
            "$born"     => 1,
            ($born - 1) => 0,    # the number was reused
            q{}         => 0,    # ours had gone before the cleaner looked
        );
        for my $then (sort keys %ours) {
            is(SpawnMeter::Util::Cleanup::Process::still_ours($pid, $then) ? 1 : 0,
                $ours{$then}, "still_ours, begun at '$then': $ours{$then}");
        }
        setpgrp $pid, $pid;
        is_deeply([ SpawnMeter::Util::Cleanup::Process::living($pid, 99_999_999) ],
            [$pid], 'living: a group with a process');
        kill 'KILL', $pid;
        ok(wait_until(sub { !SpawnMeter::Util::Cleanup::Process::living($pid) }),
            'living: not a group with nothing but a zombie');
        waitpid $pid, 0;
        $born = SpawnMeter::Util::Cleanup::Process::born($$);
        local $0 = 'a) Z 1 1 1';
        is(SpawnMeter::Util::Cleanup::Process::born($$),
            $born, 'born: the name of a process is not taken for the fields after it');
    };
}

subtest 'a message that is not known' => sub {
    pipe my $read, my $write or die;
    syswrite $write, "?x\0" . SpawnMeter::Util::Cleanup::Process::encoded(file_begun => '/c');
    close $write;
    my $left = SpawnMeter::Util::Cleanup::Process::nothing_left();
    SpawnMeter::Util::Cleanup::Process::read_messages($read, $left);
    is_deeply($left->{files}, { '/c' => 1 }, 'is passed over');
};
done_testing;
