# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::AB::Parts;

# What the forms of an ab run share.
#
#   side(side record, run or undef) -> what the side is, in words, with the options that the
#       run gives to both
#   change(ratio) -> "+1.25%", or with one decimal from 10 % on
#   interval(row) -> "-0.43..+1.10" in %, or "-"
#   costs(row) -> (CPU time of a creation of A and of B, p50 of A and of B, p99 of A and of B):
#       microseconds, undefined where unknown

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(side change interval costs);

sub side {
    my ($side, $run) = @_;
    my @options = map { @{ $_->{options} || [] } } grep { $_ } $run, $side;
    my @parts;
    push @parts, "after: $side->{set}" if defined $side->{set};
    push @parts, 'started by: ' . join q{ }, @{ $side->{wrap} } if $side->{wrap};
    push @parts, "programs in $side->{programs}" if defined $side->{programs};
    push @parts, join q{ }, @options if @options;
    return @parts ? join '; ', @parts : 'as it is';
}

sub change { my ($ratio) = @_; return number($ratio) . q{%} }

sub number {
    my ($ratio) = @_;
    my $percent = 100 * ($ratio - 1);
    my $decimals = abs $percent < 9.995 ? 2 : abs $percent < 999.5 ? 1 : 0;
    my $text = sprintf "%+.${decimals}f", $percent;
    return $text eq '-0.00' ? '+0.00' : $text;
}

sub interval {
    my ($row) = @_;
    return q{-} if !defined $row->{low};
    return join '..', map { number($_) } @{$row}{qw(low high)};
}

sub costs {
    my ($row) = @_;
    my @sides = map { $_ || {} } @{$row}{qw(a b)};
    my @latency = map { $_->{latency} || [] } @sides;
    return (map({ $_->{cpu_us} } @sides), map({ $_->[0] } @latency), map { $_->[2] } @latency);
}

1;
