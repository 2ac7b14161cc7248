# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Counters;

# What the machine does beside the passes: counters that show disturbance, read before and after
# a pass, without privileges; what holds at this moment, and what changes in a run.
#
#   read_all(root) -> reading { time, busy and steal of all CPUs, pressure, throttled => seconds },
#       without what cannot be read
#   between(reading before, reading after, CPU seconds that the test used itself or undef) ->
#       { busy_elsewhere => CPUs in use by others, cpu_pressure => share of the time in which
#       something waited for a CPU, steal => CPUs, throttled => seconds }; undef where a
#       counter is missing or went back.  A pure function
#   shares({ time, busy, steal, pressure, throttled => by how many seconds each grew, or
#       undef }, CPU seconds of the test or undef) -> the same.  A pure function
#   state(SpawnMeter::Machine::Facts) -> what may disturb a run now: { busy => CPUs in use over half
#       a second, by => [names of the three other processes that used most then], swap_used => kB,
#       traced => true where a tracer is attached }; undef: unknown
#   cpus_in_use(root) -> CPUs in use over half a second, or undef
#   conditions(SpawnMeter::Machine::Facts) -> what a run takes for granted: { cpus => [numbers],
#       quota => CPUs or undef, traced => 1 or 0 }
#   changed(reading at the beginning of the run, reading now) -> {}, or those of { cpus_changed
#       => number of CPUs that came or went, quota_changed => 1, traced => 1 } that hold

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(sum);
use POSIX                       ();
use Time::HiRes                 qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Machine::Cgroup qw(groups);
use SpawnMeter::Util::File      qw(slurp);

our @EXPORT_OK = qw(between shares state cpus_in_use conditions changed);

my $ticks = POSIX::sysconf(POSIX::_SC_CLK_TCK()) || 100;    # of a second

# The first line of /proc/stat, see proc(5)
my $CPU_LINE = qr{^cpu\ +(?<user>\d+)\ (?<nice>\d+)\ (?<system>\d+)\ \d+\ \d+
    \ (?<irq>\d+)\ (?<softirq>\d+)(?:\ (?<steal>\d+))?}x;

# Version 2 of the control groups counts microseconds, version 1 nanoseconds
sub read_all {
    my ($root) = @_;
    my %reading = (time => clock_gettime(CLOCK_MONOTONIC));
    if ((slurp("$root/proc/stat") || q{}) =~ $CPU_LINE) {
        my %seconds = map { $_ => $+{$_} / $ticks } keys %+;
        $reading{busy} = sum(@seconds{qw(user nice system irq softirq)});
        $reading{steal} = $seconds{steal};
    }
    $reading{pressure} = $1 / 1e6
        if (slurp("$root/proc/pressure/cpu") || q{}) =~ /^some .*total=(\d+)/;
    for my $text (map { slurp("$_/cpu.stat") || q{} } groups($root, 'cpu')) {
        $reading{throttled} += $2 / ($1 eq 'usec' ? 1e6 : 1e9)
            if $text =~ /^throttled_(usec|time) (\d+)$/m;
    }
    return \%reading;
}

sub between {
    my ($before, $after, $own) = @_;
    my %grown;
    for my $name (qw(time busy steal pressure throttled)) {
        my ($from, $to) = ($before->{$name}, $after->{$name});
        $grown{$name} = $to - $from if defined $from && defined $to && $to >= $from;
    }
    return shares(\%grown, $own);
}

sub shares {
    my ($grown, $own) = @_;
    my ($elapsed, $busy) = @{$grown}{qw(time busy)};
    my $share = sub {
        my ($number) = @_;
        return $elapsed && defined $number ? sprintf('%.4f', $number / $elapsed) + 0 : undef;
    };
    return {
        busy_elsewhere => $share->(defined $busy && defined $own ? $busy - $own : undef),
        steal          => $share->($grown->{steal}),
        cpu_pressure   => $share->($grown->{pressure}),
        throttled      => $elapsed ? $grown->{throttled} : undef,
    };
}

use constant BUSY_TIME => 0.5;    # seconds over which the use of the CPUs is counted

sub state {
    my ($facts) = @_;
    my ($swap, $free) = map { scalar $facts->kilobytes($_) } qw(SwapTotal SwapFree);
    my $before = ticks_of_processes($facts->{root});
    my $busy = cpus_in_use($facts->{root});
    my $used = ticks_of_processes($facts->{root});
    $used->{$_} -= $before->{$_} // $used->{$_} for keys %{$used};
    my @most = sort { $used->{$b} <=> $used->{$a} || $a cmp $b } grep { $used->{$_} } keys %{$used};
    return {
        busy      => $busy,
        by        => [ splice @most, 0, 3 ],
        swap_used => defined $swap && defined $free ? $swap - $free : undef,
        traced    => traced($facts),
    };
}

# -> { "name number" => CPU time so far }, see proc(5)
sub ticks_of_processes {
    my ($root) = @_;
    my @stats = map { slurp($_) // () } grep { !m{/$$/} } glob "\Q$root\E/proc/[0-9]*/stat";
    return { map { /^(\d+) [(](.*)[)](?: \S+){11} (\d+) (\d+)/s ? ("$2 $1" => $3 + $4) : () }
            @stats };
}

sub cpus_in_use {
    my ($root) = @_;
    my $before = read_all($root);
    Time::HiRes::sleep(BUSY_TIME);
    return between($before, read_all($root), 0)->{busy_elsewhere};
}

sub traced { my ($facts) = @_; return ($facts->status_field('TracerPid') || 0) > 0 ? 1 : 0 }

sub conditions {
    my ($facts) = @_;
    return {
        cpus   => $facts->allowed_cpus,
        quota  => scalar SpawnMeter::Machine::Cgroup::cpu_quota($facts->{root}),
        traced => traced($facts),
    };
}

sub changed {
    my ($before, $now) = @_;
    my %seen;
    $seen{$_}++ for @{ $before->{cpus} }, @{ $now->{cpus} };
    my $moved = grep { $_ == 1 } values %seen;
    my @quota = map { $_->{quota} // 0 } $before, $now;
    return {
        $moved                 ? (cpus_changed  => $moved) : (),
        $quota[0] != $quota[1] ? (quota_changed => 1)      : (),
        $now->{traced}         ? (traced        => 1)      : (),
    };
}

1;
