# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::TemporaryFolder;

# Temporary folders that are found again when the process that made them was killed.  Each
# holds a lock file on which its owner has a flock(2) as long as it lives.
#
#   create(folder, prefix) -> File::Temp::Dir PREFIX-XXXXXX in it, removed with the object;
#       the prefix is "spawnmeter-" and eight lower-case letters or digits.  Abandoned ones
#       of the same user, whose lock nobody holds, are removed first.  Dies where no folder
#       can be made or locked
#   remove(folder of SpawnMeter::Util::Folder, name): removes this user's folder of that name in it
#       with all that is in it, the lock file last
#   unlock(): lets go of all locks; the folders are about to be removed
#
# The lock decides whether a folder is abandoned.  Its name, a time or a process number
# would not do, since the folder may be shared with other boots, machines and namespaces.
# Where the file system has no locks, nobody but the owner removes a folder.

use strict;
use warnings;
use Errno                    qw(EWOULDBLOCK);
use Fcntl                    qw(O_RDWR O_CREAT O_EXCL O_NOFOLLOW LOCK_EX LOCK_NB);
use File::Temp               ();
use SpawnMeter::Util::Folder qw(open_folder);

use constant {
    LOCK    => 'spawnmeter.lock',
    OURS    => qr/\Aspawnmeter-[a-z0-9]{8}-\w{6}\z/,    # may be somebody else's, too
    RETRIES => 10,
};

my %lock;                                               # handle by folder

sub create {
    my ($folder, $prefix) = @_;
    remove_abandoned($folder);
    for (1 .. RETRIES) {
        my $new = File::Temp->newdir("$prefix-XXXXXX", DIR => $folder);
        return $new if locked("$new");
    }
    die "$folder: cannot make a temporary folder with a lock in it\n";
}

# False where another process has found the new folder before it was locked, and removes it:
# then it has the lock, or the folder or the lock file is gone
sub locked {
    my ($folder) = @_;
    local $! = 0;
    delete @lock{ grep { !-d } keys %lock };
    sysopen my $file, "$folder/" . LOCK, O_RDWR | O_CREAT | O_EXCL, oct 600 or return 0;
    return 0 if !flock($file, LOCK_EX | LOCK_NB) && $! == EWOULDBLOCK;
    my $links = (stat $file)[3];
    return 0 if !$links;
    $lock{$folder} = $file;
    return 1;
}

sub unlock { %lock = (); return }

sub remove_abandoned {
    my ($path) = @_;
    local $! = 0;
    my $folder = eval { open_folder($path) } or return;
    for my $name (grep { $_ =~ OURS } eval { $folder->names }) {
        my $old = eval { $folder->open_in($name) };
        next if !$old || $old->owner != $>;
        my $lock = eval { $old->at(LOCK, \&opened_lock) } or next;
        if (!ref $lock) {
            eval { $folder->remove_folder($name); 1 } or next;
        } elsif (flock $lock, LOCK_EX | LOCK_NB) {
            remove($folder, $name);
        }
    }
    return;
}

# One that was made, but not locked before its owner was killed, has none: it is empty
sub opened_lock {
    sysopen my $file, LOCK, O_RDWR | O_NOFOLLOW or return $!{ENOENT} ? 'none' : undef;
    return $file;
}

# The lock file last, so that the next process can continue where this one was killed
sub remove {
    my ($folder, $name) = @_;
    my $own = eval { $folder->open_in($name) };
    return if !$own || $own->owner != $>;
    for my $in ((grep { $_ ne LOCK } eval { $own->names }), LOCK) {
        eval { $own->remove_own($in); 1 } or next;
    }
    return eval { $folder->remove_folder($name); 1 };
}

1;
