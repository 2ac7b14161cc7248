# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Store::Import::Kinds qw(kind_of begins_with_title);

my @CASES = (
    {
        text  => 'BYTE UNIX Benchmarks (Version 5.1.3)',
        kind  => 'suite',
        found => { version => '5.1.3' },
    },
    {
        text  => 'System: host: Linux',
        kind  => 'fact',
        found => { name => 'System', value => 'host: Linux' }
    },
    {
        text  => 'CPU 0: A (1.0 bogomips)',
        kind  => 'cpu',
        found => { number => 0, model => 'A (1.0 bogomips)' }
    },
    {
        text  => 'Benchmark Run: Tue Nov 12 2024 15:00:50 - 15:28:47',
        kind  => 'times',
        found => { date => 'Tue Nov 12 2024', from => '15:00:50', to => '15:28:47' },
    },
    {
        text  => '4 CPUs in system; running 1 parallel copy of tests',
        kind  => 'copies',
        found => { cpus => 4, copies => 1 },
    },
    {
        text  => 'System Benchmarks Index Values   BASELINE   RESULT   INDEX',
        kind  => 'table',
        found => { category => 'System Benchmarks' },
    },
    { text => 'TEST  BASELINE  RESULT  INDEX', kind => 'table of 4.1', found    => {} },
    { text => 'INDEX VALUES', kind                  => 'without figures', found => {} },
    { text => '========', kind                      => 'without figures', found => {} },
    { text => 'Start Benchmark Run: today', kind    => 'without figures', found => {} },
    {
        text  => 'System Benchmarks Index Score (Partial Only)   748.8',
        kind  => 'score',
        found =>
            { category => 'System Benchmarks', partial => ' (Partial Only)', score => '748.8' },
    },
    { text => 'FINAL SCORE   134.4', kind => 'score of 4.1', found => { score => '134.4' } },
    {
        text  => 'Execl Throughput   577.7 lps   (30.0 s, 2 samples)',
        kind  => 'result',
        found => {
            title   => 'Execl Throughput',
            rate    => '577.7',
            unit    => 'lps',
            seconds => '30.0',
            samples => 2
        },
    },
    {
        text  => 'Execl Throughput 577.7 lps',
        kind  => 'result',
        found => { title => 'Execl Throughput', rate => '577.7', unit => 'lps' },
    },
    {
        text  => 'Execl Throughput 43.0 577.7 134.4',
        kind  => 'row',
        found =>
            { title => 'Execl Throughput', baseline => '43.0', rate => '577.7', index => '134.4' },
    },
);

for my $case (@CASES) {
    subtest $case->{text} => sub {
        my ($kind, $found) = kind_of($case->{text});
        is($kind && $kind->{name}, $case->{kind}, 'kind');
        is_deeply($found, $case->{found}, 'parts');
    };
}
is_deeply([ kind_of($_) ], [], "no line of a report: '$_'")
    for q{}, 'hello', 'Execl Throughput', 'Execl Throughput nan lps', '1 2';

subtest 'titles' => sub {
    my $state = { titles => { execlthroughput => {} } };
    ok(begins_with_title($state, 'Execl  throughput 5'), 'a known one');
    ok(!begins_with_title($state, 'An Execl Throughput'), 'not at the beginning');
};
done_testing;
