# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use POSIX                      ();
use SpawnMeter::Measure::Sides qw(pending undo);
use SpawnMeter::Util::Process  qw(run_shell);
use Time::HiRes                qw(time);

my $folder = scratch();

sub shell {
    my ($command, %with) = @_;
    return run_shell({ command => $command, folder => "$folder", seconds => 20, %with });
}

subtest 'a command' => sub {
    is(shell('echo here >file'), undef, 'that succeeds');
    is(slurp_file("$folder/file"), "here\n", 'runs in its folder');
    is(shell('echo one; echo two >&2; exit 7'), 'exit status 7: one', 'that fails: the first line');
    is(
        shell('true', folder => "$folder/none"),
        "exit status 127: cannot change to $folder/none: No such file or directory",
        'a folder that is not there'
    );
};

subtest 'a command that does not end' => sub {
    my $began = time;
    is(
        shell('trap "" TERM; sleep 60 & wait; sleep 60', seconds => 0.3),
        'not done after 0.3 s',
        'its time'
    );
    is(shell('sleep 60', stopped => sub { return 1 }), 'stopped', 'Run is to end');
    is(shell('sleep 60 & echo $! >pid'), undef, 'one that leaves a process in the background');
    cmp_ok(time - $began, '<', 30, 'none is waited for');
    my $left = slurp_file("$folder/pid") + 0;
    ok(kill(0, $left), 'the process in the background stays');
    kill 'KILL', $left || ();
};

subtest 'what is pending' => sub {
    my $path = "$folder/new/set-back-host";
    my %what = (command => 'test -e ok && echo undone >did', folder => "$folder");
    SpawnMeter::Measure::Sides::store($path, \%what);
    is_deeply(pending($path), \%what, 'stored, in a folder that it makes');
    is(undo($path), 'exit status 1', 'a command that fails');
    ok(-e $path, 'stays pending');
    spew("$folder/ok", q{});
    is(undo($path), undef, 'one that succeeds');
    is(slurp_file("$folder/did"), "undone\n", 'has run');
    ok(!-e $path, 'and is pending no more');
    spew($path, 'not JSON');
    is(eval { pending($path); 1 }, undef, 'a file that is broken');
    like($@, qr/^\Q$path\E: cannot be read; remove it when/, 'says what to do');
SKIP: {
        skip 'only root can give a file to another user', 2 if $> != 0;
        SpawnMeter::Measure::Sides::store($path, \%what);
        chown 12_345, -1, $path;
        is(eval { pending($path); 1 }, undef, q{another user's file});
        like($@, qr/another user's/, 'is refused');
        unlink $path;
    }
    my %odd = (
        'can be written by others' =>
            sub { SpawnMeter::Measure::Sides::store($path, \%what); chmod oct 666, $path },
        'is a symbolic link' => sub {
            SpawnMeter::Measure::Sides::store("$folder/theirs", \%what);
            symlink 'theirs', $path;
        },
        'is a named pipe' => sub { POSIX::mkfifo($path, oct 600) },
    );
    for my $how (sort keys %odd) {
        unlink $path, "$folder/did";
        $odd{$how}->();
        my $why = $how =~ /others/ ? qr/others can write .*chmod go-w/ : qr/cannot be read; remove/;
        like(undo($path), $why, "a file that $how");
        ok(lstat $path && !-e "$folder/did", 'is not run, and stays');
    }
    unlink $path;
    spew("$folder/file", q{});
    is(eval { SpawnMeter::Measure::Sides::store("$folder/file/x", \%what); 1 },
        undef, 'a place where nothing can be written');
    like($@, qr/; nothing was changed$/, 'says so');
};

# Neither a full disk for temporary files nor a limit of a file's size is a reason to fail
my $done = "$folder/done";
my $code =
      'use SpawnMeter::Util::Process qw(run_shell); $SIG{XFSZ} = "IGNORE"; my $why = run_shell('
    . '{ command => "echo x && : >\"$ARGV[0]\"", folder => ".", seconds => 30 });'
    . 'print defined $why ? $why : "ok"';
for my $limit ('ulimit -f 0', 'TMPDIR=/dev/full; export TMPDIR') {
    unlink $done;
    my $got = `$limit; "$^X" -Ilib -e '$code' "$done"`;
    is($got, 'ok', "$limit: the command succeeds");
    ok(-e $done, 'and has done its work');
}
done_testing;
