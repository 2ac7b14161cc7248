# SPDX-License-Identifier: GPL-2.0-or-later
# When make is called, and what is reported where it cannot be.
use lib 't/lib';
use TestHelp;
use Cwd ();
use SpawnMeter::Measure::Build;

# A tree with one program; its make is a script of ours
my $tree = scratch();
mkdir "$tree/$_" for qw(pgms src src/harness build bin);
spew("$tree/src/fork.c", q{});
spew("$tree/VERSION", "1\n");
my $OLD = 1_600_000_000;
my $NEW = 1_700_000_000;

# The files' times: of the program, or undef where it is missing, and of the sources
sub state_of {
    my ($program, $source) = @_;
    unlink "$tree/pgms/fork";
    executable("$tree/pgms/fork", "#!/bin/sh\n") if defined $program;
    utime $program, $program, "$tree/pgms/fork" if defined $program;
    utime $source, $source, "$tree/src/fork.c", "$tree/VERSION";
    return;
}

# -> { reported, error }
sub build {
    my ($make, $folder, @targets) = @_;
    executable("$tree/bin/make", $make) if defined $make;
    unlink "$tree/bin/make" if !defined $make;
    my $reported = q{};
    local %ENV = (%ENV, PATH => "$tree/bin", CC => '/bin/sh');
    local $ENV{UB_BINDIR} = $folder if defined $folder;
    my $good = eval {
        SpawnMeter::Measure::Build::build(
            {
                root     => "$tree",
                binaries => $folder || "$tree/pgms",
                work     => $folder ? undef : "$tree/build"
            },
            [ 'fork', @targets ],
            sub { $reported .= $_[0] }
        );
        1;
    };
    return { reported => $reported, error => $good ? q{} : $@ };
}
my $QUIET = "#!/bin/sh\n";
my $FAILS = $QUIET . "echo 'fork.c:1: error: no'; exit 1\n";

state_of(undef, $OLD);
is(build($QUIET)->{reported}, "building the test programs ...\n", 'a missing program is built');
is(build($FAILS)->{error}, "the build failed:\nfork.c:1: error: no\n", 'its build fails');
my $NONE = qr/^the test programs must be built, and GNU make must be installed; as root:\n    \S/;
like(build(undef)->{error}, $NONE, 'without make');
{
    local %ENV = (%ENV, PATH => "$tree/bin");
    executable("$tree/bin/$_", $QUIET) for qw(make gmake);
    is(SpawnMeter::Measure::Build::gnu_make(), "$tree/bin/gmake", 'make can be that of a BSD');
    unlink "$tree/bin/gmake";
}
my $other = build($QUIET, '/nowhere');
like($other->{error}, qr{^UB_BINDIR is /nowhere, which lacks fork$}, 'another folder of programs');

state_of($OLD, $NEW);
like(build($FAILS)->{error}, qr/^the build failed:/, 'an older program: the build fails');
is(build(undef)->{error}, q{}, 'an old program is used where there is no make');

state_of($NEW, $OLD);
is_deeply(build($QUIET), { reported => q{}, error => q{} }, 'nothing to do');
my $NEWER = "make failed; the test programs are newer than their sources and are used\n";
is_deeply(build($FAILS), { reported => $NEWER, error => q{} }, 'make fails for a newer program');
{
    no warnings 'redefine';
    local *SpawnMeter::Util::Cleanup::temporary = sub { die "no space\n" };
    is_deeply(build($FAILS), { reported => $NEWER, error => q{} }, 'or has no room');
}
{
    local %ENV = (%ENV, PATH => "$tree/bin", CC => '/bin/sh');
    ok(!SpawnMeter::Measure::Build::is_built("$tree"), 'trace and true-dynamic are missing');
    executable("$tree/pgms/$_", "#!/bin/sh\n") for qw(trace true-dynamic);
    ok(SpawnMeter::Measure::Build::is_built("$tree"), 'all are newer than the sources');
    state_of($OLD, $NEW);
    ok(!SpawnMeter::Measure::Build::is_built("$tree"), 'one is older');
}

# As after a change of the harness, which make does not link to them
subtest 'targets of --phases are as new as their own source' => sub {
    state_of($NEW, $OLD);
    mkdir "$tree/src/targets";
    executable("$tree/pgms/$_", "#!/bin/sh\n") for qw(true-dynamic start-dynamic);
    utime $OLD - 1, $OLD - 1, spew("$tree/src/targets/$_.c", q{}) for qw(true start);
    utime $OLD, $OLD, map { "$tree/pgms/$_-dynamic" } qw(true start);
    utime $OLD + 1, $OLD + 1, "$tree/VERSION";
    is(build($FAILS, undef, qw(true-dynamic start-dynamic))->{error}, q{}, 'older than VERSION');
    utime $NEW, $NEW, "$tree/src/targets/start.c";
    like(
        build($FAILS, undef, qw(true-dynamic start-dynamic))->{error},
        qr/^the build failed/,
        'older than their source'
    );
};

executable("$tree/pgms/fork", "#!/bin/sh\nprintf 'fork 1\\ncc 12\\n\\033[1mx\\n'\n");
is_deeply([ SpawnMeter::Measure::Build::facts("$tree/pgms/fork") ],
    ['cc 12'], 'facts: printable lines after the first');

subtest 'the unfinished files of make' => sub {
    mkdir "$tree/build";
    mkdir "$tree/build/new";
    spew("$tree/build/new/1-pgms-fork", 'of another make');
    state_of(undef, $OLD);
    build("${QUIET}printf '%s\n' \"\$@\" >\"$tree/called\"\n");
    my ($folder) = slurp_file("$tree/called") =~ /^UNFINISHED=(.+)$/m;
    like($folder, qr/^spawnmeter-\w{8}-tmp-\w{6}$/, 'are in a temporary folder');
    ok(!-e "$tree/build/$folder", 'which is removed');
    ok(-e "$tree/build/new/1-pgms-fork", 'those of another make are left alone');
};

# ---- which folder is a classic tree ----

my $above = Cwd::abs_path("$tree");
mkdir "$above/UnixBench";
mkdir "$above/UnixBench/$_" for qw(pgms testdir);
spew("$above/UnixBench/$_", q{}) for qw(Run Makefile);

subtest 'folder' => sub {
    my $folder = \&SpawnMeter::Measure::Build::tree_folder;
    is($folder->("$above/UnixBench"), "$above/UnixBench", 'a tree');
    is($folder->($above), "$above/UnixBench", 'a folder with a tree in it');
    is(scalar $folder->(q{}), undef, 'an empty argument');
    my $why = 'is not a UnixBench tree, a folder with Run Makefile pgms testdir';
    for my $bad ("$above/UnixBench/pgms", "$above/none", $ROOT) {
        eval { $folder->($bad) };
        is($@, "--classic-tree: '$bad' $why\n", 'another folder, or this suite');
    }
};
done_testing;
