# SPDX-License-Identifier: GPL-2.0-or-later
# What is no report of a suite and has its results: output of programs, JSON; and the reasons for
# what is not read.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Analysis::Results qw(results);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $folder = scratch();

sub loaded {
    my ($name, $text) = @_;
    my $found = eval { SpawnMeter::Store::RunFile::load_all(spew("$folder/$name", $text), $tests) };
    return $found || $@ =~ s/\Q$folder\E\///gr;
}

# "test copies rate" of all runs, with the label of each
sub rates {
    my ($found) = @_;
    return $found if !ref $found;
    return [
        map {
            my $run = $_;
            my @of = $run->{printed} ? @{ $run->{printed} } : @{ results($run) };
            map {
                join q{ }, $run->{label} // q{-}, @{$_}{qw(test copies)}, sprintf '%.1f', $_->{rate}
                }
                sort { $a->{copies} <=> $b->{copies} || $a->{test} cmp $b->{test} }
                @of
        } @{ $found->{runs} }
    ];
}

my $START = "COUNT|%d|1|lps\nTIME|10.0\n";
my @TEN = map { sprintf '"%.1f"', 420 + $_ } 0 .. 9;
my @cases = (
    [
        'the output of programs after their commands',
        'log.txt',
        join(q{},
            "\$ ./pgms/spawn 10\n",
            (map { sprintf $START, $_ } 30_010, 30_020, 30_030),
            "\$ UB_BINDIR=./pgms ./pgms/execl 10\n",
            sprintf $START, 9120),
        [ '- execl 1 912.0', '- spawn 1 3002.0' ],
    ],
    [ 'the name of the file', 'board-vfork.txt', sprintf($START, 50_000), ['- vfork 1 5000.0'] ],
    [
        'the VERSION line before any other name', 'spawn.txt',
        sprintf($START, 50_000) . "VERSION|vfork|1.0.0\n", ['- vfork 1 5000.0']
    ],
    [
        'output of an unknown test',
        'board.txt',
        "\n" . sprintf($START, 50_000),
        "board.txt: no run and no report found\n  line 2: which test it is of is not known: keep"
            . " its command, or name the file as the test, such as fork.txt: COUNT|50000|1|lps\n"
    ],
    [
        'a count without its time',
        'fork.txt',
        "COUNT|50000|1|lps\n",
        "fork.txt: no run and no report found\n  line 1: it has no TIME line, and a count is not a"
            . " rate: COUNT|50000|1|lps\n"
    ],
    [
        'raw values of openEuler',
        'raw.json',
        '{"results": {"CPU_core_1unixbench.Execl_Throughput": {"average": 1, "datas": ['
            . join(', ', @TEN)
            . ']}, "CPU_core_4unixbench.Process_Creation": {"datas": ['
            . join(', ', @TEN) . ']}}}',
        [ '- execl 1 424.5', '- spawn 4 424.5' ],
    ],
    [
        'single numbers at titles with units',
        'single.json',
        '{"tool_name": "unixbench", "one": {"Execl Throughput(lps)": 2806.0, "x": 3},'
            . ' "many": {"Execl Throughput(lps)": 9806.5}}',
        [ 'one execl 0 2806.0', 'many execl 0 9806.5' ],
    ],
    [
        'values in a fence of Markdown',
        'fence.md', qq(Values:\n\n```json\n{"Execl Throughput(lps)": ["1.0", "2.0", "3.0"]}\n```\n),
        ['- execl 0 2.0'],
    ],
    [
        'a mean beside its runs is none of them',
        'mean.md',
        "### tuned\n\n| Test (lps) | run 1 | run 2 | avg |\n| execl | 5.0 | 7.0 | 6.0 |\n",
        [ 'tuned execl 0 5.0', 'tuned execl 0 7.0' ],
    ],
    [
        'means of mmtests between other statistics',
        'mmtests.txt',
        join(q{},
            "    old   new\n",
            map { "$_  5.0 (   0.00%)  6.0 *  20.00%*\n" } 'Hmean unixbench-execl-8',
            'Stddev unixbench-execl-8',
            'Hmean unixbench-spawn-8'),
        [
            map { ("$_->[0] execl 8 $_->[1]", "$_->[0] spawn 8 $_->[1]") } [ 'old', '5.0' ],
            [ 'new', '6.0' ]
        ],
    ],
    [
        'results of one test below a heading',
        'runs.txt',
        "6.1:\n" . join(q{}, map { "Execl Throughput  $_.0 lps\n" } 5, 6),
        [ '6.1 execl 0 5.0', '6.1 execl 0 6.0' ],
    ],
    [
        'a result above a row does not name its columns',
        'above.txt',
        "Execl Throughput  5.0 lps\n\n1 X Pipe Throughput : 7.0, 8.0(0.1)\n",
        [ '- execl 0 5.0', '- pipe 1 7.0', '- pipe 1 8.0' ],
    ],
    [
        'versions as the heads of columns',
        'versions.md',
        "| | 6.1 | 6.6 |\n|--|--|--|\n| execl (lps) | 5.0 | 6.0 |\n",
        [ '6.1 execl 0 5.0', '6.6 execl 0 6.0' ],
    ],
    [
        'settings as rows',
        'settings.txt',
        "thp     spawn (lps)   execl (lps)\nalways  8123.0  2901.0\n",
        "settings.txt: no run and no report found\n  line 1: it names a test or unit of the"
            . " suite, but is not a line of its reports: thp     spawn (lps)   execl (lps)\n"
    ],
    [
        'JSON in an unknown layout',
        'other.json',
        '{"host": "a", "fork_ms": 12.3}',
        'other.json: JSON that is neither a run of SpawnMeter nor rates below titles of tests;'
            . " its keys: fork_ms host\n"
    ],
    [
        'three numbers without a head',
        'three.txt',
        "Execl Throughput  1532.0  1716.0  2360.5\n",
        "three.txt: no run and no report found\n  line 1: three numbers, and no head says that they"
            . " are a baseline, a result and an index: Execl Throughput  1532.0  1716.0  2360.5\n"
    ],
    [
        'units in brackets, marks before a number',
        'marks.txt',
        "Execl Throughput (lps) 1532.0\nProcess Creation - 7.0 lps\nPipe Throughput = 8.0 lps\n",
        [ '- execl 0 1532.0', '- pipe 0 8.0', '- spawn 0 7.0' ]
    ],
    [
        'titles with underscores among other words are named',
        'underscores.txt',
        "bench1,execl_throughput,4940.5\n",
        "underscores.txt: no run and no report found\n  line 1: it names a test or unit of the"
            . " suite, but is not a line of its reports: bench1,execl_throughput,4940.5\n"
    ],
    [
        'rows of ./Run ab whose sides are not named',
        'ab.txt',
        "execl    1240/s    1238/s  +0.00%   -0.27..+0.27  same\n",
        "ab.txt: no run and no report found\n  line 1: its columns, or the unit of its numbers, are"
            . " not known: execl    1240/s    1238/s  +0.00%   -0.27..+0.27  same\n"
    ],
    [
        'a key of a list, the trailer of a mail and a line of CI are no labels',
        'keys.txt',
        "- **State**: `pass`\nSigned-off-by: A B <a\@b.c>\nRunning with a runner\n\n"
            . "Execl Throughput 1532.0 lps\n",
        ['- execl 0 1532.0']
    ],
);
for my $case (@cases) {
    my ($name, $file, $text, $expected) = @{$case};
    is_deeply(rates(loaded($file, $text)), $expected, $name);
}
done_testing;
