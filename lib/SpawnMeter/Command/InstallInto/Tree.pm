# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto::Tree;

# A UnixBench tree whose folders are open (SpawnMeter::Util::Folder).
#
#   open_tree(path) -> tree { path }: it has the files that are edited; dies otherwise
#   check_owner(tree, command: words): dies where the tree belongs to another user than this
#       process, with the command that is to be run as that user; dies also where another
#       process changes the tree
#   place(tree, file) -> (folder, name) of Run or pgms/fork
#   content(tree, file) -> as SpawnMeter::Util::Folder::read_file
#   own_content(tree or kept files, file) -> likewise; dies where the file is a symbolic link,
#       has hard links or belongs to another user
#   check_access(tree): dies where an edited file has an access control list: the new file would
#       not have it, and its permission bits mean something else without
#   sum(content) -> of its bytes
#   holds(tree, file) -> true where it exists
#   create(tree, file, content): as SpawnMeter::Util::Folder::create
#   remove_beside(tree, ending, files): removes these names with the ending; they may be missing
#   EDITED -> names of the files that are edited, Run last

use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use SpawnMeter::Util::Folder qw(open_folder);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(EDITED open_tree check_owner check_access place content own_content sum holds
    create remove_beside);

# Run names the others
use constant EDITED => qw(pgms/index.base USAGE Run);

sub open_tree {
    my ($path) = @_;
    die "name a tree: UNIXBENCH=/path/to/UnixBench\n" if !defined $path || !length $path;
    my @missing = grep { !-f "$path/$_" } EDITED;
    die "$path is not a UnixBench tree: it lacks $missing[0]\n" if @missing;
    my $root = open_folder($path);
    return { path => $path, root => $root, pgms => $root->open_in('pgms') };
}

sub check_owner {
    my ($tree, @command) = @_;
    for my $folder (@{$tree}{qw(root pgms)}) {
        next if $folder->owner == $>;
        die refusal($folder, @command);
    }
    die "$tree->{path}: another process changes this tree; try again when it has ended\n"
        if !$tree->{root}->lock;
    return;
}

# Files of root in another user's tree would give that user root's rights
sub refusal {
    my ($folder, @command) = @_;
    my $name = getpwuid $folder->owner;
    my $user = defined $name ? $name : q{#} . $folder->owner;
    my $line = join q{ }, map { quoted($_) } @command;
    my $su =
        defined $name ? '  su -s /bin/sh ' . quoted($name) . ' -c ' . quoted($line) . "\n" : q{};
    return
          $folder->path
        . " belongs to user $user; only that user may change the tree.  Nothing was changed.\n"
        . "Run one of these:\n${su}  sudo -u "
        . quoted($user)
        . " $line\n";
}

# For a shell
sub quoted {
    my ($word) = @_;
    return $word if $word =~ m{\A[\w./+:,-]+\z}a;
    return q{'} . ($word =~ s/'/'\\''/gr) . q{'};
}

sub place {
    my ($tree, $file) = @_;
    my ($name) = $file =~ m{\Apgms/([^/]+)\z};
    return defined $name ? ($tree->{pgms}, $name) : ($tree->{root}, $file);
}

sub content {
    my ($tree, $file) = @_;
    my ($folder, $name) = place($tree, $file);
    return $folder->read_file($name);
}

sub own_content {
    my ($tree, $file) = @_;
    my ($folder, $name) = place($tree, $file);
    my $content = $folder->read_file($name);
    my $path = $folder->path($name);
    die "$path has $content->{links} hard links; copy it, and rename the copy to $name\n"
        if $content->{links} != 1;
    return $content if $content->{owner} == $>;
    my $user = getpwuid $content->{owner};
    $user = "number $content->{owner}" if !defined $user;
    die "$path belongs to user $user, and the tree to another one;"
        . " give the whole tree to one user\n";
}

sub check_access {
    my ($tree) = @_;
    for my $file (EDITED) {
        my ($folder, $name) = place($tree, $file);
        next if !has_acl($folder, $name);
        my $path = $folder->path($name);
        die "$path has an access control list, which the edited file would lose; remove it by",
            ' setfacl -b ', quoted($path), ", or install into a copy of the tree\n";
    }
    return;
}

# Core Perl cannot read it; POSIX has ls mark it after the permission bits
sub has_acl {
    my ($folder, $name) = @_;
    my $ls = SpawnMeter::Util::Programs::found('ls');
    return 0 if !defined $ls;
    my $line = $folder->at($name,
        sub { return (SpawnMeter::Util::Process::output($ls, '-ld', q{--}, "./$name"))[1] });
    return $line =~ /\A[\w-]{10}[+]/ ? 1 : 0;
}

sub sum { my ($content) = @_; return sha256_hex($content->{bytes}) }

sub holds {
    my ($tree, $file) = @_;
    my ($folder, $name) = place($tree, $file);
    return $folder->holds($name);
}

sub create {
    my ($tree, $file, $content) = @_;
    my ($folder, $name) = place($tree, $file);
    $folder->create($name, $content);
    return;
}

sub remove_beside {
    my ($tree, $ending, @files) = @_;
    for my $file (@files) {
        my ($folder, $name) = place($tree, $file);
        $folder->remove_file($name . $ending);
    }
    return;
}

1;
