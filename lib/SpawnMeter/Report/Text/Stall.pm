# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Stall;

# What a text report says of the parts of a creation: the time of the creating call alone, of
# the target's start-up by period, and of writes to pages that fork has left to both.
#
#   stalls(results) -> tables whose percentiles stand under those of the latencies, a line for
#       each result with FAULT; empty where there is none of them

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Quantity qw(periods);
use SpawnMeter::Util::Format       qw(duration);

our @EXPORT_OK = qw(stalls);

use constant {
    NAME => 37,    # columns up to the first percentile
    TIME => 7,
};

sub stalls {
    my (@results) = @_;
    my @with = grep { $_->{stall} } @results;
    my $text = q{};
    $text .= head('STALL: the creating call in the parent') if @with;
    $text .= row($_->{test}, $_->{stall}) for @with;
    return $text . starts(grep { $_->{start} } @results) . join q{},
        map { fault($_) } grep { $_->{fault} } @results;
}

sub starts {
    my (@results) = @_;
    my $text = @results ? head('START: the start-up of the target') : q{};
    for my $result (@results) {
        $text .= row("$result->{test} $_", $result->{start}{$_})
            for grep { $result->{start}{$_} } periods();
    }
    return $text;
}

sub head {
    my ($title) = @_;
    return
        sprintf("%-*s", NAME, $title)
        . join(q{ }, map { sprintf '%*s', TIME, $_ } qw(p50 p90 p99 p99.9 max)) . "\n";
}

sub row {
    my ($name, $times) = @_;
    return
        sprintf("%-*s", NAME, $name)
        . join(q{ }, map { sprintf '%*s', TIME, duration($_) } @{$times}) . "\n";
}

sub fault {
    my ($result) = @_;
    my ($parent, $child) = map { duration($_) } @{ $result->{fault} };
    return "FAULT: $result->{test}: a write to a copied page: $parent in the parent, "
        . "$child in the child\n";
}

1;
