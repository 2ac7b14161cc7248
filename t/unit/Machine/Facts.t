# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Advice qw(advice);
use SpawnMeter::Machine::Facts;

# The facts of a machine whose files are these
sub system_of {
    my ($files, %with) = @_;
    my $root = root_of(%{$files});
    my $system = SpawnMeter::Machine::Facts->new(
        root        => "$root",
        uname       => [ 'Linux', 'h', '6.1', '#1', 'x86_64' ],
        environment => {},
        %with
    );
    $system->{keep} = $root;
    return $system;
}

my $arm = system_of(
    {
        'proc/cpuinfo' =>
            "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n"
            . "\nprocessor\t: 1\n",
        'proc/device-tree/model'        => "Raspberry Pi 5 Model B Rev 1.0\0",
        'sys/devices/system/cpu/online' => "0-3\n",
        'proc/self/status' => "Name:\tx\nCpus_allowed_list:\t0,2-3\nNSpid:\t7\nSeccomp:\t0\n",
        'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'            => "ondemand\n",
        'sys/devices/system/clocksource/clocksource0/current_clocksource' => "arch_sys_counter\n",
    },
    uname => [ 'Linux', 'rpi5', '6.6.59+', '#50', 'aarch64' ]
);
my $f = $arm->facts;
is($f->{cpu_model}, 'Raspberry Pi 5 Model B Rev 1.0, CPU part 0x41/0xd0b', 'ARM: board and part');
is($f->{cpus_online}, 4, 'ARM: online CPUs');
is($f->{cpus_usable}, 3, 'ARM: the affinity mask counts');
is($f->{cpus_allowed}, '0,2,3', 'ARM: which CPUs');
is($f->{hypervisor}, undef, 'ARM: no flags, so it is not known whether it is virtual');
is($f->{governor}, 'ondemand', 'ARM: governor');
is($f->{numa_nodes}, undef, 'what is not there is undef');

# The names that other processors have for their model, as they write them
for my $other (
    [
              "system type\t\t: generic-loongson-machine\n\n"
            . "processor\t\t: 0\nModel Name\t\t: Loongson-3A5000\n" => 'Loongson-3A5000'
    ],
    [
              "vendor_id       : IBM/S390\n"
            . "processor 1: version = 00,  identification = 279F25,  machine = 2817\n" =>
            'IBM machine type 2817'
    ],
    [
        "cpu\t\t: TI UltraSparc II  (BlackBird)\nfpu\t\t: UltraSparc II integrated FPU\n" =>
            'TI UltraSparc II  (BlackBird)'
    ],
    [ "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdcv\nmvendorid\t: 0x5b7\n" => 'rv64imafdcv' ],
    [
        "Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\n" =>
            'ARMv7 Processor rev 4 (v7l)'
    ],
    [ "processor\t: 0\n" => undef ],
) {
    is(system_of({ 'proc/cpuinfo' => $other->[0] })->facts->{cpu_model},
        $other->[1], 'model: ' . ($other->[1] || 'none'));
}

my %thp = map { ("sys/kernel/mm/transparent_hugepage/hugepages-$_->[0]kB/enabled" => $_->[1]) } (
    [ 2048 => "always [inherit] madvise never\n" ],
    [ 64   => "[always] inherit madvise never\n" ],
    [ 16   => "always inherit madvise [never]\n" ]
);
my $today = system_of({
    %thp,
    'sys/kernel/sched_ext/state'      => "enabled\n",
    'sys/kernel/sched_ext/root/ops'   => "lavd\n",
    'sys/devices/system/cpu/possible' => "0-127\n",
    'proc/cmdline'                    => "quiet audit=1\n",
})->facts;
is_deeply(
    [ @{$today}{qw(large_folios sched_ext cpus_possible audit)} ],
    [ '64kB always, 2048kB inherit', 'lavd', '0-127', 'boot option 1' ],
    'large folios, a scheduler in BPF, possible CPUs, audit'
);
is(system_of({ 'run/auditd.pid' => "7\n" })->facts->{audit}, 'auditd runs', 'auditd');

