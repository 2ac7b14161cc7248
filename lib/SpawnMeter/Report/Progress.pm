# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Progress;

# Shows the progress of a run on the handle that it is given: on a terminal a line for each
# test, drawn again and again; elsewhere a line when a test is done.
#
#   new(out => handle, clock => sub that returns seconds, live => true on a terminal,
#       size => sub -> (columns, rows) of the terminal at this moment,
#       quiet => true for nothing, verbose => true for a line after each pass, runs => number of
#       runs with this one, or undef)
#   start(seconds of the whole run, true where it can take longer)
#   begin(copies, states of SpawnMeter::Measure::Schedule, title: undefined for the number
#       of copies)
#   update(state, seconds left);  finish();  say_plain(text)
#   minutes(seconds) -> "2:40 minutes", or "8 seconds"

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(max min);
use POSIX                       qw(ceil);
use SpawnMeter::Report::Compare qw(change interval);
use SpawnMeter::Util::Format    qw(bytes rate percent time_left copies shortened);
use SpawnMeter::Util::Terminal  qw(fitted);

our @EXPORT_OK = qw(minutes);

use constant {
    REDRAW => 0.25,    # seconds between two drawings
    LINES  => 18,      # of tests; with more tests only those that are being measured
    OTHERS => 44,      # columns of a line beside the title
    TITLE  => 10,      # columns of a title at least
};

sub new {
    my ($class, %with) = @_;
    return bless { size => sub { return (80, 24) }, %with }, $class;
}

sub say_plain {
    my ($self, $text) = @_;
    print { $self->{out} } fitted($text, $self->{out}) if !$self->{quiet};
    return;
}

sub start {
    my ($self, $seconds, $is_estimate) = @_;
    my $most = $is_estimate ? 'about' : 'at most';
    $self->{left} = 'about' if $is_estimate;
    my $text = "Measuring takes $most " . minutes($seconds);
    my $runs = $self->{runs} || 1;
    $text .= ", the $runs runs $most " . minutes($runs * $seconds) if $runs > 1;
    return $self->say_plain("$text.\n");
}

# What takes 0.3 s does not take "at most 0 seconds"
sub minutes {
    my ($seconds) = @_;
    my $whole = ceil($seconds);
    return
          $seconds >= 60 ? time_left($seconds) . ' minutes'
        : $whole == 1    ? '1 second'
        :                  "$whole seconds";
}

sub begin {
    my ($self, $copies, $states, $title) = @_;
    return if $self->{quiet};
    @{$self}{qw(copies states drawn said last)} = ($copies, $states, [], {}, 0);
    $self->{longest} = max(TITLE, map { length title($_) } @{$states});
    $title = copies($copies) . ' of each test' if !defined $title;
    return $self->say_plain("\n$title\n");
}

sub title {
    my ($state) = @_;
    my $cell = $state->{cell};
    return $cell->{title} . (defined $cell->{side} ? " ($cell->{side})" : q{});
}

# width: columns of the title.  Of two sides: their difference
sub line {
    my ($state, $width) = @_;
    my ($pairs, $passes) = @{$state}{qw(pairs passes)};
    my $n = @{ $pairs || $passes };
    my $text = sprintf '  %-*s %3d %-6s', $width, shortened(title($state), $width), $n,
        $pairs ? ($n == 1 ? 'pair' : 'pairs') : ($n == 1 ? 'pass' : 'passes');
    my $last = $passes->[-1] or return $text;
    return join q{ }, "$text ", $pairs ? $last->{side} : (), "$last->{status}: $last->{reason}"
        if $last->{status} ne 'ok';
    if ($pairs) {
        $text .= '  B ' . change($state->{ratio}, 1) . ', ' . interval($state, 1)
            if defined $state->{ratio};
    } else {
        $text .= sprintf '%11s',
            rate(defined $state->{rate} ? $state->{rate} : $last->{rate}, $last->{unit});
        $text .= ' +/- ' . percent($state->{plus_minus}) if defined $state->{plus_minus};
    }
    return $text if !$state->{done};
    return $text . ($state->{settled} ? '  precise' : '  done');
}

sub update {
    my ($self, $state, $left) = @_;
    return if $self->{quiet};
    if (!$self->{live}) {

        # what the passes of the other tests can still change is said when all are done
        my $is_final = $state->{pairs} || !defined $state->{plus_minus};
        my $now = $state->{done} ? $is_final : $self->{verbose};
        return $now ? $self->say_line($state) : undef;
    }
    my $now = $self->{clock}->();
    return if $now - $self->{last} < REDRAW && !$state->{done};
    $self->{last} = $now;
    return $self->draw(sprintf '  %s %s left', $self->{left} || 'at most', time_left($left));
}

sub say_line {
    my ($self, $state) = @_;
    $self->{said}{$state} = $state->{done};
    my $width = max($self->{longest} || 0, length title($state));
    return $self->say_plain(line($state, $width) . "\n");
}

# Goes back to the first line of the last drawing and draws over it.  A terminal may have
# broken the lines of that drawing when it became narrower: then nobody knows where they
# begin, and the new drawing is made below them.
sub draw {
    my ($self, $closing) = @_;
    my ($columns, $rows) = $self->{size}->();
    my $most = max(1, min(LINES, $rows - 2));
    my @states = @{ $self->{states} };
    if (@states > $most) {
        my $done = sprintf '  %d of %d done', scalar(grep { $_->{done} } @states), scalar @states;
        $closing = defined $closing ? "$done,$closing" : $done;
        @states = grep { @{ $_->{passes} } && !$_->{done} } @states;
        splice @states, $most if @states > $most;
    }
    my $width = max(TITLE, min($self->{longest}, $columns - OTHERS));
    my @lines = map { line($_, $width) } @states;
    push @lines, $closing if defined $closing;
    $_ = substr $_, 0, $columns - 1 for @lines;
    my $up = grep({ length >= $columns } @{ $self->{drawn} }) ? 0 : @{ $self->{drawn} };
    my $text = $up ? "\e[${up}A" : q{};
    $text .= "\r$_\e[K\n" for @lines;
    $self->{drawn} = \@lines;
    print { $self->{out} } bytes("$text\e[J");
    return;
}

sub finish {
    my ($self) = @_;
    return if $self->{quiet} || !$self->{states};
    return $self->draw if $self->{live};
    $self->say_line($_) for grep { $_->{done} && !$self->{said}{$_} } @{ $self->{states} };
    return;
}

1;
