# SPDX-License-Identifier: GPL-2.0-or-later
# The facts of machines, from files that they have, and of macOS and the BSDs, from what sysctl
# and uname print there, in the form that their manuals describe.  None of these was run.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Advice qw(advice);

my $CPU = 'sys/devices/system/cpu';
my $THP = 'sys/kernel/mm/transparent_hugepage';

# A machine with these files; with: what else SpawnMeter::Machine::Facts takes, values of sysctl as
# a hash
sub machine {
    my ($files, %with) = @_;
    my $root = root_of(%{$files});
    my $value_of = $with{sysctl} || {};
    my $machine = SpawnMeter::Machine::Facts->new(
        root        => "$root",
        uname       => [ 'Linux', 'h', '6.1', '#1', 'x86_64' ],
        environment => {},
        %with,
        sysctl => sub { return $value_of->{ $_[0] } },
    );
    $machine->{keep} = $root;
    return $machine;
}

sub facts_of { return machine(@_)->facts }

# Facts of a machine with these files, which has these, too
sub has {
    my ($name, $files, $expected, %with) = @_;
    my $facts = facts_of($files, %with);
    my %got = map { $_ => $facts->{$_} } keys %{$expected};
    is_deeply(\%got, $expected, $name);
    return $facts;
}

sub cpu {
    my ($number, $mhz, $model) = @_;
    return "processor\t: $number\nmodel name\t: $model\ncpu MHz\t\t: $mhz\n"
        . "cache size\t: 512 KB\nflags\t\t: fpu lm ht avx2 hypervisor\nbogomips\t: 4600.00\n\n";
}

has(
    'ARM: board and part, no flags that say whether it is virtual',
    {
        'proc/cpuinfo' => "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n"
            . "CPU part\t: 0xd0b\n\nprocessor\t: 1\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\n\n",
        'proc/device-tree/model'             => "Raspberry Pi 5 Model B Rev 1.0\0",
        "$CPU/online"                        => "0-3\n",
        'proc/self/status'                   => "Name:\tx\nCpus_allowed_list:\t0,2-3\nNSpid:\t7\n",
        "$CPU/cpu0/cpufreq/scaling_governor" => "ondemand\n",
        'sys/devices/system/clocksource/clocksource0/current_clocksource' => "arch_sys_counter\n",
    },
    {
        cpu_model    => 'Raspberry Pi 5 Model B Rev 1.0, CPU part 0x41/0xd0b',
        cpus_online  => 4,
        cpus_usable  => 3,
        cpus_allowed => '0,2,3',
        hypervisor   => undef,
        governor     => 'ondemand',
        clock_source => 'arch_sys_counter',
        numa_nodes   => undef,
    }
);

# The names that other processors have for their model, as they write them
my %MODEL = (
    'Loongson-3A5000' => "system type\t\t: generic-loongson-machine\n\n"
        . "processor\t\t: 0\nModel Name\t\t: Loongson-3A5000\n",
    'IBM machine type 2817' => "vendor_id       : IBM/S390\n"
        . "processor 1: version = 00,  identification = 279F25,  machine = 2817\n",
    'TI UltraSparc II  (BlackBird)' =>
        "cpu\t\t: TI UltraSparc II  (BlackBird)\nfpu\t\t: UltraSparc II integrated FPU\n",
    'rv64imafdcv' => "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdcv\nmvendorid\t: 0x5b7\n",
    'ARMv7 Processor rev 4 (v7l)' => "Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\n",
);
has("model: $_", { 'proc/cpuinfo' => $MODEL{$_} }, { cpu_model => $_ }) for sort keys %MODEL;

has(
    'what a scheduler does with sessions and preemption, by a session under systemd',
    {
        'proc/sys/kernel/sched_autogroup_enabled' => "0\n",
        'sys/kernel/debug/sched/preempt'          => "none (voluntary) full lazy\n",
        'proc/self/cgroup'    => "0::/user.slice/user-1000.slice/session-3.scope\n",
        'proc/self/mountinfo' => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    },
    { autogroup => '0', preemption => 'voluntary', cgroup_kind => 'a session' }
);
has(
    'preemption of the command line',
    { 'proc/cmdline' => "quiet preempt=full\n" },
    { preemption     => 'full' }
);

subtest 'options of the kernel' => sub {
    my $root = scratch();
    mkdir "$root/boot" or die;
    spew("$root/boot/config-6.1",
              "CONFIG_KASAN_INLINE=y\nCONFIG_HZ=250\n# CONFIG_NUMA is not set\n"
            . "CONFIG_ZRAM=m\nCONFIG_NUMA_BALANCING=y\n");
    my @uname = ('Linux', 'x', '6.1', '#1', 'x86_64');
    my @names = qw(KASAN* HZ NUMA);
    my $facts =
        SpawnMeter::Machine::Facts->new(root => $root, uname => \@uname, options => \@names)->facts;
    is($facts->{kernel_options}, 'HZ=250 KASAN_INLINE=y', 'those of the list that are set');
};

