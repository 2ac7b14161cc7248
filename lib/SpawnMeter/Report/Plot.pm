# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot;

# The picture of a sweep: the arguments of plots/sweep.gp, and the picture in a report.
#
#   arguments(sweep) -> title, axis, number of series, scale (names, log or linear), and
#       the place of 0 on a logarithmic axis
#   in_base64(svg) -> the picture for the address of an image
#   as_text(picture in characters) -> lines for a report

use strict;
use warnings;
use List::Util               qw(max min);
use MIME::Base64             ();
use SpawnMeter::Util::Format qw(visible);

use constant SPAN => 20;    # largest over smallest value; above it the axis is logarithmic

sub arguments {
    my ($sweep) = @_;
    return (
        map({ visible($_) } @{$sweep}{qw(title axis)}),
        scalar @{ $sweep->{series} },
        scale($sweep)
    );
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

sub in_base64 { my ($svg) = @_; return MIME::Base64::encode_base64($svg, q{}) }

sub as_text { my ($picture) = @_; return "\n" . ($picture =~ s/\f//gr =~ s/ +$//gmr) }

1;
