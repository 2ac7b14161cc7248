# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Store::Samples qw(run_of_samples);

my $HEAD = <<'END';
SPAWNMETER-SAMPLES|1
SUITE|0.4.0
HOST|board
STARTED|1700000000.000|10.000000
ROUNDS|2
SECONDS|0.25
WARMUP|0.025
SEED|1
FACT|cpus_online|4
FACT|cpus_usable|4
CATEGORY|process|Process Benchmarks|fork vfork
TEST|fork|Fork Throughput|process|126.0
END

sub copy {
    my ($number, $count, $gate) = @_;
    return "COPY|$number\nCOUNT|$count|1|lps\nTIME|1.000000\nCPU|0.1|0.1|0.1|0.1\n"
        . "GATE|$gate\nPROGRESS|$gate|500000:$count,500000:0\n";
}
my $PASS = "PASS|fork|1|1|ok|1.2|1.1|1700000001.2\nCOUNTERS|1.1|0.95|0|-\n" . copy(1, 100, 5);
my $TWO = "PASS|fork|2|1|ok|2.4|1.1|1700000002.4\n" . copy(1, 100, 6) . copy(2, 200, '6.25');
my $END = "END|complete\n";

subtest 'samples of a run that was killed' => sub {
    my $folder = scratch();
    my $path = spew("$folder/board.samples.part", "$HEAD$PASS");
    ok(!SpawnMeter::Store::RunFile::load($path)->{complete}, 'are read, by their text');
};

subtest 'a file' => sub {
    my $run = run_of_samples("$HEAD$PASS$TWO$END");
    ok($run->{complete}, 'is complete');
    my ($one, $two) = @{ $run->{passes} };
    is($one->{rate}, 100, 'the rate of one copy');
    is($one->{machine}{busy_elsewhere}, 0.5, 'CPUs in use by others');
    is($one->{machine}{cpu_pressure}, undef, 'a counter that is unknown');

    # both run from 6.25 to 7: the first made 50 in it, the second all of its 200
    is(sprintf('%.3f', $two->{rate}), sprintf('%.3f', 250 / 0.75), 'two copies: the common time');
    is($two->{machine}{gate_spread}, 0.25, 'started apart');
    is_deeply(
        [ map { @{$_}{qw(copies started ended)} } @{ $run->{blocks} } ],
        [ 1, 1700000000.1, 1700000001.2, 2, 1700000001.3, 1700000002.4 ],
        'times of the blocks'
    );
};

subtest 'what a console shows' => sub {
    my $text = "booting\r\nPASS|not yet\r\n" . ("$HEAD$PASS$END" =~ s/\n/\r\n/gr) . "halted\r\n";
    my $folder = scratch();
    my $file = spew("$folder/console.log", $text);
    is(scalar @{ SpawnMeter::Store::RunFile::load($file)->{passes} }, 1, 'is read up to its end');
};

subtest 'a file that was cut short' => sub {
    for my $length (length($HEAD) + 1 .. length "$HEAD$PASS$TWO") {
        my $text = substr "$HEAD$PASS$TWO", 0, $length;
        my $run = eval { run_of_samples($text) };
        next if !$run && $@ =~ /^line \d+: malformed [A-Z]+ line$/;
        next if $run && !$run->{complete} && @{ $run->{passes} } <= 2;
        return fail("cut after $length bytes: " . ($@ || 'read as complete'));
    }
    pass('is incomplete, or malformed in its last line, wherever it is cut');
};

subtest 'malformed lines' => sub {
    my %bad = (
        'PASS|fork|1|1|good|1.2|1.1|17'         => 'malformed PASS line',
        'PASS|spawn|1|1|ok|1.2|1.1|17'          => 'a pass of spawn, which is not one of the tests',
        'SECONDS|soon'                          => 'malformed SECONDS line',
        'TEST|fork'                             => 'malformed TEST line',
        'SPAWNMETER-SAMPLES|1' . "\nCATEGORY|x" => 'malformed CATEGORY line',
    );
    for my $line (sort keys %bad) {
        ok(!eval { run_of_samples("$HEAD$line\n$END"); 1 }, "refused: $line");
        like($@, qr/^line \d+: \Q$bad{$line}\E$/, 'with the number of the line');
    }
    ok(!eval { run_of_samples("SPAWNMETER-SAMPLES|2\n$END"); 1 }, 'another version is refused');
    like($@, qr/^line 1: these samples are in version 2, not 1$/, 'by its number');
    ok(!eval { run_of_samples($HEAD . "\n" x 2_000_001); 1 }, 'too many lines are refused');
    like($@, qr/^more than 2000000 lines$/, 'before they are taken apart');
};

# What is compared with each other: a hostile file must not take minutes
subtest 'limits' => sub {
    my $tests = 64;
    my ($numbers) = slurp_file("$ROOT/portable/run.sh") =~ /at most (\d+) numbers of copies/a;
    my %limit = (
        'tests'             => [ $tests - 1, 'TEST|t%d|T %d|process|1' ],
        'categories'        => [ $tests - 1, 'CATEGORY|c%d|C %d|fork' ],
        'numbers of copies' => [ $numbers, 'PASS|fork|%d|1|failed|1|1|1700000001' ],
    );
    for my $what (sort keys %limit) {
        my ($most, $line) = @{ $limit{$what} };
        my @lines = map { $line =~ s/%d/$_/gr . "\n" } 1 .. $most + 1;
        ok(eval { run_of_samples(join q{}, $HEAD, @lines[ 0 .. $most - 1 ], $END) },
            "as many $what as the bundle writes are read")
            or diag $@;
        ok(!eval { run_of_samples(join q{}, $HEAD, @lines, $END); 1 }, 'one more is not');
        like($@, qr/^line \d+: more than \d+ \Q$what\E$/, 'by the number of the line');
    }
};

done_testing;
