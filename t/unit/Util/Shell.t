# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Shell qw(run_shell);

my $folder = scratch();

sub run {
    my ($command) = @_;
    return run_shell({ command => $command, folder => "$folder", seconds => 30 });
}

is(run('true'), undef, 'a command that succeeds');
is(run('echo why; echo more; exit 3'), 'exit status 3: why', 'its status, and what it says first');
is(run('exit 4'), 'exit status 4', 'one that says nothing');
is(run('kill -9 $$'), 'killed by signal 9', 'a signal');

# Neither a full disk for temporary files nor a limit of a file's size is a reason to fail
my $done = "$folder/done";
my $code =
      'use SpawnMeter::Util::Shell qw(run_shell); $SIG{XFSZ} = "IGNORE"; my $why = run_shell('
    . '{ command => "echo x && : >\"$ARGV[0]\"", folder => ".", seconds => 30 });'
    . 'print defined $why ? $why : "ok"';
for my $limit ('ulimit -f 0', 'TMPDIR=/dev/full; export TMPDIR') {
    unlink $done;
    my $got = `$limit; "$^X" -Ilib -e '$code' "$done"`;
    is($got, 'ok', "$limit: the command succeeds");
    ok(-e $done, 'and has done its work');
}

done_testing;
