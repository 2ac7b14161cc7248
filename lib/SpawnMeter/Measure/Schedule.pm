# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Schedule;

# Which pass runs next, and when there are enough.  It handles cells (a test at a number of
# copies, or any other thing that is measured by itself), rates and times; it has no clock and
# starts nothing: the caller runs the pass that next_pass() returns, and passes the result to
# record().
#
# The settle protocol: in each round every cell that is not done is measured once, in a new
# random order, until the cell is settled (SpawnMeter::Analysis::Settling).  A cell is done
# unsettled when another pass would exceed its time.
#
# The classic protocol: cell after cell, a given number of passes each.
#
# Quick: like settle, but each cell uses all of its time, whatever its interval.

use strict;
use warnings;
use SpawnMeter::Analysis::Settling;
use SpawnMeter::Util::Random;

use constant OVERTIME => 4;    # times the time of a cell, at most, for its least passes

# new(cells => [any hashes], protocol => 'settle', 'quick' or 'classic', precision => share,
#     max_time => sub (cell) -> its seconds, seed => whole number,
#     limit => passes of a cell at most, or undef,
#     fixed => true where the interval does not matter,
#     least => passes of a cell even if its time is over, within four times that (sweeps),
#     passes => sub (cell) -> number of passes, and pass_seconds => sub (cell) -> seconds of
#     one with everything (both for classic))
sub new {
    my ($class, %with) = @_;
    my $self = bless {
        %with,
        random   => SpawnMeter::Util::Random->new($with{seed}),
        settles  => $with{protocol} eq 'settle' && !$with{fixed},
        settling => SpawnMeter::Analysis::Settling->new($with{precision}),
        states   => [ map { state_of($with{cells}[$_], $_) } 0 .. $#{ $with{cells} } ],
        round    => 0,
        queue    => [],
    }, $class;
    return $self;
}

sub state_of {
    my ($cell, $number) = @_;
    return { cell => $cell, number => $number, passes => [], used => 0, done => 0 };
}

# The state of the cell to measure next: { cell, passes, used, ... }, or undef
sub next_pass {
    my ($self) = @_;
    if (!@{ $self->{queue} }) {
        my @open = grep { !$_->{done} } @{ $self->{states} };
        return if !@open;
        $self->{round}++;
        my $classic = $self->{protocol} eq 'classic';
        $self->{queue} = $classic ? [ $open[0] ] : [ $self->{random}->shuffled(@open) ];
    }
    return shift @{ $self->{queue} };
}

# The pass does not count: it is the next one again
sub again {
    my ($self, $state) = @_;
    unshift @{ $self->{queue} }, $state;
    return;
}

# record(state, { rate, wall => seconds it took in all, machine and results as
# SpawnMeter::Analysis::Disturbance wants them, status => 'ok', 'failed' or 'skipped' })
sub record {
    my ($self, $state, $pass) = @_;
    $state->{used} += $pass->{wall};
    push @{ $state->{passes} }, $pass;
    if    ($pass->{status} ne 'ok')        { $state->{done} = 1 }
    elsif ($self->{protocol} eq 'classic') { $self->count_passes($state) }
    else                                   { $self->look_at($state) }
    return;
}

sub count_passes {
    my ($self, $state) = @_;
    $state->{done} = @{ $state->{passes} } >= $self->{passes}->($state->{cell});
    return;
}

sub look_at {
    my ($self, $state) = @_;
    my $n = @{ $state->{passes} };
    my $look = $self->{settling}->add($state->{number}, $state->{passes}[-1]);
    if ($look) {
        @{$state}{qw(rate plus_minus)} = @{$look}{qw(rate plus_minus)};
        $state->{settled} = $look->{settled} && $self->{settles};
        $state->{done} = 1 if $state->{settled};
    }
    $state->{done} = 1 if defined $self->{limit} && $n >= $self->{limit};
    $state->{done} = 1 if $state->{used} + $state->{passes}[-1]{wall} > $self->time_of($state);
    return;
}

# Passes that take long by themselves (a large heap) may run over, but not for ever
sub time_of {
    my ($self, $state) = @_;
    my $time = $self->{max_time}->($state->{cell});
    return @{ $state->{passes} } < ($self->{least} || 0) ? OVERTIME * $time : $time;
}

# At most so many seconds are left
sub time_left {
    my ($self) = @_;
    my $left = 0;
    for my $state (grep { !$_->{done} } @{ $self->{states} }) {
        my $cell = $state->{cell};
        $left +=
            $self->{protocol} eq 'classic'
            ? ($self->{passes}->($cell) - @{ $state->{passes} }) * $self->{pass_seconds}->($cell)
            : $self->{max_time}->($cell) - $state->{used};
    }
    return $left > 0 ? $left : 0;
}

1;
