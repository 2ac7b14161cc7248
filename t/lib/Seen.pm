# SPDX-License-Identifier: GPL-2.0-or-later
package Seen;

# Files that a slow linter has found well: it reads them again when they, its rules or the linter
# itself change, and with LONG=1 (make check-long).  What is known lies in the cache of .ci/run,
# for all trees, or where there is none in build/seen.  A linter is the name of a program, and
# options.
#
#   unseen(linter, [files of its rules], files) -> those that are not known to be well
#   all_well(linter, [files of its rules], files): these are, too

use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use File::Path ();
use TestHelp;

our @EXPORT = qw(unseen all_well);

sub digests {
    my ($linter, $rules, @files) = @_;
    my ($program) = split q{ }, $linter;
    my @common = ((stat tool($program))[ 7, 9 ], map { scalar slurp_file($_) } @{$rules});
    return map { sha256_hex(join "\0", @common, $_, scalar slurp_file($_)) } @files;
}

sub folder { return -w cached(q{}) ? cached('seen') : "$ROOT/build/seen" }

sub known_of { my ($linter) = @_; return folder() . q{/} . $linter =~ s/[^\w.]+/-/gr }

sub unseen {
    my ($linter, $rules, @files) = @_;
    return @files if $ENV{LONG};
    my %seen = map { $_ => 1 } split /\n/, slurp_file(known_of($linter)) || q{};
    my @digests = digests($linter, $rules, @files);
    return map { $files[$_] } grep { !$seen{ $digests[$_] } } 0 .. $#files;
}

sub all_well {
    my ($linter, $rules, @files) = @_;
    File::Path::make_path(folder(), { error => \my $ignored });
    open my $out, '>>', known_of($linter) or return;
    print {$out} map { "$_\n" } digests($linter, $rules, @files);
    close $out or die "seen/$linter: $!";
    return;
}

1;
