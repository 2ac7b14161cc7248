package SpawnMeter::Report::Progress;

# Shows how a run gets on, on standard error: on a terminal one live line for each
# test, elsewhere a plain line when a test is done.  It calculates nothing.
#
#   new(out => handle, live => bool, quiet => bool, verbose => bool,
#    clock => sub)
#   begin(copies, states of Schedule, title or undef); update(state, seconds left); finish()

use strict;
use warnings;
use SpawnMeter::Util::Format qw(rate percent time_left);

use constant {
    REDRAW => 0.25,    # seconds
    MOST   => 18,      # lines
};

sub new {
    my ($class, %with) = @_;
    return bless {%with}, $class;
}

sub say_plain {
    my ($self, $text) = @_;
    print { $self->{out} } $text if !$self->{quiet};
    return;
}

sub begin {
    my ($self, $copies, $states, $title) = @_;
    return if $self->{quiet};
    @{$self}{qw(copies states drawn last)} = ($copies, $states, 0, 0);
    return $self->say_plain("\n$title\n") if defined $title;
    $self->say_plain($copies == 1 ? "\n1 copy of each test\n" : "\n$copies copies of each test\n");
    return;
}

sub line {
    my ($state) = @_;
    my $cell = $state->{cell};
    my @passes = @{ $state->{passes} };
    my $title = $cell->{title} . (defined $cell->{side} ? " ($cell->{side})" : q{});
    my $text = sprintf '  %-26.26s %3d %-6s', $title, scalar @passes,
        @passes == 1 ? 'pass' : 'passes';
    return $text if !@passes;
    my $last = $passes[-1];
    return "$text  $last->{status}: $last->{reason}" if $last->{status} ne 'ok';
    my $rate = defined $state->{rate} ? $state->{rate} : $last->{rate};
    $text .= sprintf '%14s', rate($rate, $last->{unit});
    $text .= sprintf ' +/- %s', percent($state->{plus_minus}) if defined $state->{plus_minus};
    $text .= $state->{settled} ? '  settled' : '  done' if $state->{done};
    return $text;
}

sub update {
    my ($self, $state, $left) = @_;
    return if $self->{quiet};
    if (!$self->{live}) {
        $self->say_plain(line($state) . "\n") if $state->{done} || $self->{verbose};
        return;
    }
    my $now = $self->{clock}->();
    return if $now - $self->{last} < REDRAW && !$state->{done};
    $self->{last} = $now;
    $self->draw(sprintf '  at most %s left', time_left($left));
    return;
}

# Goes back to the first line of the last drawing and draws over it
sub draw {
    my ($self, $closing) = @_;
    my $text = $self->{drawn} ? "\e[$self->{drawn}A" : q{};
    my @states = @{ $self->{states} };
    my $done = grep { $_->{done} } @states;

    # more than fit on a screen: those that are being measured
    if (@states > MOST) {
        my @begun = grep { @{ $_->{passes} } && !$_->{done} } @states;
        splice @begun, MOST if @begun > MOST;
        $closing = "  $done of " . @states . ' done' . (defined $closing ? ",$closing" : q{});
        @states = @begun;
    }
    my @lines = map { substr line($_), 0, 78 } @states;
    push @lines, $closing if defined $closing;
    $text .= join q{}, map { "\r$_\e[K\n" } @lines;
    $text .= "\e[J";
    $self->{drawn} = @lines;
    print { $self->{out} } $text;
    return;
}

sub finish {
    my ($self) = @_;
    $self->draw if $self->{live} && !$self->{quiet} && $self->{states};
    return;
}

1;
