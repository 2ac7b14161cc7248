# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run trace with stand-ins for the tracing program and for strace.
use lib 't/lib';
use TestHelp;
use InProcess;

my $tree = small_tree();
my $bin = scratch();

sub traced {
    my (@arguments) = @_;
    return run_in($tree, { env => { PATH => "$bin:/usr/bin:/bin" } }, 'trace', @arguments);
}

my $PHASES = <<'END';
echo "$*" >"$0.called"
echo 'PHASE|fork returns in the parent|20.5|21.0|30.0'
echo 'PHASE|total|40.0|42.0|60.0'
END
executable("$tree/pgms/trace", $PHASES);

sub called { return slurp_file("$tree/pgms/trace.called") }

subtest 'phases' => sub {
    my $fork = traced(qw(fork --count 50));
    is($fork->{status}, 0, 'status 0') or diag $fork->{err};
    like($fork->{out}, qr/^  total +40\.0us +42\.0us +60\.0us +100%$/m, 'they are printed');
    is(called(), "--method fork --count 50\n", 'the program is given the method and the number');
    my ($name) = $fork->{out} =~ /^Stored: .*?([\w.-]+)(?:\s|$)/m;
    my $shown = run_in($tree, {}, 'show', $name);
    is($shown->{out}, $fork->{out} =~ s/^\n*Stored: .*//msr, "show $name: what was stored")
        or diag $shown->{err};
    traced('vforkexec');
    is(called(), "--method vforkexec --count 10000\n", 'the target of an exec is its own');
    traced(qw(vforkexec --exec true-static --heap 1G --files 7 --libraries 2));
    is(
        called(),
        "--heap 1G --files 7 --libraries 2 --method vforkexec --count 10000 --exec true-static\n",
        'or the one that the user names; options of the parent are passed on'
    );
    my $none = qr/^Run: trace fork: it runs no program, so it takes no --exec$/m;
    like(traced(qw(fork --exec true-static))->{err}, $none, 'not for a method without one');
    traced(qw(fork --pin));
    like(called(), qr/^--cpu \d+ --method fork --count 10000$/, '--pin: and the CPU');
};

subtest 'a trace that fails' => sub {
    executable("$tree/pgms/trace", "echo 'ERROR|no clock \e[31m'\nexit 1\n");
    says(traced('fork'), qr/^Run: trace fork failed: no clock \\x1b\[31m$/m, 'visibly', 1);
    executable("$tree/pgms/trace", $PHASES);
};

subtest 'system calls' => sub {
    executable("$bin/strace", <<'END');
while [ "$1" != -o ]; do shift; done
out=$2
while [ "$1" != --count ]; do shift; done
cat >"$out" <<TABLE
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 50.00    0.000100           1 $(( $2 + 3 ))           clone
 25.00    0.000100           1 $(( 2 * $2 + 1 )) 7     wait4
 25.00    0.000100           1         9           mmap
------ ----------- ----------- --------- --------- ----------------
100.00    0.000300           1       999         7 total
TABLE
END
    my $got = traced(qw(fork --syscalls));
    is($got->{status}, 0, 'status 0') or diag $got->{err};
    like($got->{out}, qr/^  clone +1\.00$/m, 'calls of one creation');
    like($got->{out}, qr/^  wait4 +2\.00$/m, 'calls of which some have errors');
    unlike($got->{out}, qr/mmap|^  total +[\d.]+$/m, 'not those of the start and the end');
    executable("$bin/strace", "exit 1\n");
    my $fails = traced(qw(fork --syscalls));
    says($fails, qr/^Run: strace failed: no table of system calls$/m, 'a strace that fails', 1);
    unlink "$bin/strace";
    my $none =
        run_in($tree, { env => { PATH => "$bin" } }, qw(trace fork --syscalls));
    says($none, qr/^Run: strace is not installed: no table/m, 'no strace', 1);
};

done_testing;
