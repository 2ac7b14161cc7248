# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Explain;

# ./Run explain: what the creation of a process costs on this machine, and why, from sweeps
# that were measured together: the newest stored ones of the machine, or new ones.
#
#   run(suite) -> exit status.  New ones with --again, and with an option that says how to measure

use strict;
use warnings;
use POSIX                       ();
use SpawnMeter::Command::Output qw(print_text texts);
use SpawnMeter::Command::Sweep;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::SpawnCall qw(spawn_call spawn_call_words);
use SpawnMeter::Store::Find;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Format qw(folded visible);

use constant WIDTH => 78;

# Who gives one of these wants a measurement that is made so
my @HOW = qw(again iterations classic settle quick precision max-time slice seed pin no-reference);

# Stored sweeps are of this machine if these facts agree
my @SAME = qw(architecture cpu_model kernel_release kernel_version cpus_online);

sub run {
    my ($suite) = @_;
    my $here = SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
    my $anew = grep { defined $suite->{option}{$_} } @HOW;
    my $run = $anew ? undef : stored($suite, $here);
    my $status =
        $run ? printed($suite, $run) : SpawnMeter::Command::Sweep::measured($suite, 'explain');
    my $spawn = $suite->{option}{quiet} ? q{} : spawn_call_words(spawn_call($suite));
    print_text("\n" . folded(q{  }, $spawn, WIDTH)) if length $spawn;
    return $status;
}

sub printed {
    my ($suite, $run) = @_;
    my %form = texts($suite, $run);
    return 0 if $suite->{option}{quiet};
    my $when = POSIX::strftime('%Y-%m-%d %H:%M', localtime $run->{started});
    my $what = "Measured on $when, stored as " . visible($run->{name}) . '.';
    print_text($form{q{}} . "\n$what  To measure again: ./Run explain --again\n");
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
