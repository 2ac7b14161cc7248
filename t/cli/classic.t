# SPDX-License-Identifier: GPL-2.0-or-later
# make classic, on a small tree of our own that has only the places that are edited.  Fresh
# UnixBench trees are nobody's to give away here: UNIXBENCH_TREES names some (DIR:DIR), and then
# their own driver runs the tests in the copies.
use lib 't/lib';
use TestHelp;
use ClassicTree;
use Laboratories;
use File::Path ();
use POSIX      ();

my $folder = scratch();
my $number = 0;

sub tree {
    my (%change) = @_;
    mkdir "$folder/tree " . ++$number;
    return classic_tree(\%change, "$folder/tree $number");
}

sub classic {
    my ($tree, $to) = @_;
    return command({ env => { UNIXBENCH => $tree, TO => $to } }, 'make', '-s', '-C', $ROOT,
        'classic');
}

subtest 'the copy: the programs, the driver, the manual and the baselines' => sub {
    my $tree = tree();
    mkdir "$tree/testdir";
    spew("$tree/testdir/notes", 'of the user');
    symlink 'testdir/notes', "$tree/link";
    chmod oct 400, "$tree/testdir/notes";
    chmod oct 4755, "$tree/pgms/index.base";
    utime 1_000_000_000, 1_000_000_000, "$tree/testdir/notes";
    my $before = snapshot($tree);
    my $copy = "$folder/copy";
    my $got = classic($tree, "$copy/");
    is($got->{status}, 0, 'make classic') or diag $got->{err};
    like($got->{out}, qr/has the tests fork vfork clone forkexec vforkexec posix_spawn$/m, 'says');
    is_deeply([ differences(snapshot($tree), $before) ], [], 'the tree is only read');
    is_deeply([ glob "\Q$copy\E.*" ], [], 'nothing is left beside it');
    is(readlink "$copy/link", 'testdir/notes', 'a link stays a link');
    is((stat "$copy/testdir/notes")[9], 1_000_000_000,
        'a file keeps its time: make builds no more');
    is((stat "$copy/pgms/index.base")[2] & oct 7000, 0, 'no set-id bits');
    my $run = command({}, $^X, "$copy/Run", 'process', 'vfork');
    is($run->{err}, q{}, 'the changed Run is good Perl');
    is(scalar(() = $run->{out} =~ /^Process Benchmarks: .* Throughput: 10 7$/mg),
        7, 'its group, tests and category are whole');
    like(slurp_file("$copy/pgms/index.base"), qr/^vforkexec\|10\|lps\|26[.]9\|26[.]9\|1$/m, 'rows');
    like(slurp_file("$copy/USAGE"), qr/^  process:\n    fork +Fork Throughput$/m, 'its manual');
    like(
        command({ env => { UB_BINDIR => "$copy/pgms" } }, "$copy/pgms/posix_spawn", '0.05')->{err},
        qr/^COUNT\|[1-9]/,
        'the programs run there, with their target'
    );
    says(
        classic($copy, "$folder/copy of the copy"),
        qr/copy has process tests already [(]process[)]/,
        'the copy is no tree to copy'
    );
};

sub directly { my (@arguments) = @_; return command({}, $^X, "$ROOT/tools/classic", @arguments) }

# Status 2, the message, no copy and nothing beside it, and a tree as before
sub refused {
    my ($what, $tree, $message, $to, $do) = @_;
    $to = "$folder/none" if !defined $to;
    subtest "refused: $what" => sub {
        my $before = snapshot($folder);
        says(($do || \&directly)->($tree, $to), $message, 'the message says why');
        is_deeply([ differences(snapshot($folder), $before) ], [], 'nothing changes');
    };
    return;
}

