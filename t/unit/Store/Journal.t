# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::ResultFiles;
use SpawnMeter::Store::RunFile qw(run_of);
use SpawnMeter::Util::File     qw(decode);

my $folder = scratch();
my $path = "$folder/run.part";

sub lines { return split /^/m, slurp_file($path) }

sub entries {
    return map {
        my ($kind, $data) = %{ decode($_) };
        { kind => $kind, data => $data }
    } lines();
}

my @ENTRIES = (
    { kind => 'run', data   => { host => "a\nb" } },
    { kind => 'pass', data  => { rate => 1.5 } },
    { kind => 'ended', data => 7 },
);

subtest 'lines are written at once and read again' => sub {
    my $journal = SpawnMeter::Store::ResultFiles->create($path);
    for my $i (0 .. $#ENTRIES) {
        $journal->append(@{ $ENTRIES[$i] }{qw(kind data)});
        is_deeply([ entries() ], [ @ENTRIES[ 0 .. $i ] ], 'entries: ' . ($i + 1));
    }
    is($journal->failed, undef, 'no failure');
    ok(!eval { SpawnMeter::Store::ResultFiles->create($path); 1 },
        'an existing file is not replaced');
    like($@, qr/\Acannot write \Q$path\E: /, 'the message names it');
    rename $path, "$path.ours" or die $!;
    spew($path, 'of another');
    $journal->remove;
    is(slurp_file($path), 'of another', 'the file of another under this name is not removed');
    rename "$path.ours", $path or die $!;
    $journal->remove;
    ok(-e $path, 'a journal that is closed is not removed');
    unlink $path;
    $journal = SpawnMeter::Store::ResultFiles->create($path);
    $journal->remove;
    ok(!-e $path, 'removed');
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
        my @lines = lines();
        is_deeply(run_of(sub { return shift @lines })->{passes}, [ { rate => 1 } ], $what);
    }
    is(run_of(sub { return }), undef, 'an empty journal');
    unlink $path;
};

SKIP: {
    skip 'there is no /dev/full', 1 if !-c '/dev/full';
    subtest 'a full disk' => sub {
        my $journal = SpawnMeter::Store::ResultFiles->create($path);
        open my $full, '>', '/dev/full' or die $!;
        my $out = $journal->{out};
        $journal->append(@{ $ENTRIES[0] }{qw(kind data)});
        $journal->{out} = $full;
        $journal->append(@{$_}{qw(kind data)}) for @ENTRIES[ 1, 2 ];
        ok(length $journal->failed, 'the failure is reported');
        $journal->{out} = $out;
        is_deeply([ entries() ], [ $ENTRIES[0] ], 'what was written before stays');
        $journal->append(@{ $ENTRIES[0] }{qw(kind data)});
        is($journal->failed, undef, 'there is room again');
        is_deeply([ entries() ], [ @ENTRIES, $ENTRIES[0] ], 'all is written, in order');
        $journal->remove;
    };
}
done_testing;
