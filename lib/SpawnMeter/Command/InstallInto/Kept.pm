# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto::Kept;

# The folder in a UnixBench tree that keeps the originals of the edited files and the list of
# what was installed.  Its name says how far a command has come (see the module Journal
# beside this one): KEPT, PREPARED or REMOVED.
#
#   keep(new empty folder, { file => original }, { file => new one }, added files): writes all
#       that is kept, and syncs it; files as for SpawnMeter::Util::Folder::create
#   kept(tree) -> what was installed: { path, root, pgms => folders of the originals, added =>
#       [files], sum => { file => sum when installed }, original => { file => sum }, other =>
#       [names of what this suite did not write] }, or undef.  own_content() reads an original
#   added(folder) -> the files that were added; none where the list of them is not complete
#   clear(tree, name): removes the folder of this name
#
# All die with a message.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Command::InstallInto::Tree qw(EDITED create own_content sum);

our @EXPORT_OK = qw(KEPT PREPARED REMOVED keep kept added clear);

use constant {
    KEPT     => 'spawnmeter-originals',
    PREPARED => 'spawnmeter-originals.new',
    REMOVED  => 'spawnmeter-originals.old',
};

# added is written first and removed last, since it says what is to be cleared
use constant LISTS => qw(installed added);

sub keep {
    my ($folder, $original, $new, @added) = @_;
    my $list = sub {
        my ($name, @lines) = @_;
        $folder->create($name, { bytes => join(q{}, map { "$_\n" } @lines), mode => oct 644 });
    };
    $list->(added => @added);
    my $tree = { root => $folder, pgms => $folder->make_folder('pgms') };
    create($tree, $_, $original->{$_}) for sort keys %{$original};
    $list->(installed => map { sum($new->{$_}) . " $_" } sort keys %{$new});
    $tree->{$_}->sync for qw(pgms root);
    return;
}

sub kept {
    my ($tree) = @_;
    return if !$tree->{root}->holds(KEPT);
    my $folder = $tree->{root}->open_in(KEPT);
    my $kept = { path => $folder->path, root => $folder, pgms => $folder->open_in('pgms') };
    die $folder->path, " belongs to another user than the tree\n"
        if grep { $kept->{$_}->owner != $> } qw(root pgms);
    my @added = added($folder) or die $folder->path('added'), " is not complete\n";
    my %ours = map { $_ => 1 } 'pgms', (map { m{([^/]+)\z} } EDITED), LISTS;
    return {
        %{$kept},
        added    => \@added,
        sum      => { map { reverse split q{ } } lines($folder, 'installed') },
        original => { map { $_ => sum(own_content($kept, $_)) } EDITED },
        other    => [ grep { !$ours{$_} } map { $kept->{$_}->names } qw(root pgms) ],
    };
}

sub lines {
    my ($folder, $name) = @_;
    my $text = $folder->read_file($name)->{bytes};
    return $text =~ /\n\z/ ? split /\n/, $text : ();
}

sub added {
    my ($folder) = @_;
    my @added = lines($folder, 'added');
    my @bad = grep { !m{\Apgms/[\w-][\w.-]*\z}a } @added;
    die $folder->path('added'), ": '$bad[0]' is not a file of pgms\n" if @bad;
    return @added;
}

sub clear {
    my ($tree, $name) = @_;
    my $root = $tree->{root}->open_in($name);
    if ($root->holds('pgms')) {
        $root->open_in('pgms')->remove_file('index.base');
        $root->remove_folder('pgms');
    }
    $root->remove_file($_) for qw(USAGE Run), LISTS;
    $tree->{root}->remove_folder($name);
    return;
}

1;
