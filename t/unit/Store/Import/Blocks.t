# SPDX-License-Identifier: GPL-2.0-or-later
# To which run and number of copies the lines of a text belong
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");

# Lines of a report, in short
my %LINE = (
    E => sub { "Execl Throughput   $_[0].0 lps   (30.0 s, 2 samples)" },
    P => sub { "Pipe Throughput   $_[0].0 lps   (10.0 s, 7 samples)" },
    R => sub { 'Execl Throughput   10.0   ' . "$_[0].0   $_[0].0" },
    T => sub { 'System Benchmarks Partial Index   BASELINE   RESULT   INDEX' },
    C => sub { "4 CPUs in system; running $_[0] parallel copies of tests" },
    H => sub { "BYTE UNIX Benchmarks (Version 5.1.3)\nSystem: $_[0]\nOS: Linux -- 6.1" },
    B => sub { "Benchmark Run: Mon Jun 0$_[0] 2026 10:00:00 - 11:00:00" },
);

sub text_of {
    return join "\n", map { /^([A-Z])=(.*)$/ ? $LINE{$1}->($2) : $_ } @_;
}

# "label: copies test rate, ...", a line for each run
sub runs {
    my ($text) = @_;
    my $found = import_reports($text, $catalog->{tests});
    return map {
        my $run = $_;
        (defined $run->{label} ? "$run->{label}: " : q{}) . join ', ',
            map { "$_->{copies} $_->{test} $_->{rate}" } @{ $run->{printed} };
    } @{ $found->{runs} };
}

my @CASES = (
    [
        'a second result after something else',
        [ qw(C=2 E=6), q{-} x 20, 'E=7' ],
        '2 execl 6, 0 execl 7'
    ],
    [ 'the same copies again', [qw(C=1 E=5 ---- C=1 E=6)], '1 execl 5', '1 execl 6' ],
    [
        'a heading, fence and prompt',
        [ '## 6.12', '```console', '$ ./Run', 'E=5', '```', '## 6.18', '```text', 'E=6', '```' ],
        '6.12: 0 execl 5',
        '6.18: 0 execl 6'
    ],
    [
        'of two builds in turn',
        [
            '## x',
            qw(H=a C=1 E=5),
            '## y',
            qw(H=a C=1 E=7),
            '## x',
            qw(H=a C=8 E=6),
            '## y',
            qw(H=a C=8 E=8)
        ],
        'x: 1 execl 5, 8 execl 6',
        'y: 1 execl 7, 8 execl 8'
    ],
    [
        'equal results, the second ones announced',
        [qw(Before: E=5 P=6 After: E=5 P=7)],
        'Before: 0 execl 5, 0 pipe 6',
        'After: 0 execl 5, 0 pipe 7'
    ],
    [
        'copies in words',
        [
            '1 process:', 'E=5', '---', '**2 parallel copies**',
            'E=6', '---', 'running 3 copies of tests', 'E=7'
        ],
        '1 execl 5, 2 execl 6, 3 execl 7'
    ],
    [ 'a report and its quote', [qw(H=a B=1 C=1 E=5 P=6 H=a B=1 C=1 E=5)], '1 execl 5, 1 pipe 6' ],
    [
        'other results at the same times',
        [qw(H=a B=1 C=1 E=5 H=a B=1 C=1 E=6)],
        '1 execl 5',
        '1 execl 6'
    ],
    [
        'the results of another machine',
        [qw(H=a B=1 C=1 E=5 H=b B=1 C=1 E=5)],
        '1 execl 5',
        '1 execl 5'
    ],
    [ 'version 4.1', [ 'BYTE UNIX Benchmarks (Version 4.1.0)', 'E=5' ], '1 execl 5' ],
    [
        'its table', [ 'TEST | Baseline | Result | Index', 'execl|5|5|10', 'FINAL SCORE||||10' ],
        '1 execl 5'
    ],
    [
        'a ranking without copies, whose machines stand in two tables',
        [
            '? copies: Process index of 2 tests',
            'machine place score execl/s fork/s',
            'a 1 584.5 1612 11712',
            'b 2 449.6 1240 9009',
            q{}, 'machine vfork/s',
            'a 30000', 'b 26000',
        ],
        'a: 0 execl 1612, 0 fork 11712, 0 vfork 30000',
        'b: 0 execl 1240, 0 fork 9009, 0 vfork 26000'
    ],
    [
        'a line that only begins as a head of columns',
        [ 'rate +/- x', 'E=5' ],
        'rate +/- x: 0 execl 5'
    ],
    [ 'of two machines they are not', [qw(H=a C=1 E=5 H=b C=8 E=6)], '1 execl 5', '8 execl 6' ],
);
for my $case (@CASES) {
    my ($name, $lines, @expected) = @{$case};
    is_deeply([ runs(text_of(@{$lines})) ], \@expected, $name);
}

