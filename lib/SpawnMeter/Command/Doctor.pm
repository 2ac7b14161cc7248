# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Doctor;

# ./Run doctor: what may disturb or limit a run on this machine, and with -v its facts.
#
#   run(suite) -> exit status

use strict;
use warnings;
use List::Util                  qw(max);
use SpawnMeter::Command::Output qw(print_text);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::Counters qw(state);
use SpawnMeter::Measure::Session  qw(problem_of_room);
use SpawnMeter::Measure::Settings qw(copies_of);
use SpawnMeter::Measure::Sides    qw(pending_words);
use SpawnMeter::Report::Advice    qw(verdict facts_text);
use SpawnMeter::Util::Format      qw(folded visible);

sub run {
    my ($suite) = @_;
    my $machine = SpawnMeter::Machine::Facts::of($suite);
    my $facts = $machine->facts;
    my $copies = max(copies_of($suite->{option}, $facts->{cpus_usable}));
    my $state = state($machine);
    $state->{room} = problem_of_room($copies);
    my $pending = pending_words($suite);    # a state that --set-a or --set-b has set
    print_text(folded(
        q{}, visible($pending) . ': ./Run ab --set-back-now, which waits for a Run that measures'
    ))
        if defined $pending;
    print_text(verdict($facts, $state));
    my $more = "What each run stores of this machine: ./Run doctor -v\n";
    print_text("\n" . ($suite->{option}{verbose} ? facts_text($facts) : $more));
    return 0;
}

1;
