# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import::Items qw(recognise);
use SpawnMeter::Store::Import::Words qw(titles);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my $titles = titles($catalog->{tests});

# Text => its kind, and its parts that matter here
my @CASES = (
    [ 'BYTE UNIX Benchmarks (Version 5.1.3)' => suite => { suite => 'UnixBench 5.1.3' } ],
    [ 'System: host: Linux'                  => fact  => { host  => 'host' } ],
    [
        'System -- Linux host 2.6.2 #1 i686' => fact =>
            { host => 'host', system => { system => 'Linux', kernel_release => '2.6.2' } }
    ],
    [ 'CPU 0: A (1.0 bogomips)' => fact => { system => { cpu_model => 'A' } } ],
    [
        'Benchmark Run: Tue Nov 12 2024 15:00:50 - 15:28:47' => times =>
            { date => 'Tue Nov 12 2024', from => '15:00:50', to => '15:28:47' }
    ],
    [
        '4 CPUs in system; running 1 parallel copy of tests' => copies => { cpus => 4, copies => 1 }
    ],
    [ 'Benchmark Run: 4 CPUs; 2 parallel processes' => copies => { cpus => 4, copies => 2 } ],
    [
        'System Benchmarks Index Values   BASELINE   RESULT   INDEX' => table =>
            { title => 'System Benchmarks' }
    ],
    [ 'TEST  BASELINE  RESULT  INDEX'  => table => { title => '4.1' } ],
    [ 'INDEX VALUES'                   => noise => {} ],
    [ 'Start Benchmark Run: today'     => noise => {} ],
    [ 'Execl Throughput  1 2 3'        => noise => {} ],
    [ 'File I/O   no measured results' => noise => {} ],
    [
        'System Benchmarks Index Score (Partial Only)   748.8' => score =>
            { title => 'System Benchmarks', partial => ' (Partial Only)', score => '748.8' }
    ],
    [ 'FINAL SCORE   134.4'     => score => { score => '134.4', form => '4.1' } ],
    [ 'AVERAGE   82.2'          => score => { score => '82.2', form  => '3.11' } ],
    [ 'SUM of  6 items   493.2' => score => { score => undef, form   => '3.11' } ],
    [
        'Execl Throughput   577.7 lps   (30.0 s, 2 samples)' => result =>
            { rate => '577.7', unit => 'lps', seconds => '30.0', samples => 2 }
    ],
    [
        'Execl Throughput   577.7lps(10.0 secs,10samples)' => result =>
            { rate => '577.7', unit => 'lps', seconds => '10.0', samples => 10 }
    ],
    [ 'Execl Throughput 577.7 lps'         => result => { rate => '577.7', unit     => 'lps' } ],
    [ 'Pipe Throughput 908 100.5 lps'      => result => { rate => '908 100.5', unit => 'lps' } ],
    [ 'Execl Throughput   ---  35.3   ---' => row    => { rate => '35.3' } ],
    [
        'Execl Throughput 43.0 577.7 134.4' => row =>
            { rows => [ { baseline => '43.0', rate => '577.7', index => '134.4' } ] }
    ],
    [ '$ ./Run spawn execl'                => noise => {} ],
    [ '[root@host UnixBench]# ./Run -c 1'  => noise => {} ],
    [ 'me@host:~/UnixBench$ sudo ./Run'    => noise => {} ],
    [ 'sudo LANG=C ./Run -c 1'             => noise => {} ],
    [ '##[group]Run ./Run -c 1'            => noise => {} ],
    [ 'Script started on 2022-03-01 10:00' => noise => {} ],
    [ 'SpawnMeter (Version 1.2.3)'         => suite => { suite => '1.2.3', own => 1 } ],
    [
        'fork  1.0%  9099/s  107us  33.0us  34.0us  63.7us  63.7us  1.23ms !' => says => {
            says => [ {
                test       => 'fork',
                plus_minus => 0.01,
                floor      => 9099,
                cpu_us     => 107,
                latency    => [ 33, 34, 63.7, 63.7, 1230 ],
                disturbed  => 1
            } ]
        }
    ],
);

for my $case (@CASES) {
    my ($text, $name, $parts) = @{$case};
    subtest $text => sub {
        my $item = recognise($titles, $text);
        is($item && $item->{kind}, $name, 'kind');
        is_deeply({ map { $_ => $item->{$_} } keys %{$parts} }, $parts, 'parts');
    };
}
is(recognise($titles, $_), undef, "no line of a report: '$_'")
    for q{}, 'hello', 'Execl Throughput', 'Execl Throughput nan lps', '1 2',
    'Execl Throughput -5.0 lps';
is(recognise($titles, "Execl Throughput \x{0661}2.5 lps"), undef, 'nor with Arabic digits');
done_testing;
