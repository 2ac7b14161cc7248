# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Export::JSON;

# The run file, as Store::RunFile stores it.

use strict;
use warnings;
use SpawnMeter::Report::Export qw(register);
use SpawnMeter::Util::Json     qw(encode);

register('json', render => sub { encode($_[0]{run}) . "\n" }, any => 1);

1;
