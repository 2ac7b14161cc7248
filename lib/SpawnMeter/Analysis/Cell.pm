# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Cell;

# The passes of a cell, and what they say of its rate: while it is measured, and of a stored run.
#
#   new([passes], chosen => true where all good passes count) -> cell: { passes => [good ones],
#       bad => [others], reasons => [those of each good pass], sound => [those that count], summary
#       => of these (Stats::Estimate) };  add(passes) adds some
#   series(true where their rates depend on the reference loops) -> (name of the loops or undef, [ {
#       at, y => log of the rate, x, x2 => speed of the loops beside it and its two readings where
#       they are known } ] of those that count)
#   rate(true for the classic suite's rule) -> the headline: their median; that rule takes all
#   estimates_of({ key => cell } of the same rounds, correlation or undef for the mean of theirs) ->
#       { key => estimate }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Disturbance qw(flags sound);
use SpawnMeter::Analysis::Quantity    qw(beside);
use SpawnMeter::Stats::Estimate       qw(of_summaries summary);
use SpawnMeter::Stats::Numbers        qw(geometric_mean median);

our @EXPORT_OK = qw(estimates_of);

sub new {
    my ($class, $passes, %with) = @_;
    my $self = bless { %with, passes => [], bad => [] }, $class;
    $self->add(@{$passes});
    return $self;
}

sub add {
    my ($self, @passes) = @_;
    my $all = $self->{passes};
    push @{ $_->{status} eq 'ok' ? $all : $self->{bad} }, $_ for @passes;
    my @reasons = flags($all);
    my $sound = $self->{chosen} ? $all : sound($all, [ map { scalar @{$_} } @reasons ]);
    my @counting = grep { $_->{rate} > 0 } @{$sound};
    $self->{summary} = summary([ map { log $_->{rate} } @counting ]);
    @{$self}{qw(reasons sound)} = (\@reasons, $sound);
    return;
}

# Passes of a posted text have no time
sub series {
    my ($self, $is_related) = @_;
    my @passes = @{ $self->{sound} };
    my ($where, @points) = $is_related ? beside(\@passes) : ();
    my @series = map {
        my ($at, $rate) = ($passes[$_]{at} // $_, $passes[$_]{rate});
        $rate > 0 ? $points[$_] || { at => $at, y => log $rate } : ()
    } 0 .. $#passes;
    return ($where, \@series);
}

# The classic suite's is the geometric mean without the worst third (by rate: its driver drops by
# count)
sub rate {
    my ($self, $is_classic) = @_;
    return median(map { $_->{rate} } @{ $self->{sound} }) if !$is_classic;
    my @s = sort { $b <=> $a } map { $_->{rate} } @{ $self->{passes} };
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

sub estimates_of {
    my ($cells, $correlation) = @_;
    my @known = grep { $cells->{$_}{summary} } keys %{$cells};
    return of_summaries({ map { $_ => $cells->{$_}{summary} } @known }, $correlation);
}

1;
