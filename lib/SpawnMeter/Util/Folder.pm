# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Folder;

# A folder that stays open: a name in it means a file in this folder, whatever becomes of the
# folder's path meanwhile.  Core Perl has no openat(2), so each call changes to the open
# folder (fchdir), uses a name without a slash, and changes back.  No call follows a symbolic
# link in it.
#
#   open_folder(path) -> folder; the path itself may lead through symbolic links
#   $folder->open_in(name) -> a folder in it
#   $folder->owner -> number of its user
#   $folder->path(name or undef) -> for messages
#   $folder->names -> names of all that is in it
#   $folder->at(name, sub) -> what the sub returns, which is called in this folder, in scalar
#       context; dies with $! where that is undef
#   $folder->remove_file(name): it may be missing; $folder->remove_folder(name)
#   $folder->own(name) -> 'folder', 'file' or, where the name is free or another user's, q{}
#   $folder->remove_own(name): removes it if it is this user's own, a folder with what is in it.
#       What cannot be removed stays
#
# All die with path and reason ("PATH: Permission denied\n").
#
# Temporary folders that are found again when the process that made them was killed.  Each
# holds a lock file on which its owner has a flock(2) as long as it lives.
#
#   temporary(folder, prefix) -> File::Temp::Dir PREFIX-XXXXXX in it, removed with the object;
#       the prefix is "spawnmeter-" and eight lower-case letters or digits.  Abandoned ones
#       of the same user, whose lock nobody holds, are removed first.  Dies where no folder
#       can be made or locked
#   remove_temporary(folder as above, name): removes this user's folder of that name in it
#       with all that is in it, the lock file last
#   unlock(): lets go of all locks; the folders are about to be removed
#
# The lock decides whether a folder is abandoned.  Its name, a time or a process number
# would not do, since the folder may be shared with other boots, machines and namespaces.
# Where the file system has no locks, nobody but the owner removes a folder.

use strict;
use warnings;
use Errno qw(ENOENT EWOULDBLOCK);
use Exporter 'import';
use Fcntl      qw(LOCK_EX LOCK_NB O_CREAT O_DIRECTORY O_EXCL O_NOFOLLOW O_RDONLY O_RDWR);
use File::Temp ();

our @EXPORT_OK = qw(open_folder);

sub open_folder {
    my ($path) = @_;
    sysopen my $handle, $path, O_RDONLY | O_DIRECTORY or die "$path: $!\n";
    return bless { handle => $handle, path => $path }, __PACKAGE__;
}

sub path {
    my ($self, $name) = @_;
    return defined $name ? "$self->{path}/$name" : $self->{path};
}

sub at {
    my ($self, $name, $code) = @_;
    die "$self->{path}: '$name' is not a name in a folder\n"
        if $name =~ m{/|\A[.]{0,2}\z} && $name ne q{.};
    sysopen my $before, q{.}, O_RDONLY | O_DIRECTORY or die "the current folder: $!\n";
    chdir $self->{handle}                            or die "$self->{path}: $!\n";
    my $got = $code->();
    my $why = defined $got ? undef : -l $name ? 'is a symbolic link' : "$!";
    chdir $before or die "the folder in which this began: $!\n";
    return $got if defined $got;
    die $self->path($name), ": $why\n";
}

sub open_in {
    my ($self, $name) = @_;
    my $handle = $self->at($name,
        sub { sysopen my $in, $name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW or return; return $in });
    return bless { handle => $handle, path => $self->path($name) }, __PACKAGE__;
}

sub owner { my ($self) = @_; return (stat $self->{handle})[4] }

sub names {
    my ($self) = @_;
    my $names = $self->at(
        q{.},
        sub {
            opendir my $in, q{.} or return;
            return [ grep { !/\A[.][.]?\z/ } readdir $in ];
        }
    );
    return sort @{$names};
}

sub remove_file {
    my ($self, $name) = @_;
    $self->at($name, sub { return unlink($name) || ($! == ENOENT ? 0 : undef) });
    return;
}

sub remove_folder {
    my ($self, $name) = @_;
    $self->at($name, sub { return rmdir($name) || undef });
    return;
}

sub own {
    my ($self, $name) = @_;
    return $self->at(
        $name,
        sub {
            my $owner = (lstat $name)[4];
            return defined $owner && $owner == $> ? -d _ ? 'folder' : 'file' : q{};
        }
    );
}

# At any moment another user may put something else in the place of the name: the owner counts of
# the folder that was opened.  A control group, whose files cannot be removed, is an empty
# folder for rmdir()
sub remove_own {
    my ($self, $name) = @_;
    my $what = $self->own($name);
    return $self->remove_file($name) if $what eq 'file';
    return if !$what || eval { $self->remove_folder($name); 1 };
    my $opened = $self->open_in($name);
    return if $opened->owner != $>;
    for my $in ($opened->names) {
        eval { $opened->remove_own($in); 1 } or next;
    }
    $self->remove_folder($name);
    return;
}

use constant {
    LOCK    => 'spawnmeter.lock',
    OURS    => qr/\Aspawnmeter-[a-z0-9]{8}-\w{6}\z/,    # may be somebody else's, too
    RETRIES => 10,
};

my %lock;                                               # handle by folder

sub temporary {
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
            remove_temporary($folder, $name);
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
sub remove_temporary {
    my ($folder, $name) = @_;
    my $own = eval { $folder->open_in($name) };
    return if !$own || $own->owner != $>;
    for my $in ((grep { $_ ne LOCK } eval { $own->names }), LOCK) {
        eval { $own->remove_own($in); 1 } or next;
    }
    return eval { $folder->remove_folder($name); 1 };
}

1;
