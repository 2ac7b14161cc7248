# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use POSIX                         ();
use SpawnMeter::Machine::Counters qw(between changed conditions state tasks_of);
use SpawnMeter::Machine::Facts;

# files of a machine => what is read
sub reading {
    my $root = root_of(@_);
    my $r = SpawnMeter::Machine::Counters->new("$root", sub { 1 })->read_all;
    delete $r->{time};
    return $r;
}

is_deeply(reading(), {}, 'nothing there, nothing read');
is_deeply(
    reading(
        'proc/stat'         => "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\n",
        'proc/pressure/cpu' =>
            "some avg10=0.00 avg60=0.00 avg300=0.11 total=2315942\nfull avg10=0 total=1\n",
        'proc/self/cgroup'           => "0::/a/b\n",
        'proc/self/mountinfo'        => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
        'sys/fs/cgroup/a/cpu.stat'   => "usage_usec 5\nthrottled_usec 2000000\n",
        'sys/fs/cgroup/a/b/cpu.stat' => "usage_usec 5\nthrottled_usec 500000\n",
    ),
    { busy => 19, steal => 8, pressure => 2_315_942, throttled => 2.5 },
    'version 2: all groups from the own one up'
);
is_deeply(
    reading(
        'proc/self/cgroup'    => "4:memory:/x\n2:cpu,cpuacct:/x\n",
        'proc/self/mountinfo' =>
            "1 2 0:3 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup c rw,cpu,cpuacct\n",
        'sys/fs/cgroup/cpu,cpuacct/x/cpu.stat' =>
            "nr_periods 1\nnr_throttled 1\nthrottled_time 3000000000\n",
    ),
    { throttled => 3 },
    'version 1 counts nanoseconds'
);
for my $nonsense ("cpu  max\n", "\0\0\0\0", "cpu  1 2\n", q{}) {
    is_deeply(reading('proc/stat' => $nonsense, 'proc/pressure/cpu' => "some nonsense\n"),
        {}, 'nonsense is not read');
}
subtest 'processes that the kernel killed' => sub {
    my $kills = sub {
        my $root = root_of(defined $_[0] ? ('proc/vmstat' => $_[0]) : ());
        return SpawnMeter::Machine::Counters->new("$root")->oom_kills;
    };
    is($kills->("nr_free_pages 1\noom_kill 3\n"), 3, 'are counted');
    is($kills->("nr_free_pages 1\n"), undef, 'are unknown to an older kernel');
    is($kills->(undef), undef, 'are unknown without /proc');
};

subtest 'between two readings' => sub {
    my %unknown = map { $_ => undef } qw(busy_elsewhere cpu_pressure steal throttled);
    my $hz = POSIX::sysconf(POSIX::_SC_CLK_TCK());
    my %before = (time => 10, busy => 0, steal => 0, pressure => 0, throttled => 1);
    my %after = (
        time      => 12,
        busy      => 3 * $hz,
        steal     => $hz,
        pressure  => 1_000_000,
        throttled => 1.5
    );
    is_deeply(
        between(\%before, \%after, 2),
        { busy_elsewhere => 0.5, steal => 0.5, cpu_pressure => 0.5, throttled => 0.5 },
        'CPUs and shares of the time'
    );
    is(between(\%before, \%after, undef)->{busy_elsewhere},
        undef, 'the CPU time of the test is not known: what others used is neither');
    is(between(\%before, { %after, steal => -1 }, 2)->{steal}, undef, 'a counter that went back');
    is_deeply(between(\%before, { time => 12 }, 2), \%unknown, 'counters that are missing');
    is_deeply(between(\%before, { %after, time => 10 }, 2), \%unknown, 'no time between them');
    is_deeply(between(undef, \%after, 2), \%unknown, 'no first reading');
};

my %GROUP = (
    'proc/self/cgroup'    => "0::/a\n",
    'proc/self/mountinfo' => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
);

subtest 'what can change while a run measures' => sub {
    my $reading = sub {
        my ($status, $quota) = @_;
        my $root = root_of(
            %GROUP,
            'proc/self/status'        => $status,
            'sys/fs/cgroup/a/cpu.max' => "$quota 100000\n"
        );
        return conditions(SpawnMeter::Machine::Facts->new(root => "$root"));
    };
    my $first = $reading->("Cpus_allowed_list:\t0-3\nTracerPid:\t0\n", 'max');
    is_deeply($first, { cpus => [ 0 .. 3 ], quota => undef, traced => 0 }, 'a reading');
    is_deeply(changed($first, $first), {}, 'nothing has changed');
    is_deeply(
        changed($first, $reading->("Cpus_allowed_list:\t0,4\nTracerPid:\t17\n", 150_000)),
        { cpus_changed => 4, quota_changed => 1, traced => 1 },
        'three CPUs went and one came, a quota, a tracer'
    );
};

subtest 'what holds at this moment' => sub {
    my %files = (
        'proc/meminfo'     => "MemTotal: 1 kB\nSwapTotal:  1000 kB\nSwapFree:    400 kB\n",
        'proc/self/limits' =>
            "Max processes             50                   60        processes\n",
        'proc/self/status'             => "TracerPid:\t7\n",
        'proc/10/status'               => "Name:\ta\nUid:\t5\t5\t5\t5\nThreads:\t3\n",
        'proc/11/status'               => "Name:\tb\nUid:\t5\t5\t5\t5\n",
        'proc/12/status'               => "Name:\tc\nUid:\t6\t6\t6\t6\nThreads:\t9\n",
        'sys/fs/cgroup/a/pids.current' => "12\n",
    );
    my $root = root_of(%GROUP, %files);
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
};
done_testing;
