# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# A sweep's picture: what plots/sweep.gp is told, and what becomes of the picture.
#
#   arguments(sweep) -> title, axis, number of series, scale (names, log or linear), and
#       where 0 stands on a logarithmic axis
#   inline(svg) -> the picture without what makes it a file of its own
#   as_text(picture in characters) -> lines for a report

use strict;
use warnings;
use List::Util qw(max min);

use constant SPAN => 20;    # values that span more have a logarithmic axis

sub arguments {
    my ($sweep) = @_;
    return (@{$sweep}{qw(title axis)}, scalar @{ $sweep->{series} }, scale($sweep));
}

# 0 stands a quarter of the smallest value's way on a logarithmic axis
sub scale {
    my ($sweep) = @_;
    my @x = @{ $sweep->{x} };
    return ('names', 0) if grep { !defined } @x;
    my @above = grep { $_ > 0 } @x;
    return ('linear', 0) if !@above || max(@above) < SPAN * min(@above);
    return ('log', min(@above) / 4);
}

sub inline { my ($svg) = @_; return $svg =~ s/\A.*?(?=<svg)//sr }

sub as_text { my ($picture) = @_; return "\n" . ($picture =~ s/\f//gr =~ s/ +$//gmr) }

1;
