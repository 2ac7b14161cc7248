# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Resources;

# The facts about memory, load and file systems; most of them the header of a
# report has as the classic suite's has them.  Methods of a SpawnMeter::Machine::Facts, which
# imports them: they read with its file() and sysctl.
#
#   memory -> { total, available, swap => MB }; a value is undef where it cannot be read
#   load_average -> "0.10 0.20 0.30" (1, 5 and 15 minutes), or undef
#   uptime -> seconds since the system was started, or undef
#   file_system(folder) -> the type of its file system, or undef

use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use List::Util                  qw(min);
use SpawnMeter::Machine::Cgroup qw(groups);
use SpawnMeter::Util::File      qw(slurp);
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(memory load_average uptime file_system available sysctl getconf
    distribution booted guest);

use constant KB => 1024;

sub memory {
    my ($self) = @_;
    my $text = $self->file('proc/meminfo') || q{};
    my %mb = map {
        my ($field, $name) = @{$_};
        $name => $text =~ /^$field:\s+(\d+)/m ? int($1 / KB) : undef
    } [ MemTotal => 'total' ], [ MemAvailable => 'available' ], [ SwapTotal => 'swap' ];
    for my $name (qw(hw.memsize hw.physmem64 hw.physmem)) {
        last if defined $mb{total};
        my $bytes = $self->{sysctl}->($name);
        $mb{total} = int($bytes / KB**2) if defined $bytes && $bytes =~ /^\d+\z/;
    }
    return \%mb;
}

sub load_average {
    my ($self) = @_;
    my $text = $self->file('proc/loadavg') || $self->{sysctl}->('vm.loadavg') || q{};
    return $text =~ /(\d+[.]\d+) (\d+[.]\d+) (\d+[.]\d+)/ ? "$1 $2 $3" : undef;
}

sub uptime {
    my ($self) = @_;
    return $1 + 0 if ($self->file('proc/uptime') || q{}) =~ /^(\d+)/;
    return SpawnMeter::Machine::Resources::booted($self, time);
}

# The type of the file system of a folder: that of the longest mount point above it
sub file_system {
    my ($self, $folder) = @_;
    my $mounts = $self->file('proc/self/mounts');
    my $path = defined $folder ? Cwd::abs_path($folder) : undef;
    return if !defined $mounts || !defined $path;
    my ($best, $type) = (-1);
    for my $line (split /\n/, $mounts) {
        my (undef, $point, $kind) = split q{ }, $line;
        next if !defined $kind;
        $point =~ s/\\(\d{3})/chr oct $1/ge;
        my $within = $point eq q{/} ? q{} : $point;
        next if index("$path/", "$within/") != 0 || length $within < $best;
        ($best, $type) = (length $within, $kind);
    }
    return $type;
}

# ---- memory ----
#
# Memory that is available to this process, read below a root that tests can set.
#
#   available(root) -> bytes that can be used without swapping and within the limits of the
#       control groups, or undef where unknown

sub available {
    my ($root) = @_;
    my $text = slurp("$root/proc/meminfo");
    my ($kilobytes) = defined $text ? $text =~ /^MemAvailable:\s+(\d+)/m : ();
    return min(grep { defined } defined $kilobytes ? $kilobytes * 1024 : undef,
        map { left_in($_) } groups($root, 'memory'));
}

# In a group, whose files' pages can be freed; undef without a limit
sub left_in {
    my ($folder) = @_;
    my ($most) = grep { defined } map { number("$folder/$_") } qw(memory.max memory.limit_in_bytes);
    my ($used) =
        grep { defined } map { number("$folder/$_") } qw(memory.current memory.usage_in_bytes);
    return if !defined $most || !defined $used;
    my $text = slurp("$folder/memory.stat");
    my ($files) = defined $text ? $text =~ /^(?:total_)?inactive_file (\d+)$/m : ();
    my $left = $most - $used + ($files || 0);
    return $left > 0 ? $left : 0;
}

# "max", and the 19 digits of version 1, are no limit
sub number {
    my ($path) = @_;
    my $text = slurp($path);
    return defined $text && $text =~ /^(\d{1,18})$/a ? $1 + 0 : undef;
}

# ---- other systems ----
#
# What systems other than plain Linux tell of themselves: macOS and the BSDs by sysctl(8) and
# getconf(1); Cygwin, MSYS and the Windows Subsystem for Linux (WSL) by uname.
#
#   sysctl(name), getconf(name) -> text, or undef
#
# These take a SpawnMeter::Machine::Facts, which imports the first:
#
#   distribution -> name of the operating system, for people, or undef
#   booted(facts, now) -> seconds since the machine booted, or undef
#   guest(facts) -> kind of the hypervisor, "none", or undef where the system does not say
#
# The names are those of sysctl(3) on macOS, FreeBSD, NetBSD and OpenBSD.

sub sysctl {
    my ($name) = @_;
    return if $^O eq 'linux';
    my ($program) = grep { -x } qw(/usr/sbin/sysctl /sbin/sysctl);
    return defined $program ? line_of($program, '-n', $name) : undef;
}

sub getconf {
    my ($name) = @_;
    return -x '/usr/bin/getconf' ? line_of('/usr/bin/getconf', $name) : undef;
}

# What a program prints if it is one line
sub line_of {
    my ($status, $text) = SpawnMeter::Util::Process::output(@_);
    return $status == 0 && $text =~ /^([^\n]+)\n\z/ ? $1 : undef;
}

sub distribution {
    my ($self) = @_;
    my ($system, $release) = @{ $self->{uname} }[ 0, 2 ];
    return "Cygwin $release on Windows $1" if $system =~ /^CYGWIN_NT-(\S+)/;
    return "MSYS2 $release ($1) on Windows $2"
        if $system =~ /^(MSYS|(?:MINGW|UCRT|CLANG)\w*)_NT-(\S+)/;
    if ($system eq 'Darwin') {
        my ($product, $build) = map { $self->{sysctl}->("kern.$_") } qw(osproductversion osversion);
        return if !defined $product;
        return "macOS $product" . (defined $build ? " ($build)" : q{});
    }
    my $text = $self->file('etc/os-release');
    my ($name) = defined $text ? $text =~ /^PRETTY_NAME="?([^"\n]*)"?$/m : ();
    my $wsl = wsl($release);
    return defined $name && defined $wsl ? "$name under $wsl" : defined $name ? $name : $wsl;
}

# Microsoft names these kernels 4.4.0-19041-Microsoft (WSL 1, which is no Linux kernel) and
# 5.15.90.1-microsoft-standard-WSL2
sub wsl {
    my ($release) = @_;
    return 'WSL 2' if $release =~ /microsoft.*WSL2|microsoft-standard/;
    return $release =~ /-Microsoft$/ ? 'WSL 1' : undef;
}

# kern.boottime: "{ sec = 1700000000, usec = 0 } Tue Nov ..." (macOS, FreeBSD), a number
# (OpenBSD), or a date
sub booted {
    my ($self, $now) = @_;
    my $text = $self->{sysctl}->('kern.boottime');
    return if !defined $text || $text !~ /(?:^|sec = )(\d{9,11})\b/;
    return $now > $1 ? $now - $1 : undef;
}

# macOS and FreeBSD; NetBSD and OpenBSD only have it in their boot messages
sub guest {
    my ($self) = @_;
    my $present = $self->{sysctl}->('kern.hv_vmm_present');
    return $present ? 'yes' : 'none' if defined $present;
    my $kind = $self->{sysctl}->('kern.vm_guest');
    return defined $kind && $kind =~ /^(\w+)$/ ? $1 : undef;
}

1;