has(
    'large folios, a scheduler in BPF, possible CPUs, audit',
    {
        "$THP/hugepages-2048kB/enabled" => "always [inherit] madvise never\n",
        "$THP/hugepages-64kB/enabled"   => "[always] inherit madvise never\n",
        "$THP/hugepages-16kB/enabled"   => "always inherit madvise [never]\n",
        'sys/kernel/sched_ext/state'    => "enabled\n",
        'sys/kernel/sched_ext/root/ops' => "lavd\n",
        "$CPU/possible"                 => "0-127\n",
        'proc/cmdline'                  => "quiet audit=1\n",
    },
    {
        large_folios  => '64kB always, 2048kB inherit',
        sched_ext     => 'lavd',
        cpus_possible => '0-127',
        audit         => 'boot option 1',
    }
);
has('auditd', { 'run/auditd.pid' => "7\n" }, { audit => 'auditd runs' });

has(
    'a container: a quota of 1.5 CPUs of 8 is enough for one copy',
    {
        'proc/self/cgroup'                  => "0::/docker/abc\n",
        'proc/self/mountinfo'               => "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 c rw\n",
        'sys/fs/cgroup/docker/abc/cpu.max'  => "150000 100000\n",
        'sys/fs/cgroup/docker/abc/pids.max' => "20\n",
        "$CPU/online"                       => "0-7\n",
        'proc/self/status' => "Cpus_allowed_list:\t0-7\nNSpid:\t9\t1\nSeccomp:\t2\n",
        '.dockerenv'       => q{},
    },
    {
        cpus_usable       => 1,
        pid_namespaces    => 2,
        container         => 'docker',
        seccomp           => 2,
        cgroup_pids_max   => 20,
        cgroup_memory_max => 'none',
    }
);
my %CONTAINER = (
    'podman'        => { 'run/.containerenv' => q{} },
    'lxc'           => { 'proc/1/environ'    => "A=b\0container=lxc\0" },
    'kubepods'      => { 'proc/1/cgroup'     => "0::/kubepods/x\n" },
    'machine.slice' => { 'proc/1/cgroup'     => "1:name=systemd:/machine.slice/x\n" },
    'none seen'     => { 'proc/1/cgroup'     => "0::/init.scope\n" },
);
has("container: $_", $CONTAINER{$_}, { container => $_ }) for sort keys %CONTAINER;

# What the programs inherit: [niceness, priority, policy], and more files
sub inherits {
    my ($with, $expected, %files) = @_;
    my @stat = ((0) x 15, $with->[0], (0) x 20, @{$with}[ 1, 2 ], 0, 0);
    $files{'proc/self/stat'} = "7 (a) b) S @stat\n";
    return has("inherits @{$with}", \%files, $expected);
}
inherits([ -5, 0, 0 ], { scheduling => 'SCHED_OTHER, nice -5' });
inherits([ 0, 50, 1 ], { scheduling => 'SCHED_FIFO, priority 50' });
my %set = (scheduling => 'SCHED_OTHER', personality => 'default');
inherits([ 0, 0, 0 ], \%set, 'proc/self/personality' => "00000000\n");
my %odd = (
    scheduling  => 'SCHED_IDLE',
    personality => '0x240008'
);
my $odd = inherits([ 0, 0, 5 ], \%odd, 'proc/self/personality' => "00240008\n");
like(
    join(q{ }, advice($odd, {})),
    qr/inherit from this shell: SCHED_IDLE; personality 0x240008.*without them/,
    'doctor: what is inherited'
);
like(
    join(q{ }, advice({ environment_bytes => 1_048_576 }, {})),
    qr/inherit from this shell: an environment of 1024 kB/,
    'doctor: a large environment'
);
is_deeply([ advice({ environment_bytes => 9000 }, {}) ], [], 'doctor: not of a usual one');

my @unknown = qw(cpu_model microcode hugepages vulnerabilities seccomp open_files_limit container
    program_fs memory_total load_average uptime);
my $nothing = has(
    'without /proc: one CPU',
    {},
    { cpus_usable => 1, map { $_ => undef } @unknown },
    binaries => $ROOT
);
is_deeply([ advice($nothing, { copies => 1 }) ], [], 'no advice about unknown facts');

has(
    'control characters in the files of a machine are visible',
    { 'proc/cpuinfo' => "model name\t: A\e[31m\n", 'etc/os-release' => "PRETTY_NAME=\"x\ry\"\n" },
    { cpu_model      => 'A\x1b[31m', distribution                   => 'x\x0dy' }
);

