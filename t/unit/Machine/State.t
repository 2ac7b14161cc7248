# SPDX-License-Identifier: GPL-2.0-or-later
# What holds at this moment, from the files of a made-up machine.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::Counters qw(state tasks_of);

my %files = (
    'proc/meminfo'        => "MemTotal: 1 kB\nSwapTotal:  1000 kB\nSwapFree:    400 kB\n",
    'proc/self/limits'    => "Max processes             50                   60        processes\n",
    'proc/self/status'    => "TracerPid:\t7\n",
    'proc/10/status'      => "Name:\ta\nUid:\t5\t5\t5\t5\nThreads:\t3\n",
    'proc/11/status'      => "Name:\tb\nUid:\t5\t5\t5\t5\n",
    'proc/12/status'      => "Name:\tc\nUid:\t6\t6\t6\t6\nThreads:\t9\n",
    'proc/self/cgroup'    => "0::/\n",
    'proc/self/mountinfo' => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
    'sys/fs/cgroup/pids.current' => "12\n",
);
my $root = root_of(%files);
is(tasks_of("$root", 5), 4, 'tasks_of: processes and threads of a user');
is(tasks_of("$root", 7), 0, 'tasks_of: a user without processes');

my $state = state(SpawnMeter::Machine::Facts->new(root => "$root"), 4);
is_deeply(
    { map { $_ => $state->{$_} } grep { $_ ne 'tasks_used' } keys %{$state} },
    {
        copies       => 4,
        busy         => undef,
        swap_used    => 600,
        tasks_limit  => $> == 0 ? undef : 50,
        pids_current => 12,
        traced       => 1
    },
    'state'
);
my $empty = scratch();
$state = state(SpawnMeter::Machine::Facts->new(root => "$empty"), 1);
is($state->{swap_used}, undef, 'swap_used: unknown');
is($state->{traced}, 0, 'traced: no tracer is known');
done_testing;
