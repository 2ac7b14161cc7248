package SpawnMeter::Measure::Runner;

# Runs one pass: starts the copies of a test behind a gate, reads what they
# print, sees to it that they end, and reaps them.
#
#   new(clock => sub -> seconds, start => sub (command) -> process,
#       read_counters => sub -> reading, stopped => sub -> true to give up,
#       asked_to_pause => sub -> true, once, where Run was asked to stop for a while)
#   run({ program => path, arguments => [], copies => N, gate => bool,
#         pin => [CPUs] or undef, timeout => seconds, folder => working folder,
#         log => file handle, environment => { variables to set; empty: to unset },
#         input => file for standard input or undef }) ->
#       { status => 'ok', 'failed', 'skipped' or 'stopped', reason => text,
#         results => [what SpawnMeter::Measure::ProgramOutput says of each copy],
#         paused => true if it was stopped for a while, output => [text of each copy], wall => seconds, before and after => readings of the instruments }
#
# Every copy leads a process group of its own, which is ended with it, whatever it
# has left behind; and so is, after each pass, who has left that group.

use strict;
use warnings;
use Errno qw(EINTR EAGAIN);
use Fcntl qw(F_SETFL O_NONBLOCK);
use POSIX qw(WNOHANG WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::Process;
use SpawnMeter::Measure::ProgramOutput qw(parse);
use SpawnMeter::Util::Format           qw(plain);
use Time::HiRes                        ();

use constant {
    OUTPUT_MAX => 262_144,      # bytes kept of what one copy prints
    FLOOD      => 4_194_304,    # bytes more, after which the copy is ended
    GRACE      => 1,            # seconds from TERM to KILL
    TICK       => 0.2,          # how often the time-out is looked at, seconds
    STRAGGLE   => 0.1,          # seconds that output may come after the exit
    GAP        => 5,            # seconds; who was away for longer was stopped itself
    EX_USAGE   => 2,
    EX_SKIPPED => 77,
};

sub new {
    my ($class, %with) = @_;
    my $self = bless {
        clock          => sub { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) },
        start          => \&SpawnMeter::Util::Process::start,
        read_counters  => sub { return },
        stopped        => sub { return 0 },
        asked_to_pause => sub { return 0 },
        %with,
    }, $class;
    return $self;
}

sub run {
    my ($self, $spec) = @_;
    my $began = $self->{clock}->();
    my $state =
        { copies => [], ready => q{}, began => $began, deadline => $began + $spec->{timeout} };
    my $problem = $self->start_copies($spec, $state);
    if   (defined $problem) { $self->end_all($state) }
    else                    { $problem = $self->watch($spec, $state) }
    SpawnMeter::Util::Cleanup::end_strays();
    my $outcome = outcome($state, $problem);
    $outcome->{wall} = $self->{clock}->() - $began;
    @{$outcome}{qw(before after paused)} = @{$state}{qw(before after paused)};
    $outcome->{output} = [ map { $_->{out} } @{ $state->{copies} } ];
    return $outcome;
}

# Returns what went wrong, or undef
sub start_copies {
    my ($self, $spec, $state) = @_;
    my @gate;
    if ($spec->{gate}) {
        pipe $state->{ready_read}, my $ready_write or return "pipe: $!";
        pipe my $go_read, $state->{go_write}       or return "pipe: $!";
        fcntl $state->{ready_read}, F_SETFL, O_NONBLOCK;
        @gate = ($go_read, $ready_write);
    }
    for my $i (0 .. $spec->{copies} - 1) {
        my @options;
        push @options, '--gate', join q{,}, map { fileno $_ } @gate if @gate;
        push @options, '--cpu', $spec->{pin}[ $i % @{ $spec->{pin} } ] if $spec->{pin};
        my $copy = eval {
            $self->{start}->({
                line        => [ $spec->{program}, @options, @{ $spec->{arguments} } ],
                folder      => $spec->{folder},
                log         => $spec->{log},
                keep        => \@gate,
                environment => $spec->{environment},
                input       => $spec->{input},
            });
        };
        return 'copy ' . ($i + 1) . ": $@" =~ s/\n\z//r if !$copy;
        push @{ $state->{copies} }, $copy;
    }
    $self->open_gate($state) if !@gate;
    return;
}

