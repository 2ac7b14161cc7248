# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Stall;

# What a text report says of the parent: the time of the creating call alone, and of writes
# to pages that fork has left to both.
#
#   stalls(results) -> a table whose percentiles stand under those of the latencies, a line for
#       each result with FAULT; empty where there is neither

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(duration);

our @EXPORT_OK = qw(stalls);

use constant {
    NAME => 37,    # columns up to the first percentile
    TIME => 7,
};

sub stalls {
    my (@results) = @_;
    my @with = grep { $_->{stall} } @results;
    my $text = q{};
    $text .=
        sprintf("%-*s", NAME, 'STALL: the creating call in the parent')
        . join(q{ }, map { sprintf '%*s', TIME, $_ } qw(p50 p90 p99 p99.9 max)) . "\n"
        if @with;
    $text .= row($_) for @with;
    return $text . join q{}, map { fault($_) } grep { $_->{fault} } @results;
}

sub row {
    my ($result) = @_;
    return
        sprintf("%-*s", NAME, $result->{test})
        . join(q{ }, map { sprintf '%*s', TIME, duration($_) } @{ $result->{stall} }) . "\n";
}

sub fault {
    my ($result) = @_;
    my ($parent, $child) = map { duration($_) } @{ $result->{fault} };
    return "FAULT: $result->{test}: a write to a copied page: $parent in the parent, "
        . "$child in the child\n";
}

1;
