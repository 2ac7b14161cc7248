# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Counters;

# Reads what the machine tells of disturbance, without privileges, before and
# after a pass.  What cannot be read, or has another form, is undef.
#
#   new(root) -> object; read_all() -> a reading
#   oom_kills() -> how many processes the kernel has killed for want of memory since it
#       was booted, or undef
#   between(before, after, CPU seconds that the test used itself) ->
#       { busy_elsewhere => CPUs, cpu_pressure => share, steal => CPUs,
#         throttled => seconds }    (a pure function)

use strict;
use warnings;
use Exporter 'import';
use POSIX                       ();
use SpawnMeter::Machine::Cgroup qw(cpu_stat_files);
use SpawnMeter::Util::File      qw(slurp);
use Time::HiRes                 ();

our @EXPORT_OK = qw(between);

sub new {
    my ($class, $root, $clock) = @_;
    $clock ||= sub { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) };
    my $self = bless { clock => $clock, root => $root }, $class;
    $self->{stat} = opened("$root/proc/stat");
    $self->{pressure} = opened("$root/proc/pressure/cpu");
    $self->{groups} = [ grep { defined } map { opened($_) } cpu_stat_files($root) ];
    return $self;
}

# Files stay open: reading one again from its start is cheaper than opening it
sub opened {
    my ($path) = @_;
    open my $in, '<', $path or return;
    return $in;
}

sub again {
    my ($in, $size) = @_;
    return if !$in || !defined sysseek $in, 0, 0;
    my $got = sysread $in, my ($text), $size;
    return if !$got;
    return $text;
}

sub oom_kills {
    my ($self) = @_;
    my $text = slurp("$self->{root}/proc/vmstat");
    return defined $text && $text =~ /^oom_kill (\d+)$/m ? $1 + 0 : undef;
}

sub read_all {
    my ($self) = @_;
    my %reading = (time => $self->{clock}->());
    my $stat = again($self->{stat}, 256);
    if (defined $stat && $stat =~ /^cpu +(\d+) (\d+) (\d+) \d+ \d+ (\d+) (\d+)(?: (\d+))?/) {
        @reading{qw(busy steal)} = ($1 + $2 + $3 + $4 + $5, defined $6 ? $6 + 0 : undef);
    }
    my $pressure = again($self->{pressure}, 256);
    $reading{pressure} = $1 + 0 if defined $pressure && $pressure =~ /^some .*total=(\d+)/;
    for my $group (@{ $self->{groups} }) {
        my $text = again($group, 1024);
        next if !defined $text;

        # version 2 counts microseconds, version 1 nanoseconds
        if    ($text =~ /^throttled_usec (\d+)$/m) { $reading{throttled} += $1 / 1e6 }
        elsif ($text =~ /^throttled_time (\d+)$/m) { $reading{throttled} += $1 / 1e9 }
    }
    return \%reading;
}

my $ticks = POSIX::sysconf(POSIX::_SC_CLK_TCK()) || 100;

sub between {
    my ($before, $after, $own) = @_;
    my %share = map { $_ => undef } qw(busy_elsewhere cpu_pressure steal throttled);
    my $elapsed = defined $before && defined $after ? $after->{time} - $before->{time} : 0;
    return \%share if $elapsed <= 0;
    my $grown = sub {
        my ($key) = @_;
        return
               if !defined $before->{$key}
            || !defined $after->{$key}
            || $after->{$key} < $before->{$key};
        return $after->{$key} - $before->{$key};
    };
    my ($busy, $steal, $pressure) = map { $grown->($_) } qw(busy steal pressure);
    $share{busy_elsewhere} = rounded(($busy / $ticks - $own) / $elapsed)
        if defined $busy && defined $own;
    $share{steal} = rounded($steal / $ticks / $elapsed) if defined $steal;
    $share{cpu_pressure} = rounded($pressure / 1e6 / $elapsed) if defined $pressure;
    $share{throttled} = $grown->('throttled');
    return \%share;
}

sub rounded { return sprintf('%.4f', $_[0]) + 0 }

1;
