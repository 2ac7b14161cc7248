# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use ReportInput qw(result run block);
use SpawnMeter::Report::CSV;

sub rows_of {
    my $csv = SpawnMeter::Report::CSV->new->render(run(@_));
    return map { [ split /,/, $_, -1 ] } split /\n/, $csv;
}

my ($head, @rows) =
    rows_of(block(results => [ result(), result(title => 'Another', latency => undef) ]),
    block(copies => 2, results => [ result(rate => 18_000) ]));
is_deeply(
    [ @{$head}[ 0 .. 3 ] ],
    [ 'Concurrency', 'Another', 'Fork Throughput', 'Another plus/minus %' ],
    'the first columns are those of the classic suite, sorted by title'
);
is_deeply([ map { scalar @{$_} } @rows ], [ map { scalar @{$head} } @rows ], 'rows are as long');
is_deeply([ map { $_->[0] } @rows ], [ 1, 2 ], 'a row for each number of copies');
is($rows[1][1], q{}, 'a test without a result is empty, not 0');
is($rows[1][2], '18000.0', 'a result has one decimal');
my %first;
@first{ @{$head} } = @{ $rows[0] };
is($first{'Another p50 us'}, q{}, 'a missing percentile is empty');
is($first{'Fork Throughput p99.9 us'}, '64.00', 'a percentile');
is($first{'Fork Throughput plus/minus %'}, '0.56', 'the interval in percent');
is_deeply([ rows_of() ], [ ['Concurrency'] ], 'an empty run has a head only');
done_testing;
