# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup::Files;

# The files and folders that the cleaner (SpawnMeter::Util::Cleanup::Process) removes.
#
#   remove_left({ files, tried, prefixes => { path => true } }): removes the files or folders,
#       those of the tried ones that are empty files and that no other process has locked, and
#       all paths with these beginnings

use strict;
use warnings;
use SpawnMeter::Util::OwnFiles;
use SpawnMeter::Util::TemporaryFolder;
use Time::HiRes ();

use constant {
    RETRIES => 10,
    TICK    => 0.05,    # seconds between them
};

sub remove_left {
    my ($left) = @_;
    local $SIG{__WARN__} = sub { };
    remove(
        keys %{ $left->{files} },
        (grep { is_empty($_) } keys %{ $left->{tried} }),
        map { beginning_with($_) } keys %{ $left->{prefixes} }
    );
    return;
}

# One with contents belongs to somebody else
sub is_empty {
    my ($path) = @_;
    return lstat $path && -f _ && -z _;
}

# The paths that begin with this prefix
sub beginning_with {
    my ($prefix) = @_;
    my ($folder, $name) = $prefix =~ m{^(.*)/([^/]*)\z}s or return;
    opendir my $in, $folder                              or return;
    my @paths = map { "$folder/$_" } grep { index($_, $name) == 0 } readdir $in;
    closedir $in;
    return @paths;
}

# Repeated, since a process that is just ending may still write into a folder.  A control
# group, whose files cannot be removed, is an empty folder for rmdir().
sub remove {
    my (@paths) = @_;
    for (1 .. RETRIES) {
        for my $path (grep { -e || -l } @paths) {
            if    (!-d $path || -l $path) { SpawnMeter::Util::OwnFiles::unlink_unused($path) }
            elsif (!rmdir $path)          { SpawnMeter::Util::TemporaryFolder::remove($path) }
        }
        last if !grep { -e || -l } @paths;
        Time::HiRes::sleep(TICK);
    }
    return;
}

1;
