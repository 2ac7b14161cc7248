# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Run;

# ./Run, ./Run measure: measures the tests that are named, at each number of copies.  ./Run ab
# measures two states of this machine, A and B, in the same rounds, and reports what differs.
#
#   run(suite) -> exit status.  With --repeat N there are N runs with one label, of which those that
#       are stored already count, and a summary of them all.  ./Run noise is six runs of a third of
#       the time, which count as equal runs of this machine in later comparisons.  Of ab with
#       --fail-if-slower 1 where a test of B is slower by at least so much, and otherwise 3 where
#       that is not known of one

use strict;
use warnings;
use POSIX                          ();
use SpawnMeter::Analysis::Pairs    qw(summary_of_ab);
use SpawnMeter::Analysis::Record   qw(record);
use SpawnMeter::Command::Output    qw(finish print_report print_text group_text report_ab SILENT);
use SpawnMeter::Command::Selection qw(selected stored_run);
use SpawnMeter::Measure::Session   qw(alone block measure open_session planned);
use SpawnMeter::Measure::Sides     qw(add_builds path_of pending sides undo);
use SpawnMeter::Util::Format       qw(visible);

use constant {
    NOISE_RUNS => 6,
    NOISE_TIME => 3.3,    # seconds of a test, a third of a usual run's
};

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    return noise($suite) if $option->{names}[0] eq 'noise';
    return set_machine_back($suite) if $option->{'set-back-now'};
    return two_sides($suite) if $option->{names}[0] eq 'ab';
    return measured($suite) if !defined $option->{repeat};
    die "--repeat needs --label TEXT, the name of these runs\n" if !defined $option->{label};
    return repeated($suite);
}

sub measured {
    my ($suite, %of_group) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my %what = planned($suite, selected($suite, @names));
    my $plan = open_session($suite, %what, map { $_ => $of_group{$_} } qw(kind no_report));
    $plan->{progress}{runs} = $of_group{runs};
    print {*STDERR} $of_group{heading} if defined $of_group{heading};
    my ($run, $signal) = measure($plan, map { block($plan, $_) } @{ $plan->{copies} });
    return finish($plan, $run, $signal);
}

# Measures the runs of one label that are missing, and prints how much all differ.
sub repeated {
    my ($suite, %of_group) = @_;
    my ($runs, $label, $quiet) = @{ $suite->{option} }{qw(repeat label quiet)};
    die "--repeat: UB_OUTPUT_FILE_NAME is the name of one run; unset it\n"
        if defined $ENV{UB_OUTPUT_FILE_NAME};
    my $stored = stored($suite, $label);
    for my $number (@{$stored} + 1 .. $runs) {
        my $heading = $quiet ? undef : "Run $number of $runs, " . visible($label) . "\n";
        my %each = (no_report => 1, heading => $heading, runs => $runs - $number + 1);
        my $status = measured($suite, %of_group, %each);
        next if !$status;
        print {*STDERR} 'Run: the same command with --label ', visible($label),
            " goes on with the runs that are missing\n";
        return $status;
    }
    my ($text, $rows) = group_text($suite, @{ stored($suite, $label) });
    if (($quiet || 0) < SILENT) {
        print_report($suite, $text);
        print_text("\nWith runs of another label, such as new: ./Run compare "
                . visible($label)
                . " new\n")
            if !%of_group;
    }
    return $rows ? 0 : 1;
}

# Measures equal runs
sub noise {
    my ($suite) = @_;
    my %option = (repeat => NOISE_RUNS, %{ $suite->{option} });
    $option{'max-time'} = NOISE_TIME if !grep { $option{$_} } qw(max-time classic quick);
    my $of_noise = record(suite => %{$suite}, option => \%option);
    $option{label} //= POSIX::strftime('noise-%Y-%m-%d-%H%M%S', localtime);
    return repeated($of_noise, kind => 'equals');
}

# -> [complete runs with this label that this command has measured here, the oldest first]
sub stored {
    my ($suite, $label) = @_;
    require SpawnMeter::Store::Find;
    my @files = reverse SpawnMeter::Store::Find::with_label($suite->{results}, $label);
    return [ grep { $_ && $_->{complete} } map { scalar own($suite, $_) } @files ];
}

# -> the run in this file if this command has measured it here
sub own {
    my ($suite, $file) = @_;
    my $run = stored_run($file) or return;
    my (undef, $host, $kernel) = POSIX::uname();
    return if work($run->{command} || q{}) ne work($suite->{command});
    return if ($run->{system}{kernel_release} || $kernel) ne $kernel;
    return ($run->{host} || q{}) eq $host ? $run : undef;
}

sub work { my ($command) = @_; return $command =~ s/ --(?:repeat|label)[= ](?:'[^']*'|\S+)//gr }

# ---- ab ----

sub two_sides {
    my ($suite) = @_;
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
