# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Equals;

# How much equal runs differ, from what is stored.
#
#   of_machines(suite, history => true to use stored runs, too, machines of
#       Analysis::Comparison) -> { usual, equals, source => text } as compare() takes it; a
#       message on standard error where an A/A run is not used
#   history(suite, machine, names of runs to leave out) -> [runs of Analysis::AA] of the
#       stored runs of this machine whose programs did the same work

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::AA          qw(sides side equals problem);
use SpawnMeter::Analysis::Comparison  qw(reduce usual);
use SpawnMeter::Analysis::Fingerprint qw(same_machine same_work);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(visible);

our @EXPORT_OK = qw(of_machines history);

use constant NEWEST => 20;    # stored runs that are read, at most

sub of_machines {
    my ($suite, $history, @machines) = @_;
    my ($name, $runs) = newest_aa($suite, @machines);
    my @stored =
        $history ? @{ history($suite, $machines[0], map { $_->{name} } @machines) } : ();
    my @groups = ($runs ? $runs : (), @stored ? \@stored : ());
    my $equals = equals(@groups);
    my @sources = defined $name ? $name : ();
    push @sources, @stored . ' stored runs' if @stored;
    return {
        usual  => usual(@machines),
        equals => %{$equals} ? $equals : undef,
        source => join(' and ', @sources),
    };
}

# -> (name, [runs]) of the newest A/A run of one of these machines that can be used
sub newest_aa {
    my ($suite, @machines) = @_;
    for my $aa (@{ stored_aa($suite) }) {
        next if !grep { same_machine($aa, $_) } @machines;
        $aa->{sides} ||= sides(SpawnMeter::Store::RunFile::load($aa->{path}));
        $aa->{problem} = problem($aa->{sides}) if !exists $aa->{problem};
        return ($aa->{name}, $aa->{sides}) if !defined $aa->{problem};
        print {*STDERR}
            visible("Run: the A/A run $aa->{name} is not used: $aa->{problem}; "
                . './Run aa makes another'), "\n"
            if !$aa->{reported}++;
    }
    return;
}

# The A/A runs, the newest first.  They are read once for all pairs of a comparison
sub stored_aa {
    my ($suite) = @_;
    return $suite->{stored_aa} ||= [
        map {
            my $run = eval { SpawnMeter::Store::RunFile::load($_) };
            $run ? { name => name_of($_), path => $_, run => { %{$run}, passes => [] } } : ();
        } SpawnMeter::Store::Find::newest($suite->{results}, 'equals')
    ];
}

sub name_of { my ($file) = @_; return $file =~ m{([^/]+)[.]json\z} ? $1 : $file }

sub history {
    my ($suite, $machine, @without) = @_;
    my %without = map { $_ => 1 } @without;
    my @files =
        grep { !$without{ name_of($_) } } SpawnMeter::Store::Find::newest($suite->{results}, 'run');
    my @runs;
    for my $file (@files) {
        last if @runs == NEWEST;
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        next if !$run->{complete};
        my $stored = reduce($run, name_of($file));
        push @runs, side($stored)
            if same_machine($stored, $machine) && same_work($stored, $machine);
    }
    return \@runs;
}

1;
