# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::BMF;

# Bencher Metric Format: for each result its rate with the interval, and
# percentiles of the latency.
#
# "throughput" is Bencher's own measure of operations per second and "latency" that of
# nanoseconds; a rate with another unit is a measure of that name.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results of_copies unit number);
use SpawnMeter::Util::File     qw(pretty);

register('bmf', render => \&render);

use constant NS_PER_US => 1000;

sub render {
    my ($export) = @_;
    return pretty(
        { map { ($_->{test} . of_copies('/copies=', $_) => measures($_)) } results($export) });
}

sub measures {
    my ($result) = @_;
    my $unit = lc unit($result);
    my %measures = (
        ($unit eq 'lps' ? 'throughput' : $unit) => {
            value => number($result->{rate}),
            defined $result->{low}  ? (lower_value => number($result->{low}))  : (),
            defined $result->{high} ? (upper_value => number($result->{high})) : (),
        }
    );
    my @latency = map { { value => number($_ * NS_PER_US) } } @{ $result->{latency} || [] };
    @measures{qw(latency latency-p99)} = @latency[ 0, 2 ] if @latency;
    return \%measures;
}

1;
