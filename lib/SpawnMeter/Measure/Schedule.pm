# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Schedule;

# Which pass runs next, and when there are enough.  It handles cells (a test at a number of
# copies, or any other thing that is measured by itself), rates and times; it has no clock and
# starts nothing: the caller runs the pass that next_pass() returns, and passes the result to
# record().
#
# The settle protocol: in each round every cell that is not done is measured once, in a new
# random order, until the cell is settled.  A cell is done
# unsettled when another pass would exceed its time.
#
# The classic protocol: cell after cell, a given number of passes each.
#
# Quick: like settle, but each cell uses all of its time, whatever its interval.
#
#   made_again(state, pass) -> true where the pass took far too long and is to be made again, of
#       which the state keeps count
#   is_look(number of passes) -> true where the cell is looked at after these
#   LOOKS: that must be good, in a row

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use SpawnMeter::Analysis::Disturbance qw(flags sound reading);
use SpawnMeter::Analysis::Results     qw(classic_rate);
use SpawnMeter::Stats::Estimate       qw(estimate plus_minus correlation);
use SpawnMeter::Stats::Numbers        qw(mean median);
use SpawnMeter::Util::Random;

our @EXPORT_OK = qw(made_again is_look LOOKS);

use constant {
    OVERTIME   => 4,     # times the time of a cell, at most, for its least passes
    STALLS     => 3,     # passes of a cell that took far too long and are made again
    FIRST_LOOK => 12,    # passes at the first look at a cell
    LOOK_EVERY => 3,     # passes between looks
    LOOKS      => 2,     # in a row that must be good
    RELIABLE   => 24,    # passes of all cells, to know their correlation
    CORRELATED => 3,     # passes that have a correlation in the report
};

# new(cells => [any hashes], protocol => 'settle', 'quick' or 'classic', precision => share,
#     max_time => sub (cell) -> its seconds, seed => whole number,
#     limit => passes of a cell at most, or undef,
#     pass_seconds => sub (cell) -> seconds of a pass with everything,
#     fixed => true where the interval does not matter,
#     least => passes of a cell even if its time is over, within four times that (sweeps),
#     passes => sub (cell) -> number of passes (for classic))
sub new {
    my ($class, %with) = @_;
    my $self = bless {
        %with,
        random  => SpawnMeter::Util::Random->new($with{seed}),
        settles => $with{protocol} eq 'settle' && !$with{fixed},
        states  => [ map { state_of($_) } @{ $with{cells} } ],
        round   => 0,
        queue   => [],
    }, $class;
    return $self;
}

sub state_of {
    my ($cell) = @_;
    my %state = (cell => $cell, passes => [], readings => []);
    return { %state, used => 0, repeated => 0, done => 0, good => 0, settled => 0 };
}

# The state of the cell to measure next, or undef: { cell, passes, used => seconds, done,
# repeated => passes that are made again, rate => the result of these passes, plus_minus =>
# its interval, settled }
sub next_pass {
    my ($self) = @_;
    if (!@{ $self->{queue} }) {
        my @open = grep { !$_->{done} } @{ $self->{states} };
        return $self->conclude if !@open;
        $self->{round}++;
        my $classic = $self->{protocol} eq 'classic';
        $self->{queue} = $classic ? [ $open[0] ] : [ $self->{random}->shuffled(@open) ];
    }
    return shift @{ $self->{queue} };
}

# The results of all tests once more, with the passes of the others: as in the report
sub conclude {
    my ($self) = @_;
    for my $state (grep { defined $_->{plus_minus} } @{ $self->{states} }) {
        my $now = $self->seen($state);
        @{$state}{qw(rate plus_minus)} = @{$now}{qw(rate plus_minus)};
        $state->{settled} = $self->{settles} && $now->{plus_minus} <= $self->{precision};
    }
    return;
}

# What the progress shows of it
sub shown { my ($self, $state) = @_; return $state }

# The pass does not count: it is the next one again
sub again {
    my ($self, $state) = @_;
    unshift @{ $self->{queue} }, $state;
    return;
}

# record(state, { rate, wall => seconds it took in all, machine and results as
# SpawnMeter::Analysis::Disturbance wants them, status => 'ok', 'failed' or 'skipped' }).  A
# pass with a stall is made again, and is not part of the cell's time
sub record {
    my ($self, $state, $pass) = @_;
    push @{ $state->{passes} }, $pass;
    if (made_again($state, $pass)) {
        $self->note($state, $pass);
        return $self->again($state);
    }
    $state->{used} += $pass->{wall};
    if    ($pass->{status} ne 'ok')        { $state->{done} = 1 }
    elsif ($self->{protocol} eq 'classic') { $self->count_passes($state) }
    else                                   { $self->look_at($state) }
    return;
}

