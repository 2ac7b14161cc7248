# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import::Words
    qw(titles key test_of split_title parts begins_title resembles unit_of name_of);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my $titles = titles($catalog->{tests}, 1);

subtest 'titles and names' => sub {
    is(key('Execl  Throughput'), key('execl throughput'), 'compared without blanks and case');
    is(test_of($titles, 'execl throughput')->{name}, 'execl', 'of the catalog');
    is(test_of($titles, 'Arithmetic Test (type = int)')->{name}, 'int', 'of 4.1, in the catalog');
    is(test_of($titles, 'File Copy (30 seconds)')->{name}, 'file_copy_30_seconds', 'of 3.11');
    is(test_of($titles, 'My Test'), undef, 'of no test');
    is(name_of('My own (test)'), 'my_own_test', 'name of another test');
    is(name_of('***'), 'unnamed', 'without a letter');
    is(test_of($titles, 'Pipe Throughput')->{category}, 'System Benchmarks', 'its index');
};

subtest 'units' => sub {
    my %unit = (
        'File Copy 256 bufsize 500 maxblocks' => 'KBps',
        'Shell Scripts (8 concurrent)'        => 'lpm',
        'Double-Precision Whetstone'          => 'MWIPS',
        '2D graphics: text'                   => 'score',
        '3D graphics: gears'                  => 'fps',
        'Execl Throughput'                    => 'lps',
    );
    is(unit_of($_), $unit{$_}, $_) for sort keys %unit;
};

subtest 'a line that begins with a title' => sub {
    my ($test, $rest) = split_title($titles, 'Pipe Throughput   976217.6 lps');
    is("$test->{name}|$rest", 'pipe|976217.6 lps', 'title and rest');
    ($test, $rest) = split_title($titles, 'Pipe Throughput Test   976217.6 lps');
    is("$test->{title}|$rest", 'Pipe Throughput Test|976217.6 lps', 'the longer title');
    is_deeply([ split_title($titles, 'Pipe Throughputs 1.0 lps') ], [], 'not within a word');
    is_deeply(
        [ parts($titles, '714.2Execl Throughput 43.0 Pipe Throughput 1') ],
        [ '714.2', 'Execl Throughput 43.0 ', 'Pipe Throughput 1' ],
        'several on a line'
    );
    ok(begins_title($titles, 'Dhrystone 2 using'), 'the beginning of a wrapped title');
    ok(!begins_title($titles, 'Dhry'), 'not a few letters');
};

subtest 'titles that resemble one of a test' => sub {
    ok(defined resembles($titles, $_), $_)
        for 'Ppie Throughput', 'Pipe Throughput 908', 'Throughput', 'My Pipe Throughput',
        'File Copy bufsize 2000 maxblocks';
    is(resembles($titles, $_), undef, "not $_") for 'Boot time', 'words', 'Memory Latency';
};
done_testing;
