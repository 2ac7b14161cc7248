# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::CPU;

# What of the machine's facts is the processor's and the firmware's.  Methods of a
# SpawnMeter::Machine::Facts, which imports them: they read by its file() and sysctl.
#
#   usable_cpus -> { cpus => [numbers], count => how many copies are worth running }
#   online_cpus -> number;  cpuinfo(names) -> the first such field, or undef
#   cpu_model, hypervisor, vulnerabilities, mitigations, governors, turbo -> text
#   numa_nodes -> number                                      ... or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(min);
use SpawnMeter::Machine::Cgroup ();
use SpawnMeter::Util::File      qw(slurp);

our @EXPORT_OK = qw(usable_cpus online_cpus cpuinfo cpu_model hypervisor vulnerabilities
    mitigations governors turbo numa_nodes);

# "0-3,8" -> (0, 1, 2, 3, 8)
sub cpu_list {
    my ($text) = @_;
    return if !defined $text || $text !~ /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;
    return map { /^(\d+)-(\d+)$/ ? ($1 .. $2) : $_ } split /,/, $text;
}

# The CPUs that this process may run on, and how many of them are worth using:
# a cgroup's quota of 1.5 CPUs is enough for one copy, two would be throttled.
sub usable_cpus {
    my ($self) = @_;
    my ($list) = ($self->file('proc/self/status') || q{}) =~ /^Cpus_allowed_list:\s*(\S+)/m;
    my @cpus = cpu_list($list);
    @cpus = (0 .. $self->online_cpus - 1) if !@cpus;
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
    my $told = $self->{sysctl}->('hw.ncpu');
    return $told && $told =~ /^(\d+)$/ && $1 > 0 ? $1 + 0 : 1;
}

# First of these fields of /proc/cpuinfo; ARM has no "model name", LoongArch writes
# it with capitals
sub cpuinfo {
    my ($self, @names) = @_;
    my $text = $self->file('proc/cpuinfo') || q{};
    for my $name (@names) {
        return $1 if $text =~ /^\Q$name\E\s*:[ \t]*(\S[^\n]*)$/mi;
    }
    return;
}

sub cpu_model {
    my ($self) = @_;
    my $model = $self->cpuinfo('model name', 'cpu model', 'cpu');
    ($model) = ($self->cpuinfo('Processor') || q{}) =~ /^(.*[^\d\s].*)$/ if !defined $model;
    $model = $self->cpuinfo('uarch', 'machine', 'isa') if !defined $model;
    return $model if defined $model;

    # S/390 has a type there, and a serial number, which is nobody's business
    return "IBM machine type $1"
        if ($self->file('proc/cpuinfo') || q{}) =~ /^processor \d+:.*\bmachine = (\w+)/m;
    my ($maker, $part) = ($self->cpuinfo('CPU implementer'), $self->cpuinfo('CPU part'));
    my $board = $self->file('proc/device-tree/model');
    return join q{, }, grep { defined } $board, defined $part ? "CPU part $maker/$part" : undef
        if defined $board || defined $part;
    return $self->{sysctl}->('machdep.cpu.brand_string') || $self->{sysctl}->('hw.model');
}

sub hypervisor {
    my ($self) = @_;
    my $type = $self->file('sys/hypervisor/type');
    return $type if $type;
    my $vendor = join q{ },
        grep { $_ } map { $self->file("sys/class/dmi/id/$_") } qw(sys_vendor product_name);
    my $flag = ($self->cpuinfo('flags') || q{}) =~ /\bhypervisor\b/;
    return 'yes' . ($vendor ? " ($vendor)" : q{}) if $flag;
    my $told = $self->{sysctl}->('kern.hv_vmm_present');
    return 'yes' if $told;
    return defined $self->cpuinfo('flags') || defined $told ? 'none' : undef;
}

sub vulnerabilities {
    my ($self) = @_;
    my $folder = "$self->{root}/sys/devices/system/cpu/vulnerabilities";
    opendir my $in, $folder or return;
    my @names = sort grep { !/^[.]/ } readdir $in;
    closedir $in;
    return join '; ', map {
        my $t = $self->file("sys/devices/system/cpu/vulnerabilities/$_");
        defined $t ? "$_: $t" : ()
    } @names;
}

my $MITIGATION =
    qr/^(?:mitigations|nopti|pti|nosmt|spec|nospec|l1tf|mds|tsx|retbleed|srbds|mmio_stale)/;

# Only what concerns mitigations: the rest of the line may name disks and hosts
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
    return defined $on ? $on ? 'on' : 'off' : undef;
}

sub numa_nodes {
    my ($self) = @_;
    my @nodes = glob "\Q$self->{root}\E/sys/devices/system/node/node[0-9]*";
    return @nodes ? scalar @nodes : undef;
}

1;
