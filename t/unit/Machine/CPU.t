# SPDX-License-Identifier: GPL-2.0-or-later
# The processor's facts, from the files of made-up machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts qw(topology ordered list_text);

# A machine with these files below /; with: sysctl => { name => value }
my @roots;

sub machine {
    my ($files, %with) = @_;
    push @roots, my $root = root_of(%{$files});
    my $values = $with{sysctl} || {};
    return SpawnMeter::Machine::Facts->new(
        root   => "$root",
        sysctl => sub { return $values->{ $_[0] } },
        $with{uname} ? (uname => $with{uname}) : ()
    );
}

my $CPU = 'sys/devices/system/cpu';

subtest 'usable_cpus' => sub {
    my @cases = (
        [ 'a list', '0-2,5', [ 0, 1, 2, 5 ], 4 ],
        [ 'a quota', '0-3', [ 0 .. 3 ], 2, 250_000 ],
        [ 'a small quota', '0-3', [ 0 .. 3 ], 1, 50_000 ],
        [ 'nonsense', '0-x,,1', [ 0, 1 ], 2 ],
    );
    for my $case (@cases) {
        my ($name, $allowed, $cpus, $count, $quota) = @{$case};
        my %files = (
            'proc/self/status'      => "Cpus_allowed_list:\t$allowed\n",
            "$CPU/online"           => "0-1\n",
            'proc/self/cgroup'      => "0::/\n",
            'proc/self/mountinfo'   => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
            'sys/fs/cgroup/cpu.max' => ($quota || 'max') . " 100000\n",
        );
        is_deeply(machine(\%files)->usable_cpus, { cpus => $cpus, count => $count }, $name);
    }
};

# Each method, with the files below / or values of sysctl that it reads
my $DMI = 'sys/class/dmi/id';
my $vm = "flags : fpu hypervisor lm\n";
my %vendor = ("$DMI/sys_vendor" => "QEMU\n", "$DMI/product_name" => "Standard PC\n");
my %governor =
    map { ("$CPU/cpu$_/cpufreq/scaling_governor" => $_ == 1 ? "performance\n" : "powersave\n") }
    0 .. 2;
my %flaws = (meltdown => 'Not affected', l1tf => 'Vulnerable');
my %node = map { ("sys/devices/system/node/node$_/x" => q{}) } 0, 1;
my %none = map { $_ => 'none' } 'x86_64 x86_64', 'x86_64 i686', 'aarch64 armv7l', 'riscv64 riscv64';
my %emulated = (%none, 'x86_64 s390x' => 'of user programs, on x86_64');

for my $case (
    [ online_cpus => 5, 'by /sys', { "$CPU/online" => "0-3,8\n" } ],
    [ online_cpus => 2, 'by cpuinfo', { 'proc/cpuinfo' => "processor : 0\nprocessor : 1\n" } ],
    [ online_cpus => 6, 'by sysctl', {}, sysctl => { 'hw.ncpu' => 6 } ],
    [ online_cpus => 1, 'unknown: one', {} ],
    [ emulation   => undef, 'a kernel that does not say', {} ],
    map({
            my ($kernel, $programs) = split;
            my @uname = (uname => [ 'Linux', 'h', '6.1', '#1', $programs ]);
            [ emulation => $emulated{$_}, $_, { 'proc/sys/kernel/arch' => "$kernel\n" }, @uname ]
    } sort keys %emulated),
    [ hypervisor => 'xen', 'by its type', { 'sys/hypervisor/type' => "xen\n" } ],
    [ hypervisor => 'yes (QEMU Standard PC)', 'by the flag', { 'proc/cpuinfo' => $vm, %vendor } ],
    [ hypervisor => 'none', 'no flag', { 'proc/cpuinfo' => "flags : fpu lm\n" } ],
    [ hypervisor => 'yes', 'by sysctl', {}, sysctl => { 'kern.hv_vmm_present' => 1 } ],
    [ hypervisor => undef, 'unknown', {} ],
    [ governor   => 'performance powersave', 'each once', \%governor ],
    [ turbo      => 'on', 'not turned off', { "$CPU/intel_pstate/no_turbo" => "0\n" } ],
    [ turbo      => 'off', 'turned off', { "$CPU/intel_pstate/no_turbo" => "1\n" } ],
    [ turbo      => 'on', 'boost is on', { "$CPU/cpufreq/boost" => "1\n" } ],
    [ turbo      => 'off', 'boost is off', { "$CPU/cpufreq/boost" => "0\n" } ],
    [ turbo      => undef, 'unknown', {} ],
    [
        mitigations => 'mitigations=off nopti',
        'no other words',
        { 'proc/cmdline' => "root=/dev/sda1 mitigations=off nopti quiet host=h\n" }
    ],
    [
        vulnerabilities => 'l1tf: Vulnerable; meltdown: Not affected',
        'all',
        { map { ("$CPU/vulnerabilities/$_" => "$flaws{$_}\n") } keys %flaws }
    ],
    [ numa_nodes => 2, 'two', \%node ],
) {
    my ($method, $expected, $name, @machine) = @{$case};
    is(scalar machine(@machine)->$method, $expected, "$method: $name");
}

