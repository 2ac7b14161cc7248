# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Facts;

# The facts of the machine that are stored with a run, and that ./Run doctor prints.
#
#   new(root => '/', uname => [5 strings], sysctl => sub (name) -> text, environment => { },
#       binaries => folder, tmp => folder of the file tests, options => [names of options of a
#       kernel's configuration, where * stands for any letters])
#   of(suite) -> those of this machine (a function)
#   facts() -> a flat hash: name => text of one line, number, or undef where it cannot be read
#   status_field(name) -> that of /proc/self/status; kilobytes(name) -> that of /proc/meminfo
#   usable_cpus -> { cpus => [numbers], count => copies that can run without throttling }
#   allowed_cpus -> [numbers of the CPUs that this process may run on]
#   online_cpus -> number, at least 1
#
# No fact identifies a person or a network.  All but uname is read below the root, so that
# tests can present the files of other machines.  Where there is no /proc, macOS and the BSDs
# have sysctl(3), whose names are those of macOS, FreeBSD, NetBSD and OpenBSD.

use strict;
use warnings;
use Cwd         ();
use Digest::SHA ();
use Exporter 'import';
use File::Basename                qw(dirname);
use List::Util                    qw(first max min sum);
use POSIX                         ();
use SpawnMeter::Machine::Counters qw(cpu_quota facts_of_groups);
use SpawnMeter::Util::File        qw(slurp);
use SpawnMeter::Util::Format      qw(make_visible);
use SpawnMeter::Util::Process     ();

our @EXPORT_OK = qw(list_text ordered topology);

use constant KB => 1024;

my $CPUS = 'sys/devices/system/cpu';

# Facts that the first of some files has, and which part of it they are
my $ALL = qr/(.*)/s;
my %FILES = (
    cpus_possible    => [ "$CPUS/possible", $ALL ],
    smt              => [ "$CPUS/smt/active", $ALL ],
    security_modules => [ 'sys/kernel/security/lsm', $ALL ],
    clock_source     => [ 'sys/devices/system/clocksource/clocksource0/current_clocksource', $ALL ],
    autogroup        => [ 'proc/sys/kernel/sched_autogroup_enabled', $ALL ],
    aslr             => [ 'proc/sys/kernel/randomize_va_space', $ALL ],
    overcommit       => [ 'proc/sys/vm/overcommit_memory', $ALL ],
    microcode        => [ 'proc/cpuinfo', qr/^microcode\s*:[ \t]*(\S[^\n]*)/m ],
    hugepages        => [ 'sys/kernel/mm/transparent_hugepage/enabled', qr/\[(\w+)\]/ ],
    seccomp          => [ 'proc/self/status', qr/^Seccomp:\s*(\S+)/m ],
    open_files_limit => [ 'proc/self/limits', qr/^Max open files\s+(\S+)/m ],
    stack_limit      => [ 'proc/self/limits', qr/^Max stack size\s+(\S+)/m ],
    distribution     => [ 'etc/os-release', qr/^PRETTY_NAME="?([^"\n]+)/m ],
    uptime           => [ 'proc/uptime', qr/^(\d+)/ ],
    load_average     => [ 'proc/loadavg', qr/^([\d.]+ [\d.]+ [\d.]+)/ ],

    # the scheduler in BPF, if one is loaded
    sched_ext => [ map { ("sys/kernel/sched_ext/$_", $ALL) } qw(root/ops state) ],

    # a kernel of PREEMPT_DYNAMIC decides it when it starts: root sees that, others the request
    preemption => [
        'sys/kernel/debug/sched/preempt' => qr/[(](\w+)[)]/,
        'proc/cmdline'                   => qr/(?:^| )preempt=(\w+)/
    ],
);

# Facts with a method of that name
my @METHODS = qw(cpu_model hypervisor emulation numa_nodes governor turbo vulnerabilities
    mitigations kernel_options large_folios audit pid_namespaces container
    scheduling personality loader shell_tests_locale);

# In kB there
my %MEMORY = (total => 'MemTotal', available => 'MemAvailable', swap => 'SwapTotal');

