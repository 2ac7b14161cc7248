# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Progress;

# Shows the progress of a run on the handle that it is given: on a terminal a line for each
# test, drawn again and again; elsewhere a line when a test is done.
#
#   new(out => handle, clock => sub that returns seconds, live => true on a terminal,
#       quiet => true for nothing, verbose => true for a line after each pass)
#   begin(copies, states of SpawnMeter::Measure::Schedule, title: undefined for the number
#       of copies)
#   update(state, seconds left);  finish();  say_plain(text)

use strict;
use warnings;
use SpawnMeter::Util::Format qw(rate percent time_left copies);

use constant {
    REDRAW => 0.25,    # seconds between two drawings
    LINES  => 18,      # of tests; with more tests only those that are being measured
    WIDTH  => 78,
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
    $title = copies($copies) . ' of each test' if !defined $title;
    return $self->say_plain("\n$title\n");
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
    $text .= ' +/- ' . percent($state->{plus_minus}) if defined $state->{plus_minus};
    return $text if !$state->{done};
    return $text . ($state->{settled} ? '  settled' : '  done');
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
    return $self->draw(sprintf '  at most %s left', time_left($left));
}

# Goes back to the first line of the last drawing and draws over it
sub draw {
    my ($self, $closing) = @_;
    my @states = @{ $self->{states} };
    if (@states > LINES) {
        my $done = sprintf '  %d of %d done', scalar(grep { $_->{done} } @states), scalar @states;
        $closing = defined $closing ? "$done,$closing" : $done;
        @states = being_measured(@states);
    }
    my @lines = map { substr line($_), 0, WIDTH } @states;
    push @lines, $closing if defined $closing;
    my $text = $self->{drawn} ? "\e[$self->{drawn}A" : q{};
    $text .= "\r$_\e[K\n" for @lines;
    $self->{drawn} = @lines;
    return $self->say_plain("$text\e[J");
}

sub being_measured {
    my (@states) = @_;
    my @begun = grep { @{ $_->{passes} } && !$_->{done} } @states;
    return @begun > LINES ? @begun[ 0 .. LINES - 1 ] : @begun;
}

sub finish {
    my ($self) = @_;
    $self->draw if $self->{live} && !$self->{quiet} && $self->{states};
    return;
}

1;
