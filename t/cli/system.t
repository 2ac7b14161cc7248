# SPDX-License-Identifier: GPL-2.0-or-later
# The tests of a classic tree from the command line.
use lib 't/lib';
use TestHelp;
use InProcess;

my $folder = scratch();
my @SHORT = qw(--slice 0.02 --max-time 0.1 -c 1);

sub run_suite {
    my ($env, @arguments) = @_;
    return run_in($ROOT, { env => { UB_RESULTDIR => "$folder/results", %{$env} } }, @arguments);
}

# The source of a program that checks its arguments, and prints a count and a time
sub program {
    my ($tree, $name, $check, $count, $time) = @_;
    spew("$tree/$name.sh", qq{#!/bin/sh\n$check\necho "$count" >&2\necho "TIME|$time" >&2\n});
    return;
}

# A stand-in for a UnixBench tree: two programs that its Makefile builds
sub tree {
    my ($makefile) = @_;
    my $tree = scratch();
    mkdir "$tree/$_" for qw(pgms testdir);
    spew("$tree/Run", q{});
    spew("$tree/Makefile", $makefile);
    program($tree, 'dhry2reg', 'test "$1" = 1 || exit 3', 'COUNT|50000|1|lps', '0.010000');
    program($tree, 'whetstone-double', 'test $# = 0 || exit 3', 'COUNT|7403.897|0|MWIPS', '0.010');
    my $reads = 'read first && test "$first" = 99 || exit 4; test "$*" = "1 dc" || exit 3';
    program($tree, 'looper', $reads, 'COUNT|60|60|lpm', '1.0');
    spew("$tree/testdir/dc.dat", "99\nk\n");
    return $tree;
}
my $good = tree(<<'END');
all:
	for p in dhry2reg whetstone-double looper; do \
		cp $$p.sh pgms/$$p && chmod +x pgms/$$p; \
	done
END

subtest 'a classic tree' => sub {
    my $whole = run_suite({}, @SHORT, qw(--classic-tree), "$good", 'index', 'dc');
    is($whole->{status}, 0, 'a classic tree is built, and its tests run') or diag $whole->{err};
    like($whole->{out}, $_, "it has $_")
        for qr/^Dhrystone 2 using register variables +5000000\.0 lps /m,
        qr/^Double-Precision Whetstone +7403\.9 MWIPS/m,
        qr/^Dc: sqrt\(2\) to 99 decimal places +3600\.0 lpm/m,
        qr/^System Benchmarks Index Score +\d+\.\d$/m;
    my $named = run_suite({ UB_CLASSIC => "$good" }, @SHORT, 'dhry');
    like($named->{out}, qr/^Dhrystone 2/m, 'UB_CLASSIC names it, too');
    says(
        run_suite({ UB_CLASSIC => "$good" }, qw(ab -c 1 -i 6 --b), q{}, qw(dhry2reg fork)),
        qr/^Run: ab: tests of a classic tree cannot have two sides: dhry2reg/m,
        'ab refuses its tests, whose programs no side changes'
    );
};

subtest 'a tree that does not build, and options' => sub {
    my $broken = tree("all:\n\t\@echo 'dhry.c:12: error: too old for this compiler' >&2; exit 1\n");
    my $half = run_suite({}, @SHORT, '--classic-tree', "$broken", qw(dhry2reg pipe));
    is($half->{status}, 0, 'a tree that does not build: the others run');
    like(
        $half->{out},
        qr/^dhry2reg +not measured: the classic tree does not build it: .*too old for this/m,
        'a tree that does not build: its test is skipped, with the compiler\'s output'
    );
    my $log = (sort glob "\Q$folder\E/results/*.log")[-1];
    like(slurp_file($log), qr/too old for this compiler/, 'they are in the log, too');
    like(
        run_suite({}, @SHORT, '--classic-tree', "$good", '--heap', '1M', qw(dhry2reg vfork))->{out},
        qr/^dhry2reg +not measured: a classic tree's test takes no --heap 1M$/m,
        'options are not for a tree\'s own'
    );
};

done_testing;
