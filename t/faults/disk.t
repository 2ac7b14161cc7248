# SPDX-License-Identifier: GPL-2.0-or-later
# Places that cannot be written to: results, the temporary folder, standard output.
# Where this can be known before measuring, Run exits with status 2 and says what to set;
# otherwise the report reaches the terminal, says "NOT STORED", and the status is 1.  No
# process and no temporary file is left.
use lib 't/lib';
use TestHelp;
use Faults;
use Fcntl qw(O_WRONLY O_CREAT);

needs_proc();

my @SHORT = qw(-v --slice 0.05 --max-time 0.5 -c 1);
my $folder = File::Temp->newdir('sm-disk-XXXXXX', TMPDIR => 1);
chmod oct 755, $folder;

sub refused_before_measuring {
    my ($fault, $with, $message) = @_;
    subtest $fault => sub {
        my $run = finish(start($with, @SHORT, 'vfork'));
        says($run, $message, 'the message names the folder and what to set');
        unlike($run->{err_text}, qr/pass/, 'nothing was measured');
        check_end($fault, $run, unstored => 1, files => qr/^tmp/);
    };
    return;
}

# ---- results ----------------------------------------------------------------------------

my $FILE = 'results: a file in place of the folder during the run';
subtest $FILE => sub {
    my $run = start({}, @SHORT, qw(--max-time 60 -i 8 vfork clone pipe));
    printed($run, qr/ 2 passes/);
    system('rm', '-rf', '--', $run->{results});
    spew($run->{results}, q{});
    finish($run);
    my $report = qr/^Vfork Throughput +\d.*^Process Benchmarks.*^What the columns mean: /ms;
    like($run->{out_text}, $report, 'the report is printed');
    like($run->{err_text}, qr/^Run: NOT STORED: \S/m, 'it says that it was not stored');
    my $neither = qr/^Run: the last passes are not in \S+[.]part either: it was moved or removed$/m;
    like($run->{err_text}, $neither, 'nor in the journal, and it says so');
    check_end($FILE, $run, unstored => 1, files => qr/^tmp|[.]new/, status => 1);
};
my $GONE = 'results: moved away during the run';
subtest $GONE => sub {
    my $run = start({}, @SHORT, qw(--max-time 60 -i 8 vfork clone pipe));
    printed($run, qr/ 2 passes/);
    my $away = File::Temp->newdir('sm-away-XXXXXX', TMPDIR => 1);
    system 'mv', '--', $run->{results}, "$away";
    finish($run);
    check_end($GONE, $run, status => 0);
};

# ---- a file system of 64 kB ---------------------------------------------------------------

SKIP: {
    my ($mount, $umount) = map { tool($_) } qw(mount umount);
    skip skip_reason('only root can mount a small file system'), 5
        if $> != 0 || !$mount || !$umount;
    my $small = "$folder/small";
    mkdir $small;
    skip skip_reason('no file system can be mounted here'), 5
        if command({}, $mount, '-t', 'tmpfs', '-o', 'size=64k', 'sm-test', $small)->{status} != 0;
    sysopen my $out, "$small/filler", O_WRONLY | O_CREAT or die "$small/filler: $!";
    1 while syswrite $out, 'x' x 4096;
    close $out;
    refused_before_measuring(
        'results: a full file system',
        { results => $small },
        qr/^Run: cannot write results to .*No space left on device;.*UB_RESULTDIR/m
    );
    is_deeply([ glob "$small/*" ], ["$small/filler"], 'no empty file is left');
    unlink "$small/filler";
    subtest 'UB_TMPDIR: a full file system' => sub {
        my $run = finish(start({ tmp => $small }, @SHORT, qw(--targets 20 forkexec)));
        like(
            $run->{out_text},
            qr/^forkexec +failed: cannot copy the target to .*No space left on device/m,
            'the test that copies its target fails with the reason'
        );
        check_end('UB_TMPDIR: a full file system', $run);
    };
    is(command({}, $umount, $small)->{status}, 0, 'the small file system can be unmounted');
}

done_testing;
