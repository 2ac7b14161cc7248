# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Explain;

# ./Run explain: what the creation of a process costs on this machine, and why, from sweeps
# that were measured together: the newest stored ones of the machine, or new ones.
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Command::Output qw(print_text texts);
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;

# Stored sweeps are of this machine if these facts agree
my @SAME = qw(architecture cpu_model kernel_release kernel_version cpus_online);

sub run {
    my ($suite) = @_;
    my $here = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
    my $run = stored($suite, $here);
    return SpawnMeter::Command::Sweep::measured($suite, 'explain') if !$run;
    my %form = texts($suite, $run);
    print_text($form{q{}}) if !$suite->{option}{quiet};
    return 0;
}

# The newest complete ones on this machine and kernel, or undef
sub stored {
    my ($suite, $here) = @_;
    for my $file (SpawnMeter::Store::Find::newest($suite->{results}, 'sweep')) {
        my $run = eval { SpawnMeter::Store::RunFile::load($file) } or next;
        next if !$run->{sweep} || $run->{sweep}{name} ne 'explain' || !$run->{complete};
        return $run if !grep { ($here->{$_} || q{}) ne ($run->{system}{$_} || q{}) } @SAME;
    }
    return;
}

1;
