# SPDX-License-Identifier: GPL-2.0-or-later
# Columns and tables, as lines of reports one after the other
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import::Columns qw(columns);
use SpawnMeter::Store::Import::Words   qw(titles);

my $titles = titles(SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests});

# Lines as texts; of a column: its label or copies
sub streams {
    my ($text) = @_;
    my $number = 0;
    my @lines = map { { number => ++$number, text => $_ } } split /\n/, $text;
    return [ map { [ map { text_of($_) } @{$_} ] } columns($titles, @lines) ];
}

sub text_of {
    my ($line) = @_;
    return ($line->{unread} ? q{!} : q{}) . $line->{text} if defined $line->{text};
    return
          defined $line->{label}  ? "[$line->{label}]"
        : defined $line->{copies} ? "($line->{copies})"
        :                           $line->{condition};
}

my @CASES = (
    [ "Execl Throughput 1.0 lps\nx" => [ [ 'Execl Throughput 1.0 lps', 'x' ] ], 'one column' ],
    [
        "Execl Throughput 1.0 lps | Execl Throughput 3.0 lps" =>
            [ ['Execl Throughput 1.0 lps'], ['Execl Throughput 3.0 lps'] ],
        'reports side by side'
    ],
    [
        'Execl Throughput 1.0 lps    Execl Throughput 3.0 lps' =>
            [ ['Execl Throughput 1.0 lps'], ['Execl Throughput 3.0 lps'] ],
        'side by side without a mark'
    ],
    [
        "Test | X | Y\n---|---|---\nExecl Throughput | 1 lps | 2 lps\nPipe Throughput | 3 lps |" =>
            [
            [ '[X]', 'Execl Throughput 1 lps', 'Pipe Throughput 3 lps' ],
            [ '[Y]', 'Execl Throughput 2 lps' ]
            ],
        'a column of results for each machine'
    ],
    [
        "Test | X | Y\nExecl Throughput | 1 lps | 2 lps\nAll Index Score | 7.5 | 8" => [
            [ '[X]', 'Execl Throughput 1 lps', 'All Index Score 7.5' ],
            [ '[Y]', 'Execl Throughput 2 lps', 'All Index Score 8' ]
        ],
        'a score for each machine'
    ],
    [
        "Test | Copies | Baseline | Result | Index\nExecl Throughput | 2 | 4.0 | 8.0 | 20.0" =>
            [ [ '(2)', 'Execl Throughput 4.0 8.0 20.0' ] ],
        'columns by their heads, in another order'
    ],
    [
        "Test | Score | Unit | Time | Iters. | Baseline | Index\n"
            . 'Execl Throughput | 8 | lps | 1 s | 3 | 4 | 20' =>
            [ [ 'Execl Throughput 4 8 20', 'Execl Throughput 8 lps (1 s, 3 samples)' ] ],
        'the table of a page'
    ],
    [
        'Execl Throughput 8.0 lps 1.0 s 3 4.0 20.0' =>
            [ [ 'Execl Throughput 4.0 8.0 20.0', 'Execl Throughput 8.0 lps (1.0 s, 3 samples)' ] ],
        'a row of a page, pasted as text'
    ],
    [
        '| Execl Throughput | 1.0 | 2.0 | 3.0 |' => [ ['Execl Throughput 1.0 2.0 3.0'] ],
        'a table of one report'
    ],
    [
        "Benchmark   Unit   Native   Sandbox   Ratio   Overhead\n-----------------\n"
            . "execl   lps   1.0   2.0   2.0   50%\nspawn   lps   3.0   N/A   N/A   N/A" => [
            [ q{-} x 17 ],
            [ '[Native]', 'Execl Throughput 1.0 lps', 'Process Creation 3.0 lps' ],
            [ '[Sandbox]', 'Execl Throughput 2.0 lps' ]
            ],
        'names, a column of units, ratios, and values that are not there'
    ],
    [
        "| Test | Alpha, 1 copy (lps) | Alpha, 2 copies (lps) | Beta, 1 copy (lps) |\n"
            . '| Process_Creation | 1,234.5 | 2 468.9 | 3.0 |' => [
            [
                '[Alpha]', '(1)', 'Process Creation 1,234.5 lps', '(2)',
                'Process Creation 2 468.9 lps'
            ],
            [ '[Beta]', '(1)', 'Process Creation 3.0 lps' ]
            ],
        'columns of machines and copies, a title with underscores'
    ],
    [
        "Native   Sandbox\nTest   1 copy   2 copies   1 copy   2 copies\n(lps)   (lps)\n"
            . "execl   1.0   2.0   3.0   4.0\nspawn   1.0   2.0 3.0   4.0" => [
            [
                'Native   Sandbox',
                '[Native]',
                '(1)',
                'Execl Throughput 1.0 lps',
                '(2)',
                'Execl Throughput 2.0 lps',
                '!spawn   1.0   2.0 3.0   4.0'
            ],
            [ '[Sandbox]', '(1)', 'Execl Throughput 3.0 lps', '(2)', 'Execl Throughput 4.0 lps' ]
            ],
        'names and units in lines of their own; a row whose columns are not clear'
    ],
    [
        "Test   Unit   Old   New\nDhrystone 2 using register   lps   1,000.5   2,000.5\nvariables"
            => [
            [ '[Old]', 'Dhrystone 2 using register variables 1,000.5 lps' ],
            [ '[New]', 'Dhrystone 2 using register variables 2,000.5 lps' ]
            ],
        'a title that is broken over lines'
    ],
    [
        "Test | Old\nexecl | 5\nspawn | x5 lps" => [ [ '!execl | 5', '!spawn | x5 lps' ] ],
        'rows that cannot be read are named'
    ],
    [
        "host | pipe throughput (lps) | spawn\na | 5.0 | 6.0" =>
            [ [ '!host | pipe throughput (lps) | spawn', 'a 5.0 6.0' ] ],
        'tests as columns are named'
    ],
    [
        "Test   Single   Dual\nExecl Throughput   450.4   880.3" =>
            [ ['Execl Throughput   450.4   880.3'] ],
        'numbers whose unit is not said'
    ],
);
is_deeply(streams($_->[0]), $_->[1], $_->[2]) for @CASES;

