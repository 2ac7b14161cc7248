# SPDX-License-Identifier: GPL-2.0-or-later
package Seen;

# Files that a slow linter has found well: it reads them again when they or its rules change.  What
# is known lies in build/seen; make clean forgets it.
#
#   unseen(linter, file of its rules, files) -> those that are not known to be well
#   all_well(linter, file of its rules, files): from now on these, and no others, are

use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use File::Path ();
use TestHelp;

our @EXPORT = qw(unseen all_well);

sub digest {
    my ($rules, $file) = @_;
    return sha256_hex(join "\0", $file, map { scalar slurp_file($_) } $rules, $file);
}

sub unseen {
    my ($linter, $rules, @files) = @_;
    my %seen = map { $_ => 1 } split /\n/, slurp_file("$ROOT/build/seen/$linter") || q{};
    return grep { !$seen{ digest($rules, $_) } } @files;
}

sub all_well {
    my ($linter, $rules, @files) = @_;
    File::Path::make_path("$ROOT/build/seen");
    spew("$ROOT/build/seen/$linter", join q{}, map { digest($rules, $_) . "\n" } @files);
    return;
}

1;