my %v2 = (
    'proc/self/cgroup'                      => "0::/docker/abc\n",
    'proc/self/mountinfo'                   => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
    'sys/fs/cgroup/docker/abc/cpu.max'      => "150000 100000\n",
    'sys/fs/cgroup/docker/cpu.max'          => "max 100000\n",
    'sys/fs/cgroup/docker/abc/pids.max'     => "20\n",
    'sys/fs/cgroup/docker/pids.max'         => "15\n",
    'sys/fs/cgroup/docker/abc/pids.current' => "12\n",
    'sys/fs/cgroup/docker/abc/memory.max'   => "max\n",
    'sys/fs/cgroup/memory.max'              => "1073741824\n",
    'sys/devices/system/cpu/online'         => "0-7\n",
    'proc/self/status' => "Cpus_allowed_list:\t0-7\nNSpid:\t9\t1\nSeccomp:\t2\n",
    '.dockerenv'       => q{},
);
my $docker = system_of(\%v2);
$f = $docker->facts;
is($f->{cpus_usable}, 1, 'a quota of 1.5 CPUs of 8 is enough for one copy');
is($f->{pid_namespaces}, 2, 'depth of PID namespaces');
is($f->{container}, 'docker', 'container');

sub inherits {
    my ($nice, $priority, $policy, %files) = @_;
    my @stat = ((0) x 15, $nice, (0) x 20, $priority, $policy, 0, 0);
    return system_of({ 'proc/self/stat' => "7 (a) b) S @stat\n", %files },
        inherited => sub { return 15_000 })->facts;
}
is(inherits(0, 0, 0)->{scheduling}, 'SCHED_OTHER', 'scheduling: as usual');
is(inherits(-5, 0, 0)->{scheduling}, 'SCHED_OTHER, nice -5', 'scheduling: niceness');
is(inherits(0, 50, 1)->{scheduling}, 'SCHED_FIFO, priority 50', 'scheduling: real time');
is(inherits(0, 0, 5)->{scheduling}, 'SCHED_IDLE', 'scheduling: idle');
is(inherits(0, 0, 0)->{inherited_files}, 15_000, 'inherited descriptors');
my $odd_one = inherits(0, 0, 5, 'proc/self/personality' => "00240008\n");
is(
    $odd_one->{personality},
    'ADDR_COMPAT_LAYOUT ADDR_NO_RANDOMIZE 0x8',
    'personality: flags by name and by number'
);
like(
    join(q{ }, advice($odd_one, {})),
    qr/inherit from this shell: SCHED_IDLE; personality ADDR_COMPAT_LAYOUT .*without them/,
    'doctor: what is inherited'
);
like(
    join(q{ }, advice({ environment_bytes => 1_048_576 }, {})),
    qr/inherit from this shell: an environment of 1024 kB/,
    'doctor: a large environment'
);
is_deeply([ advice({ environment_bytes => 9000 }, {}) ], [], 'doctor: not of a usual one');
is(inherits(0, 0, 0, 'proc/self/personality' => "00000000\n")->{personality},
    'default', 'personality: none');

my $nothing = system_of({});
my %facts = %{ $nothing->facts };
is($facts{cpus_usable}, 1, 'without /proc: one CPU');
is($facts{$_}, undef, "without /proc: $_ is undef")
    for qw(cpu_model microcode hugepages vulnerabilities seccomp open_files_limit);
is_deeply([ advice(\%facts, { copies => 1 }) ], [], 'no advice about unknown facts');

my $odd = system_of({
    'proc/self/status'              => "Cpus_allowed_list:\tnonsense\n",
    'sys/devices/system/cpu/online' => "x\n",
    'proc/self/cgroup'              => "::::\nx\n0::/../..\n",
    'sys/fs/cgroup/cpu.max'         => "max\n",
    'proc/cpuinfo'                  => "\0\0",
});
is($odd->facts->{cpus_usable}, 1, 'nonsense in /proc: one CPU, no crash');

