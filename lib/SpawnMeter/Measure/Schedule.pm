# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Schedule;

# Which pass runs next, and when there are enough.  It has no clock and starts nothing: the caller
# measures the cell (record of Analysis::Record) that next_pass() returns, and gives the pass to
# record().
#
# Settings of the name settle: in each round every cell that is not done is measured once, in a new
# random order, until the cell is settled, or another pass like its last one would exceed its time.
# Quick: likewise, but each cell uses all of its time, whatever its interval.  Classic: cell after
# cell, as many passes as each may have.
#
# Paired (./Run ab): a round has two passes of each test, one of each side, next to each other.
# Which side is first alternates from round to round, so that drift within a pair cancels in two of
# them.  Where a side's state must be set first, all tests of one side run before those of the
# other, and the next round begins with the side that ran last.  The precision is that of the
# difference (Analysis::Pairs).
#
# A cell, or a test of pairs, is looked at after 12 passes, or pairs, and after every 3 further
# ones.  It is settled when the interval is within the precision at two looks in a row; of cells
# that are not paired, when all together have 24 passes, too (Stats::Numbers).

use strict;
use warnings;
use List::Util                    qw(max min sum);
use SpawnMeter::Analysis::Record  ();
use SpawnMeter::Analysis::Results qw(cell_of headline_of);
use SpawnMeter::Stats::Numbers    qw(of_summaries plus_minus shuffled);

use constant {
    OVERTIME   => 4,     # times the time of a cell, at most, for its least passes
    STALLS     => 3,     # passes of a cell that took far too long and are made again
    FIRST_LOOK => 12,    # passes at the first look at a cell
    LOOK_EVERY => 3,     # passes between looks
    LOOKS      => 2,     # in a row that must be good
    RELIABLE   => 24,    # passes of all cells, to know their correlation
};

