# SPDX-License-Identifier: GPL-2.0-or-later
# The tool that records runs for the figures of the manual: it measures what it says, in the form
# that recorded.pl reads, and leaves nothing running.
use lib 't/lib', 'bench';
use TestHelp;
use Simulation qw(recorded);

plan skip_all => 'it takes 20 s: with LONG=1' if !$ENV{LONG};

use constant SECONDS => 20;    # after which something hangs

my $folder = scratch();
my @short = qw(--iterations 2 -c 1 --slice 0.02 fork vfork);

sub bench {
    my ($tool, @arguments) = @_;
    return command({}, $^X, "$ROOT/bench/$tool", @arguments);
}

subtest 'record.pl' => sub {
    my $got = bench('record.pl', '--busy', 10, 2, @short);
    is($got->{status}, 0, 'measures') or diag $got->{err};
    my @runs = recorded(spew("$folder/recorded.csv", $got->{out}));
    is(scalar @runs, 2, 'two runs, which the simulation reads');
    is_deeply(
        [ sort map { $_->{test} } @{ $runs[1]{passes} } ],
        [qw(fork fork vfork vfork)],
        'all passes of each'
    );
    like($got->{out}, qr/^# .*busy for 10 of 20 ms/m, 'the head says what was beside it');
    like(bench('record.pl', 'x')->{err}, qr/^usage: record[.]pl/, 'without a number: the usage');
    like(
        bench('record.pl', '--busy', 30, 1)->{err},
        qr/^record[.]pl: --busy: expected 1 to 20 ms, found 30$/m,
        'busy for longer than the period'
    );
    my $failed = bench('record.pl', 1, 'nosuch');
    isnt($failed->{status}, 0, 'a run that fails');
    is($failed->{out}, q{}, 'prints no half of a recording');
};

subtest 'other work' => sub {
    my $script = 'use Beside qw(beside computing); $| = 1; print beside(computing(1, 20)), "\n"';
    open my $from, '-|', $^X, "-I$ROOT/bench", '-e', $script or die "perl: $!\n";
    my ($pid) = <$from> =~ /^(\d+)$/;
    ok($pid, 'is a process') or return;

    # the end of its output, which it has open
    my $bits = q{};
    vec($bits, fileno $from, 1) = 1;
    my $ended = select $bits, undef, undef, SECONDS;
    ok($ended, 'which ends with its parent') or kill 'KILL', $pid;
    close $from                              or die "perl: $?\n";
};

done_testing;
