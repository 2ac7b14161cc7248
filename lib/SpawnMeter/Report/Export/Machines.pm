# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::Machines;

# Lines for the files of machines that ./Run rank reads (Catalog::Machines), without what
# identifies a site.  A posted report has no source: it is to be written into its lines.

use strict;
use warnings;
use SpawnMeter::Catalog::Machines qw(machines_of table);
use SpawnMeter::Report::Export    qw(register);

register('machines', render => \&render, many => 1);

sub render {
    my (@exports) = @_;
    my @machines = map { @{ machines_of(@{$_}{qw(run blocks)}) } } @exports;
    return @machines
        ? table(@machines)
        : die "export: no result with an index on a quiet machine\n";
}

1;