# Lines before a table, and the label that they give it
my @LABELS = (
    [ q{}, 'wrapped at 72 columns', 'OS: Linux', '10:00 up 2 days, 2 users, load', 'average: 1' ],
    [ q{}, 'wrapped often', '10:00 up 2 days, 2 users, load', 'average:', '1.0; runlevel' ],
    [ q{}, 'a mail', 'Date: 1 Jun 2026', 'Content-Type: text/plain;', 'charset=utf-8' ],
    [ q{}, 'a part of a mail', '--0000000000a8f61e3f05', 'Content-Transfer-Encoding: 8bit' ],
    [ 'x.log: ', 'a file, by head or tail', '==> x.log <==' ],
    [ 'x: ', 'a colon of full width', "x\x{ff1a}", 'H=a', ('words') x 5 ],
    [ 'old kernel: ', 'a line of its own', 'old kernel', q{=} x 72, 'H=a', ('words') x 5 ],
    [ q{}, 'the end of a sentence', 'This is of the', 'old kernel', q{=} x 72, 'H=a', ('-') x 5 ],
    [ q{}, 'a sentence', 'It is the kernel of today', q{=} x 72, 'H=a', ('-') x 5 ],
    [ q{}, 'a greeting', 'Hi,', q{=} x 72, 'H=a', ('-') x 5 ],
    [ 'x: ', 'a heading behind a head', 'OS: Linux', '## x' ],
    [ q{}, 'a remark of versions before 1.0', '! DISTURBED: fork (5 of 15 passes)', q{-} x 72 ],
    [ q{}, 'another one', 'unsettled: fork +/- 0.9%', q{-} x 72 ],
);
for my $case (@LABELS) {
    my ($label, $name, @lines) = @{$case};
    is_deeply([ runs(text_of(@lines, q{}, 'E=5')) ], ["${label}0 execl 5"], "label: $name");
}

# Rows that begin a block within their table are of this table
is_deeply(
    [ runs(text_of('T=', 'R=5', 'words', 'R=7')) ],
    [ '0 execl 5', 'words: 0 execl 7' ],
    'rows of a table with words between them'
);

# Each result of a test is compared with the others: there is no end of them in a hostile text
my $many =
    import_reports(join("\n", map { "Pipe Throughput $_.5 lps" } 1 .. 101), $catalog->{tests});
is_deeply(
    [ map { $_->{why} } @{ $many->{unread} }[ -1, 0 ] ],
    [ '100 lines have results of its test already', 'another line has another result of its test' ],
    'too many results of a test'
);

# What is recognised and not read is named, with its line
my %FORM = (
    'Execl Throughput   +1.9' =>
        'its numbers have no unit of the suite: they can be rates, indexes or changes',
    'Execl Throughput   1012.4   1234.5' =>
        'its numbers have no unit of the suite: they can be rates, indexes or changes',
    'Copies,Execl Throughput,Pipe Throughput' =>
        'it names a test or unit of the suite, but is not a line of its reports',
    '35252 -23.2% 27071 unixbench.score' =>
        'it names a test or unit of the suite, but is not a line of its reports',
    'Unixbench SPAWN test(lps): 1300' =>
        'it names a test or unit of the suite, but is not a line of its reports',
);
for my $line (sort keys %FORM) {
    my $found = import_reports("words\n$line\n", $catalog->{tests});
    is_deeply(
        $found,
        {
            runs   => [],
            unread => [ { line => 2, text => $line, why => $FORM{$line}, aside => 1 } ]
        },
        $line
    );
}
done_testing;