# The order in which copies are pinned, on made-up machines.
sub laid_out {
    my (%files) = @_;
    return topology(machine({ map { $_ => "$files{$_}\n" } keys %files }));
}

# Files of a machine with these CPUs, "package:siblings" of each
sub files {
    my (@cpus) = @_;
    my %files = ("$CPU/online" => '0-' . $#cpus);
    for my $i (0 .. $#cpus) {
        @files{ map { "$CPU/cpu$i/topology/$_" } qw(physical_package_id thread_siblings_list) } =
            split /:/, $cpus[$i];
    }
    return %files;
}

# Numbered as Linux does on x86
subtest 'two packages of two cores of two threads' => sub {
    my $topology = laid_out(files((split q{ }, '0:0,4 0:1,5 1:2,6 1:3,7') x 2));
    my %want = (
        usable  => '0 1 2 3 4 5 6 7',
        cores   => '0 1 2 3 4 5 6 7',
        '3,0-1' => '3 0 1',
    );
    for my $placement (sort keys %want) {
        is(join(q{ }, ordered($topology, [ 0 .. 7 ], $placement)), $want{$placement}, $placement);
    }
    is(join(q{ }, ordered($topology, [ 0, 1, 4, 6 ], 'cores')),
        '0 1 6 4', 'cores: of those that may be used');
    like(
        error($topology, '0,9'),
        qr/^--pin 0,9: CPU 9 cannot be used here; usable: 0-7$/,
        'a CPU that does not exist'
    );
};

sub error {
    my ($topology, $placement) = @_;
    return eval { ordered($topology, [ 0 .. 7 ], $placement); 1 } ? 'none' : $@;
}

subtest 'cores with two threads, and cores with one' => sub {
    my $topology = laid_out(files(qw(0:0-1 0:0-1 0:2-3 0:2-3 0:4 0:5 0:6 0:7)));
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'cores')), '0 2 4 5 6 7 1 3', 'cores');
};

subtest 'two NUMA nodes whose CPUs alternate' => sub {
    my %files = (
        files((split q{ }, '0:0,4 1:1,5 0:2,6 1:3,7') x 2),
        'sys/devices/system/node/node0/cpulist' => '0,2,4,6',
        'sys/devices/system/node/node1/cpulist' => '1,3,5,7',
    );
    my $topology = laid_out(%files);
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'usable')), '0 2 4 6 1 3 5 7', 'one node first');
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'cores')), '0 2 1 3 4 6 5 7', 'cores, too');
};

subtest 'without /sys' => sub {
    my $topology = laid_out('proc/cpuinfo' => 'x');
    is(join(q{ }, ordered($topology, [ 0, 1 ], '1,0')), '1 0', 'a list works');
    like(
        error($topology, 'cores'),
        qr/^--pin cores: .* unknown here; name them:/,
        'cores says what to do'
    );
};

is(list_text(0, 1, 2, 5, 4), '0-2,5,4', 'a list in its order');
done_testing;
