# SPDX-License-Identifier: GPL-2.0-or-later
# Test programs that misbehave (t/programs), run by Run with 1 copy and with 3: they hang,
# crash, print garbage, print too much, or leave processes behind.  Each that is at fault
# fails with its reason, the others have their results, the report holds no control
# character, and no process is left, even where Run is killed while a program hangs.
use lib 't/lib';
use TestHelp;
use Faults;
use Time::HiRes qw(sleep);

needs_proc();

my %REASON = (
    hangs         => qr/(?:no end|timed out) after 30 s/,
    pours         => qr/(?:it flooded its|printed too much) output/,
    negative      => qr/printed a malformed line: COUNT\|-1\|/,
    huge          => qr/printed a malformed line: COUNT\|10{40}/,
    garbage       => qr/printed: \\x1b\[31mSegmentation fault\\x07/,
    killed        => qr/killed by signal 11/,
    'half-a-line' => qr/printed an incomplete line: COUNT\|100\|1/,
);
my %GOOD = (
    good    => undef,
    leaves  => 'leaves a child behind',
    escapes => 'leaves a child in another session',
    closes  => 'closes its output',
);
my @programs = ((sort keys %GOOD), sort keys %REASON);
my %name = map { $_ => s/-//gr } @programs;

my $bin = File::Temp->newdir('sm-programs-XXXXXX', TMPDIR => 1);
symlink "$ROOT/t/programs/$_", "$bin/$_"               or die for @programs, 'gate.pl';
symlink "$ROOT/pgms/true-dynamic", "$bin/true-dynamic" or die;
my @lines = map { "$name{$_}|Test $_|process||long 10||$_\n" } @programs;
spew("$bin/tests.list",
    "category|process|Process Benchmarks|\ndefault|@name{@programs}\n" . join q{}, @lines);

for my $copies (1, 3) {

    # a program that hangs takes 30 s: once is enough
    my @run = grep { $copies == 1 || $_ ne 'hangs' } @programs;
    my $word = $copies == 1 ? '1 copy' : "$copies copies";
    subtest "all programs, $word" => sub {
        my $run = finish(
            start(
                { env => { UB_BINDIR => "$bin" } },
                '-v', '--slice', 0.02, '--max-time', 0.2, '-c', $copies, '--seed', 3, @name{@run}
            ),
            100
        );
        is($run->{status}, 1, 'status 1') or diag $run->{err_text};
        for my $program (@run) {
            my $failed = qr/^$name{$program}, $word: failed: /m;
            if ($REASON{$program}) {
                like($run->{out_text}, qr/$failed.*$REASON{$program}/, "$program: the reason");
            } else {
                like($run->{out_text}, qr/^Test $program +\d/m, "$program: its result is kept");
            }
        }
        unlike($run->{out_text}, qr/[\x00-\x08\x0b-\x1f]/, 'no control character in the report');
        my @faults = map { exists $GOOD{$_} ? $GOOD{$_} : $_ } @run;
        check_end([ map { "program: $_, $word" } grep { defined } @faults ], $run);
    };
}

subtest 'SIGKILL to Run while a program hangs' => sub {
    my $run = start({ env => { UB_BINDIR => "$bin" } }, '-v', '--slice', 0.02, '-c', 2, 'hangs');
    ok(pick($run, sub { $_[0]{line} =~ m{/hangs --gate} }, 12), 'the program hangs')
        or diag slurp_file($run->{err}), map { "$_->{line}\n" } processes($run);
    sleep 0.5;
    kill 'KILL', $run->{pid};
    finish($run);
    check_end('SIGKILL to Run while a program hangs', $run);
};
done_testing;
