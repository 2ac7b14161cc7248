# SPDX-License-Identifier: GPL-2.0-or-later
# Columns and tables, as lines of reports one after the other
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import::Tables qw(columns);
use SpawnMeter::Store::Import::Words  qw(titles);

my $titles = titles(SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests});

# Lines as texts; of a column: its label or copies
sub streams {
    my ($text) = @_;
    my $number = 0;
    my @lines = map { { number => ++$number, text => $_ } } split /\n/, $text;
    my @streams;
    push @{ $streams[ $_->{stream} // 0 ] }, text_of($_) for columns($titles, @lines);
    return [ grep { defined } @streams ];
}

sub text_of {
    my ($line) = @_;
    return ($line->{unread} ? q{!} : q{}) . $line->{text} if defined $line->{text};
    return defined $line->{label} ? "[$line->{label}]" : "($line->{copies})";
}

my @CASES = (
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
                'Process Creation 2468.9 lps'
            ],
            [ '[Beta]', '(1)', 'Process Creation 3.0 lps' ]
            ],
        'columns of machines and copies, a title with underscores'
    ],
    [
        "Native   Sandbox\nTest   1 copy   2 copies   1 copy   2 copies\n"
            . "execl (lps)   1.0   2.0   3.0   4.0\nspawn   1.0   2.0 3.0   4.0" => [
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
        'names in a line of their own; a row whose columns are not clear'
    ],
    [
        "Test | Value\nexecl | 5.0 lps" => [ ['Execl Throughput 5.0 lps'] ],
        'a column of values has no name'
    ],
    [
        "Test | Old\nexecl | 5\nspawn | x5 lps" => [ [ '!execl | 5', '!spawn | x5 lps' ] ],
        'rows that cannot be read are named'
    ],
    [
        "host | pipe throughput (lps)\na | 5.0" => [ [ '!host | pipe throughput (lps)', 'a 5.0' ] ],
        'tests as columns are named'
    ],
    [
        "Test | Baseline | Result | Index\nexecl | 10.0 | 50.0 | 50.0\n"
            . 'System Benchmarks Index Score | | | 50.0' =>
            [ [ 'Execl Throughput 10.0 50.0 50.0', 'System Benchmarks Index Score 50.0' ] ],
        'an index table and its score, without the head of version 4.1'
    ],
    [
        "Test (lps) | Old | Stdev | 8 CPUs | +/-\n|--+--+--|\n"
            . "execl | 5.0 | 0.1 | 6.0 (+20.0%) | 20 %\nShell1 (lpm) | 7.0 | 0.2 | failed | n/a" =>
            [
            [
                '|--+--+--|', '[Old]',
                'Execl Throughput 5.0 lps', 'Shell Scripts (1 concurrent) 7.0 lpm'
            ],
            [ '[8 CPUs]', 'Execl Throughput 6.0 lps' ]
            ],
        'units of titles; a spread is no rate, nor a size of a machine a number of copies'
    ],
    [
        '||Test||Old||New||'
            . "\n|execl|5 lps|6 lps|" =>
            [ [ '[Old]', 'Execl Throughput 5 lps' ], [ '[New]', 'Execl Throughput 6 lps' ] ],
        'a table of Jira'
    ],
    [
        "Test | Unit | baseline | after change | p\nexecl | lps | 5.0 | 6.0 | 0.03" => [
            [ '[baseline]', 'Execl Throughput 5.0 lps' ],
            [ '[after change]', 'Execl Throughput 6.0 lps' ]
        ],
        'a baseline can be a machine, and a side of a change'
    ],
    [
        "Test | 5.10 (lps) | 6.1 (lps) | 6.1 vs 5.10\nRAM | 8 GB | 9 GB\nexecl | 5.0 | 6.0 | 1" =>
            [
            [ 'RAM 8 GB 9 GB', '[5.10]', 'Execl Throughput 5.0 lps' ],
            [ '[6.1]', 'Execl Throughput 6.0 lps' ]
            ],
        'names that are numbers'
    ],
    [
        "Test | Rate (lps) | Score | Time (s)\nexecl | 5.0 | 7.0 | 30" =>
            [ ['Execl Throughput 5.0 lps'] ],
        'a score beside a rate is none'
    ],
    [
        "ub a | Execl Throughput 5.0 lps (30.0 s, 2 samples)" =>
            [ ['ub a Execl Throughput 5.0 lps (30.0 s, 2 samples)'] ],
        'a line of a report is no head'
    ],
    [
        "System Benchmarks Index Values | Baseline | Result | Index\n"
            . 'System Benchmarks Index Score | | | 50.0' => [ [
            'System Benchmarks Index Values Baseline Result Index',
            'System Benchmarks Index Score 50.0'
            ] ],
        'an index table with its title'
    ],
);

# A mail of the kernel test robot, whose table names two commits and no test
push @CASES,
    [
    "test: shell1\nd398a68e8bcf430e 155213a2aed42c85\n"
        . '149472 -23.2% 114781 +- 12% unixbench.throughput' => [
        [
            'test: shell1',
            'd398a68e8bcf430e 155213a2aed42c85',
            '[d398a68e8bcf430e]',
            'Shell Scripts (1 concurrent) 149472 lpm'
        ],
        [ '[155213a2aed42c85]', 'Shell Scripts (1 concurrent) 114781 lpm' ]
        ],
    'a mail of the kernel test robot'
    ];
is_deeply(streams($_->[0]), $_->[1], $_->[2]) for @CASES;
done_testing;
