# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::History::Words;

# What the text and the page of histories share.
#
#   day(machine of Analysis::Comparison) -> "2026-11-22", when its run was measured (UTC)
#   confidence(change of Analysis::History) -> "99.8 %", rounded down

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(day confidence);

use constant MOST => 99.9;    # per cent

sub day {
    my ($machine) = @_;
    my ($day, $month, $year) = (gmtime $machine->{run}{started})[ 3 .. 5 ];
    return sprintf '%04d-%02d-%02d', $year + 1900, $month + 1, $day;
}

sub confidence {
    my ($change) = @_;
    my $percent = int(1000 * (1 - $change->{p})) / 10;
    return $percent >= MOST ? '>99.9 %' : sprintf '%.1f %%', $percent;
}

1;
