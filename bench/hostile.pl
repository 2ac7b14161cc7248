#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU seconds to read posted texts that are nothing but lines of one kind.
#
# usage: perl bench/hostile.pl [MB ...]       1 2 5

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../t/lib";
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);
use TestHelp;

die "usage: hostile.pl [MB ...]\n" if grep { !/^\d*[.]?\d+\z/a } @ARGV;
my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");
my @titles = map { $_->{title} } @{ $catalog->{tests} };
my @report = split /^/, slurp_file("$ROOT/t/import/macos.txt");
my @own = split /^/, slurp_file("$ROOT/t/golden/expected/report.text");
my $n = 0;
my %LINE = (
    'prose'  => sub { 'the Benchmarks of a process take what they take and then some' },
    'digits' => sub {
        join q{ }, map { int rand 1e6 } 1 .. 10;
    },
    'tabs'            => sub { "\t" x (1 + $n++ % 9) . "execl\t1" },
    'blanks'          => sub { q{ } x 200 . 'execl' . q{ } x 200 },
    'dashes'          => sub { 'execl ' . q{-} x 300 },
    'bytes'           => sub { "execl \xff\xfe " . chr rand 256 },
    'titles'          => sub { $titles[ rand @titles ] },
    'parts of titles' => sub { substr $titles[ rand @titles ], 0, 3 + rand 12 },
    'results'         => sub { sprintf '%s %.1f lps (9.0 s, 7 samples)', title(), rand 1e6 },
    'index rows'      => sub {
        sprintf '%s %.1f %.1f %.1f', title(), map { rand 1e6 } 1 .. 3;
    },
    'side by side' => sub {
        sprintf 'Execl Throughput %d lps  ' x 2, map { rand 1e6 } 1, 2;
    },
    'headers'          => sub { "4 CPUs in system; running @{[ ++$n ]} parallel copies of tests" },
    'columns'          => sub { "Test  A @{[ $n++ ]}  B\nExecl Throughput  $n.0 lps  5.0 lps" },
    'labelled'         => sub { "w@{[ $n++ ]} : Execl Throughput 43.0 $n.0 667.2" },
    'a robot\'s mail'  => sub { "1234567a 1234567b\n  1.5 3% +4.0% @{[ $n++ ]} unixbench.score" },
    'prefixes'         => sub { "2026-01-01T10:00:00Z h u[@{[ $n++ ]}]: $report[ $n % @report ]" },
    'quotes'           => sub { '> ' x ($n % 40) . $report[ $n++ % @report ] },
    'JSON'             => sub { sprintf '{"test": "%s", "rates": [%d, 2]},', title(), $n++ },
    'cells of a page'  => sub { '<tr><td>Execl Throughput</td><td>' . $n++ },
    'reports'          => sub { $report[ $n++ % @report ] },
    'own reports'      => sub { $own[ $n++ % @own ] },
    'own rows'         => sub { 'execl 2.3% 7104/s 143us 151us 262us 473us 1.52ms 20ms' },
    'one line'         => sub { 'Execl Throughput 12.0 ' x 1000 },
    'a long line each' => sub { 'Pipe Throughput' x 1300 },
);
sub title { return $titles[ rand @titles ] }

for my $kind (sort keys %LINE) {
    for my $mb (@ARGV ? @ARGV : (1, 2, 5)) {
        my $end = $kind eq 'one line' ? q{} : "\n";
        my $text = q{};
        $text .= $LINE{$kind}->() =~ s/\n\z//r . $end while length $text < $mb * 1e6;
        my $begun = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
        import_reports($text, $catalog->{tests});
        printf "%-16s %4s MB %6.1f s\n", $kind, $mb,
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $begun;
    }
}
