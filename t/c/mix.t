# SPDX-License-Identifier: GPL-2.0-or-later
# --mix: the commands run in turn with their own arguments, in each way to start one; bad lists.
use lib 't/lib';
use TestHelp;
use TestPrograms;
use File::Temp ();

my $tmp = scratch();

# Programs that append their arguments to a file
my $log = "$tmp/log";
for my $name (qw(one two)) {
    executable("$tmp/$name", "echo $name \$# \$* >> '$log'\n");
}

sub ran { return [ split /\n/, slurp_file($log) || q{} ] }

subtest 'in turn, with their arguments' => sub {
    my $mix = './one a;./two+b+c; true-dynamic;./one';
    for my $case (
        [qw(forkexec)], [qw(vforkexec)],
        [qw(posix_spawn)], [qw(launch --by posix_spawn)],
        [qw(launch --by vfork --with chdir)], [qw(launch --by fork --with none)],
        [qw(launch --with path+pipes+actions)], [qw(vforkexec --spawners 1)],
    ) {
        my ($name, @options) = @{$case};
        unlink $log;
        my $got =
            command({ folder => "$tmp" }, "$BIN/$name", @options, '--mix', $mix, '--count', 8);
        is($got->{status}, 0, "$name @options") or diag $got->{err};
        is(parse($got->{err})->{count}, 8, 'each counts');
        my @turn = ('one 1 a', 'two 2 b c', 'one 0');
        is_deeply(ran(), [ (@turn) x 3 ], 'the trial and two turns') or diag explain ran();
    }
    my $threads = program(qw(vforkexec --spawners 3 --mix true-dynamic;true-dynamic --count 30));
    is(parse($threads->{err})->{count}, 30, 'threads take turns of their own');
};

subtest 'the search in PATH finds no other program' => sub {
    my $place = File::Temp->newdir;
    mkdir "$place/$_" or die "$!" for qw(a b);
    executable("$place/$_", q{})  for qw(a/one b/two b/three);
    my @command = (
        "$BIN/launch", '--mix',
        "$place/a/one;$place/b/two;$place/b/three", qw(--with path --count 6)
    );
    is(command({}, @command)->{status}, 0, 'two folders');
    executable("$place/a/two", "exit 1\n");
    my $got = command({}, @command);
    says(
        $got,
        qr{^ERROR[|]--mix: the search in PATH would find $place/a/two; leave path}m,
        'another program of that name in the first', 1
    );
};

subtest 'bad lists' => sub {
    my %bad = (
        'true-dynamic;;true-dynamic'      => [ qr/a command is empty/, 2 ],
        q{ + }                            => [ qr/a command is empty/, 2 ],
        join(q{;}, ('true-dynamic') x 65) => [ qr/at most 64 commands/, 2 ],
        'true-dynamic;/nonexistent'       => [ qr/cannot run the target \/nonexistent/, 1 ],
        'true-dynamic;/bin/false'         => [ qr/--mix: \/bin\/false exits with status 1/, 1 ],
    );
    refused(map { [ vforkexec => [ '--mix', $_, '--count', 1 ], @{ $bad{$_} } ] } sort keys %bad);
    my @mix = qw(--mix true-dynamic --count 1);
    refused(map { [ vforkexec => [ @mix, @{$_} ], qr/--mix excludes/ ] } [qw(--exec true-dynamic)],
        [qw(--targets 2)], ['--own-target'], ['--phases']);
    refused([ launch => [ @mix, qw(--with output=5) ], qr/leave out --mix/ ]);
};
done_testing;