# new(cells => [any hashes; paired: those of side A and then the same of side B],
#     settings => settings record; of its name, precision, fixed, sweep_least and paired,
#     max_time => sub (cell) -> its seconds, of both sides together, seed => whole number,
#     limit => sub (cell) -> its passes, or pairs, at most,
#     pass_seconds => sub (cell) -> seconds of a pass with everything,
#     time_for_all => sub -> seconds that all tests of the block have from now on; where it is
#     paired also rows => number of differences of the whole run, or undef for these,
#     sets => true where a side's state is set)
sub new {
    my ($class, %given) = @_;
    my @cells = @{ $given{cells} };
    my $settings = $given{settings};
    my @others = $settings->{paired} ? splice(@cells, @cells / 2) : ();
    require SpawnMeter::Analysis::Pairs if @others;
    return bless {
        %given,
        random  => \(my $state = $given{seed}),
        settles => $settings->{name} eq 'settle' && !$settings->{fixed},
        states  => [ map { state_of($cells[$_], $others[$_] // ()) } 0 .. $#cells ],
        round   => 0,
        queue   => [],
    }, $class;
}

# -> state record of a cell, or of a test on two sides
sub state_of {
    my (@cells) = @_;
    my $shown = $cells[0];
    delete @{ $shown = { %{$shown} } }{qw(side of_side)} if @cells > 1;
    return SpawnMeter::Analysis::Record::record(
        state    => cell => $shown,
        passes   => [],
        measured => cell_of([]),
        sides    => [ map { { cell => $_, passes => [] } } @cells ],
        pairs    => @cells > 1 ? [] : undef,
        map { $_ => 0 } qw(used repeated done good settled)
    );
}

# The turn that is next: { cell, passes => [those of this cell, or side], test => state }, or undef.
# After one of the first side of a pair the next one is of the other, unless a state must be set
sub next_pass {
    my ($self) = @_;
    $self->{queue} = [ $self->next_round ] if !@{ $self->{queue} };
    return shift @{ $self->{queue} };
}

sub next_round {
    my ($self) = @_;
    my @open = grep { !$_->{done} } @{ $self->{states} };
    if (!@open || $self->{time_for_all}->() < sum(map { $self->unit_seconds($_) } @open)) {
        $_->{done} = 1 for @open;
        return $self->conclude;
    }
    $self->{round}++;
    @open = $self->{settings}{name} eq 'classic' ? $open[0] : shuffled($self->{random}, @open);
    my @order = $self->{settings}{paired} ? (0, 1) : 0;
    @order = reverse @order if $self->{round} % 2 == 0;
    my @turns = map {
        my $test = $_;
        [ map { { %{ $test->{sides}[$_] }, test => $test } } @order ]
    } @open;
    return map { @{$_} } @turns if !$self->{sets};
    return (map({ $_->[0] } @turns), map { $_->[1] } @turns);
}

# -> the seconds that the next pass, or pair, will take
sub unit_seconds {
    my ($self, $state) = @_;
    my $n = @{ $state->{passes} } - $state->{repeated};
    my $pass = $n ? $state->{used} / $n : $self->{pass_seconds}->($state->{cell});
    return $state->{pairs} ? 2 * $pass : $pass;
}

# Computes all results once more, now that the passes of all tests are known, as the report does.
sub conclude {
    my ($self) = @_;
    my @states = grep { !$_->{pairs} && defined $_->{plus_minus} } @{ $self->{states} };
    $self->compute(@states);
    $_->{settled} = $self->{settles} && $_->{plus_minus} <= $self->{settings}{precision}
        for @states;
    return;
}

# record(turn, its pass record; where both sides ran at the same time also the other turn and pass).
# A pass with a stall is made again, with the other side's, and not part of the cell's time
sub record {
    my ($self, @made) = @_;
    my $state = $made[0]{test};
    my (@turns, @passes);
    while (my ($turn, $pass) = splice @made, 0, 2) {
        push @turns, $turn;
        push @passes, $pass;
        push @{$_}, $pass for $turn->{passes}, $state->{passes};
        $state->{measured} = cell_of($state->{passes})
            if !$state->{pairs} && $pass->{status} eq 'ok';
    }
    return unshift @{ $self->{queue} }, @turns if grep { made_again($state, $_) } @passes;
    for my $pass (@passes) {
        $state->{used} += $pass->{wall};
        if   ($pass->{status} eq 'ok') { $self->look_at($state) }
        else                           { $self->give_up($state, $pass->{status}) }
    }
    return;
}

# Counts a pass whose program was stopped, by a signal or a debugger -> 1 while it may be made
# again (STALLS times).  The pass is stored, and flagged.
sub made_again {
    my ($state, $pass) = @_;
    my $stalled = $pass->{machine} && $pass->{machine}{stall};
    return 0 if !$stalled || $state->{repeated} >= STALLS;
    $state->{repeated}++;
    return 1;
}

# Ends a test that failed.  If one side skips it the other side is still tried, so that the report
# can say which.
sub give_up {
    my ($self, $state, $status) = @_;
    $state->{done} = 1;
    @{ $self->{queue} } =
        grep { $_->{test} != $state || $status eq 'skipped' && !@{ $_->{passes} } }
        @{ $self->{queue} };
    return;
}

# Computes the result of a state where it is time for a look, and before the first one after each
# pass; between looks the result of the last one stands
sub look_at {
    my ($self, $state) = @_;
    my ($n, $pairs) = (@{ $state->{passes} } - $state->{repeated}, $state->{pairs});
    if ($pairs) {
        my @passes = map { $_->{passes} } @{ $state->{sides} };
        $state->{pairs} = SpawnMeter::Analysis::Pairs::pairs_of(@passes);
        $n = @{ $state->{pairs} };
        return if $n == @{$pairs};
    }
    my $last = $self->is_last($state, $n);
    my $is_look = $last || $n >= FIRST_LOOK && ($n - FIRST_LOOK) % LOOK_EVERY == 0;
    $self->compute($state) if $is_look || !$pairs && $n < FIRST_LOOK;
    $self->judge($state, $last) if $is_look;
    $state->{done} = 1 if $last || $state->{settled};
    return;
}

# Counts the looks in a row at which the interval was precise, and decides whether they are enough
sub judge {
    my ($self, $state, $last) = @_;
    my $precise =
        defined $state->{plus_minus} && $state->{plus_minus} <= $self->{settings}{precision};
    my $good = $state->{good} = $precise ? $state->{good} + 1 : 0;
    my $all = sum(map { scalar @{ $_->{measured}{passes} } } @{ $self->{states} });
    my $is_enough = $good >= LOOKS && $self->{settles} && $all >= RELIABLE;
    $is_enough = $good >= LOOKS || $good && $last if $state->{pairs};
    $state->{settled} = $is_enough ? 1 : 0;
    return;
}

# -> true where there are as many passes, or pairs, as there may be, or another one would exceed the
# time
sub is_last {
    my ($self, $state, $n) = @_;
    return 1 if $n >= $self->{limit}->($state->{cell});
    my $next = $state->{pairs} ? $self->unit_seconds($state) : $state->{passes}[-1]{wall};
    return $next > $self->time_allowed($state);
}

# -> the seconds that a cell may still take: for the least passes of a sweep up to OVERTIME times
# its time
sub time_allowed {
    my ($self, $state) = @_;
    my $time = $self->{max_time}->($state->{cell});
    $time *= OVERTIME if @{ $state->{passes} } < ($self->{settings}{sweep_least} || 0);
    return $time - $state->{used};
}

# -> the seconds that all cells will take, at most; least passes can take longer
sub time_left {
    my ($self) = @_;
    my $left = sum(0, map { $self->time_of($_) } grep { !$_->{done} } @{ $self->{states} });
    return max(0, min($left, $self->{time_for_all}->()));
}

sub time_of {
    my ($self, $state) = @_;
    my ($unit, $n) = ($self->unit_seconds($state), scalar @{ $state->{passes} });
    my $most = $self->{max_time}->($state->{cell}) - $state->{used};
    my $least =
        min($self->time_allowed($state), (($self->{settings}{sweep_least} || 0) - $n) * $unit);
    my $left = max($n ? 0 : $unit, $most, $least);    # the first pass is made, however long
    my $made = $state->{pairs} ? @{ $state->{pairs} } : $n;
    return min($left, max(0, $self->{limit}->($state->{cell}) - $made) * $unit);
}

# Computes rate and interval of these states as the report does, with the correlation of all cells;
# of a test of two sides their difference.  The cells are added up in the order of their names, so
# that the last digit is the same.
sub compute {
    my ($self, @states) = @_;
    return $self->compute_difference(@states) if $states[0] && $states[0]{pairs};
    my $is_classic = $self->{settings}{name} eq 'classic';
    my %summaries =
        $is_classic ? () : map { name_of($_) => $_->{measured}{summary} } @{ $self->{states} };
    my $estimates = of_summaries(\%summaries);
    for my $state (@states) {
        my $estimate = $estimates->{ name_of($state) };
        $state->{rate} = headline_of($state->{measured}, $is_classic);
        $state->{plus_minus} = $estimate ? plus_minus($estimate) : undef;
    }
    return;
}

sub compute_difference {
    my ($self, $state) = @_;
    my %pairs = map { $_->{cell}{test} => $_->{pairs} } @{ $self->{states} };
    my $rows = $self->{rows} || keys %pairs;
    my @of_all = (\%pairs, $rows, $self->{settings}{precision});
    my $difference = SpawnMeter::Analysis::Pairs::ratios_of_pairs(@of_all);
    my @fields = qw(ratio low high plus_minus);
    @{$state}{@fields} = @{ $difference->{ $state->{cell}{test} } }{@fields};
    return;
}

sub name_of {
    my ($state) = @_;
    return join "\0", map { $_ // q{} } @{ $state->{cell} }{qw(test value)}, $state;
}

1;
