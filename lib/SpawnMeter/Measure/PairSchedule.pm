# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::PairSchedule;

# Which pass of ./Run ab runs next, and when there are enough.  Like SpawnMeter::Measure::Schedule,
# with the same methods, it has no clock and starts nothing.
#
# A round has two passes of each test, one of each side, next to each other: the tests are in a
# random order, and which side is first alternates from round to round, so that drift within a
# pair cancels in two of them.  Where a side's state must be set first, all tests of one side
# run before those of the other, and the next round begins with the side that ran last.
#
# A test is done when the interval of the difference (SpawnMeter::Analysis::Pairs) is within the
# precision at two looks in a row; the first is after 12 pairs, and another follows after every
# 3 more.  Or when another pair would exceed its time, or the time of the whole run.

use strict;
use warnings;
use List::Util                    qw(max min sum);
use SpawnMeter::Analysis::Pairs   qw(paired differences);
use SpawnMeter::Measure::Schedule qw(is_look made_again LOOKS);
use SpawnMeter::Util::Random;

use constant SIDES => 2;

# new(cells => [cells, those of side A and then the same of side B], precision => share,
#     max_time => sub (cell) -> seconds of its test, both sides together, seed => whole number,
#     rows => number of differences of the whole run, or undef for these,
#     limit => pairs of a test at most, or undef, sets => true where a side's state is set,
#     earlier => [passes of these cells that were measured before], anew => true where their
#     time does not count,
#     time_for_all => sub -> seconds that all tests of the block have from now on, or undef,
#     pass_seconds => sub (cell) -> seconds of a pass with everything)
sub new {
    my ($class, %with) = @_;
    my @cells = @{ $with{cells} };
    my $n = @cells / SIDES;
    my $self = bless {
        time_for_all => sub { return },
        %with,
        random => SpawnMeter::Util::Random->new($with{seed}),
        states => [ map { state_of(@cells[ $_, $_ + $n ]) } 0 .. $n - 1 ],
        round  => 0,
        queue  => [],
    }, $class;
    $self->take_up(@{ $with{earlier} || [] });
    return $self;
}

# As if these passes had been measured here; the rounds go on after the last of them
sub take_up {
    my ($self, @passes) = @_;
    my %state = map { $_->{cell}{test} => $_ } @{ $self->{states} };
    for my $pass (@passes) {
        my $state = $state{ $pass->{test} } or next;
        my ($of) = grep { $_->{cell}{side} eq $pass->{side} } @{ $state->{sides} };
        push @{$_}, $pass for $of->{passes}, $state->{passes};
        $self->{round} = max($self->{round}, $pass->{round});
        $state->{used} += $pass->{wall} if !made_again($state, $pass);
        $state->{done} = 1 if $pass->{status} eq 'skipped';
    }
    for my $state (grep { @{ $_->{passes} } } @{ $self->{states} }) {
        $state->{before} = $state->{used} if $self->{anew};
        $self->look_at($state) if !$state->{done};
    }
    return;
}

# What the progress shows of a test: { cell, passes => [all], pairs => [pairs], done, settled,
# ratio, low, high, plus_minus => of the difference; sides => [ { cell, passes } ] }; and used =>
# seconds, before => those of them that do not count as time of the test, repeated => number of
# passes that were made again, good => looks in a row
sub state_of {
    my (@cells) = @_;
    my %test = %{ $cells[0] };
    delete @test{qw(side of_side)};
    my %state = (
        cell     => \%test,
        passes   => [],
        pairs    => [],
        used     => 0,
        before   => 0,
        repeated => 0,
        good     => 0
    );
    $state{sides} = [ map { { cell => $_, passes => [] } } @cells ];
    return { %state, done => 0 };
}

# -> { cell, passes => [those of this side], test => state }, or undef
sub next_pass {
    my ($self) = @_;
    $self->{queue} = [ $self->round ] if !@{ $self->{queue} };
    return shift @{ $self->{queue} };
}

# The next pass, if it is that of the other side of this test; undef if not
sub partner {
    my ($self, $turn) = @_;
    my $next = $self->{queue}[0];
    return if !$next || $next->{test} != $turn->{test} || $next->{cell} == $turn->{cell};
    return shift @{ $self->{queue} };
}

