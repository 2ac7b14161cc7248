# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::CSV;

# render(comparison) -> CSV: a row for each test, number of copies and pair of machines

use strict;
use warnings;
use SpawnMeter::Report::Compare::Parts qw(rows);
use SpawnMeter::Report::Escape         qw(ascii csv_line);

my @FIELDS = qw(from to copies test title unit old new ratio low high verdict beside);

sub render {
    my ($comparison) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (rows($comparison)) {
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

1;
