# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup::Files;

# The files and folders that the cleaner (SpawnMeter::Util::Cleanup::Process) removes.
#
#   remove_left({ files, tried, prefixes => { path => true } }): removes the files or folders,
#       those of the tried ones that are empty files and that no other process has locked, and
#       all paths with these beginnings.  In a folder that others can write to, like /tmp, anybody
#       can use these names: only what is this user's own is removed, by names in folders that are
#       open (SpawnMeter::Util::Folder)

use strict;
use warnings;
use Time::HiRes                ();
use SpawnMeter::Util::Folder qw(open_folder);
use SpawnMeter::Util::Lock qw(unlink_unused);

use constant {
    RETRIES => 10,
    TICK    => 0.05,    # seconds between them
};

sub remove_left {
    my ($left) = @_;
    local $SIG{__WARN__} = sub { };
    remove($_, sub { return $_[1] }) for keys %{ $left->{files} };
    remove($_, \&empty)              for keys %{ $left->{tried} };
    remove($_, \&beginning_with)     for keys %{ $left->{prefixes} };
    return;
}

# One with contents belongs to somebody else
sub empty {
    my ($folder, $name) = @_;
    return $folder->at($name, sub { return lstat $name && -f _ && -z _ || 0 }) ? $name : ();
}

sub beginning_with {
    my ($folder, $prefix) = @_;
    return grep { index($_, $prefix) == 0 } $folder->names;
}

# What is this user's own of the names that the sub chooses in the path's folder, by the path's
# last part.  Repeated, since a process that is just ending may still write into a folder
sub remove {
    my ($path, $choose) = @_;
    my ($in, $last) = $path =~ m{^(.*/)?([^/]*)\z}s             or return;
    my $folder = eval { open_folder(defined $in ? $in : q{.}) } or return;
    for (1 .. RETRIES) {
        my @names = eval {
            grep { $folder->own($_) } $choose->($folder, $last);
        } or return;
        for my $name (@names) {
            eval { remove_one($folder, $name); 1 } or next;
        }
        return if !eval {
            grep { $folder->own($_) } @names;
        };
        Time::HiRes::sleep(TICK);
    }
    return;
}

sub remove_one {
    my ($folder, $name) = @_;
    return $folder->at($name, sub { return unlink_unused($name) ? 1 : 0 })
        if $folder->own($name) eq 'file';
    SpawnMeter::Util::Folder::remove_temporary($folder, $name);
    return;
}

1;
