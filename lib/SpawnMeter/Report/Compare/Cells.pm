# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::Cells;

# The first column of both tables of a comparison.
#
#   head(copies) -> "2 copies", or "? copies"
#   name(test) -> (line, name): a name that is too long for the column goes into a line of
#       its own, and the column is empty

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape qw(ascii);
use SpawnMeter::Util::Format   qw(copies);

our @EXPORT_OK = qw(head name);

use constant {
    WIDTH => 72,
    NAME  => 11,
};

sub head { my ($copies) = @_; return $copies ? copies($copies) : '? copies' }

sub name {
    my ($test) = @_;
    my $name = ascii($test);
    return (q{}, $name) if length $name <= NAME;
    return (substr($name, 0, WIDTH) . "\n", q{});
}

1;
