# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Hierarchies;

# Where the control groups of this process are mounted, versions 1 and 2 (proc(5), cgroups(7)).
#
#   own_folders(root) -> folders of the groups that this process belongs to, one for each
#       hierarchy that is mounted and shows it.  None on other systems than Linux.  The root
#       is an empty text, or that of a made-up machine

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::File qw(slurp);

our @EXPORT_OK = qw(own_folders);

sub own_folders {
    my ($root) = @_;
    my ($groups, $mounts) = map { scalar slurp("$root/proc/self/$_") } qw(cgroup mountinfo);
    return if !defined $groups || !defined $mounts;
    my @mounts = map { mount_of($_) } split /\n/, $mounts;
    my @folders;
    for my $line (split /\n/, $groups) {
        my (undef, $names, $path) = split /:/, $line, 3;
        next if !defined $path;
        my ($folder) = map { folder_of($_, $path) } grep { has($_, $names) } @mounts;
        push @folders, "$root$folder" if defined $folder;
    }
    return @folders;
}

# "36 35 98:0 /root /point rw,noatime shared:1 - type source options" -> { root, point, type,
# options } of a hierarchy, or nothing.  A blank stands there as \040.
sub mount_of {
    my ($line) = @_;
    my ($place, $kind) = split / - /, $line, 2;
    my ($type, undef, $options) = split q{ }, defined $kind ? $kind : q{};
    return if !defined $options || $type !~ /\Acgroup2?\z/;
    my @paths = (split q{ }, $place)[ 3, 4 ];
    s/\\([0-7]{3})/chr oct $1/ge for @paths;
    return { root => $paths[0], point => $paths[1], type => $type, options => $options };
}

# True if it is the mount of these controllers, or of version 2 if there is none
sub has {
    my ($mount, $names) = @_;
    return $mount->{type} eq 'cgroup2' if !length $names;
    my ($first) = split /,/, $names;
    return $mount->{type} eq 'cgroup' && grep { $_ eq $first } split /,/, $mount->{options};
}

# The folder of the group, or nothing where it lies outside of what is mounted there
sub folder_of {
    my ($mount, $path) = @_;
    my $root = $mount->{root} eq q{/} ? q{} : $mount->{root};
    return if $path !~ s{\A\Q$root\E(?=/|\z)}{} || $path =~ m{\A/[.][.]};
    $path =~ s{/+\z}{};
    return "$mount->{point}$path";
}

1;
