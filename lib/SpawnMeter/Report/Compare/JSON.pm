# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::JSON;

# render(comparison) -> JSON: machines (facts and settings, without passes), rows, means,
# differences and the smallest significant differences

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
        means       => [ map { $_->{means} } @{ $comparison->{pairs} } ],
        differences => $comparison->{differences},
        least       => $comparison->{least},
    });
}

1;
