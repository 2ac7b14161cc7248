# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::GAB;

# JSON for github-action-benchmark's tool customBiggerIsBetter: a list of objects with name,
# unit, value, range and extra.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results number);
use SpawnMeter::Util::Format   qw(copies duration percent);
use SpawnMeter::Util::File     qw(pretty);

register('gab', render => \&render);

sub render {
    my ($export) = @_;
    return pretty([ map { entry($_) } results($export) ]);
}

sub entry {
    my ($result) = @_;
    my %entry = (
        name  => $result->{title} . ', ' . copies($result->{copies}),
        unit  => defined $result->{unit} ? $result->{unit} : 'lps',
        value => number($result->{rate}),
    );
    $entry{range} = '+/- ' . percent($result->{plus_minus}) if defined $result->{plus_minus};
    my $extra = extra($result);
    $entry{extra} = $extra if length $extra;
    return \%entry;
}

sub extra {
    my ($result) = @_;
    my @lines;
    push @lines, "$result->{passes} passes, $result->{flagged} flagged as disturbed"
        if $result->{passes};
    push @lines, 'noisy' if defined $result->{settled} && !$result->{settled};
    push @lines, 'DISTURBED' if $result->{disturbed};
    my $latency = $result->{latency};
    push @lines, 'p50 ' . duration($latency->[0]) . ', p99 ' . duration($latency->[2]) if $latency;
    return join "\n", @lines;
}

1;
