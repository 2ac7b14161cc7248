# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::JSON;

# render(comparison) -> JSON: machines (facts and settings, without passes), rows, stalls of each
# pair, means, differences and how much equal runs differ

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
        spread      => [ map { spread_of($comparison, $_) } 0 .. $#{ $comparison->{spread} } ],
    });
}

sub spread_of {
    my ($comparison, $i) = @_;
    my $spread = $comparison->{spread}[$i];
    my $equals = $spread->{equals} || {};
    my %level = map { $_ => $equals->{$_}{level} } keys %{$equals};
    my %steadied = map { $_ => $equals->{$_}{steadied}{level} }
        grep { $equals->{$_}{steadied} } keys %{$equals};
    return {
        usual    => $spread->{usual},
        limits   => $comparison->{pairs}[$i]{limits},
        source   => $spread->{source},
        levels   => \%level,
        steadied => \%steadied,
    };
}

1;
