# SPDX-License-Identifier: GPL-2.0-or-later
# A file that cannot be written whole is an error with its path and reason.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::File qw(write_all write_bytes);

plan skip_all => 'no /dev/full' if !-e '/dev/full';
eval { write_bytes('/dev/full', 'x') };
like($@, qr{^/dev/full: No space}, 'write_bytes: dies where the disk is full');
open my $out, '>', '/dev/full' or die $!;
is(write_all($out, 'x'), 0, 'write_all: a full disk');
ok($!{ENOSPC}, 'write_all: the reason');
done_testing;
