# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::CPU;

# The facts of the processor and the firmware.  Methods of a SpawnMeter::Machine::Facts, which
# imports them: they read with its file() and sysctl.
#
#   usable_cpus -> { cpus => [numbers], count => copies that can run without throttling }
#   allowed_cpus -> [numbers of the CPUs that this process may run on]
#   online_cpus -> number, at least 1
#   cpuinfo(names) -> the first of these fields of /proc/cpuinfo, or undef
#   cpu_model, hypervisor, vulnerabilities, mitigations, governors, turbo -> text or undef
#   emulation -> architecture of the kernel where that is another than the programs' (user-mode
#       emulation, as by qemu-user), "none", or undef where the system does not say
#   numa_nodes -> number or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(min);
use SpawnMeter::Machine::Cgroup  ();
use SpawnMeter::Machine::Systems ();
use SpawnMeter::Util::File       qw(slurp);

our @EXPORT_OK =
    qw(usable_cpus allowed_cpus online_cpus cpuinfo cpu_model hypervisor emulation vulnerabilities
    mitigations governors turbo numa_nodes);

# "0-3,8" -> (0, 1, 2, 3, 8)
sub cpu_list {
    my ($text) = @_;
    return if !defined $text || $text !~ /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;
    return map { /^(\d+)-(\d+)$/ ? ($1 .. $2) : $_ } split /,/, $text;
}

# [numbers]
sub allowed_cpus {
    my ($self) = @_;
    my ($list) = ($self->file('proc/self/status') || q{}) =~ /^Cpus_allowed_list:\s*(\S+)/m;
    my @cpus = cpu_list($list);
    return @cpus ? \@cpus : [ 0 .. $self->online_cpus - 1 ];
}

# The CPUs that this process may run on, less those that a quota takes: of 1.5 CPUs one copy
# can use one, and two copies would be throttled
sub usable_cpus {
    my ($self) = @_;
    my @cpus = @{ $self->allowed_cpus };
    my $quota = SpawnMeter::Machine::Cgroup::facts($self->{root})->{cpu_quota};
    my $count = @cpus;
    $count = min($count, int $quota) if defined $quota;
    return { cpus => \@cpus, count => $count > 0 ? $count : 1 };
}

sub online_cpus {
    my ($self) = @_;
    my @online = cpu_list($self->file('sys/devices/system/cpu/online'));
    return scalar @online if @online;
    my $listed = () = ($self->file('proc/cpuinfo') || q{}) =~ /^processor\s*:/mg;
    return $listed if $listed;
    for my $count (
        (map { $self->{sysctl}->($_) } qw(hw.ncpuonline hw.ncpu)),
        map { $self->{getconf}->($_) } qw(_NPROCESSORS_ONLN NPROCESSORS_ONLN)
    ) {
        return $1 + 0 if defined $count && $count =~ /^(\d+)$/ && $1 > 0;
    }
    return 1;
}

# Whatever the case: LoongArch writes "Model Name"
sub cpuinfo {
    my ($self, @names) = @_;
    my $text = $self->file('proc/cpuinfo') || q{};
    for my $name (@names) {
        return $1 if $text =~ /^\Q$name\E\s*:[ \t]*(\S[^\n]*)$/mi;
    }
    return;
}

# Each architecture has other fields
sub cpu_model {
    my ($self) = @_;
    my $model = $self->cpuinfo('model name', 'cpu model', 'cpu');
    return $model if defined $model;
    my $processor = $self->cpuinfo('Processor');
    return $processor if defined $processor && $processor =~ /[^\d\s]/;    # or a number
    $model = $self->cpuinfo('uarch', 'machine', 'isa');
    return $model if defined $model;
    for my $other (s390_model($self), arm_model($self)) {
        return $other if defined $other;
    }
    return $self->{sysctl}->('machdep.cpu.brand_string') || $self->{sysctl}->('hw.model');
}

