# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::Output::Published;

# The report of a published experiment.
#
#   published(suite, experiment, run, analysis) -> text
#   figures_of(experiment, run, analysis) -> figures of SpawnMeter::Report::Plot: those of each
#       part, with the published points
#   claims_of(experiment, run, points) -> claims of SpawnMeter::Analysis::Published::Claims
#   described(experiment, facts of the machine) -> text of one that was not measured

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Published         qw(figures_beside);
use SpawnMeter::Analysis::Published::Claims qw(judged);
use SpawnMeter::Analysis::Published::Needs  qw(unmet);
use SpawnMeter::Analysis::Published::Sides  qw(sides times_us);
use SpawnMeter::Analysis::Sweep             qw(analysis parts);
use SpawnMeter::Report::Plot;
use SpawnMeter::Report::Published;
use SpawnMeter::Store::RunFile;

our @EXPORT_OK = qw(published figures_of claims_of described);

sub published {
    my ($suite, $experiment, $run, $analysis) = @_;
    my $form = $experiment->{form};
    return SpawnMeter::Report::Published::text(
        $experiment, $run, $analysis,
        parts   => sides($experiment, $run, $analysis->{points}),
        claims  => claims_of($experiment, $run, $analysis->{points}),
        figures => defined $form
        ? figures_beside($form, $run, references($suite, $experiment))
        : undef,
    );
}

sub claims_of {
    my ($experiment, $run, $points) = @_;
    my $facts = $run->{system} || {};
    return judged($experiment, $run, $points, sub { return scalar unmet($_[0], $facts) });
}

sub described {
    my ($experiment, $facts) = @_;
    return SpawnMeter::Report::Published::described(
        $experiment,
        parts  => sides($experiment, undef, {}),
        claims => judged($experiment, undef, {}, sub { return scalar unmet($_[0], $facts) }),
    );
}

sub references {
    my ($suite, $experiment) = @_;
    return
        map { SpawnMeter::Store::RunFile::load("$suite->{root}/results/reference/$_.json") }
        @{ $experiment->{references} };
}

# The names of a part's figures begin with that of the part
sub figures_of {
    my ($experiment, $run, $analysis) = @_;
    my $times = times_us($experiment);
    return SpawnMeter::Report::Plot::figures($run, $analysis, $times)
        if !$run->{sweep}{parts};
    my $part_of = parts($run);
    my @figures;
    for my $name (map { $_->{name} } @{ $run->{sweep}{parts} }) {
        my $own = SpawnMeter::Report::Plot::figures(
            $part_of->{$name},
            analysis($part_of->{$name}),
            [ map { in_part($_, $name) } @{$times} ]
        );
        push @figures, map { { %{$_}, name => "-$name$_->{name}" } } @{$own};
    }
    return \@figures;
}

sub in_part {
    my ($machine, $name) = @_;
    my %times;
    for my $series (keys %{ $machine->{times} }) {
        my $of = $machine->{times}{$series};
        for my $label (grep { /^\Q$name\E / } keys %{$of}) {
            $times{$series}{ $label =~ s/^\Q$name\E //r } = $of->{$label};
        }
    }
    return { machine => $machine->{machine}, times => \%times };
}

1;
