# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Doctor;

# ./Run doctor: the facts of this machine, and what may disturb or limit a run on it.
#
#   run(suite) -> exit status

use strict;
use warnings;
use List::Util qw(max);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::State    qw(state);
use SpawnMeter::Measure::Settings qw(copies_of);
use SpawnMeter::Report::Advice;

sub run {
    my ($suite) = @_;
    my $machine = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    );
    my $facts = $machine->facts;
    my $copies = max(copies_of($suite->{option}, $facts->{cpus_usable}));
    my $state = state($machine, $copies);
    print SpawnMeter::Report::Advice::render($facts, $state);
    return 0;
}

1;