# The same line has a serial number, which must not be stored
sub s390_model {
    my ($self) = @_;
    my $text = $self->file('proc/cpuinfo') || q{};
    return $text =~ /^processor \d+:.*\bmachine = (\w+)/m ? "IBM machine type $1" : undef;
}

# The board and the numbers of the part
sub arm_model {
    my ($self) = @_;
    my $board = $self->file('proc/device-tree/model');
    my ($maker, $part) = map { scalar $self->cpuinfo("CPU $_") } qw(implementer part);
    my @known = grep { defined } $board, defined $part ? "CPU part $maker/$part" : undef;
    return @known ? join q{, }, @known : undef;
}

sub hypervisor {
    my ($self) = @_;
    my $type = $self->file('sys/hypervisor/type');
    return $type if $type;
    my $vendor = join q{ },
        grep { $_ } map { $self->file("sys/class/dmi/id/$_") } qw(sys_vendor product_name);
    my $flags = $self->cpuinfo('flags');
    return 'yes' . ($vendor ? " ($vendor)" : q{}) if defined $flags && $flags =~ /\bhypervisor\b/;
    my $guest = SpawnMeter::Machine::Systems::guest($self);
    return defined $guest ? $guest : defined $flags ? 'none' : undef;
}

# The kernel's own name is that of the machine (Linux 6.1 or newer), also where an emulator
# answers uname() with its architecture.  A CPU of 64 bits can run programs of 32 bits itself.
my %FAMILY = (
    'x86'   => qr/^(?:i[3-6]86|x86_64)\z/,
    'arm'   => qr/^(?:arm|aarch64)/,
    'mips'  => qr/^mips/,
    'power' => qr/^(?:ppc|powerpc)/,
    's390'  => qr/^s390/,
    'riscv' => qr/^riscv/,
    'sparc' => qr/^sparc/,
);

sub family {
    my ($architecture) = @_;
    my ($family) = grep { $architecture =~ $FAMILY{$_} } keys %FAMILY;
    return defined $family ? $family : $architecture;
}

sub emulation {
    my ($self) = @_;
    my $kernel = $self->file('proc/sys/kernel/arch');
    return if !defined $kernel || !length $kernel;
    return family($kernel) eq family($self->{uname}[4]) ? 'none' : "of user programs, on $kernel";
}

sub vulnerabilities {
    my ($self) = @_;
    my $folder = "$self->{root}/sys/devices/system/cpu/vulnerabilities";
    opendir my $in, $folder or return;
    my @names = sort grep { !/^[.]/ } readdir $in;
    closedir $in;
    my @lines;
    for my $name (@names) {
        my $text = $self->file("sys/devices/system/cpu/vulnerabilities/$name");
        push @lines, "$name: $text" if defined $text;
    }
    return join '; ', @lines;
}

my $MITIGATION =
    qr/^(?:mitigations|nopti|pti|nosmt|spec|nospec|l1tf|mds|tsx|retbleed|srbds|mmio_stale)/;

# Only the words about mitigations: others can name disks and hosts
sub mitigations {
    my ($self) = @_;
    my $line = $self->file('proc/cmdline');
    return if !defined $line;
    return join q{ }, grep { /$MITIGATION/ } split q{ }, $line;
}

sub governors {
    my ($self) = @_;
    my %seen;
    for my $path (
        glob "\Q$self->{root}\E/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor") {
        my $name = slurp($path);
        $seen{$name}++ if defined $name;
    }
    return %seen ? join(q{ }, sort keys %seen) : undef;
}

sub turbo {
    my ($self) = @_;
    my $off = $self->file('sys/devices/system/cpu/intel_pstate/no_turbo');
    return $off ? 'off' : 'on' if defined $off;
    my $on = $self->file('sys/devices/system/cpu/cpufreq/boost');
    return if !defined $on;
    return $on ? 'on' : 'off';
}

sub numa_nodes {
    my ($self) = @_;
    my @nodes = glob "\Q$self->{root}\E/sys/devices/system/node/node[0-9]*";
    return @nodes ? scalar @nodes : undef;
}

1;
