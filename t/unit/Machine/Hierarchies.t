# SPDX-License-Identifier: GPL-2.0-or-later
# Where the control groups of a process are mounted, from the files of made-up machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Cgroup qw(own_folders);

# The folders found with these lines of /proc/self/cgroup and mountinfo
sub found {
    my ($groups, @mounts) = @_;
    my $root = root_of(
        'proc/self/cgroup'    => $groups,
        'proc/self/mountinfo' => join q{},
        map { "$_\n" } @mounts
    );
    return [ map { s/\A\Q$root\E//r } own_folders("$root") ];
}

my $v2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
my $other = '25 30 0:23 / /proc rw shared:13 - proc proc rw';

is_deeply(found("0::/a/b\n", $other, $v2), ['/sys/fs/cgroup/a/b'], 'version 2');
is_deeply(found("0::/\n", $v2), ['/sys/fs/cgroup'], 'its root');
is_deeply(
    found(
        "5:cpu,cpuacct:/x\n1:name=systemd:/y/z\n0::/u\n",
        '33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct',
        '34 31 0:30 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd',
        '35 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
    ),
    [ '/sys/fs/cgroup/cpu,cpuacct/x', '/sys/fs/cgroup/systemd/y/z', '/sys/fs/cgroup/unified/u' ],
    'a hybrid mount: version 1 and version 2'
);
is_deeply(
    found("0::/docker/1234\n", '30 23 0:26 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup rw'),
    ['/sys/fs/cgroup'], 'a mount of the own group only');
is_deeply(found("0::/../other\n", $v2), [], 'a group outside of the namespace');
is_deeply(found("0::/docker/12\n", '30 23 0:26 /docker/1 /c rw - cgroup2 c rw'),
    [], 'a group outside of the mount');
is_deeply(found("0::/a\n", '30 23 0:26 / /mnt/my\040groups rw - cgroup2 c rw'),
    ['/mnt/my groups/a'], 'a blank in the path');
is_deeply(found("0::/a\n", $other), [], 'nothing mounted');
is_deeply([ own_folders(scratch() . q{}) ], [], 'no /proc');
done_testing;
