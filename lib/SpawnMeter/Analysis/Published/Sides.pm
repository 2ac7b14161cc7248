# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Sides;

# The published figures of an experiment beside those of a run that repeats it.  Pure functions.
#
#   sides(experiment, run or undef, points of SpawnMeter::Analysis::Sweep) -> [ { name, title,
#       axis, measure, time => power of time of its figures, rows => [ { series, label => in the
#       part, here => { value, plus_minus, disturbed } or undef, status => of a point without
#       value, or undef, time_us => microseconds of a creation, published => { machine =>
#       { value, second } } } ] } ] for each part
#   times_us(experiment) -> [ { machine, times => { series => { label => microseconds } } } ]: the
#       published times of single creations, for a picture

use strict;
use warnings;
use Exporter 'import';
use List::Util                               qw(max);
use SpawnMeter::Analysis::Interval           qw(median_interval);
use SpawnMeter::Analysis::Published::Claims  qw(figure_of);
use SpawnMeter::Analysis::Published::Samples qw(samples);
use SpawnMeter::Analysis::Stats              qw(median);

our @EXPORT_OK = qw(sides times_us);

sub sides {
    my ($experiment, $run, $points) = @_;
    my $sample = $run ? samples($run, $points) : sub { return };
    return [ map { part($experiment, $_, $sample, $points) } @{ $experiment->{parts} } ];
}

sub part {
    my ($experiment, $part, $sample, $points) = @_;
    my $measure = $part->{quantity} || 'time';
    my $prefix = defined $part->{name} ? "$part->{name} " : q{};
    my @rows;
    for my $cell (cells($experiment, $part, $prefix, $points)) {
        my ($series, $label) = @{$cell};
        my $point = $points->{$series}{$label};
        push @rows,
            {
            series => $series,
            label  => $label =~ s/^\Q$prefix\E//r,
            here => scalar measured($measure, scalar $sample->($measure, $series, $label), $point),
            status    => $point ? $point->{status} : undef,
            published => published($experiment, $measure, $series, $label),
            };
        my $value = $rows[-1]{here} && $rows[-1]{here}{value};
        $rows[-1]{time_us} = $measure eq 'rate' ? 1 / $value : $value if $value;
    }
    return {
        (map { $_ => defined $part->{$_} ? $part->{$_} : $experiment->{$_} } qw(title axis)),
        name    => $part->{name},
        measure => $measure,
        time    => $measure eq 'rate' ? -1 : 1,
        rows    => \@rows,
    };
}

# [series, label]: those that are measured, then those that only have figures, each in the order
# of the file
sub cells {
    my ($experiment, $part, $prefix, $points) = @_;
    my @all;
    for my $measure (@{ $part->{measures} }) {
        my @series = map {
            join q{ }, map { split /,/ } split /:/, $_, 2
        } @{ $measure->{tests} };
        for my $value (map { "$prefix$_" } map { (split /=/, $_, 2)[0] } @{ $measure->{values} }) {
            for my $label (labels($value, $points->{ $series[0] })) {
                push @all, map { [ $_, $label ] } @series;
            }
        }
    }
    push @all, map { [ @{$_}{qw(series label)} ] }
        grep { index($_->{label}, $prefix) == 0 } @{ $experiment->{figures} };
    my %seen;
    return grep { !$seen{"$_->[1] $_->[0]"}++ } @all;
}

# Of a value of the file; of one with POWERS those that this machine has
sub labels {
    my ($value, $points) = @_;
    return $value if $value !~ /\bPOWERS\b/;
    my $pattern = join '(\d+)', map { quotemeta } split /\bPOWERS\b/, $value, 2;
    my %number = map { /^$pattern\z/ ? ($_ => $1) : () } keys %{ $points || {} };
    return sort { $number{$a} <=> $number{$b} } keys %number;
}

sub measured {
    my ($measure, $sample, $point) = @_;
    return if !$sample;
    my $of_point = $measure eq 'time' && $point ? $point->{plus_minus} : undef;
    return {
        value      => scalar median(@{ $sample->{values} }),
        plus_minus => defined $of_point ? $of_point : scalar plus_minus($sample),
        disturbed  => $point && $point->{disturbed},
    };
}

# As that of a point in other reports
sub plus_minus {
    my ($sample) = @_;
    my @values = @{ $sample->{values} };
    my $effective = defined $sample->{effective} ? $sample->{effective} : scalar @values;
    my ($low, $high) = median_interval($effective, @values);
    return if !defined $low;
    my $median = median(@values);
    return max($high - $median, $median - $low) / $median;
}

sub published {
    my ($experiment, $measure, $series, $label) = @_;
    my %of;
    for my $machine (map { $_->{name} } @{ $experiment->{machines} }) {
        my $value = figure_of($experiment, $machine, $measure, $series, $label);
        my @second = grep {
                   $_->{machine} eq $machine
                && $_->{series} eq $series
                && $_->{label} eq $label
                && $_->{second}
        } @{ $experiment->{figures} };
        $of{$machine} = { value => $value, second => scalar @second } if defined $value;
    }
    return \%of;
}

sub times_us {
    my ($experiment) = @_;
    my @all;
    for my $machine (map { $_->{name} } @{ $experiment->{machines} }) {
        my %times;
        for my $figure (grep { $_->{machine} eq $machine } @{ $experiment->{figures} }) {
            my ($measure, $series, $label) = @{$figure}{qw(measure series label)};
            my $value = figure_of($experiment, $machine, $measure, $series, $label);
            $times{$series}{$label} = $measure eq 'rate' ? 1 / $value : $value;
        }
        push @all, { machine => $machine, times => \%times } if %times;
    }
    return \@all;
}

1;
