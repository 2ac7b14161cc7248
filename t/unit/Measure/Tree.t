# SPDX-License-Identifier: GPL-2.0-or-later
# A classic tree: which folder is one, and how its tests are run.
use lib 't/lib';
use TestHelp;
use Cwd ();
use SpawnMeter::Measure::Build;

my $keep = scratch();
my $tree = Cwd::abs_path("$keep");
mkdir "$tree/UnixBench";
mkdir "$tree/UnixBench/$_" for qw(pgms testdir);
spew("$tree/UnixBench/$_", q{}) for qw(Run Makefile);

subtest 'folder' => sub {
    my $folder = \&SpawnMeter::Measure::Build::tree_folder;
    is($folder->("$tree/UnixBench"), "$tree/UnixBench", 'a tree');
    is($folder->($tree), "$tree/UnixBench", 'a folder with a tree in it');
    is(scalar $folder->(undef), undef, 'no argument');
    is(scalar $folder->(q{}), undef, 'an empty argument');
    for my $bad ("$tree/UnixBench/pgms", "$tree/none") {
        eval { $folder->($bad) };
        is(
            $@,
            "--classic-tree: '$bad' is not a UnixBench tree"
                . " (a folder with Run, Makefile, pgms and testdir)\n",
            'another folder'
        );
    }
    eval { $folder->($ROOT) };
    is(
        $@,
        "--classic-tree: '$ROOT' is SpawnMeter itself; name the folder of a UnixBench tree\n",
        'this suite, which has a Run and the same folders'
    );
};

is_deeply(
    SpawnMeter::Measure::Build::tree_spec(
        '/ub',
        {
            program     => 'dc',
            options     => [qw(SECONDS dc)],
            input       => 'dc.dat',
            environment => { A => 1 }
        },
        0.25
    ),
    {
        program     => '/ub/pgms/dc',
        arguments   => [ 1, 'dc' ],
        gate        => 0,
        pin         => undef,
        folder      => '/ub/testdir',
        environment => { UB_BINDIR => '/ub/pgms', UB_TESTDIR => '/ub/testdir', A => 1 },
        input       => '/ub/testdir/dc.dat',
    },
    'spec: whole seconds, no gate'
);
done_testing;
