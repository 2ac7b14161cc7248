# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Systems;

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

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(sysctl getconf distribution booted guest);

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
