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
    my %side = map { (defined $_->{name} ? $_->{name} : q{}) => $_ }
        @{ sides($experiment, $run, $analysis->{points}) };
    return SpawnMeter::Report::Plot::figures(about($run, $side{q{}}),
        of_side($analysis, $side{q{}}), $times)
        if !$run->{sweep}{parts};
    my $part_of = parts($run);
    my @figures;
    for my $name (map { $_->{name} } @{ $run->{sweep}{parts} }) {
        my $own = SpawnMeter::Report::Plot::figures(
            about($part_of->{$name}, $side{$name}),
            of_side(analysis($part_of->{$name}), $side{$name}),
            [ map { in_part($_, $name) } @{$times} ]
        );
        push @figures, map { { %{$_}, name => "-$name$_->{name}" } } @{$own};
    }
    return \@figures;
}

# The run, whose titles are about what was published
sub about {
    my ($run, $side) = @_;
    return { %{$run}, sweep => { %{ $run->{sweep} }, quantity => $side->{measure} } };
}

# The analysis, with the points of what was published where that is not the time of a creation
sub of_side {
    my ($analysis, $side) = @_;
    return $analysis if $side->{measure} eq 'time';
    my %points;
    for my $row (@{ $side->{rows} }) {
        my ($series, $label, $time) = @{$row}{qw(series label time_us)};
        my $point = $analysis->{points}{$series}{$label} or next;
        my $factor = 1 + ($row->{here} && $row->{here}{plus_minus} || 0);    # never below 0
        my @ends = defined $time ? ($time / $factor, $time * $factor) : (undef, undef);
        $points{$series}{$label} =
            { %{$point}, time_us => $time, time_low => $ends[0], time_high => $ends[1] };
    }
    return { %{$analysis}, points => \%points, lines => {} };
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
