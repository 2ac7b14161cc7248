# SPDX-License-Identifier: GPL-2.0-or-later
# Reading and writing whole files.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Util::File qw(slurp read_bytes write_all write_bytes);

my $folder = scratch();
my $bytes = join q{}, map { chr } 0 .. 255;
write_bytes("$folder/file", "$bytes\n\n");
is(read_bytes("$folder/file"), "$bytes\n\n", 'read_bytes: what write_bytes wrote');
is(slurp("$folder/file"), "$bytes\n", 'slurp: without the last line end');
write_bytes("$folder/file", 'short');
is(read_bytes("$folder/file"), 'short', 'write_bytes: replaces a file');
is(scalar slurp("$folder/none"), undef, 'slurp: no such file');
is(scalar read_bytes("$folder/none"), undef, 'read_bytes: no such file');
eval { write_bytes("$folder/none/file", 'x') };
like($@, qr{^\Q$folder\E/none/file: No such file}, 'write_bytes: dies with path and reason');
open my $out, '>:raw', "$folder/all" or die $!;
is(write_all($out, $bytes), 256, 'write_all: the number of bytes');
is(read_bytes("$folder/all"), $bytes, 'write_all: the bytes');
SKIP: {
    skip 'no /dev/full', 3 if !-e '/dev/full';
    eval { write_bytes('/dev/full', 'x') };
    like($@, qr{^/dev/full: No space}, 'write_bytes: dies where the disk is full');
    open $out, '>', '/dev/full' or die $!;
    is(write_all($out, 'x'), 0, 'write_all: a full disk');
    ok($!{ENOSPC}, 'write_all: the reason');
}
done_testing;
