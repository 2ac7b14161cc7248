# SPDX-License-Identifier: GPL-2.0-or-later
package Packaging;

# What the checks of t/packaging share.
#
#   tarball(folder) -> path of the tarball that tools/dist writes there
#   unpacked(tarball, folder) -> the tree
#   run_make(folder of the tree, arguments) -> as TestHelp::command
#   files_below(folder) -> paths of files and links, without the folder's own
#   as_user(command line) -> the same run by the user nobody; where the caller is not root, as
#       it is
#   must_be_root(what for) -> true for root; else the reason is reported, and with CI=true
#       the check fails

use strict;
use warnings;
use Exporter 'import';
use File::Find ();
use Test::More ();
use TestHelp;

our @EXPORT = qw(tarball unpacked run_make files_below as_user must_be_root);

use constant NOBODY => 65_534;

sub tarball {
    my ($folder) = @_;
    my $got = command({}, $^X, "$ROOT/tools/dist", $folder);
    die "tools/dist: $got->{err}" if $got->{status} != 0;
    chomp(my $path = $got->{out});
    return $path;
}

sub unpacked {
    my ($tarball, $folder) = @_;
    my $got = command({ folder => $folder }, 'tar', 'xzf', $tarball);
    die "tar: $got->{err}" if $got->{status} != 0;
    my ($name) = $tarball =~ m{([^/]+)[.]tar[.]gz\z};
    return "$folder/$name";
}

sub run_make {
    my ($tree, @arguments) = @_;
    return command({}, 'make', '-s', '-C', $tree, @arguments);
}

sub files_below {
    my ($folder) = @_;
    my @found;
    File::Find::find(
        {
            no_chdir => 1,
            wanted   => sub { push @found, substr $_, length $folder if -l || -f }
        },
        $folder
    );
    return sort @found;
}

sub as_user {
    my (@line) = @_;
    return @line if $> != 0;
    my @ids = map { "--$_=" . NOBODY } qw(reuid regid);
    return ('setpriv', @ids, '--clear-groups', @line);
}

sub must_be_root {
    my ($purpose) = @_;
    return $> == 0 || lacks("only root can $purpose");
}

1;