sub facts {
    my ($self) = @_;
    my $usable = $self->usable_cpus;
    my $group = facts_of_groups($self->{root});
    my %facts = (
        map({ ("cgroup_$_" => $group->{$_}) } keys %{$group}),
        cpus_online   => scalar $self->online_cpus,
        cpus_allowed  => join(q{,}, @{ $usable->{cpus} }),
        cpus_usable   => $usable->{count},
        page_size     => $self->{page_size},
        kernel_config => scalar hash_of($self->config_file),
        target_sha256 => scalar hash_of(($self->{binaries} || q{}) . '/true-dynamic'),
        program_fs    => scalar $self->file_system($self->{binaries}),
        file_tests_fs => scalar $self->file_system($self->{tmp}),

        # = and the end of each
        environment_bytes => sum(0, map { 1 + length } %{ $self->{environment} }),
    );
    @facts{qw(system kernel_release kernel_version architecture)} =
        @{ $self->{uname} }[ 0, 2 .. 4 ];
    for my $name (keys %MEMORY) {
        my $kilobytes = $self->kilobytes($MEMORY{$name});
        $facts{"memory_$name"} = defined $kilobytes ? int($kilobytes / KB) : undef;
    }
    $facts{$_} = $self->match(@{ $FILES{$_} }) for keys %FILES;
    $facts{$_} = $self->$_ for @METHODS;
    make_visible(\%facts);
    return \%facts;
}

sub of {
    my ($suite) = @_;
    my $options = slurp("$suite->{root}/pgms/kernel-options.list") || q{};
    my @names = $options =~ /^([A-Z\d_*]+) +[|]/mg;
    return __PACKAGE__->new(options => \@names, map { $_ => $suite->{$_} } qw(binaries tmp));
}