sub open_gate {
    my ($self, $state) = @_;
    $state->{before} = $self->{read_counters}->();
    syswrite $state->{go_write}, 'g' if $state->{go_write};
    $state->{open} = 1;
    return;
}

# Until all copies have ended.  Returns what went wrong with the pass, or undef.
sub watch {
    my ($self, $spec, $state) = @_;
    my $problem;
    my $last = $state->{began};
    local $SIG{CHLD} = sub { };    # so that select comes back
    while (grep { !$_->{ended} } @{ $state->{copies} }) {
        $self->wait_for_output($state);
        SpawnMeter::Util::Cleanup::check();
        $self->pause($state) if $self->{asked_to_pause}->();
        my $now = $self->{clock}->();
        $state->{deadline} += $now - $last if $now - $last > GAP;
        $last = $now;
        $self->reap_ended($state, $now);
        $problem = $self->trouble($spec, $state, $now);
        last if defined $problem;

        if (!$state->{open} && length $state->{ready} >= $spec->{copies}) {
            $self->open_gate($state);
        }
    }
    $state->{after} = $self->{read_counters}->() if !defined $problem;
    $self->end_all($state) if defined $problem;
    return $problem;
}

sub trouble {
    my ($self, $spec, $state, $now) = @_;
    return 'stopped' if $self->{stopped}->();
    my @running = grep { !$_->{ended} } @{ $state->{copies} };
    return sprintf 'no end after %.0f s', $spec->{timeout} if @running && $now > $state->{deadline};
    return 'it flooded its output' if grep { $_->{dropped} > FLOOD } @running;
    return 'one copy ended before the start' if !$state->{open} && @running < @{ $state->{copies} };
    return;
}

# Stops the copies and this process, as who pressed Ctrl-Z expects; they go on together
sub pause {
    my ($self, $state) = @_;
    my @running = grep { !$_->{ended} } @{ $state->{copies} };
    signal('STOP', @running);
    kill 'STOP', $$;
    signal('CONT', @running);
    $state->{paused} = 1;
    return;
}

sub wait_for_output {
    my ($self, $state) = @_;
    my $bits = q{};
    my @open = grep { $_->{err} } @{ $state->{copies} };
    vec($bits, fileno $_->{err}, 1) = 1 for @open;
    my $waiting = $state->{ready_read} && !$state->{open};
    vec($bits, fileno $state->{ready_read}, 1) = 1 if $waiting;
    my $found = select $bits, undef, undef, @open ? TICK : 0.005;
    return if $found <= 0;

    for my $copy (@open) {
        take_output($copy) if vec $bits, fileno $copy->{err}, 1;
    }
    if ($waiting && vec $bits, fileno $state->{ready_read}, 1) {
        my $got = sysread $state->{ready_read}, $state->{ready}, 4096, length $state->{ready};
        delete $state->{ready_read} if defined $got && $got == 0;
    }
    return;
}

# Keeps the beginning of a flood and counts the rest
sub take_output {
    my ($copy) = @_;
    my $got = sysread $copy->{err}, my $text, 65_536;
    return if !defined $got && ($! == EINTR || $! == EAGAIN);
    if (!$got) {
        delete $copy->{err};
        return;
    }
    my $room = OUTPUT_MAX - length $copy->{out};
    $copy->{out} .= substr $text, 0, $room if $room > 0;
    $copy->{dropped} += $got - $room if $got > $room;
    return;
}

sub reap_ended {
    my ($self, $state, $now) = @_;
    for my $copy (grep { !$_->{ended} } @{ $state->{copies} }) {
        if (!defined $copy->{status}) {
            my $pid = waitpid $copy->{pid}, WNOHANG;
            next if $pid != $copy->{pid};
            @{$copy}{qw(status exited)} = ($?, $now);
        }

        # something that it left behind may hold its descriptor open
        next if $copy->{err} && $now - $copy->{exited} < STRAGGLE;
        finish_copy($copy);
    }
    return;
}

