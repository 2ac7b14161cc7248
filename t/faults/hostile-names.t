# SPDX-License-Identifier: GPL-2.0-or-later
# Names that stand for something else: a device, a pipe or a link as the file of an export or
# as the name of a run, and the unit of a test as the name of a run.  A device stays a device,
# a link stays a link, and no run is shown under a name that it does not have.
use lib 't/lib';
use TestHelp;
use Faults;
use GoldenRuns;
use POSIX ();

my $folder = scratch();
mkdir "$folder/$_" or die $! for qw(runs places);
GoldenRuns::store($ROOT, "$folder/runs");
my %results = (env => { UB_RESULTDIR => "$folder/runs" });
my $places = "$folder/places";

sub export { return command(\%results, "$ROOT/Run", qw(export lava mixed --to), @_) }

my $exported = command(\%results, "$ROOT/Run", qw(export lava mixed))->{out};

subtest 'export --to a device' => sub {
    system(qw(mknod -m 666), "$places/null", qw(c 1 3)) == 0
        or plan skip_all => skip_reason('no device can be made here');
    my $got = export("$places/null");
    is("$got->{status} $got->{err}", '0 ', 'status 0');
    ok(-c "$places/null", 'it is a device as before');
    my $full = system(qw(mknod -m 666), "$places/full", qw(c 1 7)) == 0;
    $got = $full ? export("$places/full") : { status => 2, err => 'No space' };
    says($got, qr/No space/, 'a full one');
    tally('export --to a device', 1, 0, 0, -c "$places/null" ? 0 : 1);
    unlink "$places/null", "$places/full";
};

subtest 'export --to a link' => sub {
    spew("$places/file", 'old');
    symlink 'file', "$places/link" or die $!;
    is(export("$places/link")->{status}, 0, 'status 0');
    ok(-l "$places/link", 'it is a link as before');
    is(slurp_file("$places/file"), $exported, 'the file that it leads to has the export');
    symlink '/dev/stdout', "$places/output" or die $!;
    is(export("$places/output")->{out}, $exported, 'a link to standard output is written to');
    ok(-l "$places/output", 'the link stays');
    tally('export --to a link', 2, 0, 0, scalar grep { !-l "$places/$_" } qw(link output));
};

subtest 'export --to a named pipe' => sub {
    POSIX::mkfifo("$places/pipe", oct 600) or plan skip_all => skip_reason("mkfifo: $!");
    my $reader = fork;
    if (!$reader) { exec 'timeout', 20, 'cp', "$places/pipe", "$places/read" or POSIX::_exit(1) }
    my $got =
        command(\%results, 'timeout', 30, "$ROOT/Run", qw(export lava mixed --to), "$places/pipe");
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    ok(-p "$places/pipe", 'it is a pipe as before');
    waitpid $reader, 0;
    is(slurp_file("$places/read"), $exported, 'its reader has the export');
    tally('export --to a named pipe', 1, 0, 0, -p "$places/pipe" ? 0 : 1);
};

subtest 'UB_OUTPUT_FILE_NAME is a named pipe' => sub {
    needs_proc();
    for my $ending (q{}, '.csv') {
        my $run = start({ env => { UB_OUTPUT_FILE_NAME => 'mine' } }, qw(--quick -c 1 vfork));
        finish($run);
        unlink glob "\Q$run->{results}\E/*";
        POSIX::mkfifo("$run->{results}/mine$ending", oct 600) or die $!;
        says(
            finish(start(
                { env => { UB_OUTPUT_FILE_NAME => 'mine' }, results => $run->{results} },
                qw(--quick -c 1 vfork)
            )),
            qr/neither a file nor a link/,
            "mine$ending"
        );
        ok(-p "$run->{results}/mine$ending", 'the pipe is as before');
        is_deeply(
            [ glob "\Q$run->{results}\E/*" ],
            ["$run->{results}/mine$ending"],
            'nothing else is there'
        );
    }
    tally('UB_OUTPUT_FILE_NAME is a named pipe', 2, 0, 0, 0);
};

subtest 'the unit of a test as the name of a run' => sub {
    spew("$folder/runs/of units.json",
        '{"kind":"run","passes":[{"results":[{"label":"lps"},{"label":"KBps"}]}]}');
    for my $name (qw(lps KBps)) {
        says(command(\%results, "$ROOT/Run", 'show', $name), qr/^Run: $name: No such file/,
            "$name");
    }
    tally('the unit of a test as the name of a run', 2, 0, 0, 0);
};
done_testing;
