# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published;

# The figures of the published experiments, beside those of a run that repeats them.  Each
# experiment has a module with its pure function:
#
#   figures_beside(name of the experiment, run, references) -> what its function returns
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

our @EXPORT_OK = qw(figures_beside tlpi dillon linux_windows times_us);

my %OF = (
    'tlpi-28-3'          => \&tlpi,
    'dillon-2003'        => \&dillon,
    'linux-windows-2012' => \&linux_windows,
);

sub figures_beside {
    my ($name, $run, @references) = @_;
    return $OF{$name}->($run, @references);
}

1;