subtest 'containers' => sub {
    my %of = (
        'podman'        => { 'run/.containerenv' => q{} },
        'lxc'           => { 'proc/1/environ'    => "A=b\0container=lxc\0" },
        'kubepods'      => { 'proc/1/cgroup'     => "0::/kubepods/x\n" },
        'machine.slice' => { 'proc/1/cgroup'     => "1:name=systemd:/machine.slice/x\n" },
        'none seen'     => { 'proc/1/cgroup'     => "0::/init.scope\n" },
    );
    is(system_of($of{$_})->facts->{container}, $_, "container: $_") for sort keys %of;
    is(system_of({})->facts->{container}, undef, 'container: unknown without /proc');
};

subtest 'file systems' => sub {
    my $root = scratch();
    mkdir "$root/with blank";
    my $blank = "$root/with blank" =~ s/ /\\040/gr;
    my $mounts = "dev / ext4 rw\ndev /proc proc\ndev $blank tmpfs rw\nnonsense\n";
    my $fs = sub {
        my ($path, %files) = @_;
        return system_of({ 'proc/self/mounts' => $mounts, %files }, binaries => $path)
            ->facts->{program_fs};
    };
    is($fs->("$root"), 'ext4', 'that of the root folder');
    is($fs->("$root/with blank"), 'tmpfs', 'that of a mount point whose name has a blank');
    is($fs->("/proc/"), 'proc', 'that of a mount point');
    my $reversed = join q{}, reverse split /^/, $mounts;
    is($fs->("$root/with blank", 'proc/self/mounts' => $reversed),
        'tmpfs', 'the longest mount point counts, in any order');
    is($fs->(undef), undef, 'unknown of no folder');
    is(system_of({}, binaries => "$root")->facts->{program_fs}, undef, 'unknown without /proc');
};

subtest 'kernel, limits and environment' => sub {
    my $full = system_of(
        {
            'boot/config-6.1'                            => "CONFIG_X=y\n",
            'etc/os-release'                             => "NAME=x\nPRETTY_NAME=\"A System\"\n",
            'sys/kernel/mm/transparent_hugepage/enabled' => "always [madvise] never\n",
            'proc/self/limits'                           =>
                "Limit  Soft  Hard  Units\nMax stack size  unlimited  unlimited  bytes\n"
                . "Max open files  1024  4096  files\n",
        },
        environment => { A => 'bc', LD_PRELOAD => '/x.so' }
    )->facts;
    like($full->{kernel_config}, qr/^[0-9a-f]{64}$/, 'a hash of the configuration of the kernel');
    is($full->{distribution}, 'A System', 'the distribution');
    is($full->{hugepages}, 'madvise', 'the setting that is chosen');
    is($full->{open_files_limit}, 1024, 'the soft limit of open files');
    is($full->{stack_limit}, 'unlimited', 'that of the stack, which changes where memory lies');
    is($full->{environment_bytes}, 5 + 17, 'bytes of the environment');
    is($full->{preload}, 'set', 'LD_PRELOAD, without its value');
    is($full->{loader}, 'LD_PRELOAD', 'it is among what changes the loader');
    is(system_of({}, environment => { LD_PRELOAD => q{} })->facts->{preload},
        'none', 'an empty LD_PRELOAD is none');
    my %others =
        map { $_ => 'x' } qw(LD_BIND_NOW LD_RUN_PATH LD GLIBC_TUNABLES MALLOC_PERTURB_ OLD_LD_X);
    is(
        system_of({ 'etc/ld.so.preload' => "/x.so\n" }, environment => \%others)->facts->{loader},
        'GLIBC_TUNABLES LD_BIND_NOW MALLOC_PERTURB_ /etc/ld.so.preload',
        'all that changes the loader, and nothing else'
    );
    is(system_of({ 'etc/ld.so.preload' => "\n" }, environment => {})->facts->{loader},
        'none', 'an empty file changes nothing');
};
done_testing;
