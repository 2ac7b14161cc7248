# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Lock;

# Files that other processes may want to create under the same name.  Their owner holds a
# flock(2) on them, which the kernel releases with it; where the file system has no locks,
# none is taken.
#
#   create_locked(path) -> handle of a new file for appending, locked; undef with $! where it
#       cannot be created, as EEXIST where something has this name
#   unlock(): lets go of all locks but that of a tree; the files that are not finished, and the
#       temporary folders, are about to be removed
#   remove_unused(path) -> true where no file has this name any more; false where another
#       process holds its lock for longer than half a second.  Dies where it cannot be removed
#   is_open(path, handle) -> true where the path leads to the open file
#   unlink_own(path, handle): removes the file if it is the one that is open
#   unlink_unused(path) -> true where it was removed or is not there; false where another
#       process holds its lock
#
# The lock of a tree: two runs at once would disturb each other's measurements and builds.
#
#   take(path of a file, sub (text)): waits until no other process holds the lock of this
#       file, and takes it; the sub is called with a message if it has to wait.  The lock is
#       held until this process and the cleaner (SpawnMeter::Util::Cleanup) have ended; a
#       second call does nothing.  Returns true
#   is_free(path) -> 1 where no process holds it, or 0; it is not taken
#   handles() -> the handles that hold locks, for SpawnMeter::Util::Cleanup::begin
#
# It is flock(2) on a file that exists anyway: nothing is written or left behind, and the
# kernel releases it with its owner.  A file system without locks is not locked.

use strict;
use warnings;
use Errno qw(EINTR ENOENT EWOULDBLOCK);
use Exporter 'import';
use Fcntl
    qw(LOCK_EX LOCK_NB LOCK_UN O_APPEND O_CREAT O_DIRECTORY O_EXCL O_NOFOLLOW O_NONBLOCK O_RDONLY
    O_RDWR O_WRONLY);
use File::Path             ();
use File::Temp             ();
use Scalar::Util           qw(weaken);
use Time::HiRes            ();
use SpawnMeter::Util::File qw(slurp);

our @EXPORT_OK = qw(create_locked is_open remove_temporary remove_unused unlink_own unlink_unused);

use constant {
    TICK  => 0.05,    # seconds between two attempts
    TRIES => 10,      # a process that cleans up after another holds locks for a moment
};

my @held;             # handles with locks; weak, so that they can be closed
my %lock;             # of temporary folders: handle by folder

# Between the two calls another process can have taken the file for an abandoned one
sub create_locked {
    my ($path) = @_;
    my $out;
    while (!$out) {
        sysopen $out, $path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666 or return;
        undef $out if !locked($out) || !is_open($path, $out);
    }
    @held = grep { defined } @held, $out;
    weaken($_) for @held;
    return $out;
}

sub unlock {
    %lock = ();
    flock $_, LOCK_UN for grep { defined } splice @held;
    return;
}

# True also where there are no locks
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

