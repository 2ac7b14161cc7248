# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Cell;

# The passes of a cell, and what they say of its rate: the same while it is measured, with each pass
# that is added, and of a stored run.
#
#   new([passes], chosen => true where all good passes count) -> cell: { passes => [good ones],
#       bad => the first other one or undef, reasons => [those of each good pass], sound => [passes
#       that count], summary => of these (Stats::Estimate) }
#   add(passes)
#   series(true where the tests' rates depend on the reference loops) -> (name of the loops or
#       undef, [ { at, y => log of the rate, x, x2 => level of the loops beside it and its two
#       readings, where they are known } ]) of the passes that count
#   rate(true for the classic suite's rule) -> the headline: the median of the passes that count, as
#       in the classic suite; its rule takes all
#   estimates_of({ key => cell } that were measured in the same rounds, correlation or undef for
#       the mean of theirs) -> { key => estimate }

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(first);
use SpawnMeter::Analysis::Disturbance qw(flags readings sound);
use SpawnMeter::Analysis::Quantity    qw(beside);
use SpawnMeter::Stats::Estimate       qw(of_summaries summary);
use SpawnMeter::Stats::Numbers        qw(geometric_mean median);

our @EXPORT_OK = qw(estimates_of);

sub new {
    my ($class, $passes, %with) = @_;
    my $self = bless { %with, passes => [], readings => [] }, $class;
    $self->add(@{$passes});
    return $self;
}

sub add {
    my ($self, @passes) = @_;
    my @good = grep { $_->{status} eq 'ok' } @passes;
    $self->{bad} ||= first { $_->{status} ne 'ok' } @passes;
    my $all = $self->{passes};
    push @{$all}, @good;
    push @{ $self->{readings} }, readings(@good);
    my @reasons = flags($all, $self->{readings});
    my $sound = $self->{chosen} ? $all : sound($all, \@reasons);
    my @counting = grep { $_->{rate} > 0 } @{$sound};
    @counting = sort { $a->{at} <=> $b->{at} } @counting if !grep { !defined $_->{at} } @counting;
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

sub rate {
    my ($self, $is_classic) = @_;
    return classic_rate(map { $_->{rate} } @{ $self->{passes} }) if $is_classic;
    return median(map { $_->{rate} } @{ $self->{sound} });
}

# The geometric mean of all but the worst third of the passes (by rate: the classic driver
# drops by count)
sub classic_rate {
    my (@rates) = @_;
    my @s = sort { $b <=> $a } @rates;
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

sub estimates_of {
    my ($cells, $correlation) = @_;
    my @known = grep { defined $cells->{$_}{summary} } keys %{$cells};
    return of_summaries({ map { $_ => $cells->{$_}{summary} } @known }, $correlation);
}

1;
