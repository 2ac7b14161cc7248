# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Store::Journal;

my $folder = scratch();
my $path = "$folder/run.part";

sub entries { return SpawnMeter::Store::Journal::entries($path) }

my @ENTRIES = (
    { kind => 'run', data   => { host => "a\nb" } },
    { kind => 'pass', data  => { rate => 1.5 } },
    { kind => 'ended', data => 7 },
);

subtest 'lines are written at once and read again' => sub {
    my $journal = SpawnMeter::Store::Journal->create($path);
    for my $i (0 .. $#ENTRIES) {
        $journal->append(@{ $ENTRIES[$i] }{qw(kind data)});
        is_deeply([ entries() ], [ @ENTRIES[ 0 .. $i ] ], 'entries: ' . ($i + 1));
    }
    is($journal->failed, undef, 'no failure');
    ok(!eval { SpawnMeter::Store::Journal->create($path); 1 }, 'an existing file is not replaced');
    like($@, qr/\Acannot write \Q$path\E: /, 'the message names it');
    $journal->remove;
    ok(!-e $path, 'removed');
    ok(!eval { entries(); 1 }, 'a missing journal dies');
};

my $GOOD = qq({"run":{}}\n{"pass":{"rate":1}}\n);
my %REST = (
    'an incomplete line'           => '{"pass":{"rate":2}}',
    'a line that is not JSON'      => "{\"pass\":\n{\"pass\":{}}\n",
    'a line that is not an object' => "[1]\n{\"pass\":{}}\n",
    'an object with two keys'      => "{\"pass\":{},\"run\":{}}\n",
    'an empty line'                => "\n{\"pass\":{}}\n",
);

subtest 'reading ends at the first line that is not whole' => sub {
    for my $what (sort keys %REST) {
        spew($path, $GOOD . $REST{$what});
        is_deeply([ map { $_->{kind} } entries() ], [qw(run pass)], $what);
    }
    spew($path, q{});
    is_deeply([ entries() ], [], 'an empty journal');
    unlink $path;
};

SKIP: {
    skip 'there is no /dev/full', 1 if !-c '/dev/full';
    subtest 'a full disk' => sub {
        open my $full, '>', '/dev/full' or die $!;
        my $journal = bless { out => $full, path => $path }, 'SpawnMeter::Store::Journal';
        $journal->append(run => {});
        ok(length $journal->failed, 'the failure is reported');
        my $why = $journal->failed;
        open $journal->{out}, '>', $path or die $!;
        $journal->append(pass => {});
        is($journal->failed, $why, 'the first failure stays');
        is(-s $path, 0, 'nothing is written after it');
    };
}
done_testing;
