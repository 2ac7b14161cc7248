# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# The picture of a sweep: the arguments of plots/sweep.gp, and the picture in a report.
#
#   arguments(sweep) -> title, axis, number of series, scale (names, log or linear), and
#       the place of 0 on a logarithmic axis
#   inline(svg) -> the picture without what makes it a file of its own
#   as_text(picture in characters) -> lines for a report

use strict;
use warnings;
use List::Util qw(max min);

use constant SPAN => 20;    # largest over smallest value; above it the axis is logarithmic

sub arguments {
    my ($sweep) = @_;
    return (@{$sweep}{qw(title axis)}, scalar @{ $sweep->{series} }, scale($sweep));
}

# A logarithmic axis has no 0: it is drawn at a quarter of the smallest value
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
