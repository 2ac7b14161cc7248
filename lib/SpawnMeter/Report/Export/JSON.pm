# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::JSON;

# render(export) -> the run file, as Store::RunFile stores it (Report::Export says what an
# export is)

use strict;
use warnings;
use SpawnMeter::Util::Json qw(encode);

sub render {
    my ($export) = @_;
    return encode($export->{run}) . "\n";
}

1;
