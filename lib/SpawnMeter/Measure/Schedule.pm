package SpawnMeter::Measure::Schedule;

# Which pass runs next, and when there are enough.  It knows cells (a test at a
# number of copies, or any other thing that is measured), rates and times; it
# has no clock and starts nothing: the caller runs what next() names and tells
# record() what came of it.
#
# The settle protocol: rounds, each with every cell that is not done, in an order
# shuffled anew; a cell is looked at after 9 passes and then every 3, and is
# settled when the interval of its median is within the precision at two looks
# running; it ends unsettled when another pass would run over its time.
#
# The classic protocol: cell after cell, a given number of passes each.
#
# Quick: like settle, but the time of each cell is used up, whatever the interval.

use strict;
use warnings;
use SpawnMeter::Analysis::Disturbance qw(sound);
use SpawnMeter::Analysis::Stats       qw(median plus_minus);

use constant {
    FIRST_LOOK => 9,
    LOOK_EVERY => 3,
    LOOKS      => 2,
    OVERTIME   => 4,    # times the time of a cell, at most, for its least passes
};

# new(cells => [any hash references], protocol => 'settle', 'quick' or 'classic',
#     precision => share, max_time => sub (cell) -> its seconds, seed => whole number,
#     limit => passes of a cell at most, or undef; least => passes that a cell gets
#     even if its time is up, within four times that (sweeps),
#     passes => sub (cell) -> number of passes, and pass_seconds => sub (cell) -> what
#     one takes with all that goes with it (both for classic))
sub new {
    my ($class, %with) = @_;
    my $self = bless {
        %with,
        random => $with{seed} || 1,
        states => [
            map { { cell => $_, passes => [], used => 0, good_looks => 0, done => 0 } }
                @{ $with{cells} }
        ],
        round => 0,
        queue => [],
    }, $class;
    return $self;
}

# Numerical Recipes' 32-bit linear congruential generator: the same order from
# the same seed with every perl.  Its high bits are used.
sub random_below {
    my ($self, $n) = @_;
    $self->{random} = ($self->{random} * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return int($self->{random} / 4_294_967_296 * $n);
}

sub shuffled {
    my ($self, @list) = @_;
    for my $i (reverse 1 .. $#list) {
        my $j = $self->random_below($i + 1);
        @list[ $i, $j ] = @list[ $j, $i ];
    }
    return @list;
}

# The state of the cell to measure next: { cell, passes, used, ... }, or undef
sub next_pass {
    my ($self) = @_;
    if (!@{ $self->{queue} }) {
        my @open = grep { !$_->{done} } @{ $self->{states} };
        return if !@open;
        $self->{round}++;
        $self->{queue} = $self->{protocol} eq 'classic' ? [ $open[0] ] : [ $self->shuffled(@open) ];
    }
    return shift @{ $self->{queue} };
}

# The state's pass does not count: it comes again, next
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
    else                                   { $self->look($state) }
    return;
}

sub count_passes {
    my ($self, $state) = @_;
    $state->{done} = @{ $state->{passes} } >= $self->{passes}->($state->{cell});
    return;
}

sub look {
    my ($self, $state) = @_;
    my @passes = @{ $state->{passes} };
    if (@passes >= FIRST_LOOK && (@passes - FIRST_LOOK) % LOOK_EVERY == 0) {
        my $sound = sound(\@passes);
        $state->{rate} = median(map { $_->{rate} } @{$sound});
        $state->{plus_minus} = plus_minus(map { $_->{rate} } @{$sound});
        my $good = @{$sound} >= FIRST_LOOK && $state->{plus_minus} <= $self->{precision};
        $state->{good_looks} = $good ? $state->{good_looks} + 1 : 0;
        $state->{settled} = $state->{good_looks} >= LOOKS ? 1 : 0;
        $state->{done} = 1 if $state->{settled} && $self->{protocol} eq 'settle';
    }
    $state->{done} = 1 if defined $self->{limit} && @passes >= $self->{limit};
    my $next = $passes[-1]{wall};
    my $time = $self->{max_time}->($state->{cell});

    # passes that take long by themselves (a large heap) may run over, but not for ever
    $time *= OVERTIME if @passes < ($self->{least} || 0);
    $state->{done} = 1 if $state->{used} + $next > $time;
    return;
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
