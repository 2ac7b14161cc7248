# SPDX-License-Identifier: GPL-2.0-or-later
# make install-into, remove-from and dist-patch, on a small tree of our own that has only the
# places that are edited.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ClassicTree;
use TestHelp;

sub tree { my (%change) = @_; return classic_tree(\%change) }

sub do_make {
    my ($verb, $tree) = @_;
    return command({ env => { UNIXBENCH => "$tree" } }, 'make', '-s', '-C', $ROOT, $verb);
}

my $tree = tree();
my $before = snapshot($tree);
my $installed;

subtest 'install-into: the programs, the driver, the manual and the baselines' => sub {
    my $got = do_make('install-into', $tree);
    is($got->{status}, 0, 'install') or diag $got->{err};
    like(
        $got->{out},
        qr/installed into .*: fork vfork clone forkexec vforkexec posix_spawn/,
        'install: reports the tests'
    );
    my $run = command({}, $^X, "$tree/Run", 'process', 'vfork');
    is($run->{err}, q{}, 'the changed Run is good Perl');
    is(scalar(() = $run->{out} =~ /^Process Benchmarks: .* Throughput: 10 7$/mg),
        7, 'its group, tests and category are whole');
    like(
        slurp_file("$tree/pgms/index.base"),
        qr/^vforkexec\|10\|lps\|26\.9\|26\.9\|1$/m,
        'the baselines are there'
    );
    like(
        slurp_file("$tree/USAGE"),
        qr/^  process:\n    fork +Fork Throughput$/m,
        'install: the lines of the manual'
    );
    like(
        command({ env => { UB_BINDIR => "$tree/pgms" } }, "$tree/pgms/posix_spawn", '0.05')->{err},
        qr/^COUNT\|[1-9]/,
        'the programs run there, with their target'
    );
    is((stat "$tree/Run")[2] & 07777, 0750, 'the mode of Run is kept');
    unlike(
        slurp_file("$tree/Run"),
        qr/\bSpawnMeter\b.*\bSpawnMeter\b/s,
        'one comment says where the extension begins'
    );
};

subtest 'a second install, and remove-from' => sub {
    $installed = snapshot($tree);
    is(do_make('install-into', $tree)->{status}, 0, 'a second install');
    is_deeply(snapshot($tree), $installed, 'a second install changes nothing');
    is(do_make('remove-from', $tree)->{status}, 0, 'remove');
    is_deeply(snapshot($tree), $before, 'remove restores every byte');
    is(do_make('remove-from', $tree)->{status}, 2, 'nothing to remove: status 2');
};

subtest 'dist-patch: the same change as a diff' => sub {
    my $patch = do_make('dist-patch', $tree);
    is($patch->{status}, 0, 'dist-patch');
    is_deeply(snapshot($tree), $before, 'dist-patch changes nothing');
    if (needs(1, 'patch')) {
        spew("$tree/diff", $patch->{out});
        is(command({ folder => "$tree" }, 'patch', '-s', '-p1', '-i', "$tree/diff")->{status},
            0, 'the patch applies');
        unlink "$tree/diff";
        my %patched = %{ snapshot($tree) };
        is($patched{'/Run'}, $installed->{'/Run'}, 'the patched Run is the installed one');
    }
};

# Trees that it must leave alone: status 2, which place, not a byte changed
my @odd = (
    [
        'a place that is missing' => { Run => sub { s/"sysexec".*\n// } } =>
            qr/Run: the test sysexec in the list of tests: found 0 times/
    ],
    [
        'a place that is there twice' => { Run => sub { s/(    "shell" .*\n)/$1$1/ } } =>
            qr/Run: the group shell: found 2 times/
    ],
    [ 'CRLF' => { Run => sub { s/\n/\r\n/g } } => qr/Run has CRLF line ends/ ],
    [
        'a test of that name' =>
            { Run => sub { s/("sysexec")/"fork"        => undef,\n    $1/ } } =>
            qr/Run has a test "fork" already/
    ],
    [
        'a group of that name' => { Run => sub { s/("shell")/"process" => 1,\n    $1/ } } =>
            qr/a category or a group "process" already/
    ],
    [
        'a baseline of that name' => { 'pgms/index.base' => sub { $_ .= "vfork|1|lps|1|1|1\n" } } =>
            qr/a baseline for vfork already/
    ],
    [
        'another manual' => { USAGE => sub { $_ = "short\n" } } =>
            qr/USAGE: the categories: found 0 times/
    ],
);
for my $case (@odd) {
    my ($what, $change, $message) = @{$case};
    subtest "a tree that is left alone: $what" => sub {
        my $odd = tree(%{$change});
        my $was = snapshot($odd);
        my $refused = do_make('install-into', $odd);
        is($refused->{status}, 2, 'status 2');
        like($refused->{err}, $message, 'the message names the place');
        is_deeply(snapshot($odd), $was, 'the tree is as before');
    };
}

subtest 'no tree, no name' => sub {
    like(
        do_make('install-into', '/nonexistent')->{err},
        qr{/nonexistent is not a UnixBench tree: it lacks pgms/index.base},
        'no tree'
    );
    like(do_make('install-into', q{})->{err}, qr/name a tree: UNIXBENCH=/, 'no name');
};

subtest 'a program of that name that is not ours' => sub {
    my $foreign = tree();
    spew("$foreign/pgms/clone", 'theirs');
    my $was = snapshot($foreign);
    like(
        do_make('install-into', $foreign)->{err},
        qr{pgms/clone already exists},
        'a program of that name, not ours'
    );
    is_deeply(snapshot($foreign), $was, 'a program of that name: the tree is not changed');
};

subtest 'a Run that was edited after the install' => sub {
    my $edited = tree();
    do_make('install-into', $edited);
    spew("$edited/Run", slurp_file("$edited/Run") . "# by hand\n");
    like(
        do_make('install-into', $edited)->{err},
        qr/these files have changed since: Run/,
        'a Run that was edited after the install'
    );
    my $kept = do_make('remove-from', $edited);
    is($kept->{status}, 2, 'remove of an edited Run: status 2');
    like(
        $kept->{err},
        qr/: these files have changed since the install: Run;/,
        'remove of an edited Run: the message'
    );
};

subtest 'a tree that is not writable' => sub {
    plan skip_all => 'root may write anywhere' if $> == 0;
    my $locked = tree();
    my $was = snapshot($locked);
    chmod 0555, "$locked/pgms";
    my $refused = do_make('install-into', $locked);
    chmod 0755, "$locked/pgms";
    is($refused->{status}, 2, 'status 2');
    is_deeply(snapshot($locked), $was, 'the tree is as before');
};

subtest 'a full disk' => sub {
    my $small = scratch();
    my $mounted =
        $> == 0 && command({}, qw(mount -t tmpfs -o size=64k none), "$small")->{status} == 0;
    plan skip_all => 'no tmpfs can be mounted' if !$mounted;
    classic_tree({}, "$small");
    my $was = snapshot($small);
    my $full = do_make('install-into', $small);
    my $now = snapshot($small);
    command({}, 'umount', "$small");
    is($full->{status}, 2, 'status 2') or diag $full->{out};
    is_deeply($now, $was, 'the tree is as before');
};
done_testing;
