# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published;

# The figures of the published experiments that have a table form of their own, beside those of
# a run that repeats them.  Each form has a module with its pure function:
#
#   figures_beside(name of the form, run, references) -> what its function returns
#   forms() -> [names of the forms]
#
#   tlpi            SpawnMeter::Analysis::Published::Tlpi
#   dillon          SpawnMeter::Analysis::Published::Dillon
#   linux-windows   SpawnMeter::Analysis::Published::LinuxWindows

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Dillon       qw(dillon);
use SpawnMeter::Analysis::Published::LinuxWindows qw(linux_windows);
use SpawnMeter::Analysis::Published::Tlpi         qw(tlpi);

our @EXPORT_OK = qw(figures_beside forms);

my %OF = (
    'tlpi'          => \&tlpi,
    'dillon'        => \&dillon,
    'linux-windows' => \&linux_windows,
);

sub forms { return [ sort keys %OF ] }

sub figures_beside {
    my ($name, $run, @references) = @_;
    return $OF{$name}->($run, @references);
}

1;
