# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Undo;

# A command that must run after Run has changed the machine, however Run ends.  It stands in a
# file on the disk before anything is changed, and the file is removed when it has run.
#
#   path(folder, host) -> the file for this machine: the folder can be that of several
#   pending(path) -> { command, folder, started => seconds since 1970, by => command line of
#       Run }, or undef where nothing is pending.  Dies where the file cannot be read, or is not
#       this user's own
#   store(path, the same): writes it, synced; dies where that fails
#   undo(path, { what run_shell of SpawnMeter::Util::Shell takes besides the command }) -> undef
#       where the command succeeded, and the file is gone; else why it did not
#   SECONDS: the time limit of such commands

use strict;
use warnings;
use Exporter 'import';
use File::Path              ();
use IO::Handle              ();
use SpawnMeter::Util::File  qw(slurp write_all);
use SpawnMeter::Util::Json  qw(encode decode);
use SpawnMeter::Util::Shell qw(run_shell);

our @EXPORT_OK = qw(path pending store undo SECONDS);

use constant SECONDS => 60;

sub path {
    my ($folder, $host) = @_;
    return "$folder/set-back-" . ($host =~ s/[^A-Za-z0-9._-]/_/gr);
}

sub pending {
    my ($path) = @_;
    my $owner = (lstat $path)[4];
    return if !defined $owner;
    die "$path: this file is another user's, so its command is not run\n" if $owner != $>;
    my $found = eval { decode(slurp($path)) };
    die "$path: cannot be read; remove it when this machine is set back\n"
        if ref $found ne 'HASH' || !defined $found->{command} || !defined $found->{folder};
    return $found;
}

# A file that is whole or missing, also after a power failure
sub store {
    my ($path, $what) = @_;
    my $folder = folder_of($path);
    File::Path::make_path($folder, { error => \my $ignored });
    my $text = encode($what) . "\n";
    open my $out, '>', "$path.new" or die "cannot write $path: $!; nothing was changed\n";
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
    my ($path, $how) = @_;
    my $what = eval { pending($path) };
    return $@ =~ s/\n\z//r if length $@;
    return if !$what;
    my $why =
        run_shell({ seconds => SECONDS, %{$how}, map { $_ => $what->{$_} } qw(command folder) });
    return $why if defined $why;
    unlink $path or return "cannot remove $path: $!";
    sync_folder(folder_of($path));
    return;
}

1;
