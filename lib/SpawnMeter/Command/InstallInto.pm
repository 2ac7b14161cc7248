# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto;

# Puts the process tests into a UnixBench tree (5.1.3, 6.0.0 and similar ones), and takes them
# out again.
#
#   install(tree, what), remove(tree) -> text for the user
#   patch(tree, what) -> unified diff of Run, USAGE and index.base
#   All die with a message, and the tree is then as before
#   what: { programs => folder, files => [names of programs], tests => [ { name, title } ],
#           baselines => lines of index.base }
#
# The new texts of all files are made before anything is written.  The originals are kept in
# the tree, in the folder spawnmeter-originals; the new files are renamed into place, Run
# last.

use strict;
use warnings;
use Digest::SHA                             ();
use Fcntl                                   qw(O_WRONLY O_CREAT O_EXCL);
use File::Copy                              ();
use File::Temp                              ();
use SpawnMeter::Command::InstallInto::Edits qw(edited);
use SpawnMeter::Util::File                  qw(read_bytes write_bytes);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant KEPT => 'spawnmeter-originals';

my @EDITED = qw(pgms/index.base USAGE Run);    # in this order: Run last

sub slurp {
    my ($path) = @_;
    my $text = read_bytes($path);
    die "$path: $!\n" if !defined $text;
    return $text;
}

# -> { file => text that it is to have }
sub plan {
    my ($tree, $what) = @_;
    return edited({ map { $_ => slurp("$tree/$_") } @EDITED }, $what);
}

sub check_tree {
    my ($tree) = @_;
    die "name a tree: UNIXBENCH=/path/to/UnixBench\n" if !defined $tree || !length $tree;
    my @missing = grep { !-f "$tree/$_" } @EDITED;
    die "$tree is not a UnixBench tree: it lacks $missing[0]\n" if @missing;
    return;
}

# Writes texts, and copies of files, beside their places -> [ { new => path, place => path } ]
# in the order in which they are to be renamed.  Dies, and removes them, if one cannot be
# written.
sub stage {
    my ($tree, $texts, $copies) = @_;
    my @staged;
    my $good = eval {
        for my $file (grep { exists $texts->{$_} } @EDITED) {
            my $pair = { new => "$tree/$file.spawnmeter-new", place => "$tree/$file" };
            push @staged, $pair;
            write_new($pair, $texts->{$file});
        }
        for my $copy (@{$copies}) {
            my $place = $copy->{to};
            die "$place already exists and was not installed by this suite\n" if -e $place;
            unshift @staged, { new => "$place.spawnmeter-new", place => $place };
            File::Copy::copy($copy->{from}, $staged[0]{new}) or die "$place: $!\n";
            chmod oct 755, $staged[0]{new}                   or die "$place: $!\n";
        }
        1;
    };
    return @staged if $good;
    my $why = $@;
    discard(@staged);
    die $why;
}

# With the mode of the file whose place it is to take; never over a file that exists
sub write_new {
    my ($pair, $text) = @_;
    my $new = $pair->{new};
    sysopen my $out, $new, O_WRONLY | O_CREAT | O_EXCL, 0600 or die "$new: $!\n";
    my $done = print {$out} $text;
    (close($out) && $done) or die "$new: $!\n";
    copy_mode($pair->{place}, $new);
    return;
}

sub copy_mode {
    my ($from, $to) = @_;
    chmod +(stat $from)[2] & oct 7777, $to or die "$to: $!\n";
    return;
}

sub discard {
    my (@staged) = @_;
    unlink map { $_->{new} } @staged;
    return;
}

sub install {
    my ($tree, $what) = @_;
    check_tree($tree);
    return installed($tree, $what) if -d "$tree/" . KEPT;
    my $texts = plan($tree, $what);
    my @copies =
        map { { from => "$what->{programs}/$_", to => "$tree/pgms/$_" } } @{ $what->{files} };
    my @staged = stage($tree, $texts, \@copies);
    if (!eval { keep($tree, $what, $texts); 1 }) {
        my $why = $@;
        discard(@staged);
        forget($tree);
        die $why;
    }
    for my $pair (@staged) {
        next if rename $pair->{new}, $pair->{place};
        my $why = "$pair->{place}: $!\n";
        discard(@staged);
        remove($tree);
        die $why;
    }
    my @names = map { $_->{name} } @{ $what->{tests} };
    return "installed into $tree: @names\n  try ./Run process there\n";
}

