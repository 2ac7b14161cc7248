# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::JSON;

# render(comparison) -> JSON: machines (facts and settings, without passes), rows, stalls of each
# pair, means, differences, how much the runs of the groups differ, and names of equal runs

use strict;
use warnings;
use SpawnMeter::Report::Compare::Parts qw(rows);
use SpawnMeter::Util::Json             qw(pretty);

sub render {
    my ($comparison) = @_;
    my @machines = map { { name => $_->{name}, %{ $_->{run} } } } @{ $comparison->{machines} };
    return pretty({
        machines    => \@machines,
        rows        => [ rows($comparison) ],
        stalls      => [ map { $_->{stalls} } @{ $comparison->{pairs} } ],
        means       => [ map { $_->{means} } @{ $comparison->{pairs} } ],
        references  => [ map { $_->{reference} } @{ $comparison->{pairs} } ],
        differences => $comparison->{differences},
        groups      => [ map { $_->{groups} } @{ $comparison->{pairs} } ],
        equals      => $comparison->{equals},
        margin      => $comparison->{pairs}[0]{margin},
    });
}

1;
