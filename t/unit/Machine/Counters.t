# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use POSIX                         ();
use SpawnMeter::Machine::Counters qw(between changed conditions state);
use SpawnMeter::Machine::Facts;

my %GROUP = (
    'proc/self/cgroup'    => "0::/a/b\n",
    'proc/self/mountinfo' => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
);
my %V2 = (
    %GROUP,
    'proc/stat'         => "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\n",
    'proc/pressure/cpu' =>
        "some avg10=0.00 avg60=0.00 avg300=0.11 total=2315942\nfull avg10=0 total=1\n",
    'sys/fs/cgroup/a/cpu.stat'   => "usage_usec 5\nthrottled_usec 2000000\n",
    'sys/fs/cgroup/a/b/cpu.stat' => "usage_usec 5\nthrottled_usec 500000\n",
);
my $v1 = 'sys/fs/cgroup/cpu,cpuacct';
my %V1 = (
    'proc/self/cgroup'    => "4:memory:/x\n2:cpu,cpuacct:/x\n",
    'proc/self/mountinfo' => "1 2 0:3 / /$v1 rw - cgroup c rw,cpu,cpuacct\n",
    "$v1/x/cpu.stat"      => "nr_periods 1\nnr_throttled 1\nthrottled_time 3000000000\n",
);
my $hz = POSIX::sysconf(POSIX::_SC_CLK_TCK());
my %all = (busy => 19 / $hz, steal => 8 / $hz, pressure => 2.315942, throttled => 2.5);

for my $case (
    [ 'nothing there, nothing read', {}, {} ],
    [ 'version 2: all groups from the own one up', \%all, \%V2 ],
    [ 'version 1 counts nanoseconds', { throttled => 3 }, \%V1 ],
    map({ [ 'nonsense is not read', {}, { 'proc/stat' => $_, 'proc/pressure/cpu' => "some x\n" } ] }
        "cpu  max\n",
        "\0\0\0\0",
        "cpu  1 2\n",
        q{}),
) {
    my ($name, $expected, $files) = @{$case};
    my $root = root_of(%{$files});
    my $reading = SpawnMeter::Machine::Counters::read_all("$root");
    cmp_ok(delete $reading->{time}, '>', 0, "$name: the time");
    is_deeply([ map { "$_ " . sprintf '%.6f', $reading->{$_} } sort keys %{$reading} ],
        [ map { "$_ " . sprintf '%.6f', $expected->{$_} } sort keys %{$expected} ], $name);
}

subtest 'between two readings' => sub {
    my %unknown = map { $_ => undef } qw(busy_elsewhere cpu_pressure steal throttled);
    my %before = (time => 10, busy => 0, steal => 0, pressure => 0, throttled => 1);
    my %after = (time => 12, busy => 3, steal => 1, pressure => 1, throttled => 1.5);
    my %half = map { $_ => 0.5 } keys %unknown;
    for my $case (
        [ 'CPUs and shares of the time', \%half, \%before, \%after, 2 ],
        [
            'the CPU time of the test is not known: what others used is neither',
            { %half, busy_elsewhere => undef },
            \%before, \%after, undef
        ],
        [
            'a counter that went back',
            { %half, steal => undef },
            \%before,
            { %after, steal => -1 },
            2
        ],
        [ 'counters that are missing', \%unknown, \%before, { time => 12 }, 2 ],
        [ 'no time between them', \%unknown, \%before, { %after, time => 10 }, 2 ],
        [ 'no first reading', \%unknown, undef, \%after, 2 ],
    ) {
        my ($name, $expected, @readings) = @{$case};
        is_deeply(between(@readings), $expected, $name);
    }
};

subtest 'what can change while a run measures' => sub {
    my $reading = sub {
        my ($cpus, $tracer, $quota) = @_;
        my $root = root_of(
            %GROUP,
            'proc/self/status'        => "Cpus_allowed_list:\t$cpus\nTracerPid:\t$tracer\n",
            'sys/fs/cgroup/a/cpu.max' => "$quota 100000\n"
        );
        return conditions(SpawnMeter::Machine::Facts->new(root => "$root"));
    };
    my $first = $reading->('0-3', 0, 'max');
    is_deeply($first, { cpus => [ 0 .. 3 ], quota => undef, traced => 0 }, 'a reading');
    is_deeply(changed($first, $first), {}, 'nothing has changed');
    my %expected = (cpus_changed => 4, quota_changed => 1, traced => 1);
    is_deeply(changed($first, $reading->('0,4', 17, 150_000)),
        \%expected, 'three CPUs went and one came, a quota, a tracer');
};

subtest 'what holds at this moment' => sub {
    my $root = root_of(
        'proc/meminfo'     => "MemTotal: 1 kB\nSwapTotal:  1000 kB\nSwapFree:    400 kB\n",
        'proc/self/status' => "TracerPid:\t7\n",
    );
    my $state = state(SpawnMeter::Machine::Facts->new(root => "$root"));
    is_deeply($state, { busy => undef, by => [], swap_used => 600, traced => 1 }, 'state');
    my $empty = scratch();
    $state = state(SpawnMeter::Machine::Facts->new(root => "$empty"));
    is_deeply([ @{$state}{qw(swap_used traced)} ], [ undef, 0 ], 'unknown: no tracer is known');
};
done_testing;
