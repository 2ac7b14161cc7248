# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Run;

# ./Run, ./Run measure: measures the tests that are named, at each number of copies.
#
#   run(suite) -> exit status.  With --repeat N there are N runs with one label, of which those that
#       are stored already count, and a summary of them all.  ./Run noise is six runs of a third of
#       the time, which count as equal runs of this machine in later comparisons

use strict;
use warnings;
use POSIX                          ();
use SpawnMeter::Analysis::Record   qw(record);
use SpawnMeter::Command::Output    qw(finish print_report print_text group_text SILENT);
use SpawnMeter::Command::Selection qw(selected stored_run);
use SpawnMeter::Measure::Session   qw(block measure open_session planned);
use SpawnMeter::Util::Format       qw(visible);

use constant {
    NOISE_RUNS => 6,
    NOISE_TIME => 3.3,    # seconds of a test, a third of a usual run's
};

sub run {
    my ($suite) = @_;
    my $option = $suite->{option};
    return noise($suite) if $option->{names}[0] eq 'noise';
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

1;
