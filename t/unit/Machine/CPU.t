# SPDX-License-Identifier: GPL-2.0-or-later
# The processor's facts, from the files of made-up machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;

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
        { name => 'a list', allowed  => '0-2,5', cpus => [ 0, 1, 2, 5 ], count => 4 },
        { name => 'one CPU', allowed => '3', cpus     => [3], count            => 1 },
        { name => 'a quota', allowed => '0-3', cpus   => [ 0 .. 3 ], count => 2, quota => 250_000 },
        {
            name    => 'a small quota',
            allowed => '0-3',
            cpus    => [ 0 .. 3 ],
            count   => 1,
            quota   => 50_000
        },
        { name => 'nonsense', allowed => '0-x,,1', cpus => [ 0, 1 ], count => 2 },
    );
    for my $case (@cases) {
        my %files = (
            'proc/self/status' => "Cpus_allowed_list:\t$case->{allowed}\n",
            "$CPU/online"      => "0-1\n",
        );
        if ($case->{quota}) {
            $files{'proc/self/cgroup'} = "0::/\n";
            $files{'sys/fs/cgroup/cgroup.controllers'} = "cpu\n";
            $files{'sys/fs/cgroup/cpu.max'} = "$case->{quota} 100000\n";
        }
        is_deeply(
            machine(\%files)->usable_cpus,
            { cpus => $case->{cpus}, count => $case->{count} },
            $case->{name}
        );
    }
};

subtest 'online_cpus' => sub {
    is(machine({ "$CPU/online"  => "0-3,8\n" })->online_cpus, 5, 'by /sys');
    is(machine({ 'proc/cpuinfo' => "processor : 0\nprocessor : 1\n" })->online_cpus,
        2, 'by /proc/cpuinfo');
    is(machine({}, sysctl => { 'hw.ncpu' => 6 })->online_cpus, 6, 'by sysctl');
    is(machine({})->online_cpus, 1, 'unknown: one');
};

subtest 'emulation' => sub {
    my $on = sub {
        my ($kernel, $architecture) = @_;
        return machine(
            { 'proc/sys/kernel/arch' => "$kernel\n" },
            uname => [ 'Linux', 'h', '6.1', '#1', $architecture ]
        )->emulation;
    };
    is($on->(qw(x86_64 s390x)), 'of user programs, on x86_64', 'another architecture');
    is($on->(@{$_}), 'none', "@{$_}")
        for [qw(x86_64 x86_64)], [qw(x86_64 i686)], [qw(aarch64 armv7l)], [qw(riscv64 riscv64)];
    is(machine({})->emulation, undef, 'a kernel that does not say');
};

subtest 'hypervisor' => sub {
    is(machine({ 'sys/hypervisor/type' => "xen\n" })->hypervisor, 'xen', 'by its type');
    is(
        machine({
            'proc/cpuinfo'                  => "flags : fpu hypervisor lm\n",
            'sys/class/dmi/id/sys_vendor'   => "QEMU\n",
            'sys/class/dmi/id/product_name' => "Standard PC\n"
        })->hypervisor,
        'yes (QEMU Standard PC)',
        'by the flag, with the vendor'
    );
    is(machine({ 'proc/cpuinfo' => "flags : fpu lm\n" })->hypervisor, 'none', 'no flag');
    is(machine({}, sysctl => { 'kern.hv_vmm_present' => 1 })->hypervisor, 'yes', 'by sysctl');
    is(machine({})->hypervisor, undef, 'unknown');
};

subtest 'frequency' => sub {
    is(
        machine({
            "$CPU/cpu0/cpufreq/scaling_governor" => "powersave\n",
            "$CPU/cpu1/cpufreq/scaling_governor" => "performance\n",
            "$CPU/cpu2/cpufreq/scaling_governor" => "powersave\n"
        })->governors,
        'performance powersave',
        'governors: each once'
    );
    is(machine({ "$CPU/intel_pstate/no_turbo" => "0\n" })->turbo, 'on', 'turbo: not turned off');
    is(machine({ "$CPU/intel_pstate/no_turbo" => "1\n" })->turbo, 'off', 'turbo: turned off');
    is(machine({ "$CPU/cpufreq/boost"         => "1\n" })->turbo, 'on', 'boost: on');
    is(machine({ "$CPU/cpufreq/boost"         => "0\n" })->turbo, 'off', 'boost: off');
    is(scalar machine({})->turbo, undef, 'turbo: unknown');
};

subtest 'mitigations' => sub {
    is(
        machine({ 'proc/cmdline' => "root=/dev/sda1 mitigations=off nopti quiet host=h\n" })
            ->mitigations,
        'mitigations=off nopti',
        'the words about mitigations, and no others'
    );
    is(
        machine({
            "$CPU/vulnerabilities/meltdown" => "Not affected\n",
            "$CPU/vulnerabilities/l1tf"     => "Vulnerable\n"
        })->vulnerabilities,
        'l1tf: Vulnerable; meltdown: Not affected',
        'vulnerabilities'
    );
};

is(
    machine({ 'sys/devices/system/node/node0/x' => q{}, 'sys/devices/system/node/node1/x' => q{} })
        ->numa_nodes,
    2, 'numa_nodes'
);
done_testing;