# The program was stopped in it, by a signal or a debugger: it is stored, and flagged
sub made_again {
    my ($state, $pass) = @_;
    my $stalled = $pass->{machine} && $pass->{machine}{stall};
    return 0 if !$stalled || $state->{repeated} >= STALLS;
    $state->{repeated}++;
    return 1;
}

sub count_passes {
    my ($self, $state) = @_;
    my $n = @{ $state->{passes} } - $state->{repeated};
    $state->{done} = $n >= $self->{passes}->($state->{cell});
    $state->{rate} = classic_rate(map { $_->{rate} } @{ $state->{passes} });
    return;
}

sub look_at {
    my ($self, $state) = @_;
    my $n = @{ $state->{passes} };
    my $look = $self->note($state, $state->{passes}[-1]);
    my $last = (defined $self->{limit} && $n - $state->{repeated} >= $self->{limit})
        || $state->{used} + $state->{passes}[-1]{wall} > $self->time_of($state);

    # between two looks the result of the last one stands; what is shown at the end is that
    # of all passes, as in the report
    $look = $self->seen($state) if $last || $n < FIRST_LOOK;
    @{$state}{qw(rate plus_minus)} = @{$look}{qw(rate plus_minus)} if $look;
    $state->{done} = 1 if $last || $state->{settled};
    return;
}

# Passes that take long by themselves (a large heap) may run over, but not for ever
sub time_of {
    my ($self, $state) = @_;
    return OVERTIME * $self->{max_time}->($state->{cell})
        if @{ $state->{passes} } < ($self->{least} || 0);
    return $self->{max_time}->($state->{cell});
}

# So many seconds are left, at most, unless cells take longer to make their least passes.  Where
# passes have taken longer than they should, on a busy machine, those to come do, too
sub time_left {
    my ($self) = @_;
    my $expected = sum(0,
        map { $self->{pass_seconds}->($_->{cell}) * @{ $_->{passes} } } @{ $self->{states} });
    my $used = sum(0, map { $_->{used} } @{ $self->{states} });
    $self->{slower} = $expected ? max(1, $used / $expected) : 1;
    return sum(0, map { $self->time_left_of($_) } grep { !$_->{done} } @{ $self->{states} });
}

sub time_left_of {
    my ($self, $state) = @_;
    my ($cell, $n) = ($state->{cell}, scalar @{ $state->{passes} });
    my $pass =
        $n ? $state->{used} / $n : $self->{slower} * $self->{pass_seconds}->($cell);
    return max(0, $self->{passes}->($cell) - $n) * $self->{pass_seconds}->($cell)
        if $self->{protocol} eq 'classic';
    my $most = $self->{max_time}->($cell);
    my $least = min(OVERTIME * $most - $state->{used}, (($self->{least} || 0) - $n) * $pass);
    my $left = max(0, $most - $state->{used}, $least);
    return defined $self->{limit} ? min($left, max(0, $self->{limit} - $n) * $pass) : $left;
}

# ---- settling ----
#
# A cell is looked at after 12 passes and after every 3 further ones.  It is settled when the
# interval of its center (Stats::Estimate) is within the precision at two looks in a row, and
# all cells together have 24 passes.

sub is_look {
    my ($passes) = @_;
    return $passes >= FIRST_LOOK && ($passes - FIRST_LOOK) % LOOK_EVERY == 0;
}

# Passes that took far too long are among them: they are flagged
sub note {
    my ($self, $state, $pass) = @_;
    push @{ $state->{readings} }, reading($pass);
    my $y = $state->{y} = logarithms($state);
    $state->{correlation} = @{$y} < CORRELATED ? undef : correlation($y);
    return if !is_look(scalar @{ $state->{readings} });
    my $seen = $self->seen($state);
    my $precise = defined $seen->{plus_minus} && $seen->{plus_minus} <= $self->{precision};
    $state->{good} = $precise ? $state->{good} + 1 : 0;
    my $passes = sum(map { scalar @{ $_->{readings} } } @{ $self->{states} });
    $state->{settled} = $state->{good} >= LOOKS && $passes >= RELIABLE && $self->{settles};
    return $seen;
}

sub logarithms {
    my ($state) = @_;
    my ($passes, $readings) = @{$state}{qw(passes readings)};
    my $sound = sound($passes, [ flags($passes, $readings) ]);
    return [ map { log $_->{rate} } grep { $_->{rate} > 0 } @{$sound} ];
}

# As in the report: with the correlation of all cells, in one order, so that their sum has the same
# last digit each time
sub seen {
    my ($self, $state) = @_;
    my @known = grep { defined } map { $_->{correlation} } @{ $self->{states} };
    my $y = $state->{y};
    my $estimate = estimate($y, @known ? mean(@known) : undef);
    return {
        rate       => scalar median(map { exp } @{$y}),
        plus_minus => $estimate ? plus_minus($estimate) : undef,
    };
}

1;
