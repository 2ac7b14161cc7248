# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Compare::CSV;

# render(comparison) -> CSV: a row for each test, number of copies and pair of machines

use strict;
use warnings;
use SpawnMeter::Report::Compare::Parts qw(rows);
use SpawnMeter::Report::Escape         qw(ascii csv_line);

my @FIELDS = qw(from to copies test title unit old new ratio low high p adjusted verdict
    steadied steadied_low steadied_high reference);

sub render {
    my ($comparison) = @_;
    my $csv = csv_line(@FIELDS);
    for my $row (rows($comparison)) {
        my $steadied = $row->{steadied} || {};
        $row->{"steadied$_->[1]"} = $steadied->{ $_->[0] }
            for [ ratio => q{} ], [ low => '_low' ], [ high => '_high' ];
        $row->{reference} = $steadied->{reference};
        $csv .= csv_line(map { defined $_ ? ascii($_) : undef } @{$row}{@FIELDS});
    }
    return $csv;
}

1;
