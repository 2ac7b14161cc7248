# SPDX-License-Identifier: GPL-2.0-or-later
# ./Run trace with stand-ins for the tracing program.
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
    like($fork->{out}, qr/^total +40\.0us +42\.0us +60\.0us +100%$/m, 'they are printed');
    is(called(), "--method fork --count 50\n", 'the program is given the method and the number');
    my ($path) = $fork->{out} =~ /^Stored: (.*)/m;
    is(slurp_file($path), $fork->{out} =~ s/^Stored: .*//msr, 'and stored');
    my ($page) = $fork->{out} =~ /^Page: +(.*)/m;
    like(slurp_file($page), qr{<title>One fork takes 40[.]0us here<.*<figure>}s, 'and its page');
    traced('vforkexec');
    is(called(), "--method vforkexec --count 10000\n", 'the target of an exec is its own');
    traced(qw(vforkexec --exec true-static --heap 1G --files 7 --libraries 2));
    is(
        called(),
        "--heap 1G --files 7 --libraries 2 --exec true-static --method vforkexec --count 10000\n",
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

done_testing;
