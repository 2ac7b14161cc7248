# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Clock;

# The wall clock.
#
#   wall_clock() -> whole seconds since 1970, negative before; perl's own time() makes a large
#       positive number of a negative one

use strict;
use warnings;
use Exporter 'import';
use POSIX       ();
use Time::HiRes ();

our @EXPORT_OK = qw(wall_clock);

sub wall_clock { return POSIX::floor(Time::HiRes::time()) }

1;
