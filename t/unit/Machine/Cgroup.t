# SPDX-License-Identifier: GPL-2.0-or-later
# The control groups of a process, from the files of made-up machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Counters qw(groups facts_of_groups available own_folders);

my %NONE = map { $_ => undef } qw(version kind depth cpu_quota pids_max memory_max);

subtest 'version 2' => sub {
    my $root = root_of(
        'proc/self/cgroup'             => "0::/a/b\n",
        'proc/self/mountinfo'          => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
        'sys/fs/cgroup/a/cpu.max'      => "300000 100000\n",
        'sys/fs/cgroup/a/b/cpu.max'    => "max 100000\n",
        'sys/fs/cgroup/a/pids.max'     => "100\n",
        'sys/fs/cgroup/a/b/pids.max'   => "max\n",
        'sys/fs/cgroup/a/b/memory.max' => "1048576\n",
    );
    my $mount = "$root/sys/fs/cgroup";
    my @groups = ("$mount/a/b", "$mount/a", $mount);
    is_deeply([ groups("$root", 'cpu') ], \@groups, 'groups: from the own one to the root');
    my %limits = (cpu_quota => 3, pids_max => 100, memory_max => 1_048_576);
    is_deeply(
        facts_of_groups("$root"),
        { version => 2, kind => 'another group', depth => 2, %limits },
        'facts: limits of the groups above count'
    );
};

subtest 'version 1' => sub {
    my $root = root_of(
        'proc/self/cgroup'    => "3:cpu,cpuacct:/x\n2:memory:/x\n1:pids:/\n",
        'proc/self/mountinfo' => join(q{},
            map { "1 2 0:3 / /sys/fs/cgroup/$_ rw - cgroup c rw,$_\n" }
                ('cpu,cpuacct', 'memory', 'pids')),
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us'    => "-1\n",
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us'   => "100000\n",
        'sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us'  => "50000\n",
        'sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us' => "100000\n",
        'sys/fs/cgroup/memory/x/memory.limit_in_bytes'  => "9223372036854771712\n",
        'sys/fs/cgroup/pids/pids.max'                   => "max\n",
    );
    is_deeply(
        facts_of_groups("$root"),
        {
            version    => 1,
            kind       => 'another group',
            depth      => 1,
            cpu_quota  => 0.5,
            pids_max   => 'none',
            memory_max => 'none'
        },
        'facts: -1, max and the largest number are no limits'
    );
};

is_deeply(facts_of_groups(scratch()), \%NONE, 'no control groups');
is_deeply(facts_of_groups(root_of('proc/self/cgroup' => "0::/a\n")), \%NONE, 'no mount of them');
is_deeply([ groups(scratch(), 'cpu') ], [], 'no groups');

# Where the control groups of a process are mounted, from the files of made-up machines.
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
my @hybrid = map { "33 31 0:29 / /sys/fs/cgroup/$_" } (
    'cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct',
    'systemd rw - cgroup cgroup rw,xattr,name=systemd',
    'unified rw - cgroup2 cgroup2 rw',
);
my @of_hybrid =
    map { "/sys/fs/cgroup/$_" } ('cpu,cpuacct/x', 'systemd/y/z', 'unified/u', 'unified');
my $own = '30 23 0:26 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup rw';
for my $case (
    [ 'version 2', '0::/a/b', [ $other, $v2 ], '/sys/fs/cgroup/a/b', '/sys/fs/cgroup/a' ],
    [ 'its root', '0::/', [$v2], '/sys/fs/cgroup' ],
    [
        'a hybrid mount of both', "5:cpu,cpuacct:/x\n1:name=systemd:/y/z\n0::/u",
        \@hybrid, @of_hybrid
    ],
    [ 'a mount of the own group only', '0::/docker/1234', [$own], '/sys/fs/cgroup' ],
    [ 'a group outside of the namespace', '0::/../other', [$v2] ],
    [
        'a group outside of the mount', '0::/docker/12',
        ['30 23 0:26 /docker/1 /c rw - cgroup2 c rw']
    ],
    [
        'a blank in the path',
        '0::/a',
        ['3 2 0:2 / /mnt/my\040groups rw - cgroup2 c rw'],
        '/mnt/my groups/a',
        '/mnt/my groups'
    ],
    [ 'nothing mounted', '0::/a', [$other] ],
) {
    my ($name, $groups, $mounts, @folders) = @{$case};
    is_deeply(found("$groups\n", @{$mounts}), \@folders, $name);
}
is_deeply([ own_folders(scratch() . q{}) ], [], 'no /proc');

subtest 'memory that is available' => sub {
    my %files = (
        'proc/self/cgroup'    => "0::/a\n",
        'proc/self/mountinfo' => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
    );
    my $left = sub {
        my (%more) = @_;
        %files = (%files, %more);
        return available(root_of(%files) . q{});
    };
    my $below = 'sys/fs/cgroup/a/memory';
    is($left->(), undef, 'unknown');
    my %machine = ('proc/meminfo' => "MemTotal:  9 kB\nMemAvailable:    5000 kB\n");
    is($left->(%machine), 5_120_000, 'of the machine');
    my %limit = ("$below.max" => "4000000\n", "$below.current" => "3000000\n");
    is($left->(%limit), 1_000_000, 'of the control group, where that is less');
    is($left->("$below.stat" => "anon 9\ninactive_file 500000\n"),
        1_500_000, 'with the pages of files that it can free');
    is($left->("$below.max" => "max\n"), 5_120_000, 'a group without a limit');
};
done_testing;
