# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Lock;

# Locks of files by flock(2), which the kernel releases with their owner.  A file system without
# locks is not locked.
#
#   create_locked(path) -> handle of a new file for appending, locked; undef with $! where it
#       cannot be created, as EEXIST where something has this name
#   unlock(): lets go of these locks; the files that are not finished are about to be removed
#   is_open(path, handle) -> true where the path leads to the open file
#   unlink_own(path, handle): removes the file if it is the one that is open
#   unlink_unused(path) -> true where it was removed or is not there; false where another
#       process holds its lock
#
# Two runs at once would disturb each other's measurements and builds, so a tree has a lock, on a
# file that exists anyway.
#
#   take(path of this file, sub (text)): waits until no other process holds the lock, and takes it
#       until this process and the cleaner (SpawnMeter::Util::Cleanup) have ended; the sub is called
#       with a message if it has to wait.  A second call does nothing
#   is_free(path) -> true where no process holds it; it is not taken
#   handles() -> the handle that holds this lock, if one does

use strict;
use warnings;
use Errno qw(EINTR EWOULDBLOCK);
use Exporter 'import';
use Fcntl       qw(:flock O_APPEND O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK O_RDONLY O_WRONLY);
use Time::HiRes ();

our @EXPORT_OK = qw(create_locked is_open unlink_own unlink_unused);

use constant WAIT => 0.2;    # seconds between two attempts to take a tree

my ($tree, @held);           # handles with locks: of the tree, and of unfinished files

# Between the two calls another process can have taken the file for an abandoned one
sub create_locked {
    my ($path) = @_;
    my $out;
    while (!$out) {
        sysopen $out, $path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666 or return;
        undef $out if !locked($out) || !is_open($path, $out);
    }
    push @held, $out;
    return $out;
}

sub unlock {
    flock $_, LOCK_UN for grep { defined fileno $_ } splice @held;
    return;
}

# -> true where its file is locked now, or cannot be; false where another process holds its lock
sub locked {
    my ($handle) = @_;
    my $got;
    1 while !($got = flock $handle, LOCK_EX | LOCK_NB) && $! == EINTR;
    return $got || $! != EWOULDBLOCK;
}

sub is_open {
    my ($path, $handle) = @_;
    my ($device, $inode) = lstat $path;
    my @open = defined fileno $handle ? stat $handle : ();
    return defined $inode && @open && $device == $open[0] && $inode == $open[1];
}

sub unlink_own {
    my ($path, $handle) = @_;
    unlink $path if is_open($path, $handle);
    return;
}

# What cannot be opened for reading has no owner that could be asked
sub unlink_unused {
    my ($path) = @_;
    my $opened = sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    if (!$opened) { unlink $path; return 1 }
    return 0 if !locked($file);
    unlink_own($path, $file);
    return 1;
}

sub take {
    my ($path, $report) = @_;
    return if $tree;
    open my $file, '<', $path or return;
    my $reported;
    while (!locked($file)) {
        $report->('waiting for another ./Run to end; one run at a time measures in a tree'
                . " (press Ctrl-C to give up)\n")
            if !$reported++;
        Time::HiRes::sleep(WAIT);
    }
    $tree = $file;
    return;
}

sub is_free {
    my ($path) = @_;
    open my $file, '<', $path or return 1;
    return locked($file);
}

sub handles { return $tree // () }

1;