sub new {
    my ($class, %with) = @_;
    my $root = ($with{root} // q{/}) =~ s{/+\z}{}r;
    return bless {
        uname       => [ POSIX::uname() ],
        environment => \%ENV,
        sysctl      => \&sysctl,
        page_size   => eval { POSIX::sysconf(POSIX::_SC_PAGESIZE()) } || undef,
        %with,
        root => $root,
    }, $class;
}

sub file {
    my ($self, $path) = @_;
    my $text = slurp("$self->{root}/$path");
    $text =~ s/[\0\s]+\z// if defined $text;
    return $text;
}

# What the parentheses of a pattern match in its file: of the first file in which they do, or undef
sub match {
    my ($self, @patterns) = @_;
    while (my ($path, $pattern) = splice @patterns, 0, 2) {
        my $text = $self->file($path);
        return $1 if defined $text && $text =~ $pattern;
    }
    return;
}

# The value of the first of these names that has a line "name: value", in whatever case: LoongArch
# writes "Model Name"
sub field {
    my ($self, $path, @names) = @_;
    my $text = $self->file($path) || q{};
    return (map { $text =~ /^\Q$_\E\s*:[ \t]*(\S[^\n]*)$/mi } @names)[0];
}

sub status_field { my ($self, $name) = @_; return $self->field('proc/self/status', $name) }

sub kilobytes {
    my ($self, $name) = @_;
    return $self->match('proc/meminfo', qr/^$name:\s*(\d+)/m);
}

# ---- the processor and the firmware ----

# "0-3,8" -> (0, 1, 2, 3, 8)
sub cpu_list {
    my ($text) = @_;
    return if !defined $text || $text !~ /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;
    return map { /^(\d+)-(\d+)$/ ? ($1 .. $2) : $_ } split /,/, $text;
}

sub allowed_cpus {
    my ($self) = @_;
    my @cpus = cpu_list($self->status_field('Cpus_allowed_list'));
    return @cpus ? \@cpus : [ 0 .. $self->online_cpus - 1 ];
}

# A quota counts in whole CPUs: of 1.5 CPUs one copy can use one, two copies would be throttled
sub usable_cpus {
    my ($self) = @_;
    my @cpus = @{ $self->allowed_cpus };
    my $quota = cpu_quota($self->{root});
    my $count = min(scalar @cpus, defined $quota ? int $quota : ());
    return { cpus => \@cpus, count => max(1, $count) };
}

sub online_cpus {
    my ($self) = @_;
    my @online = cpu_list($self->file("$CPUS/online"));
    return scalar @online if @online;
    my $listed = () = ($self->file('proc/cpuinfo') || q{}) =~ /^processor\s*:/mg;
    return $listed if $listed;
    my ($count) = grep { $_ } map { $self->{sysctl}->($_) } qw(hw.ncpuonline hw.ncpu);
    return ($count || q{}) =~ /^(\d+)$/ ? $1 + 0 : 1;
}

sub cpuinfo { my ($self, @names) = @_; return $self->field('proc/cpuinfo', @names) }

# Each architecture has other fields.  The line of s390 has a serial number, too, which must not be
# stored; of ARM the board and the numbers of the part are known
sub cpu_model {
    my ($self) = @_;
    my ($s390) = ($self->file('proc/cpuinfo') || q{}) =~ /^processor \d+:.*\bmachine = (\w+)/m;
    my ($maker, $part) = map { scalar $self->cpuinfo("CPU $_") } qw(implementer part);
    my $arm = join q{, }, grep { defined } scalar $self->file('proc/device-tree/model'),
        defined $part ? "CPU part $maker/$part" : undef;
    my ($model) = (
        $self->cpuinfo('model name', 'cpu model', 'cpu'),
        grep({ /[^\d\s]/ } $self->cpuinfo('Processor')),    # or a number
        $self->cpuinfo('uarch', 'machine', 'isa'),
        defined $s390 ? "IBM machine type $s390" : (),
        length $arm   ? $arm                     : (),
    );
    return $model if defined $model;
    return $self->{sysctl}->('machdep.cpu.brand_string') || $self->{sysctl}->('hw.model');
}

# On Linux by /sys or the CPU's flag, on macOS and FreeBSD by sysctl; NetBSD and OpenBSD only have
# it in their boot messages
sub hypervisor {
    my ($self) = @_;
    my $type = $self->file('sys/hypervisor/type');
    return $type if $type;
    my $flags = $self->cpuinfo('flags');
    if (!defined $flags) {
        my $present = $self->{sysctl}->('kern.hv_vmm_present');
        return $present ? 'yes' : 'none' if defined $present;
        return ($self->{sysctl}->('kern.vm_guest') || q{}) =~ /^(\w+)$/ ? $1 : undef;
    }
    return 'none' if $flags !~ /\bhypervisor\b/;
    my $vendor = join q{ },
        grep { $_ } map { $self->file("sys/class/dmi/id/$_") } qw(sys_vendor product_name);
    return 'yes' . ($vendor ? " ($vendor)" : q{});
}

# The kernel's own name is that of the machine (Linux 6.1 or newer), also where an emulator
# answers uname() with its architecture.  A CPU of 64 bits can run programs of 32 bits itself.
sub family {
    my ($architecture) = @_;
    my $name = $architecture =~ s/^i[3-6]86\z/x86/r =~ s/^aarch/arm/r =~ s/^powerpc/ppc/r;
    return $name =~ /^(x86|arm|ppc|mips|s390|riscv|sparc)/ ? $1 : $name;
}

sub emulation {
    my ($self) = @_;
    my $kernel = $self->file('proc/sys/kernel/arch');
    return if !defined $kernel || !length $kernel;
    return family($kernel) eq family($self->{uname}[4]) ? 'none' : "of user programs, on $kernel";
}

sub vulnerabilities {
    my ($self) = @_;
    my @paths = glob "\Q$self->{root}\E/$CPUS/vulnerabilities/*" or return;
    my %text = map { m{([^/]+)\z} => scalar slurp($_) } @paths;
    return join '; ', map { "$_: $text{$_}" } grep { defined $text{$_} } sort keys %text;
}

my $MITIGATION =
    qr/^(?:mitigations|nopti|pti|nosmt|spec|nospec|l1tf|mds|tsx|retbleed|srbds|mmio_stale)/;

# The words of the kernel command line about mitigations; others can name disks and hosts
sub mitigations {
    my ($self) = @_;
    my $line = $self->file('proc/cmdline');
    return defined $line ? join q{ }, grep { /$MITIGATION/ } split q{ }, $line : undef;
}

sub governor {
    my ($self) = @_;
    my @paths = glob "\Q$self->{root}\E/$CPUS/cpu[0-9]*/cpufreq/scaling_governor";
    my %seen = map { $_ => 1 } grep { defined } map { slurp($_) } @paths;
    return %seen ? join(q{ }, sort keys %seen) : undef;
}

sub turbo {
    my ($self) = @_;
    my $off = $self->file("$CPUS/intel_pstate/no_turbo");
    my $on = defined $off ? !$off : $self->file("$CPUS/cpufreq/boost");
    return !defined $on ? undef : $on ? 'on' : 'off';
}

sub numa_nodes {
    my ($self) = @_;
    return scalar(my @nodes = glob "\Q$self->{root}\E/sys/devices/system/node/node[0-9]*") || undef;
}

# ---- the kernel ----

sub hash_of {
    my ($path) = @_;
    return if !defined $path;
    return eval { Digest::SHA->new(256)->addfile($path, 'b')->hexdigest };
}

sub config_file {
    my ($self) = @_;
    my $release = $self->{uname}[2];
    return first { -r } map { "$self->{root}/$_" } 'proc/config.gz', "boot/config-$release";
}

# Those of the options that the configuration sets, as "HZ=250 SLUB=y"
sub kernel_options {
    my ($self) = @_;
    my $path = $self->config_file;
    my @names = map { quotemeta =~ s/\\[*]/\\w*/r } @{ $self->{options} || [] };
    return if !defined $path || !@names;
    my $text = slurp($path);
    if ($path =~ /[.]gz\z/) {
        require IO::Uncompress::Gunzip;
        IO::Uncompress::Gunzip::gunzip(\slurp($path), \$text) or return;
    }
    my $any = join q{|}, @names;
    my @set = $text =~ /^CONFIG_((?:$any)=[^\n]{1,40})$/mg;
    return join q{ }, sort @set;
}

# The sizes of large folios of anonymous memory (mTHP) that are in use, as "64kB always, ..."
sub large_folios {
    my ($self) = @_;
    my $below = 'sys/kernel/mm/transparent_hugepage';
    my @folders = glob "\Q$self->{root}/$below\E/hugepages-*kB" or return;
    my %use =
        map { $_ => $self->match("$below/hugepages-${_}kB/enabled", qr/\[(\w+)\]/) // 'never' }
        map { /-(\d+)kB\z/ } @folders;
    my @used = grep { $use{$_} ne 'never' } sort { $a <=> $b } keys %use;
    return join(q{, }, map { "${_}kB $use{$_}" } @used) || 'none';
}

# Whether system calls are audited: rules are for root to read, so only what everyone can see
sub audit {
    my ($self) = @_;
    return 'auditd runs' if -e "$self->{root}/run/auditd.pid";
    my $option = $self->match('proc/cmdline', qr/(?:^| )audit=(\w{1,8})(?: |\z)/);
    return "boot option $option" if defined $option;
    return $self->status_field('Name') ? 'not seen' : undef;
}

# ---- what the programs inherit ----

sub pid_namespaces {
    my ($self) = @_;
    my $ids = $self->status_field('NSpid');
    return defined $ids ? scalar(split q{ }, $ids) : undef;
}

sub container {
    my ($self) = @_;
    return 'docker' if -e "$self->{root}/.dockerenv";
    return 'podman' if -e "$self->{root}/run/.containerenv";
    return scalar $self->match(
        'proc/1/environ' => qr/(?:^|\0)container=([\w-]+)/,
        'proc/1/cgroup'  => qr{/(docker|lxc|kubepods|machine[.]slice)},
    ) // (defined $self->file('proc/1/cgroup') ? 'none seen' : undef);
}

my @POLICIES = map { "SCHED_$_" } qw(OTHER FIFO RR BATCH 4 IDLE DEADLINE EXT);

# The policy of scheduling, with its priority or niceness where that is not the usual one: the
# 41st, 40th and 19th field of the file, see proc(5)
sub scheduling {
    my ($self) = @_;
    my ($text) = ($self->file('proc/self/stat') || q{}) =~ /.*[)] (.*)/s or return;
    my ($nice, $priority, $policy) = (split q{ }, $text)[ 16, 37, 38 ];
    return if !defined $policy    || "$nice $priority $policy" !~ /\A-?\d+ \d+ \d+\z/a;
    my $name = $POLICIES[$policy] || "policy $policy";
    return $priority ? "$name, priority $priority" : $nice ? "$name, nice $nice" : $name;
}

# Flags that a process hands on to its programs, see personality(2)
sub personality {
    my ($self) = @_;
    my $flags = $self->match('proc/self/personality', qr/\A0*([\da-f]{1,8})\z/i);
    my %names = (0 => 'default', 40_000 => 'ADDR_NO_RANDOMIZE');
    return defined $flags ? $names{$flags} || "0x$flags" : undef;
}

# The shell tests set en_US.utf8, in which sorting is slower than in C
sub shell_tests_locale {
    my $before = POSIX::setlocale(POSIX::LC_ALL());
    my $there = first { POSIX::setlocale(POSIX::LC_ALL(), "en_US.$_") } qw(utf8 UTF-8);
    POSIX::setlocale(POSIX::LC_ALL(), $before);
    return $there ? 'en_US.utf8' : 'C (en_US.utf8 is not installed)';
}

# What changes the work of the loader and of malloc, and so the time of each exec: the names of
# variables, and the file of libraries that are loaded into all programs
sub loader {
    my ($self) = @_;
    my $environment = $self->{environment};
    my @names =
        grep { /^(?:LD|DYLD|MALLOC)_(?!RUN_PATH\z)[A-Z\d_]{1,40}\z/ || $_ eq 'GLIBC_TUNABLES' }
        grep { length $environment->{$_} } sort keys %{$environment};
    push @names, '/etc/ld.so.preload' if length($self->file('etc/ld.so.preload') || q{});
    return @names ? join(q{ }, @names) : 'none';
}

# The type of the file system of a folder: that of the longest mount point above it
sub file_system {
    my ($self, $folder) = @_;
    my $path = defined $folder ? Cwd::abs_path($folder) : undef;
    my %type = map { s/\\(\d{3})/chr oct $1/ger }
        ($self->file('proc/self/mounts') || q{}) =~ /^\S+ (\S+) (\S+)/mg;
    return if !defined $path;
    $path = dirname($path) while !$type{$path} && $path ne q{/};
    return $type{$path};
}

# ---- other systems ----

sub sysctl {
    my ($name) = @_;
    return if $^O eq 'linux';
    my ($program) = grep { -x } qw(/usr/sbin/sysctl /sbin/sysctl) or return;
    my ($status, $text) = SpawnMeter::Util::Process::output($program, '-n', $name);
    return $status == 0 && $text =~ /^([^\n]+)\n\z/ ? $1 : undef;
}

# ---- topology ----
#
#   topology(SpawnMeter::Machine::Facts) -> { CPU => { core => text that is equal for CPUs of the
#       same core, undefined where unknown, node => number of its NUMA node } }
#   ordered(topology, usable CPUs, placement) -> (CPUs in the order in which copies are pinned
#       to them); dies where the placement is not possible.  A pure function.  Placements:
#           usable     by number, those of one NUMA node first: another node's memory is slower
#           cores      the same, one copy to each core, then to its second thread
#           0,2,4-7    these, in this order
#   list_text(CPUs) -> "0-2,5"

sub topology {
    my ($facts) = @_;
    my (%topology, %node);
    for my $folder (glob "\Q$facts->{root}\E/sys/devices/system/node/node[0-9]*") {
        my ($number) = $folder =~ /(\d+)\z/;
        $node{$_} = $number for cpu_list(scalar slurp("$folder/cpulist"));
    }
    for my $cpu (cpu_list($facts->file("$CPUS/online"))) {
        my $core = $facts->file("$CPUS/cpu$cpu/topology/thread_siblings_list");
        $topology{$cpu} = { core => $core, node => $node{$cpu} // 0 };
    }
    return \%topology;
}

sub ordered {
    my ($topology, $usable, $placement) = @_;
    my %node = map { $_ => ($topology->{$_} || {})->{node} || 0 } @{$usable};
    my @cpus = sort { $node{$a} <=> $node{$b} || $a <=> $b } @{$usable};
    return @cpus if $placement eq 'usable';
    if ($placement ne 'cores') {
        my %usable = map { $_ => 1 } @cpus;
        my @listed = cpu_list($placement);
        my ($missing) = grep { !$usable{$_} } @listed;
        return @listed if !defined $missing;
        die "--pin $placement: CPU $missing cannot be used here; usable: "
            . list_text(sort { $a <=> $b } @cpus) . "\n";
    }
    my (%threads, @nth);    # the first threads of all cores, the second ones ...
    for my $cpu (@cpus) {
        my $core = $topology->{$cpu}{core};
        die "--pin cores: which CPUs belong together is unknown here; name them: --pin 0,2,4\n"
            if !defined $core;
        push @{ $nth[ $threads{$core}++ ] }, $cpu;
    }
    return map { @{$_} } @nth;
}

sub list_text {
    my (@cpus) = @_;
    my @ranges;
    for my $cpu (@cpus) {
        if   (@ranges && $ranges[-1][1] == $cpu - 1) { $ranges[-1][1] = $cpu }
        else                                         { push @ranges, [ $cpu, $cpu ] }
    }
    return join q{,}, map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

1;
