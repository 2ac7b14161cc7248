# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Undo;

# A command that must run after Run has changed the machine, however Run ends.  It stands in a
# file on the disk before anything is changed, and the file is removed when it has run.
#
#   path(folder, host) -> the file for this machine: the folder can be that of several
#   pending(path) -> { command, folder, started => seconds since 1970, by => command line of
#       Run }, or undef where nothing is pending.  Dies where the file cannot be read, is not a
#       regular file of this user's own, or can be written by others
#   store(path, the same): writes it, synced, for this user alone; dies where that fails
#   undo(path, { what run_shell of SpawnMeter::Util::Shell takes besides the command }, what was
#       stored, where the caller knows it: the file can be gone, or another one) -> undef where
#       the command succeeded, and the file is gone; else why it did not
#   SECONDS: the time limit of such commands

use strict;
use warnings;
use Errno qw(ENOENT);
use Exporter 'import';
use Fcntl                   qw(:mode O_RDONLY O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK);
use File::Path              ();
use IO::Handle              ();
use SpawnMeter::Util::File  qw(write_all);
use SpawnMeter::Util::Json  qw(encode decode);
use SpawnMeter::Util::Shell qw(run_shell);

our @EXPORT_OK = qw(path pending store undo SECONDS);

use constant {
    SECONDS  => 60,
    SIZE_MAX => 1_048_576,    # bytes; a command line is shorter
};

sub path {
    my ($folder, $host) = @_;
    return "$folder/set-back-" . ($host =~ s/[^A-Za-z0-9._-]/_/gr);
}

sub pending {
    my ($path) = @_;
    my $owner = (lstat $path)[4];
    return if !defined $owner;
    die another_users($path) if $owner != $>;
    my $text = own_text($path);
    my $found = defined $text ? eval { decode($text) } : undef;
    die "$path: cannot be read; remove it when this machine is set back\n"
        if ref $found ne 'HASH' || grep { !defined || ref } @{$found}{qw(command folder)};
    delete $found->{started}
        if !defined $found->{started} || $found->{started} !~ /\A\d{1,11}\z/a;
    return $found;
}

sub another_users {
    my ($path) = @_;
    return "$path: this file is another user's, so its command is not run; that user sets this"
        . " machine back by ./Run ab --set-back-now, or remove it when it is set back\n";
}

# Of the file that is open: between two looks at a path somebody can exchange it
sub own_text {
    my ($path) = @_;
    sysopen my $in, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return;
    my ($mode, $owner) = (stat $in)[ 2, 4 ];
    die another_users($path) if $owner != $>;
    return if !S_ISREG($mode);
    die "$path: others can write to this file, so its command is not run; read it, and where it"
        . " is yours, run chmod go-w and again ./Run ab --set-back-now\n"
        if $mode & (S_IWGRP | S_IWOTH);
    read $in, my $text, SIZE_MAX;
    return $text;
}

# A file that is whole or missing, also after a power failure.  What somebody has put in the
# place of the new one is not followed or written to
sub store {
    my ($path, $what) = @_;
    my $folder = folder_of($path);
    File::Path::make_path($folder, { error => \my $ignored });
    my $text = encode($what) . "\n";
    unlink "$path.new";
    sysopen my $out, "$path.new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, oct 600
        or die "cannot write $path.new: $!; nothing was changed\n";
    my $good = write_all($out, $text) == length $text && $out->sync;
    $good = close($out) && rename("$path.new", $path) if $good;
    my $why = $!;
    die "cannot write $path: $why; nothing was changed\n" if !$good;
    sync_folder($folder);
    return;
}

sub folder_of { my ($path) = @_; return $path =~ m{(.*)/}s ? $1 : q{.} }

# Its new entry; a system without this syncs it later
sub sync_folder {
    my ($folder) = @_;
    open my $in, '<', $folder or return;
    $in->sync;
    close $in or return;
    return;
}

sub undo {
    my ($path, $how, $what) = @_;
    if (!$what) {
        $what = eval { pending($path) };
        return $@ =~ s/\n\z//r if length $@;
        return if !$what;
    }
    my $why =
        run_shell({ seconds => SECONDS, %{$how}, map { $_ => $what->{$_} } qw(command folder) });
    return $why if defined $why;
    unlink $path or $! == ENOENT or return "cannot remove $path: $!";
    sync_folder(folder_of($path));
    return;
}

1;