sub round {
    my ($self) = @_;
    my $left = $self->{time_for_all}->();
    my @open = grep { !$_->{done} } @{ $self->{states} };
    if (defined $left && $left < sum(0, map { $self->pair_seconds($_) } @open)) {
        $_->{done} = 1 for @open;
        return;
    }
    $self->{round}++;
    my @order = $self->{round} % SIDES ? (0, 1) : (1, 0);
    @open = $self->{random}->shuffled(@open);
    my @turns = $self->{sets}
        ? map {
        my $side = $_;
        map { [ $_, $side ] } @open
        } @order
        : map {
        my $test = $_;
        map { [ $test, $_ ] } @order
        } @open;
    return map { { %{ $_->[0]{sides}[ $_->[1] ] }, test => $_->[0] } } @turns;
}

sub pair_seconds {
    my ($self, $state) = @_;
    my $n = @{ $state->{passes} };
    return SIDES * ($n ? $state->{used} / $n : $self->{pass_seconds}->($state->{cell}));
}

# These passes do not count: they are the next ones again
sub again {
    my ($self, @turns) = @_;
    unshift @{ $self->{queue} }, @turns;
    return;
}

sub shown { my ($self, $turn) = @_; return $turn->{test} }

# As SpawnMeter::Measure::Schedule does
sub record {
    my ($self, $turn, $pass) = @_;
    return $self->record_all([$turn], [$pass]);
}

# Of one test; passes that took turns are also made again together
sub record_all {
    my ($self, $turns, $passes) = @_;
    my $state = $turns->[0]{test};
    for my $i (0 .. $#{$turns}) {
        push @{$_}, $passes->[$i] for $turns->[$i]{passes}, $state->{passes};
    }
    return $self->again(@{$turns}) if grep { made_again($state, $_) } @{$passes};
    $self->count($turns->[$_], $passes->[$_]) for 0 .. $#{$turns};
    return;
}

sub count {
    my ($self, $turn, $pass) = @_;
    my $state = $turn->{test};
    $state->{used} += $pass->{wall};
    return $self->look_at($state) if $pass->{status} eq 'ok';
    $state->{done} = 1;

    # where one side cannot run a test, the other one may, and that is to be reported
    my $skipped = $pass->{status} eq 'skipped';
    @{ $self->{queue} } =
        grep { $_->{test} != $state || $skipped && !@{ $_->{passes} } } @{ $self->{queue} };
    return;
}

sub look_at {
    my ($self, $state) = @_;
    my $before = @{ $state->{pairs} };
    $state->{pairs} = paired(map { $_->{passes} } @{ $state->{sides} });
    my $n = @{ $state->{pairs} };
    return if $n == $before;
    my $last = (defined $self->{limit} && $n >= $self->{limit})
        || $self->pair_seconds($state) > $self->time_of_test($state);
    $state->{done} = 1 if $last;
    return if !is_look($n) && !$last;
    my %pairs = map { $_->{cell}{test} => $_->{pairs} } @{ $self->{states} };
    my $found = differences(\%pairs, $self->{rows} || scalar keys %pairs, $self->{precision})
        ->{ $state->{cell}{test} };
    @{$state}{qw(ratio low high plus_minus)} = @{$found}{qw(ratio low high plus_minus)};
    my $good = defined $found->{plus_minus} && $found->{plus_minus} <= $self->{precision};
    $state->{good} = $good ? $state->{good} + 1 : 0;
    $state->{settled} = $good && ($state->{good} >= LOOKS || $last) ? 1 : 0;
    $state->{done} = 1 if $state->{settled};
    return;
}

# The seconds that it has from now on
sub time_of_test {
    my ($self, $state) = @_;
    return $self->{max_time}->($state->{cell}) - ($state->{used} - $state->{before});
}

# At most so many seconds are left
sub time_left {
    my ($self) = @_;
    my $left = sum(0, map { $self->time_left_of($_) } grep { !$_->{done} } @{ $self->{states} });
    my $for_all = $self->{time_for_all}->();
    return defined $for_all ? max(0, min($left, $for_all)) : $left;
}

sub time_left_of {
    my ($self, $state) = @_;
    my $left = max(0, $self->time_of_test($state));
    return $left if !defined $self->{limit};
    my $pairs = max(0, $self->{limit} - @{ $state->{pairs} });
    return min($left, $pairs * $self->pair_seconds($state));
}

1;