sub remove_unused {
    my ($path) = @_;
    for (1 .. TRIES) {
        if (unlink_unused($path)) {
            return 1 if !lstat $path;
            die "cannot remove $path: $!\n";
        }
        Time::HiRes::sleep(TICK);
    }
    return 0;
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

use constant WAIT => 0.2;    # seconds between two attempts

my %tree;                    # path of a file => handle that holds its lock

sub take {
    my ($path, $report) = @_;
    return 1 if $tree{$path};
    open my $file, '<', $path or return 1;
    my $reported;
    while (!locked($file)) {
        $report->('waiting for '
                . holder($file)
                . " to end; one run at a time measures in a tree (press Ctrl-C to give up)\n")
            if !$reported++;
        Time::HiRes::sleep(WAIT);
    }
    $tree{$path} = $file;
    return 1;
}

sub is_free {
    my ($path) = @_;
    open my $file, '<', $path or return 1;
    return locked($file) ? 1 : 0;
}

sub handles { return values %tree }

# The process that holds the lock, from lines like "1: FLOCK  ADVISORY  WRITE 1234
# 08:01:131 0 EOF" in /proc/locks
sub holder {
    my ($file) = @_;
    my $inode = (stat $file)[1];
    my ($pid) = (slurp('/proc/locks') || q{}) =~
        /^\d+: FLOCK +ADVISORY +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:$inode /m;
    return $pid ? "another ./Run (process $pid)" : 'another ./Run';
}

# ---- temporary folders ----
#
# Folders that are found again when the process that made them was killed.  Each holds a lock file
# on which its owner has a flock(2) as long as it lives.  The lock decides whether a folder is
# abandoned: its name, a time or a process number would not do, since the folder may be shared
# with other boots, machines and namespaces.  Where the file system has no locks, nobody but the
# owner removes a folder.
#
#   temporary(folder, prefix) -> File::Temp::Dir PREFIX-XXXXXX in it, removed with the object;
#       the prefix is "spawnmeter-" and eight lower-case letters or digits.  Abandoned ones
#       of the same user, whose lock nobody holds, are removed first.  Dies where no folder
#       can be made or locked
#   remove_temporary(path): removes this user's folder with all that is in it, the lock file
#       last.  What cannot be removed stays

use constant {
    LOCK    => 'spawnmeter.lock',
    OURS    => qr{/spawnmeter-[a-z0-9]{8}-\w{6}\z},    # may be somebody else's, too
    RETRIES => 10,
};

sub temporary {
    my ($folder, $prefix) = @_;
    remove_abandoned($folder);
    for (1 .. RETRIES) {
        my $new = File::Temp->newdir("$prefix-XXXXXX", DIR => $folder);
        return $new if lock_folder("$new");
    }
    die "$folder: cannot make a temporary folder with a lock in it\n";
}

# False where another process has found the new folder before it was locked, and removes it:
# then it has the lock, or the folder or the lock file is gone
sub lock_folder {
    my ($folder) = @_;
    local $! = 0;
    delete @lock{ grep { !-d } keys %lock };
    sysopen my $file, "$folder/" . LOCK, O_RDWR | O_CREAT | O_EXCL, oct 600 or return 0;
    return 0 if !locked($file) || !(stat $file)[3];    # number of its names
    $lock{$folder} = $file;
    return 1;
}

# One that was made, but not locked before its owner was killed, is empty
sub remove_abandoned {
    my ($folder) = @_;
    local $! = 0;
    for my $path (grep { $_ =~ OURS } glob "\Q$folder\E/spawnmeter-*") {
        my $lock = within($path, \&opened_lock) or next;
        if    (!ref $lock)                     { rmdir $path }
        elsif (flock $lock, LOCK_EX | LOCK_NB) { remove_temporary($path) }
    }
    return;
}

sub opened_lock {
    sysopen my $file, LOCK, O_RDWR | O_NOFOLLOW or return $! == ENOENT ? 'none' : undef;
    return $file;
}

# The lock file last, so that the next process can continue where this one was killed.  A control
# group, whose files cannot be removed, is an empty folder for rmdir
sub remove_temporary {
    my ($path) = @_;
    within($path, \&empty_this) or return;
    return rmdir $path;
}

# File::Path changes to each folder and sees where that is another one than it found
sub empty_this {
    opendir my $in, q{.} or return;
    my @names = grep { !/\A[.][.]?\z/ && $_ ne LOCK } readdir $in;
    closedir $in;
    eval { File::Path::remove_tree($_, { error => \my $ignored }); 1 } or next for @names;
    unlink LOCK;
    return 1;
}

# What the sub returns, which is called in this user's folder; undef where it is another's.  At
# any moment another user may put something else in the place of the name
sub within {
    my ($path, $do) = @_;
    my ($device, $inode, $owner) = (lstat $path)[ 0, 1, 4 ];
    return if !defined $owner || $owner != $> || !-d _;
    sysopen my $before, q{.}, O_RDONLY | O_DIRECTORY or return;
    chdir $path                                      or return;
    my @here = stat q{.};
    my $got = $here[0] == $device && $here[1] == $inode ? $do->() : undef;
    chdir $before or die "the folder in which this began: $!\n";
    return $got;
}

1;