subtest 'a mail of the kernel test robot' => sub {
    my $mail = <<'END';
test machine: 64 threads 2 sockets, a CPU, 256G memory
nr_task: 50%
test: shell1
d398a68e8b ("before")
155213a2ae ("after")
d398a68e8bcf430e 155213a2aed42c85361bf4f5c81
35252 +- 3% -23.2% 27071 unixbench.score
149472 -23.2% 114781 +- 12% unixbench.throughput
END
    my (undef, @sides) = @{ streams($mail) };
    is_deeply(
        $sides[0],
        [
            '[d398a68e8b "before"]',
            '(32)',
            'System Benchmarks Index Score (Partial Only) 35252',
            'Spread of the score in the text: 3%',
            'Shell Scripts (1 concurrent) 149472 lpm'
        ],
        'the first commit'
    );
    is($sides[1][-1], 'Spread of the throughput in the text: 12%', 'the second commit');
    my $keys = "nr_task/test/testcase:\n25%/spawn/unixbench\n";
    my (undef, $other) = @{ streams($mail =~ s/^(?=d398a68e8bcf)/$keys/mr) };
    is("@{$other}[1, -1]", '(16) Process Creation 149472 lps', 'parameters of one table');
    is_deeply(
        streams('1 2 3 unixbench.score'),
        [ ['1 2 3 unixbench.score'], ['!1 2 3 unixbench.score'] ],
        'another table is named'
    );
    my (undef, @unknown) = @{ streams($mail =~ s/shell1/boot/r) };
    is(scalar @unknown, 2, 'of an unknown test: two sides');
};
done_testing;
