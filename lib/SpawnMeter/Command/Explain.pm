# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Explain;

# ./Run explain: what the creation of a process costs on this machine, and why, from sweeps
# that were measured together: the newest stored ones of the machine, or new ones.
#
#   run(suite) -> exit status.  New ones with --again, and with an option that says how to measure

use strict;
use warnings;
use POSIX                              ();
use SpawnMeter::Command::Output        qw(print_text texts SILENT);
use SpawnMeter::Command::Output::Sweep ();
use SpawnMeter::Command::Sweep;
use SpawnMeter::Measure::SpawnCall qw(spawn_call spawn_call_words);
use SpawnMeter::Util::Format       qw(folded visible);

use constant WIDTH => 78;

# Who gives one of these wants a measurement that is made so
my @HOW = qw(again iterations classic quick precision max-time slice seed pin no-reference);

sub run {
    my ($suite) = @_;
    my $anew = grep { defined $suite->{option}{$_} } @HOW;
    my $run = $anew ? undef : stored($suite);
    my $status =
        $run ? printed($suite, $run) : SpawnMeter::Command::Sweep::measured($suite, 'explain');
    my $spawn =
        ($suite->{option}{quiet} || 0) >= SILENT ? q{} : spawn_call_words(spawn_call($suite));
    print_text("\n" . folded(q{  }, $spawn, WIDTH)) if length $spawn;
    return $status;
}

sub stored {
    my ($suite) = @_;
    my $here = SpawnMeter::Command::Output::Sweep::facts_here($suite);
    return SpawnMeter::Command::Sweep::stored($suite, $here, 'explain')->{explain};
}

sub printed {
    my ($suite, $run) = @_;
    my %form = texts($suite, $run);
    return 0 if ($suite->{option}{quiet} || 0) >= SILENT;
    my $when = POSIX::strftime('%Y-%m-%d %H:%M', localtime $run->{started});
    my $what = "Measured on $when, stored as " . visible($run->{name}) . '.';
    print_text($form{q{}} . "\n$what  To measure again: ./Run explain --again\n");
    return 0;
}

1;