# Stores the originals, the list of added files, and the sums of the new texts
sub keep {
    my ($tree, $what, $texts) = @_;
    my $folder = "$tree/" . KEPT;
    mkdir $folder        or die "$folder: $!\n";
    mkdir "$folder/pgms" or die "$folder/pgms: $!\n";
    for my $file (@EDITED) {
        File::Copy::copy("$tree/$file", "$folder/$file") or die "$folder/$file: $!\n";
        copy_mode("$tree/$file", "$folder/$file");
    }
    write_bytes("$folder/added", join q{}, map { "pgms/$_\n" } @{ $what->{files} });
    write_bytes("$folder/installed", join q{}, map { sum($_, $texts->{$_}) } @EDITED);
    return;
}

sub sum { my ($file, $text) = @_; return Digest::SHA::sha256_hex($text) . " $file\n" }

sub forget {
    my ($tree) = @_;
    my $folder = "$tree/" . KEPT;
    unlink map { "$folder/$_" } @EDITED, 'added', 'installed';
    rmdir "$folder/pgms";
    rmdir $folder;
    return;
}

# A second install changes nothing
sub installed {
    my ($tree, $what) = @_;
    my $texts = plan("$tree/" . KEPT, $what);
    my @changed = grep { slurp("$tree/$_") ne $texts->{$_} } @EDITED;
    die "$tree has the tests, but these files have changed since: @changed;"
        . " run make remove-from, then install again\n"
        if @changed;
    return "$tree has the tests already; nothing was changed\n";
}

sub remove {
    my ($tree) = @_;
    check_tree($tree);
    my $folder = "$tree/" . KEPT;
    die "$tree contains nothing installed by this suite (no " . KEPT . ")\n" if !-d $folder;
    my @added = split /\n/, slurp("$folder/added");
    my @bad = grep { !m{^pgms/[\w.-]+$} } @added;
    die "$folder/added: '$bad[0]' is not a file of pgms\n" if @bad;
    my %original = map { $_ => slurp("$folder/$_") } @EDITED;
    my @changed = changed_since($tree, slurp("$folder/installed"), \%original);
    die "$tree: these files have changed since the install: @changed;"
        . " undo the changes, or copy the files from $folder by hand\n"
        if @changed;

    for my $pair (reverse stage($tree, \%original, [])) {    # Run first: it names the others
        rename $pair->{new}, $pair->{place} or die "$pair->{place}: $!\n";
    }
    unlink map { "$tree/$_" } @added;
    forget($tree);
    return "$tree is as it was\n";
}

# The files that are neither as installed nor as before
sub changed_since {
    my ($tree, $installed, $original) = @_;
    return grep {
        my $text = slurp("$tree/$_");
        index($installed, sum($_, $text)) < 0 && $text ne $original->{$_}
    } @EDITED;
}

sub patch {
    my ($tree, $what) = @_;
    check_tree($tree);
    my $diff = SpawnMeter::Util::Programs::found('diff')
        or die "diff must be installed to make a patch\n";
    my $texts = plan($tree, $what);
    my $folder = File::Temp->newdir;
    return join q{}, map { diff_of($diff, $tree, $_, $texts->{$_}, $folder) } sort @EDITED;
}

sub diff_of {
    my ($diff, $tree, $file, $text, $folder) = @_;
    write_bytes("$folder/new", $text);
    my @labels = ('--label', "a/$file", '--label', "b/$file");
    my ($status, $words) =
        SpawnMeter::Util::Process::output($diff, '-u', @labels, '--', "$tree/$file", "$folder/new");

    # exit status 0: equal; 1: not equal; more: trouble
    die "diff failed: $words\n" if $status != 0 && $status >> 8 != 1;
    return $words;
}

1;
