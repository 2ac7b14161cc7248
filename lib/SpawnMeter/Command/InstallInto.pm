# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::InstallInto;

# Puts the process tests into a UnixBench tree (5.1.3, 6.0.0 and what is like
# them), and takes them out again.
#
#   install(tree, what), remove(tree), patch(tree, what) -> text for the user; all
#       die with a message, and the tree is then as before;
#   the text of patch() is a unified diff of Run, USAGE and index.base
#   what: { programs => folder, files => [names], tests => [ { name, title } ],
#           baselines => lines of index.base }
#
# Everything is planned before anything is written: each place in the tree's files
# must be found exactly once.  The originals are kept in the tree's folder
# spawnmeter-originals; files are renamed into place, Run last.

use strict;
use warnings;
use Digest::SHA            ();
use Fcntl                  qw(O_WRONLY O_CREAT O_EXCL);
use File::Copy             ();
use File::Temp             ();
use SpawnMeter::Util::File qw(read_bytes);
use SpawnMeter::Util::Process;
use SpawnMeter::Util::Programs;

use constant KEPT => 'spawnmeter-originals';

my @EDITED = qw(pgms/index.base USAGE Run);    # in this order: Run last

sub parameters {
    my ($test) = @_;
    my @lines = (
        '"logmsg" => "' . $test->{title} . '"',
        q{"cat"    => 'process'},
        q{"repeat" => 'long'},
        q{"options" => "10"}
    );
    return
          '    "'
        . $test->{name}
        . '" => {' . "\n"
        . join(q{}, map { "        $_,\n" } @lines)
        . "    },\n";
}

# What is inserted where: file, what the place is called, the place, and what
# becomes of its text.  The style is the tree's own.
sub places {
    my ($what) = @_;
    my @tests = @{ $what->{tests} };
    my $entries = join q{}, map { sprintf qq{    %-15s => undef,\n}, qq{"$_->{name}"} } @tests;
    my $names = join q{, }, map { qq{"$_->{name}"} } @tests;
    $names =~ s/((?:"\w+", ){4}"\w+"), /$1,\n    /;
    my $parameters = join q{}, map { parameters($_) } @tests;
    my $banner = '    ' . q{#} x 26 . "\n";
    my $listed = join q{}, map { sprintf "    %-16s %s\n", $_->{name}, $_->{title} } @tests;
    return (
        [
            'Run',
            'the category system',
            qr/^ {4}'system' +=> \{ 'name' => "System Benchmarks", 'maxCopies' => (\d+) \},\n/m,
            sub {
                "$_[0]    'process'   => { 'name' => \"Process Benchmarks\", 'maxCopies' => $_[1] },\n";
            }
        ],
        [
            'Run',
            'the list $index',
            qr/^my \$index = \[\n(?:[^\n\]]*\n)*\];\n/m,
            sub {
                "$_[0]\n# Ways to create a process: the SpawnMeter extension.\nmy \$process = [\n    $names\n];\n";
            }
        ],
        [
            'Run',
            'the test sysexec in the list of tests',
            qr/^ {4}"sysexec" +=> undef,\n/m,
            sub { "$_[0]$entries" }
        ],
        [
            'Run',
            'the group shell',
            qr/^ {4}"shell" +=> \[ "shell1"[^\n]*\],\n/m,
            sub { "$_[0]    \"process\"       => \$process,\n" }
        ],
        [
            'Run',
            'the parameters of shell16',
            qr/^ {4}"shell16" => \{\n(?: {8}[^\n]*\n)+ {4}\},\n/m,
            sub { "$_[0]\n$banner    ## Process Benchmarks   ##\n$banner\n$parameters" }
        ],
        [
            'USAGE',
            'the categories',
            qr/^ {3}system {3,}\S[^\n]*\n(?: {10,}[^\n]*\n)*/m,
            sub { "$_[0]   process         Ways to create a process\n" }
        ],
        [
            'USAGE',
            'the end of the system tests',
            qr/^ {2}2d:\n/m,
            sub { "  process:\n$listed\n$_[0]" }
        ],
        [ 'pgms/index.base', 'the baseline of spawn', qr/^spawn\|[^\n]*\n/m, undef ],
    );
}

