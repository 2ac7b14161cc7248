# Test programs that misbehave, by way of Run: each fails with its reason, the good ones
# have their results, nothing is left running.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;
use Time::HiRes qw(sleep);

plan skip_all => 'no /proc to tell processes apart by' if !-r '/proc/self/environ';

my %expected = (
    hangs         => qr/timed out after 30 s/,
    pours         => qr/printed too much output/,
    negative      => qr/the test printed a malformed line: COUNT\|-1\|/,
    huge          => qr/the test printed a malformed line: COUNT\|10{40}/,
    garbage       => qr/the test printed: \\x1b\[31mSegmentation fault\\x07/,
    killed        => qr/the test was killed by signal 11/,
    'half-a-line' => qr/the test printed half a line: COUNT\|100\|1/,
);
my @good = qw(good leaves closes escapes);
my $bin = File::Temp->newdir('sb-programs-XXXXXX', TMPDIR => 1);
symlink "$ROOT/t/programs/$_", "$bin/$_"               or die for @good, keys %expected, 'gate.pl';
symlink "$ROOT/pgms/true-dynamic", "$bin/true-dynamic" or die;
my @all = (@good, sort keys %expected);
(my %name) = map { $_ => s/-//gr } @all;
spew(
    "$bin/tests.list",
    "category|process|Process Benchmarks|\ndefault|@name{@all}\n" . join q{},
    map { "$name{$_}|Test $_|process||long 10||$_\n" } @all
);

for my $copies (1, 3) {
    my $run = start({ env => { UB_BINDIR => "$bin" } },
        '-v', '--slice', 0.02, '--max-time', 0.2, '-c', $copies, '--seed', 3,
        $copies == 1 ? () : map { $name{$_} } grep { $_ ne 'hangs' } @all);
    finish($run, 100);
    my $word = $copies == 1 ? '1 copy' : "$copies copies";
    is($run->{status}, 1, "$word: status 1") or diag $run->{err_text};
    for my $fault (sort keys %expected) {
        next if $fault eq 'hangs' && $copies > 1;
        like(
            $run->{out_text},
            qr/^$name{$fault}, $word: failed: $expected{$fault}/m,
            "$fault, $word"
        );
    }
    like($run->{out_text}, qr/^Test $_ +\d/m, "$_, $word: its result is kept") for @good;
    unlike($run->{out_text}, qr/[\x00-\x08\x0b-\x1f]/, 'no escape reaches the report');
    my @left = grep { $_ } gone($run);
    my @files = left_files($run);
    is_deeply([ @left, @files ], [], 'nothing is left');
    my $lost = lost($run);
    is($lost, 0, 'nothing is lost');

    # they were met in one and the same run
    tally("program: $_, $word", 1, $lost, scalar @left, scalar @files)
        for 'forks and leaves', '... leaves its session, too', 'closes its output',
        grep { $copies == 1 || $_ ne 'hangs' } sort keys %expected;
}

# Run is killed, while a program runs that heeds nothing and does not look for its parent
my $killed = start({ env => { UB_BINDIR => "$bin" } }, '-v', '--slice', 0.02, '-c', 2, 'hangs');
my $hung = pick($killed, sub { $_[0]{line} =~ m{/hangs --gate} }, 12);
ok($hung, 'a program hangs')
    or diag slurp_file($killed->{err}), map { "$_->{line}\n" } processes($killed);
sleep 0.5;
kill 'KILL', $killed->{pid};
finish($killed);
my @left = grep { $_ } gone($killed);
my @files = left_files($killed);
is_deeply([ @left, @files ], [], 'nothing of it is left when Run is killed');
my $lost = lost($killed);
is($lost, 0, 'nothing is lost');
tally('SIGKILL to Run while a program hangs', 1, $lost, scalar @left, scalar @files);
done_testing;
