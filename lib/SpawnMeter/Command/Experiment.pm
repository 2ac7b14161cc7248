# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Experiment;

# What a published experiment needs of this machine.
#
#   facts_here(suite) -> { fact => value } of the machine
#   why_not(experiment, facts) -> why it cannot be measured here, or undef
#   print_described(suite, experiment, facts or undef) -> exit status 0: prints the published
#       figures
#   list_all(suite) -> exit status: prints the published experiments; 1 where the file of one is
#       malformed
#   find_tools(cells): an option PATH/NAME becomes the program NAME of the search path; a cell
#       whose target is not installed is marked to be skipped, with the reason.  The value of
#       --mix keeps the commands whose PATH/NAME is installed

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published::Needs qw(unmet);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Command::Output            qw(print_text);
use SpawnMeter::Command::Output::Published qw(described);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Util::Format qw(folded visible_lines);
use SpawnMeter::Util::Programs;

use constant WIDTH => 78;    # columns of a line

our @EXPORT_OK = qw(facts_here why_not print_described find_tools);

sub facts_here {
    my ($suite) = @_;
    return SpawnMeter::Machine::Facts->new(
        binaries => $suite->{binaries},
        tmp      => $suite->{tmp}
    )->facts;
}

sub why_not {
    my ($experiment, $facts) = @_;
    return 'it holds published figures only'
        if !grep { @{ $_->{measures} } } @{ $experiment->{parts} };
    return scalar unmet($experiment->{needs}, $facts);
}

sub print_described {
    my ($suite, $experiment, $facts) = @_;
    $facts ||= facts_here($suite);
    my $why = why_not($experiment, $facts);
    print_text(described($experiment, $facts));
    print "\nNot measured: $why.\n"
        if defined $why && grep { @{ $_->{measures} } } @{ $experiment->{parts} };
    return 0;
}

# The published experiments, whether they can be measured here, and files that are malformed
sub list_all {
    my ($suite) = @_;
    my $facts = facts_here($suite);
    print "Published experiments and figures:\n";
    for my $experiment (@{ SpawnMeter::Catalog::Published::list($suite->{root}) }) {
        my $why = why_not($experiment, $facts);
        printf "  %-22s %s\n", @{$experiment}{qw(name title)};
        print folded(q{ } x 25, "not measured here: $why", WIDTH) if defined $why;
    }
    my @problems = @{ SpawnMeter::Catalog::Published::problems($suite->{root}) };
    print {*STDERR} map { 'Run: ' . visible_lines($_->{why}) } @problems;
    return @problems ? 1 : 0;
}

sub find_tools {
    my ($cells) = @_;
    for my $cell (@{$cells}) {
        my $options = $cell->{options};
        for my $i (0 .. $#{$options}) {
            my ($tool) = $options->[$i] =~ m{^PATH/([\w.-]+)\z};
            if ($i > 0 && $options->[ $i - 1 ] eq '--mix') {
                $options->[$i] = installed_of($options->[$i]);
                $cell->{skip} ||= 'no command of the mix is installed' if $options->[$i] eq q{};
            } elsif (defined $tool) {
                my $path = SpawnMeter::Util::Programs::found($tool);
                if   (defined $path) { $options->[$i] = $path }
                else                 { $cell->{skip} ||= "$tool is not installed" }
            }
        }
    }
    return;
}

# The commands of a mix, without those that are not installed or cannot be written there
sub installed_of {
    my ($mix) = @_;
    my @commands;
    for my $command (split /;/, $mix) {
        my ($tool) = $command =~ m{^PATH/([\w.-]+)};
        my $path = defined $tool ? SpawnMeter::Util::Programs::found($tool) : undef;
        next if defined $tool && (!defined $path || $path =~ /[ +;]/);    # they part words
        $command =~ s{^PATH/[\w.-]+}{$path} if defined $tool;
        push @commands, $command;
    }
    return join q{;}, @commands;
}

1;
