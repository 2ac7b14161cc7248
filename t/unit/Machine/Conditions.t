# SPDX-License-Identifier: GPL-2.0-or-later
# What can change while a run measures.
use lib 't/lib';
use TestHelp;
use File::Path                    qw(make_path);
use SpawnMeter::Machine::Counters qw(changed conditions);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::Cgroup qw(available);

my $root = scratch();

sub set {
    my ($path, $text) = @_;
    make_path("$root/$path" =~ m{^(.*)/});
    spew("$root/$path", $text);
    return;
}

sub reading {
    return conditions(SpawnMeter::Machine::Facts->new(root => "$root", sysctl => sub { return }));
}

set('proc/self/status', "Cpus_allowed_list:\t0-3\nTracerPid:\t0\n");
set('proc/self/cgroup', "0::/a\n");
set('proc/self/mountinfo', "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n");
set('sys/fs/cgroup/a/cpu.max', "max 100000\n");
my $first = reading();
is_deeply($first, { cpus => [ 0 .. 3 ], quota => undef, traced => 0 }, 'a reading');
is_deeply(changed($first, reading()), {}, 'nothing has changed');
set('proc/self/status', "Cpus_allowed_list:\t0,4\nTracerPid:\t17\n");
set('sys/fs/cgroup/a/cpu.max', "150000 100000\n");
is_deeply(
    changed($first, reading()),
    { cpus_changed => 4, quota_changed => 1, traced => 1 },
    'three CPUs went and one came, a quota, a tracer'
);

subtest 'memory that is available' => sub {
    is(available("$root"), undef, 'unknown');
    set('proc/meminfo', "MemTotal:  9 kB\nMemAvailable:    5000 kB\n");
    is(available("$root"), 5_120_000, 'of the machine');
    set('sys/fs/cgroup/a/memory.max', "4000000\n");
    set('sys/fs/cgroup/a/memory.current', "3000000\n");
    is(available("$root"), 1_000_000, 'of the control group, where that is less');
    set('sys/fs/cgroup/a/memory.stat', "anon 9\ninactive_file 500000\n");
    is(available("$root"), 1_500_000, 'with the pages of files that it can free');
    set('sys/fs/cgroup/a/memory.max', "max\n");
    is(available("$root"), 5_120_000, 'a group without a limit');
};
done_testing;
