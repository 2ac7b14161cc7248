# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Doctor;

# ./Run doctor: the facts of this machine, and what may disturb or limit a run on it.
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::State qw(state);
use SpawnMeter::Report::Advice;

sub run {
    my ($suite) = @_;
    my $machine = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    );
    my $facts = $machine->facts;
    my $copies = $suite->{option}{copies};
    my $state = state($machine, $copies ? $copies->[-1] : $facts->{cpus_usable});
    print SpawnMeter::Report::Advice::render($facts, $state);
    return 0;
}

1;
