# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto::Journal;

# What is done to a UnixBench tree is written down in the tree and synced before it is done,
# so that a command that was killed can be finished or undone by the next one.
#
# Install: the folder spawnmeter-originals.new gets the list of the programs (added), copies
# of the files that will be edited, and the sums of all new files (installed).  The new files
# are written beside their places (NAME.spawnmeter-new).  When the folder is renamed to
# spawnmeter-originals, the install is decided; then the new files are renamed to their
# places.
# Removal: the originals are copied beside their places (NAME.spawnmeter-old).  When
# spawnmeter-originals is renamed to spawnmeter-originals.old, the removal is decided; then
# the originals are renamed to their places and the programs are removed, and last the folder.
#
#   write_down(tree, { file => original }, { file => new one }): all that precedes the
#       decision to install; files as for SpawnMeter::Util::Folder::create.  Dies, and then
#       removes what it wrote
#   finish_install(tree) -> number of files that were not in their places yet: continues
#       after the decision; dies where a file was changed by somebody else meanwhile
#   remove(tree): decides and makes the removal; dies where a file was changed since, or where
#       nothing is installed
#   recover(tree) -> true where a command was killed before its decision to install, or after
#       its decision to remove: removes what is left of it

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Command::InstallInto::Kept qw(KEPT PREPARED REMOVED keep kept added clear);
use SpawnMeter::Command::InstallInto::Tree
    qw(EDITED place content own_content holds sum create remove_beside);

our @EXPORT_OK = qw(write_down finish_install remove recover);

use constant {
    NEW => '.spawnmeter-new',
    OLD => '.spawnmeter-old',
};

# ---- install ------------------------------------------------------------------------

sub write_down {
    my ($tree, $original, $new) = @_;
    my @added = grep { !exists $original->{$_} } sort keys %{$new};
    for my $file (@added, map { $_ . NEW } sort keys %{$new}) {
        my ($folder, $name) = place($tree, $file);
        die $folder->path($name), " already exists and was not installed by this suite\n"
            if $folder->holds($name);
    }
    my $written = eval {
        keep($tree->{root}->make_folder(PREPARED), $original, $new, @added);
        for my $file (sort keys %{$new}) { create($tree, $file . NEW, $new->{$file}) }
        $tree->{$_}->sync for qw(root pgms);
        $tree->{root}->replace(KEPT, PREPARED);
        1;
    };
    return if $written;
    my $why = $@;
    eval { clear_prepared($tree); 1 } or $why .= "and that could not be removed: $@";
    die $why;
}

# The files in the order in which they come to their places
sub in_order {
    my ($kept) = @_;
    return (@{ $kept->{added} }, EDITED);
}

sub finish_install {
    my ($tree) = @_;
    remove_beside($tree, OLD, EDITED);    # of a removal that was not decided
    my $kept = kept($tree);
    my @staged = grep { holds($tree, $_ . NEW) } in_order($kept);
    for my $file (@staged) { check_staged($tree, $kept, $file) }
    for my $file (@staged) {
        my ($folder, $name) = place($tree, $file);
        $folder->replace($name, $name . NEW);
    }
    $tree->{$_}->sync for qw(pgms root);
    return scalar @staged;
}

sub check_staged {
    my ($tree, $kept, $file) = @_;
    my $sum = sum(own_content($tree, $file . NEW));
    my $as_before =
        exists $kept->{original}{$file}
        ? holds($tree, $file) && sum(content($tree, $file)) eq $kept->{original}{$file}
        : !holds($tree, $file);
    return if $as_before && $sum eq $kept->{sum}{$file};
    die "$tree->{path}: an install was interrupted, and $file was changed since;"
        . " undo that, or run make remove-from\n";
}

# ---- removal ------------------------------------------------------------------------

sub remove {
    my ($tree) = @_;
    my $kept = kept($tree)
        or die "$tree->{path} contains nothing installed by this suite (no ", KEPT, ")\n";
    check_unchanged($tree, $kept);
    my $decided = eval {
        remove_beside($tree, OLD, EDITED);
        create($tree, $_ . OLD, own_content($kept, $_)) for EDITED;
        $tree->{$_}->sync for qw(pgms root);
        $tree->{root}->replace(REMOVED, KEPT);
        1;
    };
    if (!$decided) {
        my $why = $@;
        eval { remove_beside($tree, OLD, EDITED); 1 } or $why .= "and that was not undone: $@";
        die $why;
    }
    finish_removal($tree);
    return;
}

# Each file must be as installed, as before, or, if it was added, missing
sub check_unchanged {
    my ($tree, $kept) = @_;
    my @changed = grep { !is_known($tree, $kept, $_) } in_order($kept);
    die "$tree->{path}: these files have changed since the install: @changed;"
        . " undo that, or copy the files from $kept->{path} by hand\n"
        if @changed;
    my ($other) = @{ $kept->{other} };
    die "$kept->{path} contains '$other', which this suite did not write; move it away\n"
        if defined $other;
    return;
}

sub is_known {
    my ($tree, $kept, $file) = @_;
    my $original = $kept->{original}{$file};
    return !defined $original if !holds($tree, $file);
    my $sum = sum(own_content($tree, $file));
    return 1 if defined $original && $sum eq $original;
    return !defined $kept->{sum}{$file} || $sum eq $kept->{sum}{$file};
}

# Run first: it names the others
sub finish_removal {
    my ($tree) = @_;
    my $folder = $tree->{root}->open_in(REMOVED);
    if ($folder->holds('added')) {
        my @added = added($folder);
        for my $file (reverse EDITED) {
            my ($in, $name) = place($tree, $file);
            $in->replace($name, $name . OLD) if $in->holds($name . OLD);
        }
        remove_beside($tree, q{}, @added);
        remove_beside($tree, NEW, @added, EDITED);
        $tree->{$_}->sync for qw(root pgms);
    }
    clear($tree, REMOVED);
    return;
}

# ---- after a kill -------------------------------------------------------------------

sub recover {
    my ($tree) = @_;
    my $found = 0;
    if ($tree->{root}->holds(PREPARED)) { clear_prepared($tree); $found = 1 }
    if ($tree->{root}->holds(REMOVED))  { finish_removal($tree); $found = 1 }
    return $found;
}

sub clear_prepared {
    my ($tree) = @_;
    return if !$tree->{root}->holds(PREPARED);
    my $folder = $tree->{root}->open_in(PREPARED);
    my @added = $folder->holds('added') ? added($folder) : ();
    remove_beside($tree, NEW, EDITED, @added);
    clear($tree, PREPARED);
    return;
}

1;
