# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Progress;

# Shows the progress of a run on standard error: on a terminal a line that is drawn again and again,
# and when all tests are done a line for each.
#
#   new(quiet => true for nothing, verbose => true for a line after each pass, runs => number of
#       runs with this one, or undef; for checks also out => handle, live => true for a terminal,
#       columns => sub -> those of the terminal at this moment, clock => sub -> seconds)
#   start(seconds of the whole run, true where it can take longer)
#   begin(copies, states of SpawnMeter::Measure::Schedule, title: undefined for the number
#       of copies)
#   update(state, seconds left);  finish();  say_plain(text)

use strict;
use warnings;
use IO::Handle                 ();
use List::Util                 qw(max);
use Time::HiRes                qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Util::Format   qw(bytes change copies interval minutes percent rate time_left);
use SpawnMeter::Util::Terminal qw(fitted columns);

use constant REDRAW => 0.25;    # seconds between two drawings

sub new {
    my ($class, %with) = @_;
    STDERR->autoflush(1);
    return bless {
        out     => \*STDERR,
        live    => -t STDERR && ($ENV{TERM} || 'dumb') ne 'dumb',
        columns => sub { return columns(\*STDERR) },
        clock   => sub { return clock_gettime(CLOCK_MONOTONIC) },
        %with
    }, $class;
}

sub say_plain {
    my ($self, $text) = @_;
    print { $self->{out} } fitted($text, $self->{out}) if !$self->{quiet};
    return;
}

sub start {
    my ($self, $seconds, $is_estimate) = @_;
    my ($quiet, $busy) = $is_estimate ? ('about', 'at least') : ('at most', 'about');
    my $most = $self->{most} = $self->{busy} ? $busy : $quiet;
    my $text = "Measuring takes $most " . minutes($seconds);
    my $runs = $self->{runs} || 1;
    $text .= ", the $runs runs $most " . minutes($runs * $seconds) if $runs > 1;
    return $self->say_plain("$text.\n");
}

sub begin {
    my ($self, $copies, $states, $title) = @_;
    @{$self}{qw(states last)} = ($states, 0);
    $self->{width} = max(map { length $_->{cell}{title} } @{$states});
    $title = copies($copies) . ' of each test' if !defined $title;
    return $self->say_plain("\n$title\n");
}

# width: columns of the title.  Of two sides: their difference
sub line {
    my ($state, $width) = @_;
    my ($pairs, $passes) = @{$state}{qw(pairs passes)};
    my $n = @{ $pairs || $passes };
    my $text = sprintf '  %-*s %3d %-6s', $width, $state->{cell}{title}, $n,
        $pairs ? ($n == 1 ? 'pair' : 'pairs') : ($n == 1 ? 'pass' : 'passes');
    my $last = $passes->[-1] or return $text;
    return join q{ }, "$text ", $pairs ? $last->{side} : (), "$last->{status}: $last->{reason}"
        if $last->{status} ne 'ok';
    if ($pairs) {
        $text .= '  B ' . change($state->{ratio}, 1) . ', ' . interval($state, 1)
            if defined $state->{ratio};
    } else {
        $text .= sprintf '%11s', rate($state->{rate} // $last->{rate}, $last->{unit});
        $text .= ' +/- ' . percent($state->{plus_minus}) if defined $state->{plus_minus};
    }
    return $text if !$state->{done};
    return $text . ($state->{settled} ? '  precise' : '  done');
}

sub update {
    my ($self, $state, $left) = @_;
    return if $self->{quiet};
    $self->say_line($state) if $self->{verbose} && !$state->{done};    # else finish() says it
    my $now = $self->{clock}->();
    return if !$self->{live} || $now - $self->{last} < REDRAW;
    $self->{last} = $now;
    my @states = @{ $self->{states} };
    my $done = grep { $_->{done} } @states;
    my $text = sprintf '  %d of %d done, %s %s left: %s', $done, scalar @states, $self->{most},
        time_left($left), line($state, 0) =~ s/\A +//r =~ s/ +/ /gr;
    $self->erase;
    print { $self->{out} } bytes(substr $text, 0, $self->{columns}->() - 1) . "\n";
    $self->{drawn} = 1;
    return;
}

# The line that was drawn last
sub erase {
    my ($self) = @_;
    print { $self->{out} } "\e[1A\r\e[K" if delete $self->{drawn};
    return;
}

sub say_line {
    my ($self, $state) = @_;
    $self->erase;
    return $self->say_plain(line($state, $self->{width} || 0) . "\n");
}

sub finish {
    my ($self) = @_;
    $self->erase;
    $self->say_line($_) for grep { $_->{done} } @{ $self->{states} || [] };
    return;
}

1;
