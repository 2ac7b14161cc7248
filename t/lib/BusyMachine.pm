# SPDX-License-Identifier: GPL-2.0-or-later
package BusyMachine;

# perl -It/lib -MBusyMachine=N Run ...: N CPUs of this machine are in use all the time, those of the
# copies among them; 0: the machine is idle.  Its real counters are not read.

use strict;
use warnings;
use SpawnMeter::Machine::Counters;

sub import {
    my (undef, $cpus) = @_;
    my $read = \&SpawnMeter::Machine::Counters::read_all;
    no warnings 'redefine';
    *SpawnMeter::Machine::Counters::read_all = sub {
        my $time = $read->(@_)->{time};
        return { time => $time, busy => $cpus * $time, steal => 0, pressure => 0 };
    };
    return;
}

1;
