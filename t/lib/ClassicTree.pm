# SPDX-License-Identifier: GPL-2.0-or-later
package ClassicTree;

# A small tree of our own that has only the places of a UnixBench tree that are edited, and a
# driver of three lines.
#
#   classic_tree({ file => sub that changes its text in $_ }, folder or undef) -> folder with
#       such a tree, removed when the object goes
#   snapshot(folder) -> { path below it => type, owner, group, mode, content or target }
#   differences(snapshot, snapshot) -> sorted paths in which they differ

use strict;
use warnings;
use Exporter 'import';
use File::Find ();
use TestHelp;

our @EXPORT = qw(classic_tree snapshot differences);

my %STAND_IN = (
    'pgms/index.base' => "# stand-in\nspawn|20|lps|126|126|1\n",
    'USAGE'           =>
        "   system          the old ones\n                   and more\n   misc            others\n"
        . "\n  system:\n    spawn   x\n\n  2d:\n    none\n",
    'Run' => <<'END',
#!/usr/bin/env perl
# A stand-in: the tables, and a driver of three lines.
my $testCats = {
    'system'    => { 'name' => "System Benchmarks", 'maxCopies' => 7 },
};
my $index = [
   "spawn"
];
my $testList = {
    "sysexec"       => undef,
    "shell"         => [ "shell1" ],
};
my $testParams = {
    "shell16" => {
        "logmsg" => "Shell",
    },
};
for my $test (map { ref $testList->{$_} ? @{ $testList->{$_} } : $_ } @ARGV) {
    my $p = $testParams->{$test};
    my $category = $testCats->{ $p->{cat} };
    print "$category->{name}: $p->{logmsg}: $p->{options} $category->{maxCopies}\n";
}
END
);

sub classic_tree {
    my ($change, $folder) = @_;
    $folder = scratch() if !defined $folder;
    mkdir "$folder/pgms";
    for my $file (keys %STAND_IN) {
        local $_ = $STAND_IN{$file};
        $change->{$file}->() if $change->{$file};
        spew("$folder/$file", $_);
    }
    chmod oct 750, "$folder/Run";
    return $folder;
}

sub snapshot {
    my ($folder) = @_;
    my %found;
    File::Find::find(
        {
            no_chdir => 1,
            wanted   => sub {
                my ($mode, $owner, $group) = (lstat)[ 2, 4, 5 ];
                my $content = -l _ ? readlink : -f _ ? slurp_file($_) : q{};
                $found{ substr $_, length $folder } = sprintf '%o %d %d %s', $mode, $owner, $group,
                    $content;
            }
        },
        "$folder"
    );
    return \%found;
}

sub differences {
    my ($one, $other) = @_;
    my %path = (%{$one}, %{$other});
    return grep {
        my ($this, $that) = ($one->{$_}, $other->{$_});
        !defined $this || !defined $that || $this ne $that
    } sort keys %path;
}

1;
