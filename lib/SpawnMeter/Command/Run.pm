# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Run;

# ./Run, ./Run measure: measures the tests that are named, at each number of copies.
#
#   run(suite) -> exit status
#   opened(suite, names) -> session of these tests, with { tests, tree, score_by, settings,
#       copies, cpus } in it

use strict;
use warnings;
use SpawnMeter::Command::Output    qw(finish);
use SpawnMeter::Command::Selection qw(selected);
use SpawnMeter::Measure::Session   qw(open_session measure block placed_cpus);
use SpawnMeter::Measure::Settings  qw(check_time settings_of copies_of new_seed);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my $session = opened($suite, @names);
    my ($run, $signal) = measure($session, map { block($session, $_) } @{ $session->{copies} });
    return finish($session, $run, $session->{score_by}, $signal);
}

sub opened {
    my ($suite, @names) = @_;
    my $option = $suite->{option};
    my $selected = selected($suite, @names);
    my $usable = placed_cpus($option->{pin});
    my @copies = copies_of($option, $usable->{count});
    my $settings = settings_of(
        $option,
        cells => @copies * @{ $selected->{tests} },
        cpus  => $usable->{cpus},
        seed  => new_seed(time, $$)
    );
    check_time($option, $settings, scalar @copies, @{ $selected->{tests} })
        if $suite->{needs_interval};
    return open_session(
        $suite, %{$selected},
        settings => $settings,
        copies   => \@copies,
        usable   => $usable->{count},
        cpus     => $usable->{cpus}
    );
}

1;