subtest 'file systems' => sub {
    my $root = scratch();
    mkdir "$root/with blank";
    my $blank = "$root/with blank" =~ s/ /\\040/gr;
    my $mounts = "dev / ext4 rw\ndev /proc proc\ndev $blank tmpfs rw\nnonsense\n";
    my $fs = sub {
        my ($path, $is, $name, $lines) = @_;
        my %files = ('proc/self/mounts' => $lines || $mounts);
        return has($name, \%files, { program_fs => $is }, binaries => $path);
    };
    $fs->("$root", 'ext4', 'that of the root folder');
    $fs->("$root/with blank", 'tmpfs', 'that of a mount point whose name has a blank');
    $fs->("/proc/", 'proc', 'that of a mount point');
    my $reversed = join q{}, reverse split /^/, $mounts;
    $fs->("$root/with blank", 'tmpfs', 'the longest mount point counts, in any order', $reversed);
    $fs->(undef, undef, 'unknown of no folder');
};

my $full = has(
    'kernel, limits and environment: the soft limits, and LD_PRELOAD without its value',
    {
        'boot/config-6.1'  => "CONFIG_X=y\n",
        'etc/os-release'   => "NAME=x\nPRETTY_NAME=\"A System\"\n",
        "$THP/enabled"     => "always [madvise] never\n",
        'proc/self/limits' => "Limit  Soft  Hard  Units\nMax stack size  unlimited  unlimited\n"
            . "Max open files  1024  4096  files\n",
    },
    {
        distribution      => 'A System',
        hugepages         => 'madvise',
        open_files_limit  => 1024,
        stack_limit       => 'unlimited',
        environment_bytes => 5 + 17,
        loader            => 'LD_PRELOAD',
    },
    environment => { A => 'bc', LD_PRELOAD => '/x.so' }
);
like($full->{kernel_config}, qr/^[0-9a-f]{64}$/, 'a hash of the configuration of the kernel');
my %empty = (LD_PRELOAD => q{});
has('an empty LD_PRELOAD is none', {}, { loader => 'none' }, environment => \%empty);
my %others =
    map { $_ => 'x' } qw(LD_BIND_NOW LD_RUN_PATH LD GLIBC_TUNABLES MALLOC_PERTURB_ OLD_LD_X);
has(
    'all that changes the loader, and nothing else',
    { 'etc/ld.so.preload' => "/x.so\n" },
    { loader              => 'GLIBC_TUNABLES LD_BIND_NOW MALLOC_PERTURB_ /etc/ld.so.preload' },
    environment => \%others
);
has('an empty file changes nothing', { 'etc/ld.so.preload' => "\n" }, { loader => 'none' });

subtest 'memory and load' => sub {
    has(
        'each in its unit',
        {
            'proc/cpuinfo' => join(q{}, map { cpu($_, 2294 + $_, 'A CPU') } 0 .. 3),
            'proc/meminfo' =>
                "MemTotal:  2048000 kB\nMemAvailable:  1024000 kB\nSwapTotal:  0 kB\n",
            'proc/loadavg' => "0.54 0.28 0.11 1/100 4242\n",
            'proc/uptime'  => "90061.44 1.00\n",
        },
        {
            memory_total     => 2000,
            memory_available => 1000,
            memory_swap      => 0,
            load_average     => '0.54 0.28 0.11',
            uptime           => 90_061,
        }
    );
};

# ---- other systems ----

my %mac = (
    'hw.ncpu'                  => '8',
    'machdep.cpu.brand_string' => 'Apple M2',
    'kern.hv_vmm_present'      => '0',
);
has(
    'macOS',
    {},
    {
        cpu_model   => 'Apple M2',
        cpus_online => 8,
        hypervisor  => 'none',
    },
    uname  => [ 'Darwin', 'm', '23.5.0', 'Darwin Kernel Version 23.5.0', 'arm64' ],
    sysctl => \%mac
);
has(
    'FreeBSD',
    {},
    {
        cpus_online => 4,
        cpu_model   => 'AMD EPYC 7B13',
        hypervisor  => 'kvm'
    },
    uname  => [ 'FreeBSD', 'm', '14.1-RELEASE', 'FreeBSD 14.1-RELEASE GENERIC', 'amd64' ],
    sysctl => {
        'hw.ncpu'       => '4',
        'hw.model'      => 'AMD EPYC 7B13',
        'kern.vm_guest' => 'kvm',
    }
);
my %open = ('hw.ncpuonline' => '2', 'hw.ncpu' => '4');
has('OpenBSD: online CPUs', {}, { cpus_online => 2, hypervisor => undef }, sysctl => \%open);

done_testing;
