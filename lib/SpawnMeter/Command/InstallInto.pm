# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto;

# Puts the process tests into a UnixBench tree (5.1.3, 6.0.0 and similar ones), and takes them
# out again.
#
#   install(tree, sub -> what, command), remove(tree, command) -> text for the user; command:
#       the words that do the same, for a message
#   patch(tree, sub -> what) -> unified diff of Run, USAGE and index.base
#   All die with a message, and the tree is then as before
#   what: { programs => folder, files => [names of programs], tests => [ { name, title } ],
#           baselines => lines of index.base }
#
# The new texts of all files are made before anything is written.  The originals are kept in
# the tree, in the folder spawnmeter-originals; a command that was killed is finished or
# undone by the next one (SpawnMeter::Command::InstallInto::Journal).  Files keep their mode,
# without set-id bits; the tree must belong to the user, whom the files therefore keep.

use strict;
use warnings;
use File::Temp                                ();
use POSIX                                     ();
use SpawnMeter::Command::InstallInto::Edits   qw(edited);
use SpawnMeter::Command::InstallInto::Journal qw(write_down finish_install recover);
use SpawnMeter::Command::InstallInto::Kept    qw(kept);
use SpawnMeter::Command::InstallInto::Tree    qw(EDITED open_tree check_owner check_access
    content own_content);
use SpawnMeter::Util::File qw(read_bytes write_bytes);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant MODE_OF_PROGRAM => oct 755;

sub install {
    my ($path, $what_of, @command) = @_;
    my $tree = open_tree($path);
    check_owner($tree, @command);
    my $what = $what_of->();
    return uninterrupted(sub { return install_into($tree, $what) });
}

# Signals that would end this process wait until the code has ended
sub uninterrupted {
    my ($code) = @_;
    my $signals =
        POSIX::SigSet->new(map { POSIX->can("SIG$_")->() } qw(INT TERM HUP QUIT TSTP PIPE));
    my $before = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_BLOCK(), $signals, $before);
    my $got = eval { $code->() };
    my $why = $@;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
    die $why if !defined $got;
    return $got;
}

sub install_into {
    my ($tree, $what) = @_;
    recover($tree);
    return installed($tree, $what) if kept($tree);
    check_access($tree);
    my %original = map { $_ => own_content($tree, $_) } EDITED;
    my $texts = new_texts(\%original, $what);
    my %new = map { $_ => { %{ $original{$_} }, bytes => $texts->{$_} } } EDITED;
    $new{"pgms/$_"} = { bytes => program("$what->{programs}/$_"), mode => MODE_OF_PROGRAM }
        for @{ $what->{files} };
    write_down($tree, \%original, \%new);
    undo($tree, $@) if !eval { finish_install($tree); 1 };
    my $text = "installed into $tree->{path}: " . names($what) . "\n  try ./Run process there\n";
    $text .= "  $_ has no set-id bits any more\n" for grep { $original{$_}{set_id} } EDITED;
    return $text;
}

# of { file => content }
sub new_texts {
    my ($content, $what) = @_;
    return edited({ map { $_ => $content->{$_}{bytes} } EDITED }, $what);
}

sub program {
    my ($path) = @_;
    my $bytes = read_bytes($path);
    die "$path: $!\n" if !defined $bytes;
    return $bytes;
}

sub names {
    my ($what) = @_;
    return join q{ }, map { $_->{name} } @{ $what->{tests} };
}

sub undo {
    my ($tree, $why) = @_;
    eval { SpawnMeter::Command::InstallInto::Journal::remove($tree); 1 }
        or $why .= "The install could not be undone: $@Run make remove-from.\n";
    die $why;
}

# A second install only finishes the first one
sub installed {
    my ($tree, $what) = @_;
    my $finished = finish_install($tree);
    my $kept = kept($tree);
    my $texts = new_texts({ map { $_ => own_content($kept, $_) } EDITED }, $what);
    my @changed = grep { content($tree, $_)->{bytes} ne $texts->{$_} } EDITED;
    die "$tree->{path} has the tests, but these files have changed since: @changed;"
        . " run make remove-from, then install again\n"
        if @changed;
    return "installed into $tree->{path}: " . names($what) . " (finished an interrupted install)\n"
        if $finished;
    return "$tree->{path} has the tests already; nothing was changed\n";
}

sub remove {
    my ($path, @command) = @_;
    my $tree = open_tree($path);
    check_owner($tree, @command);
    return uninterrupted(sub {
        my $recovered = recover($tree);
        SpawnMeter::Command::InstallInto::Journal::remove($tree) if !$recovered || kept($tree);
        return "$path is as it was\n";
    });
}

sub patch {
    my ($path, $what_of) = @_;
    my $tree = open_tree($path);
    my $diff = SpawnMeter::Util::Programs::found('diff')
        or die "diff must be installed to make a patch\n";
    my %content = map { $_ => content($tree, $_) } EDITED;
    my $texts = new_texts(\%content, $what_of->());
    my $folder = File::Temp->newdir;
    return join q{}, map { diff_of($diff, $_, $content{$_}{bytes}, $texts->{$_}, $folder) }
        sort { $a cmp $b } EDITED;
}

sub diff_of {
    my ($diff, $file, $old, $new, $folder) = @_;
    write_bytes("$folder/old", $old);
    write_bytes("$folder/new", $new);
    my @labels = ('--label', "a/$file", '--label', "b/$file");
    my ($status, $words) =
        SpawnMeter::Util::Process::output($diff, '-u', @labels, "$folder/old", "$folder/new");

    # exit status 0: equal; 1: not equal; more: trouble
    die "diff failed: $words\n" if $status != 0 && $status >> 8 != 1;
    return $words;
}

1;
