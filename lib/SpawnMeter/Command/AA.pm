# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::AA;

# ./Run aa: how much runs of the same tests differ on this machine.  Measures them in pairs of
# short runs, one after the other.
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Analysis::AA    qw(sides summary);
use SpawnMeter::Command::Output qw(finish);
use SpawnMeter::Command::Run;
use SpawnMeter::Measure::Session qw(measure block);

use constant {
    PAIRS => 4,
    SHORT => 4,    # seconds of a test in a short run: 14 passes
};

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    my $given = defined $option->{'max-time'} || $option->{classic} || $option->{quick};
    my $short =
        $given
        ? { %{$suite}, needs_interval => 1 }
        : { %{$suite}, option         => { %{$option}, 'max-time' => SHORT } };
    my $session = SpawnMeter::Command::Run::opened($short, @names);
    $session->{kind} = 'equals';
    my @blocks = map {
        my $side = $_;
        map { block($session, $_, $side) } @{ $session->{copies} }
    } 1 .. 2 * PAIRS;
    my ($run, $signal) = measure($session, @blocks);
    my $status = finish($session, $run, $session->{score_by}, $signal);
    return $status if $status || @{ summary(sides($run, q{}), shorter => 1)->{rows} };
    return 1;    # nothing can be compared
}

1;
