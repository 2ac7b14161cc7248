# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::CPU;

# The facts of the processor and the firmware.  The parent of SpawnMeter::Machine::Facts: its
# methods read with file() and sysctl.
#
#   usable_cpus -> { cpus => [numbers], count => copies that can run without throttling }
#   allowed_cpus -> [numbers of the CPUs that this process may run on]
#   online_cpus -> number, at least 1
#   cpuinfo(names) -> the first of these fields of /proc/cpuinfo, or undef
#   cpu_model, hypervisor, vulnerabilities, mitigations, governor, turbo -> text or undef
#   emulation -> architecture of the kernel where that is another than the programs' (user-mode
#       emulation, as by qemu-user), "none", or undef where the system does not say
#   numa_nodes -> number or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(max min);
use SpawnMeter::Machine::Cgroup ();
use SpawnMeter::Util::File      qw(slurp);

our @EXPORT_OK = qw(list_text ordered topology);

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
    my $quota = SpawnMeter::Machine::Cgroup::cpu_quota($self->{root});
    my $count = min(scalar @cpus, defined $quota ? int $quota : ());
    return { cpus => \@cpus, count => max(1, $count) };
}

sub online_cpus {
    my ($self) = @_;
    my @online = cpu_list($self->file('sys/devices/system/cpu/online'));
    return scalar @online if @online;
    my $listed = () = ($self->file('proc/cpuinfo') || q{}) =~ /^processor\s*:/mg;
    return $listed if $listed;
    my ($count) = grep { $_ } map { $self->{sysctl}->($_) } qw(hw.ncpuonline hw.ncpu);
    return ($count || q{}) =~ /^(\d+)$/ ? $1 + 0 : 1;
}

# Whatever the case: LoongArch writes "Model Name"
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
    my @paths = glob "\Q$self->{root}\E/sys/devices/system/cpu/vulnerabilities/*" or return;
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
    my @paths = glob "\Q$self->{root}\E/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor";
    my %seen = map { $_ => 1 } grep { defined } map { slurp($_) } @paths;
    return %seen ? join(q{ }, sort keys %seen) : undef;
}

sub turbo {
    my ($self) = @_;
    my $off = $self->file('sys/devices/system/cpu/intel_pstate/no_turbo');
    my $on = defined $off ? !$off : $self->file('sys/devices/system/cpu/cpufreq/boost');
    return !defined $on ? undef : $on ? 'on' : 'off';
}

sub numa_nodes {
    my ($self) = @_;
    return scalar(my @nodes = glob "\Q$self->{root}\E/sys/devices/system/node/node[0-9]*") || undef;
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

my $CPUS = 'sys/devices/system/cpu';

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
