# Results that cannot be stored: found before measuring where it can be; otherwise the
# report still reaches the terminal, and says that it was not stored.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use Fcntl qw(O_WRONLY O_CREAT);

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my @SHORT = qw(-v --slice 0.05 --max-time 0.5 -c 1);
my $folder = File::Temp->newdir('sb-disk-XXXXXX', TMPDIR => 1);
chmod oct 755, $folder;

sub done {
    my ($fault, $run, $files, $unstored) = @_;
    my @left = grep { $_ } gone($run);
    is_deeply([ @left, @{$files} ], [], "$fault: nothing is left");
    my $lost = lost($run, $unstored);
    is($lost, 0, '... and nothing is lost');
    tally($fault, 1, $lost, scalar @left, scalar @{$files});
    return;
}

sub found_before {
    my ($fault, $with, $message) = @_;
    my $run = finish(start($with, @SHORT, 'vfork'));
    is($run->{status}, 2, "$fault: status 2") or diag $run->{err_text};
    like($run->{err_text}, $message, '... and what to do');
    unlike($run->{err_text}, qr/pass/, '... before anything is measured');
    done($fault, $run, [ grep { /^tmp/ } left_files($run) ], 1);
    return $run;
}

sub not_stored {
    my ($fault, $with, $meanwhile) = @_;
    my $run = start($with, @SHORT, qw(--max-time 1 vfork clone pipe));
    $meanwhile->($run);
    finish($run);
    is($run->{status}, 1, "$fault: status 1") or diag $run->{err_text};
    like(
        $run->{out_text},
        qr/^Vfork Throughput +\d.*^Process Benchmarks.*^RESULT: /ms,
        '... the report is printed'
    );
    like($run->{err_text}, qr/^Run: NOT STORED: \S/m, '... and says that it was not stored');
    done($fault, $run, [ grep { /^tmp|[.]new/ } left_files($run) ], 1);
    return $run;
}

spew("$folder/file", q{});
found_before(
    'results: a path that is a file',
    { results => "$folder/file" },
    qr/^Run: cannot write results to .*set UB_RESULTDIR to another folder/m
);
found_before(
    'results: below a path that is a file',
    { results => "$folder/file/x" },
    qr/^Run: cannot write results to .*set UB_RESULTDIR to another folder/m
);
not_stored('results: removed during the run',
    {}, sub { says($_[0], qr/ 2 passes/); system('rm', '-rf', '--', $_[0]{results}) });
SKIP: {
    skip aloud('a folder that may not be written to does not hold root'), 4 if $> == 0;
    mkdir "$folder/locked", oct 555;
    found_before(
        'results: a folder without leave',
        { results => "$folder/locked" },
        qr/Permission denied; UB_RESULTDIR/
    );
}
SKIP: {
    my ($mount, $umount) = map { tool($_) } qw(mount umount);
    skip aloud('only root can mount a small file system'), 20 if $> != 0 || !$mount || !$umount;
    my $small = "$folder/small";
    mkdir $small;
    skip aloud('no file system can be mounted here'), 20
        if command({}, $mount, '-t', 'tmpfs', '-o', 'size=64k', 'sb-test', $small)->{status} != 0;
    my $fill = sub {
        sysopen my $out, "$small/filler", O_WRONLY | O_CREAT or die;
        1 while syswrite $out, 'x' x 4096;
        close $out;
    };
    $fill->();
    found_before(
        'results: a full file system',
        { results => $small },
        qr/^Run: cannot write results to .*No space left on device; set UB_RESULTDIR to another folder/m
    );
    is_deeply([ glob "$small/*" ], ["$small/filler"], '... and no empty file stays there');
    unlink "$small/filler";
    my $run = not_stored(
        'results: a file system that gets full',
        { results => $small },
        sub { says($_[0], qr/ 2 passes/); $fill->() }
    );
    my ($part) = glob "$small/*.part";
    my $show = command({}, "$run->{tree}/Run", 'show', $part);
    is($show->{status}, 0, '... and show reads what there was room for') or diag $show->{err};
    like(
        $show->{out},
        qr/^INCOMPLETE: Run was killed before it finished$/m,
        '... as an incomplete run'
    );
    unlink glob "$small/*";
    my $copies = start({ tmp => $small }, @SHORT, qw(--targets 20 forkexec));
    finish($copies);
    like(
        $copies->{out_text},
        qr/^forkexec, 1 copy: failed: copy to .*No space left on device/m,
        'UB_TMPDIR: no room for copies of the target'
    );
    done('UB_TMPDIR: no room', $copies, [ left_files($copies) ]);
    command({}, $mount, '-o', 'remount,ro', $small);
    found_before(
        'results: a read-only file system',
        { results => $small },
        qr/Read-only file system; set UB_RESULTDIR/
    );
    is(command({}, $umount, $small)->{status}, 0, 'nothing holds it');
}

# The other places that are written to
my $gone = start({}, @SHORT, qw(--max-time 1 fstime shell1 vfork));
says($gone, qr/ 1 pass/);
system('rm', '-rf', '--', $gone->{tmp});
finish($gone);
is($gone->{status}, 1, 'UB_TMPDIR: removed during the run: status 1') or diag $gone->{err_text};
like(
    $gone->{out_text},
    qr/^fstime, 1 copy: failed: a file in .*No such file or directory/m,
    '... the tests that need it say so'
);
like($gone->{out_text}, qr/^Vfork Throughput +\d/m, '... the others go on');
done('UB_TMPDIR: removed during the run', $gone, [ left_files($gone) ]);
SKIP: {
    skip aloud('no /dev/full'), 4 if !-c '/dev/full';
    my $full = start({ before => sub { open STDOUT, '>', '/dev/full' or die } }, @SHORT, 'vfork');
    finish($full);
    is($full->{status}, 1, 'standard output is full: status 1');
    like(
        $full->{err_text},
        qr/^Run: cannot write the output: No space left on device$/m,
        '... and says so'
    );
    ok(scalar(glob "\Q$full->{results}\E/*.json"), '... and it is stored');
    done('standard output: no room', $full, [ left_files($full) ]);
}
done_testing;