refused('no tree', '/nonexistent', qr{/nonexistent is not a UnixBench tree: it lacks pgms$}m);
refused('no new name', tree(), qr/name a tree and a new folder/, q{});
my $inside = tree();
refused('a copy inside the tree', $inside, qr/is inside .*tree \d/, "$inside/pgms/copy");
my $UNLIKE = 'like neither UnixBench 5.1.3 nor 6.0.0';
refused(
    'a version that is not known',
    tree(Run => sub { s/^/my \$version = "4.1.0";\n/; s/"sysexec".*\n// }),
    qr/\Q$UNLIKE (its Run is version 4.1.0):\E\n  Run: the test sysexec: found 0 times/
);
my @ODD = (
    [ 'twice', Run      => sub { s/(    "shell" .*\n)/$1$1/ }, qr/the group shell: found 2 times/ ],
    [ 'CRLF', Run       => sub { s/\n/\r\n/g }, qr/the list \$index: found 0 times/ ],
    [ 'a test', Run     => sub { s/"sysexec"/"clone"/ }, qr/process tests already [(]clone[)]/ ],
    [ 'a manual', USAGE => sub { $_ = "short\n" }, qr/USAGE: the categories: found 0/ ],
);
refused("another tree: $_->[0]", tree($_->[1] => $_->[2]), $_->[3]) for @ODD;
my $foreign = tree();
spew("$foreign/pgms/clone", 'theirs');
refused('a program of that name', $foreign, qr{tests already [(]pgms/clone[)]});
my $old = tree();
mkdir "$old/spawnmeter-originals";
refused('a tree that 0.5.0 changed',
    $old, qr/0[.]3 to 0[.]5; undo that with 0[.]5[.]0: make remove-from UNIXBENCH=/);

for my $name (qw(Run pgms)) {
    my $linked = tree();
    rename "$linked/$name", "$linked/moved";
    symlink 'moved', "$linked/$name";
    refused("$name is a symbolic link", $linked, qr{/$name is a symbolic link});
}
my $pipe = tree();
POSIX::mkfifo("$pipe/pipe", oct 600);
refused('a named pipe', $pipe, qr{/pipe is neither a file, a folder nor a link; remove it});
my $ran = "$folder/ran";
refused(
    'words that make or a shell would run',
    "\$(shell touch '$ran')`touch '$ran'`",
    qr/lacks/, undef, \&classic
);

# Killed while it copies many files: it has begun when the unfinished copy is there
my $large = tree();
mkdir "$large/testdir";
spew("$large/testdir/$_", 'x' x 1000) for 1 .. 3000;
for my $signal (qw(KILL TERM)) {
    subtest "SIG$signal" => sub {
        my $to = "$folder/killed";
        my $before = snapshot($large);
        my $kill = sub {
            my ($pid) = @_;
            wait_until(sub { -e $to || glob "\Q$to\E.*/testdir" });
            kill $signal, $pid;
        };
        command({ meanwhile => $kill }, $^X, "$ROOT/tools/classic", "$large", $to);
        my $whole = sub { return 3000 == (() = glob "\Q$to\E/testdir/*") };
        ok(!-e $to || $whole->(), 'there is no copy, or a whole one');
        is_deeply([ differences(snapshot($large), $before) ], [], 'the tree is as before');
        File::Path::remove_tree($to);
        my @left = glob "\Q$to\E*";
        is_deeply($signal eq 'TERM' ? \@left : [], [], 'nothing is left');
        is(directly($large, $to)->{status}, 0, 'the next one works');
        ok($whole->(), 'and is whole');
        File::Path::remove_tree($to, @left);
    };
}

subtest 'a full disk' => sub {
    mkdir "$folder/small";
    my $mounted = $> == 0
        && command({}, qw(mount -t tmpfs -o size=64k none), "$folder/small")->{status} == 0;
    plan skip_all => 'no tmpfs can be mounted' if !$mounted;
    my $got = classic(tree(), "$folder/small/copy");
    my @left = glob "\Q$folder\E/small/*";
    command({}, 'umount', "$folder/small");
    says($got, qr/No space left/, 'the message');
    is_deeply(\@left, [], 'nothing is left');
};

# The driver of the tree.  Its programs are marked as built, since only ours run
for my $tree (grep { length } split /:/, $ENV{UNIXBENCH_TREES} || q{}) {
    subtest "the driver of $tree" => sub {
        my $copy = "$folder/classic";
        is(classic($tree, $copy)->{status}, 0, 'make classic');
        command({ folder => $copy }, qw(make -t programs));
        my $driver = slurp_file("$copy/Run");
        is($driver =~ s/('process',\n *"repeat".*\n *"options" => ")10"/${1}1"/g, 6, 'shorter');
        spew("$copy/Run", $driver);
        my $run = command({ folder => $copy }, $^X, 'Run', qw(-i 1 -c 1 process));
        is($run->{status}, 0, 'status') or diag $run->{err};
        my $rows = () = $run->{out} =~ /^\w[\w ]+ Throughput +\d+[.]\d +\d+[.]\d +\d+[.]\d$/mg;
        is($rows, 6, 'an index row for each test') or diag $run->{out};
        like($run->{out}, qr/^Process Benchmarks Index Values +BASELINE +RESULT +INDEX$/m, 'table');
        like($run->{out}, qr/^Process Benchmarks Index Score +\d+[.]\d$/m, 'of all of them');

        # the banner of 6.0.0 has lines of dashes, at which some cut the report
        my ($report) = $run->{out} =~ /^(={72}\n.*)/ms;
        for my $lab (laboratories()) {
            my $read = $lab->{reads}->($report);
            my $printed = printed($report);
            is(scalar @{ $printed->{rates} }, 6, 'six results');
            is_deeply(
                $read,
                { map { $_ => $printed->{$_} } keys %{$read} },
                "as $lab->{name} reads"
            );
        }
        File::Path::remove_tree($copy);
    };
}
if (!$ENV{UNIXBENCH_TREES}) {
    diag 'skipped: UNIXBENCH_TREES names no UnixBench trees';
SKIP: { skip 'UNIXBENCH_TREES names no UnixBench trees', 1 }
}
done_testing;
