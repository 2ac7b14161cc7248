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
my $UNSTORED = qr/^tmp|[.]new/;    # what is left in results is the fault's
my $folder = File::Temp->newdir('sm-disk-XXXXXX', TMPDIR => 1);
chmod oct 755, $folder;

sub refused_before_measuring {
    my ($fault, $with, $message, $further) = @_;
    subtest $fault => sub {
        my $run = finish(start($with, @SHORT, 'vfork'));
        says($run, $message, 'the message names the folder and what to set');
        unlike($run->{err_text}, qr/pass/, 'nothing was measured');
        check_end($fault, $run, unstored => 1, files => qr/^tmp/);
        $further->($run) if $further;
    };
    return;
}

sub not_stored {
    my ($fault, $with, $meanwhile, $further) = @_;
    subtest $fault => sub {
        my $run = start($with, @SHORT, qw(--max-time 1 vfork clone pipe));
        $meanwhile->($run);
        finish($run);
        is($run->{status}, 1, 'status 1') or diag $run->{err_text};
        like(
            $run->{out_text},
            qr/^Vfork Throughput +\d.*^Process Benchmarks.*^RESULT: /ms,
            'the report is printed'
        );
        like($run->{err_text}, qr/^Run: NOT STORED: \S/m, 'it says that it was not stored');
        check_end($fault, $run, unstored => 1, files => $UNSTORED);
        $further->($run) if $further;
    };
    return;
}

# ---- results ----------------------------------------------------------------------------

not_stored(
    'results: a file in place of the folder during the run',
    {},
    sub {
        printed($_[0], qr/ 2 passes/);
        system('rm', '-rf', '--', $_[0]{results});
        spew($_[0]{results}, q{});
    },
    sub {
        like(
            $_[0]{err_text},
            qr/^Run: the last passes are not in \S+[.]part either: it was moved or removed$/m,
            'nor in the journal, and it says so'
        );
    }
);
for my $how ('removed', 'moved away') {
    my $fault = "results: $how during the run";
    subtest $fault => sub {
        my $run = start({}, @SHORT, qw(--max-time 1 vfork clone pipe));
        printed($run, qr/ 2 passes/);
        my $away = File::Temp->newdir('sm-away-XXXXXX', TMPDIR => 1);
        system 'mv', '--', $run->{results}, "$away";
        undef $away if $how eq 'removed';
        finish($run);
        is($run->{status}, 0, 'status 0') or diag $run->{err_text};
        check_end($fault, $run);
    };
}
SKIP: {
    skip skip_reason('root can write to a folder without write permission'), 1 if $> == 0;
    mkdir "$folder/locked", oct 555;
    refused_before_measuring(
        'results: a folder without write permission',
        { results => "$folder/locked" },
        qr/Permission denied;.*UB_RESULTDIR/
    );
}

# ---- a file system of 64 kB ---------------------------------------------------------------

sub fill {
    my ($path) = @_;
    sysopen my $out, "$path/filler", O_WRONLY | O_CREAT or die "$path/filler: $!";
    1 while syswrite $out, 'x' x 4096;
    close $out;
    return;
}

sub on_small_file_system {
    my ($small) = @_;
    fill($small);
    refused_before_measuring(
        'results: a full file system',
        { results => $small },
        qr/^Run: cannot write results to .*No space left on device;.*UB_RESULTDIR/m,
        sub { is_deeply([ glob "$small/*" ], ["$small/filler"], 'no empty file is left') }
    );
    unlink "$small/filler";
    not_stored(
        'results: a file system that fills up',
        { results => $small },
        sub { printed($_[0], qr/ 2 passes/); fill($small) },
        sub {
            my ($part) = glob "$small/*.part";
            my $show = command({}, "$_[0]{tree}/Run", 'show', $part);
            is($show->{status}, 0, 'show reads what there was room for') or diag $show->{err};
            like($show->{out}, qr/^INCOMPLETE: /m, 'show reports an incomplete run');
        }
    );
    return;
}

sub copies_of_the_target {
    my ($small) = @_;
    subtest 'UB_TMPDIR: a full file system' => sub {
        my $run = finish(start({ tmp => $small }, @SHORT, qw(--targets 20 forkexec)));
        like(
            $run->{out_text},
            qr/^forkexec, 1 copy: failed: cannot copy the target to .*No space left on device/m,
            'the test that copies its target fails with the reason'
        );
        check_end('UB_TMPDIR: a full file system', $run);
    };
    return;
}

SKIP: {
    my ($mount, $umount) = map { tool($_) } qw(mount umount);
    skip skip_reason('only root can mount a small file system'), 5
        if $> != 0 || !$mount || !$umount;
    my $small = "$folder/small";
    mkdir $small;
    skip skip_reason('no file system can be mounted here'), 5
        if command({}, $mount, '-t', 'tmpfs', '-o', 'size=64k', 'sm-test', $small)->{status} != 0;
    on_small_file_system($small);
    unlink glob "$small/*";
    copies_of_the_target($small);
    command({}, $mount, '-o', 'remount,ro', $small);
    refused_before_measuring(
        'results: a read-only file system',
        { results => $small },
        qr/Read-only file system;.*UB_RESULTDIR/
    );
    is(command({}, $umount, $small)->{status}, 0, 'the small file system can be unmounted');
}

# ---- other places -------------------------------------------------------------------------

done_testing;
