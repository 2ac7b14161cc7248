# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::BMF;

# Bencher Metric Format: for each result its rate with the interval, and
# percentiles of the latency.
#
# "throughput" is Bencher's own measure of operations per second and "latency" that of
# nanoseconds; a rate with another unit is a measure of that name.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results of_copies number word);
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
    my $rate = { value => number($result->{rate}) };
    $rate->{lower_value} = number($result->{low}) if defined $result->{low};
    $rate->{upper_value} = number($result->{high}) if defined $result->{high};
    my $unit = defined $result->{unit} ? $result->{unit} : 'lps';
    my %measures = (($unit eq 'lps' ? 'throughput' : lc word($unit)) => $rate);
    my $latency = $result->{latency} or return \%measures;
    $measures{latency} = { value => number($latency->[0] * NS_PER_US) };
    $measures{'latency-p99'} = { value => number($latency->[2] * NS_PER_US) };
    return \%measures;
}

1;
