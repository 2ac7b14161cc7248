# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::OwnGroups;

# The control groups that the test programs make for their children (--into-cgroup,
# --cgroup-procs), below the groups of Run, which are the same.  A program removes its own, if
# it is not killed.
#
#   claimed() -> the beginning of their names (UB_CGROUP); from then on all groups that begin
#       so are removed with Run

use strict;
use warnings;
use SpawnMeter::Machine::Cgroup qw(own_folders);
use SpawnMeter::Util::Cleanup;

sub claimed {
    my @names = map { SpawnMeter::Util::Cleanup::claim($_) } grep { -w } own_folders(q{});
    return (@names, 'spawnmeter-none')[0];
}

1;
