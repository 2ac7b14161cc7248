# SPDX-License-Identifier: GPL-2.0-or-later
# The tools that record runs and pairs of runs for the figures of the manual: they measure what
# they say, in the form that recorded.pl and reference.pl read, and leave nothing running.
use strict;
use warnings;
use lib 't/lib', 'bench';
use Test::More;
use Simulation qw(recorded);
use TestHelp;

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

subtest 'reference.pl' => sub {
    plan skip_all => 'needs LD_PRELOAD of the GNU or musl loader' if $^O ne 'linux';
    my ($one, $two) = map { "$folder/$_" } qw(pairs refused);
    my $got = bench('reference.pl', 'slower', 30, 1, $one, @short[ 0 .. $#short - 1 ]);
    is($got->{status}, 0, 'a pair with a planted slowdown') or diag $got->{err};
    like($got->{out}, qr/^1 pair$/m, 'one pair');
    like($got->{out}, qr/^raw +slower by  0 %: +\d of 1 called different/m, 'of one test');
    like(
        bench('reference.pl', 'slower', 30, 1, $two, @short)->{err},
        qr/^slower: measures one test/m,
        'not of two'
    );
    is(scalar(my @files = glob "$folder/pairs/1-[01]/*.json"), 2, 'both runs are stored');
    is(bench('reference.pl', 'measured', "$folder/pairs")->{out},
        $got->{out}, 'the stored ones give the same table');
    like(bench('reference.pl', 'slower', 30)->{err}, qr/^usage: reference[.]pl/, 'the usage');

    my @with_loops = qw(--iterations 2 -c 1 --slice 0.25 fork vfork);
    is(bench('reference.pl', 'pairs', 1, "$folder/kept", @with_loops)->{status}, 0, 'a pair');
    my $kept = bench('reference.pl', 'keep', "$folder/kept")->{out};
    is(scalar(() = $kept =~ /^1,[01],v?fork,/mg), 8, 'keep prints each of its passes');
    unlike($kept, qr/\Q$folder\E/, 'without the folder');
    my $compared = bench('reference.pl', 'kept', spew("$folder/kept.csv", $kept));
    like($compared->{out}, qr/^1 pair$/m, 'kept compares them') or diag $compared->{err};
    my $torn = spew("$folder/torn.csv", $kept =~ s/,\d+\n\z/\n/r);
    like(
        bench('reference.pl', 'kept', $torn)->{err},
        qr{^\Q$torn\E, line \d+: not a pass$}m,
        'a line that was cut off is reported'
    );
    my $other = spew("$folder/other.csv", $kept =~ s/^1,0,/0,0,/mr);
    like(bench('reference.pl', 'kept', $other)->{err}, qr/: not a pass$/m, 'and a pair 0');
};
done_testing;
