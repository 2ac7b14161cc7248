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

use strict;
use warnings;
use Errno qw(ENOENT);
use Exporter 'import';
use Fcntl qw(O_RDONLY O_NOFOLLOW O_DIRECTORY);

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

1;
