# SPDX-License-Identifier: GPL-2.0-or-later
# pgms/tests.list is the only list of methods (the tests of group process): trace, the
# bare loop of make bench and the test programs have them all, and a method that is added
# there without its functions does not build.
use lib 't/lib';
use TestHelp;
use Packaging qw(run_make);

my $list = slurp_file("$ROOT/pgms/tests.list");
my @listed;
for my $line (grep { !/^\s*#/ } split /\n/, $list) {
    my ($name, undef, undef, $groups) = map { s/^\s+|\s+\z//gr } split /[|]/, $line, -1;
    push @listed, $name if ($line =~ tr/|//) > 4 && " $groups " =~ / process /;
}
cmp_ok(scalar @listed, '>=', 6, 'tests.list has the methods');
is(run_make($ROOT, 'methods')->{out}, "@listed\n", 'make methods prints them');

is(run_make($ROOT, 'all', 'build/bare')->{status}, 0, 'trace and the bare loop build');
for my $method (@listed) {
    my $traced = command({}, "$ROOT/pgms/trace", '--method', $method, qw(--count 20));
    is($traced->{status}, 0, "trace $method") or diag $traced->{err};
    like($traced->{out}, qr/^PHASE\|total\|/m, "trace $method: its phases");
    like($traced->{out}, qr/^PHASE\|call to main\(\)\|/m, "trace $method: main() of its target")
        if $method =~ /exec|spawn/;
}

# That of launch is written for glibc 2.34 or newer
push @listed, 'launch' if glibc();
push @listed, 'clone3' if command({}, "$ROOT/pgms/clone3", '--count', 1)->{status} != 77;
for my $method (@listed) {
    my $bare = command({}, "$ROOT/build/bare", $method, '0.02', "$ROOT/pgms/true-dynamic");
    like($bare->{err}, qr/^COUNT\|[1-9]/, "the bare loop of $method");
}

sub glibc {
    my ($version) = command({}, 'getconf', 'GNU_LIBC_VERSION')->{out} =~ /^glibc 2[.](\d+)/;
    return defined $version && $version >= 34;
}

# A method without its functions (make takes no blank in a path: not in the scratch folder)
my $work = 'build/planted';
mkdir "$ROOT/$_" for 'build', $work;
spew("$ROOT/$work/tests.list",
    "$list\nnosuchcall | No Such Call | process | process | long 10 | |\n");
for my $goal ("$work/pgms/trace", "$work/bare") {
    my $got =
        run_make($ROOT, "TESTS_LIST=$work/tests.list", "WORK=$work", "BINDIR=$work/pgms", $goal);
    isnt($got->{status}, 0, "$goal: a method without its function does not build");
    like($got->{err}, qr/nosuchcall/, "$goal: and the compiler names it");
}
done_testing;
