# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Explain;

# ./Run explain: what the creation of a process costs on this machine, and why, from the
# newest sweeps of the machine; measures those that are missing.
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Sweep       qw(analysis);
use SpawnMeter::Command::Output::Text qw(finish_text);
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Explain;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;

# A stored sweep is of this machine if these facts agree
my @SAME = qw(architecture cpu_model kernel_release kernel_version cpus_online);

sub run {
    my ($suite) = @_;
    my $here = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
    my $status = 0;
    my %of;
    for my $name (SpawnMeter::Analysis::CostModel::needed()) {
        my $run = stored_sweep($suite, $name, $here);
        if (!$run) {
            my $ended = SpawnMeter::Command::Sweep::measured($suite, $name, no_report => 1);
            $status ||= $ended;
            $run = stored_sweep($suite, $name, $here);
        }
        $of{$name} = { run => $run, analysis => analysis($run) } if $run;
        last if $status > 128;    # stopped by a signal
    }
    my $model = SpawnMeter::Analysis::CostModel::model(\%of);
    my $stored = finish_text($suite, SpawnMeter::Report::Explain::render($model));
    return $status || $stored;
}

# The newest complete sweep of this name on this machine and kernel, or undef
sub stored_sweep {
    my ($suite, $name, $here) = @_;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'sweep')) {
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        next if !$run->{sweep} || $run->{sweep}{name} ne $name || !$run->{complete};
        return $run if !grep { ($here->{$_} || q{}) ne ($run->{system}{$_} || q{}) } @SAME;
    }
    return;
}

1;
