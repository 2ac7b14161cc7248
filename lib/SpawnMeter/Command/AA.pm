# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::AA;

# ./Run aa: how much runs of the same tests differ on this machine.  Measures them twice (A
# and B), interleaved, and then once more (C).
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Command::Output qw(finish);
use SpawnMeter::Command::Run;
use SpawnMeter::Measure::Session qw(measure block);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my $session = SpawnMeter::Command::Run::opened($suite, @names);
    $session->{kind} = 'equals';
    my @copies = @{ $session->{copies} };
    my @interleaved = map { block($session, $_, 'A', 'B') } @copies;
    my @again = map { block($session, $_, 'C') } @copies;
    my ($run, $signal) = measure($session, @interleaved, @again);
    return finish($session, $run, $session->{score_by}, $signal);
}

1;
