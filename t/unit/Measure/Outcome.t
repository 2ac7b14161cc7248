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
    return { out => $out, dropped => 0, status => $exit << 8, %with };
}
sub killed { my ($signal, $out, %with) = @_; return copy($out, 0, status => $signal, %with) }

my @cases = (
    {
        name   => 'a SKIP line with another exit status',
        copies => [ copy("SKIP|no such call\n", 0) ],
        status => 'failed',
        reason => 'the test printed SKIP, but exited with status 0',
    },
    {
        name   => 'exit status 2: no such option',
        copies => [ copy("x: unknown option --heap\nusage: x\n", 2) ],
        status => 'skipped',
        reason => 'x: unknown option --heap',
    },
    {
        name   => 'an ERROR line about a child that was killed',
        copies => [ copy("ERROR|the child was killed by signal 9\n", 1) ],
        status => 'failed',
        reason => 'the child was killed by signal 9',
        signal => 9,
    },
    {
        name    => 'a copy that fails before the start says more than the others',
        copies  => [ killed(15, q{}, ended_by_run => 1), copy("ERROR|why\n", 1) ],
        problem => { kind => 'gate', reason => 'a copy ended before the start' },
        status  => 'failed',
        reason  => 'why',
    },
    {
        name    => 'a copy that was ended with the pass is not the cause, whatever it printed',
        copies  => [ copy("ERROR|some words\n", 1, ended_by_run => 1), copy($GOOD, 0) ],
        problem => { kind => 'gate', reason => 'a copy ended before the start' },
        status  => 'failed',
        reason  => 'a copy ended before the start',
    },
    {
        name    => 'a copy that others sent SIGTERM is the cause',
        copies  => [ copy("ERROR|x\n", 1, ended_by_run => 1), killed(15, q{}) ],
        problem => { kind => 'gate', reason => 'a copy ended before the start' },
        status  => 'failed',
        reason  => 'the test was killed by signal 15',
        signal  => 15,
    },
    {
        name    => 'a time-out says more than a copy',
        copies  => [ copy("ERROR|why\n", 1), killed(9, q{}, ended_by_run => 1) ],
        problem => { kind => 'timeout', reason => 'timed out after 30 s' },
        status  => 'failed',
        reason  => 'timed out after 30 s',
    },
);
for my $case (@cases) {
    my $got = outcome($case->{copies}, $case->{problem});
    is_deeply(
        { map { $_ => $got->{$_} } qw(status reason signal) },
        { map { $_ => $case->{$_} } qw(status reason signal) },
        $case->{name}
    );
}
like(
    slurp_file("$ROOT/src/harness/child.c"),
    qr/killed by signal %d/,
    'the test programs report a child\'s signal in these words'
);
done_testing;
