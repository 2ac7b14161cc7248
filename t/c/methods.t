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
    like($traced->{out}, qr/^PHASE\|total\|/m, "trace $method: its phases") or diag $traced->{err};
}

# Of a creation: what trace notes, in 13 arrays, is not copied by the forks that follow
sub page_faults {
    my (@line) = @_;
    my @all;
    for my $count (500, 1500) {
        my $before = (split q{ }, slurp_file('/proc/self/stat'))[10];    # of children
        command({}, @line, '--count', $count);
        push @all, (split q{ }, slurp_file('/proc/self/stat'))[10] - $before;
    }
    return ($all[1] - $all[0]) / 1000;
}
SKIP: {
    skip 'page faults of Linux', 1 if $^O ne 'linux';
    my $own = page_faults("$ROOT/pgms/trace", qw(--method fork));
    cmp_ok($own, '<', page_faults("$ROOT/pgms/fork") + 12, 'trace fork: its page faults');
}

SKIP: {
    skip 'no /dev/full', 1 if !-w '/dev/full';
    my $full = "'$ROOT/pgms/trace' --method vfork --count 3 >/dev/full";
    is(command({}, 'sh', '-c', $full)->{status}, 1, 'trace: what cannot be written is an error');
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
