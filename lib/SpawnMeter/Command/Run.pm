# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Run;

# ./Run, ./Run measure: measures the tests that are named, at each number of copies.
#
#   run(suite) -> exit status.  With --repeat N there are N runs with one label, of which those that
#       are stored already count, and a summary of them all
#   opened(suite, names) -> session of these tests, with { tests, tree, score_by, settings,
#       copies, cpus } in it

use strict;
use warnings;
use SpawnMeter::Analysis::AA         qw(summary);
use SpawnMeter::Analysis::Comparison qw(reduce);
use SpawnMeter::Command::Output      qw(finish print_report SILENT);
use SpawnMeter::Command::Selection   qw(selected);
use SpawnMeter::Measure::Session     qw(open_session measure block placed_cpus);
use SpawnMeter::Measure::Settings    qw(check_time settings_of copies_of new_seed);
use SpawnMeter::Report::AA;
use SpawnMeter::Report::Text;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(visible);

sub run {
    my ($suite) = @_;
    return defined $suite->{option}{repeat} ? repeated($suite) : measured($suite);
}

sub measured {
    my ($suite, %with) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my $session = opened($suite, @names);
    my ($run, $signal) = measure($session, map { block($session, $_) } @{ $session->{copies} });
    return finish({ %{$session}, %with }, $run, $session->{score_by}, $signal);
}

sub repeated {
    my ($suite) = @_;
    my ($runs, $label, $quiet) = @{ $suite->{option} }{qw(repeat label quiet)};
    die "--repeat: UB_OUTPUT_FILE_NAME is the name of one run; unset it\n"
        if defined $ENV{UB_OUTPUT_FILE_NAME};
    my $stored = stored($suite);
    for my $number (@{$stored} + 1 .. $runs) {
        print {*STDERR} "Run $number of $runs, ", visible($label), "\n" if !$quiet;
        my $status = measured($suite, no_report => 1);
        next if !$status;
        print {*STDERR} "Run: the same command goes on with the runs that are missing\n";
        return $status;
    }
    $stored = stored($suite);
    my $text = SpawnMeter::Report::Text->new->header($stored->[-1])
        . SpawnMeter::Report::AA::render(
        summary([ map { reduce($_, $_->{name}) } @{$stored} ], shorter => 1),
        label => $label);
    print_report($suite, $text) if ($quiet || 0) < SILENT;
    return 0;
}

# -> [complete runs that this command has measured, the oldest first]: with this label, whatever
# their number was
sub stored {
    my ($suite) = @_;
    my $command = without_number($suite->{command});
    my @files = SpawnMeter::Store::Find::with_label($suite->{results}, $suite->{option}{label});
    my @runs = grep { $_ } map {
        my $file = $_;
        eval { SpawnMeter::Store::RunFile::load($file) }
    } reverse @files;
    return [ grep { $_->{complete} && without_number($_->{command} || q{}) eq $command } @runs ];
}

sub without_number { my ($command) = @_; return $command =~ s/ --repeat[= ]\S+//r }

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