# To all of its group; not where it was reaped and its number has been given anew
sub signal {
    my ($name, @copies) = @_;
    kill $name, map { -$_->{pid} } grep { !defined $_->{status} || !-e "/proc/$_->{pid}" } @copies;
    return;
}

# Whatever it has left behind is ended with it
sub finish_copy {
    my ($copy) = @_;
    signal('KILL', $copy);
    SpawnMeter::Util::Process::ended($copy);
    delete $copy->{err};
    $copy->{ended} = 1;
    return;
}

# TERM to every group that is left, KILL after a grace, and reaps all
sub end_all {
    my ($self, $state) = @_;
    delete $state->{go_write};
    my @left = grep { !$_->{ended} } @{ $state->{copies} };
    signal('TERM', @left);
    signal('CONT', @left);    # what is stopped has its TERM before it goes on
    my $deadline = $self->{clock}->() + GRACE;
    while (grep { !defined $_->{status} } @left) {
        for my $copy (grep { !defined $_->{status} } @left) {
            take_output($copy) if $copy->{err};
            my $pid = waitpid $copy->{pid}, WNOHANG;
            $copy->{status} = $? if $pid == $copy->{pid};
            $copy->{status} = 0 if $pid < 0;
        }
        signal('KILL', grep { !defined $_->{status} } @left) if $self->{clock}->() > $deadline;
        Time::HiRes::sleep(0.01);
    }
    for my $copy (@left) {
        take_output($copy) if $copy->{err};
        finish_copy($copy);
    }
    return;
}

# What one copy came to: { ok => result } or { status => ..., reason => ... }
sub judge {
    my ($copy) = @_;
    my $said = parse($copy->{out});
    my $status = $copy->{status};
    return { status => 'failed', reason => 'it was never reaped' } if !defined $status;
    return { status => 'failed', reason => 'it flooded its output' } if $copy->{dropped};
    if (WIFSIGNALED($status)) {
        my $why = defined $said->{error}
            && $said->{error} !~ /COUNT|half a line/ ? " ($said->{error})" : q{};
        return {
            status => 'failed',
            reason => 'it was killed by signal ' . WTERMSIG($status) . $why
        };
    }
    my $code = WEXITSTATUS($status);
    return { status => 'skipped', reason => $said->{skip} }
        if $code == EX_SKIPPED && defined $said->{skip};
    return { status => 'failed', reason => $said->{error} }
        if defined $said->{error} && $copy->{out} =~ /^ERROR[|]/m;
    if ($code != 0) {
        my ($first) = $copy->{out} =~ /^([^\n]+)/;
        $first = 'no word' if !defined $first;

        # a usage error: this test has no such option
        return { status => 'skipped', reason => plain($first) }
            if $code == EX_USAGE;
        return {
            status => 'failed',
            reason => "it exited with status $code: " . plain($first)
        };
    }
    return { status => 'failed', reason => $said->{error} } if defined $said->{error};
    return { status => 'failed', reason => "it skipped, but with status $code" }
        if defined $said->{skip};
    return { ok => $said };
}

# The pass fails if a copy does; a copy's own reason says more than the pass's,
# unless it was only ended for another's sake
sub outcome {
    my ($state, $problem) = @_;
    return { status => 'stopped', reason => 'stopped' }
        if defined $problem && $problem eq 'stopped';
    my @judged = map { judge($_) } @{ $state->{copies} };
    my @bad = grep { !$_->{ok} } @judged;
    my ($own) = grep { $_->{reason} !~ /signal 15|the gate was closed|at the gate/ } @bad;
    if (defined $problem && ($problem =~ /^(?:no end|copy)/ || !$own)) {
        return { status => 'failed', reason => $problem };
    }
    return { %{ $own || $bad[0] }, results => [] } if @bad;
    return { status                        => 'ok', results => [ map { $_->{ok} } @judged ] };
}

1;
