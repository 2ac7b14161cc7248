# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::GAB;

# JSON for github-action-benchmark's tool customBiggerIsBetter: a list of objects with name,
# unit, value and range.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register results unit number);
use SpawnMeter::Util::Format   qw(copies percent);
use SpawnMeter::Util::File     qw(pretty);

register(
    'gab',
    render => sub {
        pretty([ map { entry($_) } results($_[0]) ]);
    }
);

sub entry {
    my ($result) = @_;
    my $range = $result->{plus_minus};
    return {
        name  => $result->{title} . ', ' . copies($result->{copies}),
        unit  => unit($result),
        value => number($result->{rate}),
        defined $range ? (range => '+/- ' . percent($range)) : (),
    };
}

1;
