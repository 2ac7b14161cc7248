# SPDX-License-Identifier: GPL-2.0-or-later
# A file that cannot be written whole is an error with its path and reason.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::File qw(decode encode pretty write_all write_bytes);

SKIP: {
    skip 'there is no /dev/full', 3 if !-c '/dev/full';
    eval { write_bytes('/dev/full', 'x') };
    like($@, qr{^/dev/full: No space}, 'write_bytes: dies where the disk is full');
    open my $out, '>', '/dev/full' or die $!;
    is(write_all($out, 'x'), 0, 'write_all: a full disk');
    ok($!{ENOSPC}, 'write_all: the reason');
}

my $data = { b => [ 1, 2.5, undef, "\x{263a}" ], a => { c => 'x' } };
my $line = '{"a":{"c":"x"},"b":[1,2.5,null,"\u263a"]}';
is(encode($data), $line, 'encode: one line of ASCII with sorted keys');
is_deeply(decode($line), $data, 'decode: the same data');
like(pretty($data), qr/^ +"c" : "x"$/m, 'pretty: lines with blanks');
for my $bad ('{', '[1] x', '[' x 100) {
    ok(!eval { decode($bad); 1 }, 'decode dies: ' . substr $bad, 0, 10);
}

# Core's own module writes the same
my $code = 'use SpawnMeter::Util::File qw(encode decode); print encode(decode($ARGV[0]))';
is(command({ env => { SPAWNMETER_PP => 1 } }, $^X, "-I$ROOT/lib", '-e', $code, $line)->{out},
    $line, 'JSON::PP: the same line');
done_testing;
