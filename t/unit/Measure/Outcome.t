# SPDX-License-Identifier: GPL-2.0-or-later
# Whether a pass is good, and the reason that is reported where it is not: what programs seldom
# do.  t/programs/runner.t starts some that misbehave.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Measure::Runner qw(outcome);

my $GOOD = "COUNT|100|1|lps\nTIME|0.5\n";

# A copy that printed this and exited with this status
sub copy {
    my ($out, $exit, %with) = @_;
    return { out => $out, status => $exit << 8, %with };
}
sub killed { my ($signal, $out, %with) = @_; return copy($out, 0, status => $signal, %with) }

my $EARLY = { reason => 'a copy ended before the start' };
my $LATE = { reason => 'timed out after 30 s', decides => 1 };
my $ENDED = killed(15, q{}, ended_by_run => 1);

# What it is, the expected status and reason, the problem of the pass, its copies
my @CASES = (
    [
        'a SKIP line with another exit status',
        'failed the test printed SKIP, but exited with status 0',
        undef, copy("SKIP|no such call\n", 0)
    ],
    [
        'exit status 2: no such option',
        'skipped x: unknown option --heap',
        undef,
        copy("x: unknown option --heap\nusage: x\n", 2)
    ],
    [
        'an ERROR line about a child that was killed',
        'failed the child was killed by signal 9 (out of memory?)',
        undef,
        copy("ERROR|the child was killed by signal 9\n", 1)
    ],
    [
        'a copy that fails before the start says more than the others',
        'failed why', $EARLY, $ENDED, copy("ERROR|why\n", 1)
    ],
    [
        'a copy that was ended with the pass is not the cause, whatever it printed',
        "failed $EARLY->{reason}",
        $EARLY,
        copy("ERROR|some words\n", 1, ended_by_run => 1),
        copy($GOOD, 0)
    ],
    [
        'a copy that others sent SIGTERM is the cause',
        'failed the test was killed by signal 15',
        $EARLY,
        copy("ERROR|x\n", 1, ended_by_run => 1),
        killed(15, q{})
    ],
    [
        'a time-out says more than a copy',
        "failed $LATE->{reason}",
        $LATE,
        copy("ERROR|why\n", 1),
        killed(9, q{}, ended_by_run => 1)
    ],
);
for my $case (@CASES) {
    my ($name, $expected, $problem, @copies) = @{$case};
    my $got = outcome(\@copies, $problem);
    is("$got->{status} $got->{reason}", $expected, $name);
    is_deeply($got->{results}, [], "$name: no results");
}
like(
    slurp_file("$ROOT/src/harness/child.c"),
    qr/killed by signal %d/,
    'the test programs report a child\'s signal in these words'
);
done_testing;