sub slurp {
    my ($path) = @_;
    my $text = read_bytes($path);
    die "$path: $!\n" if !defined $text;
    return $text;
}

# { file => text as it should be }; dies with all that is wrong
sub plan {
    my ($tree, $what) = @_;
    my %text = map { $_ => slurp("$tree/$_") } @EDITED;
    my @wrong = map { "$_ has CRLF line ends" } grep { $text{$_} =~ /\r/ } @EDITED;
    for my $test (@{ $what->{tests} }) {
        push @wrong, "Run knows a test \"$test->{name}\" already"
            if $text{Run} =~ /^\s*"\Q$test->{name}\E"\s*=>/m;
        push @wrong, "pgms/index.base has a baseline for $test->{name} already"
            if $text{'pgms/index.base'} =~ /^\Q$test->{name}\E\|/m;
    }
    push @wrong, 'Run knows a category or a group "process" already'
        if $text{Run} =~ /^\s*(['"])process\1\s*=>/m;
    for my $place (places($what)) {
        my ($file, $name, $pattern, $change) = @{$place};
        my $times = 0;
        $times++ while $text{$file} =~ /$pattern/g;
        push @wrong, "$file: $name is there $times times, not once" if $times != 1;
        next if !$change || $times != 1;
        $text{$file} =~ s/($pattern)/$change->($1, $2)/e;
    }
    die "this tree is not as expected:\n" . join(q{}, map { "  $_\n" } @wrong) if @wrong;
    $text{'pgms/index.base'} =~ s/\n*\z/\n\n$what->{baselines}/;
    return \%text;
}

sub check_tree {
    my ($tree) = @_;
    die "name a tree: UNIXBENCH=/path/to/UnixBench\n" if !defined $tree || !length $tree;
    my @missing = grep { !-f "$tree/$_" } @EDITED;
    die "$tree is no UnixBench tree: it has no $missing[0]\n" if @missing;
    return;
}

# Writes texts and copies beside their places; -> list of [new, place]
sub stage {
    my ($tree, $texts, $copies) = @_;
    my @staged;
    my $good = eval {
        for my $file (grep { exists $texts->{$_} } @EDITED) {
            my $new = "$tree/$file.spawnmeter-new";
            push @staged, [ $new, "$tree/$file" ];
            sysopen my $out, $new, O_WRONLY | O_CREAT | O_EXCL, 0600 or die "$new: $!\n";
            my $done = print {$out} $texts->{$file};
            (close($out) && $done)                          or die "$new: $!\n";
            chmod +(stat "$tree/$file")[2] & oct 7777, $new or die "$new: $!\n";
        }
        for my $copy (@{$copies}) {
            my ($from, $to) = @{$copy};
            die "$to is there already, and not from here\n" if -e $to;
            unshift @staged, [ "$to.spawnmeter-new", $to ];
            File::Copy::copy($from, "$to.spawnmeter-new") or die "$to: $!\n";
            chmod oct 755, "$to.spawnmeter-new"           or die "$to: $!\n";
        }
        1;
    };
    return @staged if $good;
    my $why = $@;
    unlink map { $_->[0] } @staged;
    die $why;
}

sub install {
    my ($tree, $what) = @_;
    check_tree($tree);
    return installed($tree, $what) if -d "$tree/" . KEPT;
    my $texts = plan($tree, $what);
    my @staged = stage($tree, $texts,
        [ map { [ "$what->{programs}/$_", "$tree/pgms/$_" ] } @{ $what->{files} } ]);
    my $good = eval { keep($tree, $what, $texts); 1 };
    if (!$good) {
        my $why = $@;
        unlink map { $_->[0] } @staged;
        forget($tree);
        die $why;
    }
    for my $pair (@staged) {
        next if rename $pair->[0], $pair->[1];
        my $why = "$pair->[1]: $!\n";
        unlink map { $_->[0] } @staged;
        remove($tree);
        die $why;
    }
    return
          "installed into $tree: "
        . join(q{ }, map { $_->{name} } @{ $what->{tests} })
        . "\n  try ./Run process there\n";
}

# The originals, what was added, and what the files were made to be
sub keep {
    my ($tree, $what, $texts) = @_;
    my $folder = "$tree/" . KEPT;
    mkdir $folder        or die "$folder: $!\n";
    mkdir "$folder/pgms" or die "$folder/pgms: $!\n";
    for my $file (@EDITED) {
        File::Copy::copy("$tree/$file", "$folder/$file")           or die "$folder/$file: $!\n";
        chmod +(stat "$tree/$file")[2] & oct 7777, "$folder/$file" or die "$folder/$file: $!\n";
    }
    note("$folder/added", map { "pgms/$_\n" } @{ $what->{files} });
    note("$folder/installed", map { sum($_, $texts->{$_}) } @EDITED);
    return;
}

sub note {
    my ($path, @lines) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    my $done = print {$out} @lines;
    (close($out) && $done) or die "$path: $!\n";
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

# A second install: nothing changes; whoever edited the files since is told
sub installed {
    my ($tree, $what) = @_;
    my $texts = plan("$tree/" . KEPT, $what);
    my @changed = grep { slurp("$tree/$_") ne $texts->{$_} } @EDITED;
    die
        "$tree has the tests, but was changed since: @changed; make remove-from, then install again\n"
        if @changed;
    return "$tree has the tests already; nothing was changed\n";
}

sub remove {
    my ($tree) = @_;
    check_tree($tree);
    my $folder = "$tree/" . KEPT;
    die "$tree has nothing of this suite (no " . KEPT . ")\n" if !-d $folder;
    my @added = split /\n/, slurp("$folder/added");
    my @bad = grep { !m{^pgms/[\w.-]+$} } @added;
    die "$folder/added: '$bad[0]' is no file of pgms\n" if @bad;
    my %original = map { $_ => slurp("$folder/$_") } @EDITED;
    my $installed = slurp("$folder/installed");
    my @changed = grep {
        index($installed, sum($_, slurp("$tree/$_"))) < 0 && slurp("$tree/$_") ne $original{$_}
    } @EDITED;
    die
        "$tree: @changed was changed since the install; undo that, or copy the files from $folder by hand\n"
        if @changed;
    for my $pair (reverse stage($tree, \%original, [])) {    # Run first: it names the others
        rename $pair->[0], $pair->[1] or die "$pair->[1]: $!\n";
    }
    unlink map { "$tree/$_" } @added;
    forget($tree);
    return "$tree is as it was\n";
}

# The change as a unified diff
sub patch {
    my ($tree, $what) = @_;
    check_tree($tree);
    my $diff = SpawnMeter::Util::Programs::found('diff')
        or die "diff must be installed to make a patch\n";
    my $texts = plan($tree, $what);
    my $folder = File::Temp->newdir;
    my $patch = q{};
    for my $file (sort @EDITED) {
        my $new = "$folder/new";
        open my $out, '>:raw', $new or die "$new: $!\n";
        print {$out} $texts->{$file};
        close $out or die "$new: $!\n";

        # status 0 or 1: equal or not; more: trouble
        my ($status, $words) =
            SpawnMeter::Util::Process::output($diff, '-u', '--label', "a/$file", '--label',
            "b/$file", '--', "$tree/$file", $new);
        die "diff failed: $words\n" if $status != 0 && $status >> 8 != 1;
        $patch .= $words;
    }
    return $patch;
}

1;
