# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::AB;

# ./Run ab: measures two states of this machine, A and B, in the same rounds, and reports what
# differs.
#
#   run(suite) -> exit status; with --fail-if-slower 1 where a test of B is slower by at least
#       so much, and otherwise 3 where that is not known of one

use strict;
use warnings;
use SpawnMeter::Analysis::Pairs    qw(summary_of_ab);
use SpawnMeter::Command::Output    qw(finish print_text report_ab);
use SpawnMeter::Command::Selection qw(selected);
use SpawnMeter::Measure::Session   qw(alone block measure open_session planned);
use SpawnMeter::Measure::Sides     qw(add_builds path_of pending sides undo);
use SpawnMeter::Util::Format       qw(visible);

sub run {
    my ($suite) = @_;
    return set_machine_back($suite) if $suite->{option}{'set-back-now'};
    my $plan = opened($suite);
    my @blocks = map { block($plan, $_, @{ $plan->{sides} }) } @{ $plan->{copies} };
    my ($run, $signal) = measure($plan, @blocks);
    my $summary = eval { summary_of_ab($run) };    # the run is stored in any case
    $plan->{summary} = $summary;
    my ($option, $slower) = $suite->{option};
    $plan->{print} = sub {
        $slower = report_ab($suite, $run, $summary);
        return !grep { $option->{$_} } qw(markdown csv json);
    };
    my $status = finish($plan, $run, $signal);
    $status = 3 if $status == 1 && $option->{bisect};    # nothing is known of this commit
    $slower //= report_ab($suite, $run, $summary);
    print {*STDERR} visible("Run: incomplete: $run->{reason}"), "\n" if !$run->{complete};
    return $status || $slower;
}

# Sets the machine back after a Run that was killed.
sub set_machine_back {
    my ($suite) = @_;
    alone($suite, 1);
    my $path = path_of($suite);
    my $pending = pending($path);
    my $why = $pending && undo($path, $pending);
    my $did =
          !$pending     ? 'Nothing is to be set back'
        : !defined $why ? "This machine is set back: $pending->{command}"
        : "--set-back '$pending->{command}': $why; this machine is NOT set back.  Where the command"
        . " cannot succeed, set it back by hand, then remove $path";
    print_text(visible($did) . "\n");
    return defined $why ? 1 : 0;
}

sub opened {
    my ($suite) = @_;
    my $option = $suite->{option};
    my (undef, @names) = @{ $option->{names} };
    my @sides = sides($option);
    my $selected = selected($suite, @names);
    my @tests = @{ $selected->{tests} };
    add_builds(\@sides, \@tests);

    # The programs of a tree are started by its own rules, on both sides alike.
    my @of_tree = map { $_->{name} } grep { $_->{tree} } @tests;
    die "ab: tests of a classic tree cannot have two sides: @of_tree; name others, or unset "
        . "UB_CLASSIC\n"
        if @of_tree;
    my %what = (planned($suite, $selected, paired => 1), kind => 'ab', sides => \@sides);
    $what{set_back} = $option->{'set-back'};
    $what{transition} = SpawnMeter::Measure::Sides->new($suite) if defined $what{set_back};
    return open_session($suite, %what);
}

1;
