# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::PassLog;

# The log of a run, NAME.log.
#
#   write_log(handle or undef, cell, outcome of SpawnMeter::Measure::Runner): appends a line that
#       says what was measured, and what the programs printed

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::File qw(write_all);

our @EXPORT_OK = qw(write_log);

sub write_log {
    my ($log, $cell, $outcome) = @_;
    return if !$log;
    my $copies = $cell->{copies} . ($cell->{copies} == 1 ? ' copy' : ' copies');
    my $text = "## $cell->{test}, $copies: $outcome->{status}";
    $text .= ": $outcome->{reason}" if defined $outcome->{reason};
    $text .= ', to be repeated, since Run was stopped meanwhile' if $outcome->{paused};
    write_all($log, join q{}, "$text\n", @{ $outcome->{output} || [] }, "\n");
    return;
}

1;
