# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Equals;

# Equal runs that are stored.
#
#   of_machines(suite, stored => true to use stored runs, too, [machines of
#       Analysis::Comparison]) -> ([[machines], ...] groups of equal runs of this machine, [names
#       of what they were measured by])
#   history(suite, machine, names of runs to leave out) -> [machines] of the stored runs of this
#       machine whose programs did the same work

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::AA          qw(sides);
use SpawnMeter::Analysis::Comparison  qw(reduce);
use SpawnMeter::Analysis::Fingerprint qw(same_machine same_work);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;

our @EXPORT_OK = qw(of_machines history);

use constant NEWEST => 20;    # stored runs that are read, at most

sub of_machines {
    my ($suite, $with_stored, $machines) = @_;
    my ($name, $runs) = newest_aa($suite, @{$machines});
    my @stored =
        $with_stored ? @{ history($suite, $machines->[0], map { $_->{name} } @{$machines}) } : ();
    my @groups = grep { @{$_} > 1 } $runs || [], \@stored;
    my @names = $runs ? $name : ();
    push @names, @stored . ' stored runs' if @stored > 1;
    return (\@groups, \@names);
}

# -> (name, [machines]) of the newest A/A run of one of these machines
sub newest_aa {
    my ($suite, @machines) = @_;
    for my $aa (@{ stored_aa($suite) }) {
        next if !grep { same_machine($aa, $_) } @machines;
        $aa->{sides} ||= sides(SpawnMeter::Store::RunFile::load($aa->{path}), $aa->{name});
        return ($aa->{name}, $aa->{sides}) if @{ $aa->{sides} } > 1;
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
        push @runs, $stored
            if same_machine($stored, $machine) && same_work($stored, $machine);
    }
    return \@runs;
}

1;
