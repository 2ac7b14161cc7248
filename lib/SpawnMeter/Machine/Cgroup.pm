# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Cgroup;

# The control groups that this process is in, versions 1 and 2, from a root path
# that tests can fake.
#
#   groups(root, controller) -> folders from the process's own group up to the
#                               root of the hierarchy; empty where there is none
#   facts(root) -> { version => 1, 2 or undef, depth, cpu_quota => CPUs,
#                    pids_max, pids_current, memory_max => bytes }, undef: no limit
#   cpu_stat_files(root) -> the cpu.stat of each group

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(min);

use SpawnMeter::Util::File qw(slurp);

our @EXPORT_OK = qw(groups facts cpu_stat_files);

# (mount point, path of the group, version)
sub place {
    my ($root, $controller) = @_;
    my $list = slurp("$root/proc/self/cgroup");
    return if !defined $list;
    for my $line (split /\n/, $list) {
        my ($id, $names, $path) = split /:/, $line, 3;
        next if !defined $path || !grep { $_ eq $controller } split /,/, $names;
        my ($mount) = grep { -d } map { "$root/sys/fs/cgroup/$_" } $controller, $names;
        return ($mount, $path, 1) if defined $mount;
    }
    my ($path) = $list =~ /^0::(.*)$/m;
    return if !defined $path;
    for my $mount ("$root/sys/fs/cgroup", "$root/sys/fs/cgroup/unified") {
        return ($mount, $path, 2) if -e "$mount/cgroup.controllers";
    }
    return;
}

sub groups {
    my ($root, $controller) = @_;
    my ($mount, $path) = place($root, $controller);
    return if !defined $mount;
    my @folders;
    $path =~ s{/+\z}{};
    while (length $path) {
        push @folders, $mount . $path if -d $mount . $path;
        $path =~ s{/[^/]*\z}{};
    }
    return (@folders, $mount);
}

# The smallest number that any of the groups' files holds; "max" and -1 are none
sub least {
    my ($pick, @paths) = @_;
    my @found = grep { defined }
        map { my $text = slurp($_); defined $text ? $pick->($text) : undef } @paths;
    return @found ? min(@found) : undef;
}

sub whole { my ($text) = @_; return $text =~ /^(\d{1,18})$/ ? $1 + 0 : undef }

sub cpu_quota {
    my ($root) = @_;
    my @groups = groups($root, 'cpu');
    my $two = least(sub { $_[0] =~ /^(\d+) (\d+)$/ && $2 > 0 ? $1 / $2 : undef },
        map { "$_/cpu.max" } @groups);
    my @one;
    for my $folder (@groups) {
        my $quota = whole(slurp("$folder/cpu.cfs_quota_us") || q{});
        my $period = whole(slurp("$folder/cpu.cfs_period_us") || q{});
        push @one, $quota / $period if $quota && $period;
    }
    return min(grep { defined } $two, @one);
}

sub facts {
    my ($root) = @_;
    my ($mount, $path, $version) = place($root, 'cpu');
    ($mount, $path, $version) = place($root, 'pids') if !defined $mount;
    my @pids = groups($root, 'pids');
    my @memory = groups($root, 'memory');
    my $memory = least(\&whole, map { ("$_/memory.max", "$_/memory.limit_in_bytes") } @memory);
    return {
        version      => $version,
        depth        => defined $path ? scalar(() = $path =~ m{[^/]+}g) : undef,
        cpu_quota    => cpu_quota($root),
        pids_max     => least(\&whole, map { "$_/pids.max" } @pids),
        pids_current => @pids ? whole(slurp("$pids[0]/pids.current") || q{}) : undef,
        memory_max   => defined $memory && $memory < 2**60 ? $memory         : undef,
    };
}

sub cpu_stat_files {
    my ($root) = @_;
    return grep { -r } map { "$_/cpu.stat" } groups($root, 'cpu');
}

1;
