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
use List::Util             qw(first max min sum);
use POSIX                  ();
use Time::HiRes            qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Util::File qw(slurp);

our @EXPORT_OK = qw(between shares state cpus_in_use conditions changed cpu_quota groups
    facts_of_groups available own_folders);

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
        quota  => scalar cpu_quota($facts->{root}),
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

# ---- the control groups of this process, versions 1 and 2 (proc(5), cgroups(7)) ----
#
#   groups(root, controller) -> folders, from the process's own group up to the root of the
#       hierarchy; none where there is no such controller
#   cpu_quota(root) -> CPUs, or undef
#   facts_of_groups(root) -> { version => 1, 2 or undef, kind => what its path is of, depth,
#       cpu_quota => CPUs, pids_max, memory_max => bytes, or none }; undef: unknown
#   available(root) -> bytes of memory that can be used without swapping and within the limits of
#       the groups, or undef where unknown
#   own_folders(root) -> folders in which programs make groups: those of the groups that this
#       process belongs to, one for each hierarchy that is mounted and shows it; and in version 2
#       the one above (--depth)

# "36 35 98:0 /root /point rw,noatime shared:1 - type source options" of a hierarchy; a blank stands
# there as \040
my $MOUNT = qr{^(?:\S+\ ){3}(\S+)\ (\S+)\ (?:\S+\ )+?-\ (cgroup2?)\ \S+\ (\S+)}x;

# -> ({ names => its controllers, none of version 2, path => as the kernel calls the group, mount =>
# folder, own => folder of the group where it shows there }) for each hierarchy that is mounted
sub hierarchies {
    my ($root) = @_;
    my ($groups, $mounts) = map { scalar slurp("$root/proc/self/$_") || q{} } qw(cgroup mountinfo);
    my %mounts;    # by controller
    for my $line (split /\n/, $mounts) {
        my ($above, $point, $type, $options) = $line =~ $MOUNT or next;
        s/\\([0-7]{3})/chr oct $1/ge for $above, $point;
        my @names = $type eq 'cgroup2' ? q{} : split /,/, $options;
        push @{ $mounts{$_} }, { above => $above, point => $point } for @names;
    }
    my @hierarchies;
    for my $line (split /\n/, $groups) {
        my (undef, $names, $path) = split /:/, $line, 3;
        my @mounts = defined $path ? @{ $mounts{ (split /,/, $names)[0] // q{} } || [] } : ();
        my $mount = (first { defined folder_of($_, $path) } @mounts) || $mounts[0] or next;
        my $own = folder_of($mount, $path);
        my %folders = (mount => "$root$mount->{point}", own => defined $own ? "$root$own" : undef);
        push @hierarchies, { names => $names, path => $path, %folders };
    }
    return @hierarchies;
}

# The folder of the group, or nothing where it lies outside of what is mounted there
sub folder_of {
    my ($mount, $path) = @_;
    my $above = $mount->{above} eq q{/} ? q{} : $mount->{above};
    return if $path !~ s{\A\Q$above\E(?=/|\z)}{} || $path =~ m{\A/[.][.]};
    $path =~ s{/+\z}{};
    return "$mount->{point}$path";
}

sub own_folders {
    my ($root) = @_;
    my @shown = grep { defined $_->{own} } hierarchies($root);
    my @below = grep { !length $_->{names} && $_->{own} ne $_->{mount} } @shown;
    return ((map { $_->{own} } @shown), map { $_->{own} =~ s{/[^/]*\z}{}r } @below);
}

# The hierarchy of a controller: that of version 2 where none of version 1 has it
sub place {
    my ($root, $controller) = @_;
    my @hierarchies = hierarchies($root);
    my $of_controller = first { ",$_->{names}," =~ /,$controller,/ } @hierarchies;
    return $of_controller || first { !length $_->{names} } @hierarchies;
}

sub groups {
    my ($root, $controller) = @_;
    my $place = place($root, $controller) or return;
    my ($mount, $folder) = @{$place}{qw(mount own)};
    my @folders;
    while (defined $folder && length $folder > length $mount) {
        push @folders, $folder if -d $folder;
        $folder =~ s{/[^/]*\z}{};
    }
    return (@folders, $mount);
}

# The smallest number in one of the files, or undef.  "max" and -1 are no limit, nor are the 19
# digits that version 1 writes for no limit of memory
sub least {
    my (@paths) = @_;
    return min(map { $_ + 0 } grep { defined && /^\d{1,18}$/ } map { slurp($_) } @paths);
}

sub cpu_quota {
    my ($root) = @_;
    my @quotas;
    for my $folder (groups($root, 'cpu')) {
        my @texts = map { slurp("$folder/cpu.$_") } qw(max cfs_quota_us cfs_period_us);
        my $text = join q{ }, grep { defined } @texts;
        push @quotas, $1 / $2 if $text =~ /^([1-9]\d*) ([1-9]\d*)$/;
    }
    return min(@quotas);
}

# What a path is of, by the names that systemd and container engines give; a task outside of the
# root of the cpu controller is in no autogroup
my @KINDS = (
    [ 'the root'       => qr{^/*$} ],
    [ 'a container'    => qr{docker|libpod|containerd|kubepods|lxc|machine[.]slice|^/[.][.]} ],
    [ 'a session'      => qr{/session-\w+[.]scope} ],
    [ 'a user service' => qr{/user@\w+[.]service} ],
    [ 'a service'      => qr{[.]service(?:/|$)} ],
    [ 'another group'  => qr/^/ ],
);

sub facts_of_groups {
    my ($root) = @_;
    my $place = place($root, 'cpu') || place($root, 'pids') || {};
    my $path = $place->{path};
    my $version = !defined $path ? undef : length $place->{names} ? 1 : 2;
    my $kind = defined $path ? first { $path =~ $_->[1] } @KINDS : undef;
    my @memory = map { ("$_/memory.max", "$_/memory.limit_in_bytes") } groups($root, 'memory');
    my $none = defined $version ? 'none' : undef;
    return {
        version    => $version,
        kind       => $kind && $kind->[0],
        depth      => defined $path ? scalar(() = $path =~ m{[^/]+}g) : undef,
        cpu_quota  => cpu_quota($root)                                   // $none,
        pids_max   => least(map { "$_/pids.max" } groups($root, 'pids')) // $none,
        memory_max => least(@memory)                                     // $none,
    };
}

sub available {
    my ($root) = @_;
    my ($kilobytes) = (slurp("$root/proc/meminfo") || q{}) =~ /^MemAvailable:\s+(\d+)/m;
    return min(grep { defined } defined $kilobytes ? $kilobytes * 1024 : undef,
        map { left_in($_) } groups($root, 'memory'));
}

# The memory that is left in a group, counting the pages of files, which can be freed; undef
# without a limit
sub left_in {
    my ($folder) = @_;
    my $most = least(map { "$folder/memory.$_" } qw(max limit_in_bytes));
    my $used = least(map { "$folder/memory.$_" } qw(current usage_in_bytes));
    return if !defined $most || !defined $used;
    my ($files) = (slurp("$folder/memory.stat") || q{}) =~ /^(?:total_)?inactive_file (\d+)$/m;
    return max(0, $most - $used + ($files || 0));
}

1;
