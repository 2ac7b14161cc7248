# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published;

# The figures of the published experiments, beside those of a run that repeats them.  Each
# experiment has a module with its pure function:
#
#   tlpi(run, reference)             SpawnMeter::Analysis::Published::Tlpi
#   dillon(run, reference)           SpawnMeter::Analysis::Published::Dillon
#   linux_windows(run, references)   SpawnMeter::Analysis::Published::LinuxWindows
#   times_us(name, run, references)  SpawnMeter::Analysis::Published::Times

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Dillon       qw(dillon);
use SpawnMeter::Analysis::Published::LinuxWindows qw(linux_windows);
use SpawnMeter::Analysis::Published::Times        qw(times_us);
use SpawnMeter::Analysis::Published::Tlpi         qw(tlpi);

our @EXPORT_OK = qw(tlpi dillon linux_windows times_us);

1;
