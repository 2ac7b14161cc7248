# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Runner;

# Runs one pass: starts the copies of a test behind a gate, reads what they print, ends them
# where they do not end by themselves, and reaps them.  Then processes that left the process group
# of their copy are ended, too.
#
#   new(clock => sub -> seconds, stopped => sub -> true where Run is to end)
#   run({ program => path, wrap => [words of a command that starts it] or undef, arguments =>
#         [], copies => N, gate => true where the program waits for the start, pin => [CPUs] or
#         undef, timeout => seconds; folder, log, environment, input => as
#         SpawnMeter::Util::Process::start takes them,
#         each => [ { the same, where a copy has its own; keep => [handles that it inherits,
#         which are closed here when all copies are started] } ] or undef }) ->
#       { status => 'ok', 'failed', 'skipped' or 'stopped', reason => text, results =>
#       [SpawnMeter::Analysis::ProgramOutput's result of each copy; none unless ok], output =>
#       [text of each copy], wall => seconds, before and after => readings of the counters }
#   outcome([copies], problem of the pass or undef) -> its status, reason and results, from how
#       its copies ended and what they printed
#
# A copy is what SpawnMeter::Util::Process::start returns, and status => wait status, exited =>
# seconds, ended => true when it was reaped and its output is complete, and ended_by_run => true
# where Run ended it with the pass.  Every copy leads a process group of its own.
#
# A problem: { reason, decides => true where that says more than what the copies printed }, without
# a reason where Run itself is to end.

use strict;
use warnings;
use Errno qw(EINTR);
use Exporter 'import';
use Fcntl                               qw(F_SETFL O_NONBLOCK);
use POSIX                               qw(WEXITSTATUS WIFSIGNALED WNOHANG WTERMSIG);
use Time::HiRes                         ();
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Machine::Counters;
use SpawnMeter::Measure::Settings qw(of_copy);
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File   qw(write_all);
use SpawnMeter::Util::Format qw(plain);
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(outcome);

use constant {
    TICK        => 0.2,        # seconds between two looks at the clock
    SHORT_TICK  => 0.005,      # the same, when no output is open
    GAP         => 5,          # seconds; a longer tick means that Run was stopped (Ctrl-Z)
    OUTPUT_MAX  => 262_144,    # bytes that are kept of what a copy prints
    LATE_OUTPUT => 0.1,        # seconds that output is awaited after the exit
    TOO_MUCH    => 'printed too much output',
    EX_USAGE    => 2,                           # the program does not have such an option
    EX_SKIPPED  => 77,                          # after a SKIP line
};

sub new {
    my ($class, %given) = @_;
    my $clock = sub { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) };
    return bless { clock => $clock, stopped => sub { return 0 }, %given }, $class;
}

sub run {
    my ($self, $invocation) = @_;
    my $began = $self->{clock}->();
    my %pass = (copies => [], ready => q{}, began => $began);
    $pass{deadline} = $began + $invocation->{timeout};
    my $problem =
        eval { $self->start_copies($invocation, \%pass); 1 }
        ? $self->watch($invocation, \%pass)
        : { reason => $@ =~ s/\n\z//r, decides => 1 };
    if ($problem) {
        delete $pass{go_write};    # copies that wait at the gate see it close
        end_copies(running(\%pass));
    }
    SpawnMeter::Util::Cleanup::end_strays();
    return {
        %{ outcome($pass{copies}, $problem) },
        before => $pass{before},
        after  => $pass{after},
        wall   => $self->{clock}->() - $pass{began},
        output => [ map { $_->{out} } @{ $pass{copies} } ],
    };
}

# Dies where one cannot be started
sub start_copies {
    my ($self, $invocation, $pass) = @_;
    my @gate = $invocation->{gate} ? make_gate($pass) : ();
    for my $i (0 .. $invocation->{copies} - 1) {
        my $copy = eval { SpawnMeter::Util::Process::start(of_copy($invocation, $i, @gate)) };
        push @{ $pass->{copies} }, $copy || die 'copy ' . ($i + 1) . ": $@";
    }
    close $_ for map { @{ $_->{keep} } } @{ $invocation->{each} || [] };
    open_gate($pass) if !@gate;
    return;
}

# -> the two ends of the copies: each writes a byte to one when it is ready, and waits for a byte
# from the other.
sub make_gate {
    my ($pass) = @_;
    pipe $pass->{ready_read}, my $ready_write or die "pipe: $!\n";
    pipe my $go_read, $pass->{go_write}       or die "pipe: $!\n";
    fcntl $pass->{ready_read}, F_SETFL, O_NONBLOCK;
    return ($go_read, $ready_write);
}

sub open_gate {
    my ($pass) = @_;
    $pass->{before} = SpawnMeter::Machine::Counters::read_all(q{});
    write_all($pass->{go_write}, 'g') if $pass->{go_write};
    $pass->{open} = 1;
    return;
}

sub running {
    my ($pass) = @_;
    return grep { !$_->{ended} } @{ $pass->{copies} };
}

# Waits until all copies have ended -> the problem, or nothing.
sub watch {
    my ($self, $invocation, $pass) = @_;
    my $last = $pass->{began};
    local $SIG{CHLD} = sub { };    # interrupts select
    while (running($pass)) {
        wait_for_output($pass);
        my $now = $self->{clock}->();
        $_ += $now - $last > GAP ? $now - $last : 0 for @{$pass}{qw(began deadline)};
        $last = $now;
        reap($_, $now) for running($pass);
        my $problem = $self->problem($invocation, $pass, $now);
        return $problem if $problem;
        open_gate($pass) if !$pass->{open} && length $pass->{ready} >= $invocation->{copies};
    }
    $pass->{after} = SpawnMeter::Machine::Counters::read_all(q{});
    return;
}

sub problem {
    my ($self, $invocation, $pass, $now) = @_;
    return {} if $self->{stopped}->();
    my @running = running($pass);
    return { reason => sprintf('timed out after %.0f s', $invocation->{timeout}), decides => 1 }
        if @running && $now > $pass->{deadline};
    return { reason => TOO_MUCH } if grep { printed_too_much($_) } @running;
    return { reason => 'a copy ended before the start' }
        if !$pass->{open} && @running < @{ $pass->{copies} };
    return;
}

sub wait_for_output {
    my ($pass) = @_;
    my @open = grep { $_->{err} } @{ $pass->{copies} };
    my $gate = $pass->{open} ? undef : $pass->{ready_read};
    my $bits = q{};
    vec($bits, fileno $_, 1) = 1 for map({ $_->{err} } @open), $gate // ();
    return if select($bits, undef, undef, @open ? TICK : SHORT_TICK) <= 0;
    take_output($_) for grep { vec $bits, fileno $_->{err}, 1 } @open;
    return if !$gate || !vec $bits, fileno $gate, 1;
    my $got = sysread $gate, $pass->{ready}, 4096, length $pass->{ready};
    delete $pass->{ready_read} if defined $got && $got == 0;
    return;
}

# ---- copy ----

# Reads what a copy prints, and keeps the beginning.
sub take_output {
    my ($copy) = @_;
    my $got = sysread $copy->{err}, my $text, 65_536;
    delete $copy->{err} if defined $got && $got == 0;
    $copy->{out} .= $text if $got && length $copy->{out} <= OUTPUT_MAX;
    return;
}

sub printed_too_much { my ($copy) = @_; return length $copy->{out} > OUTPUT_MAX }

sub reap {
    my ($copy, $now) = @_;
    if (!defined $copy->{status}) {
        return if waitpid($copy->{pid}, WNOHANG) != $copy->{pid};
        @{$copy}{qw(status exited)} = ($?, $now);
    }

    # a process that the copy left behind may still hold its standard error
    return if $copy->{err} && $now - $copy->{exited} < LATE_OUTPUT;
    finish($copy);
    return;
}

# Kills what a copy left behind in its group, but not a group whose number is in use again.
sub finish {
    my ($copy) = @_;
    kill 'KILL', -$copy->{pid} if !-e "/proc/$copy->{pid}";
    SpawnMeter::Util::Cleanup::ungroup($copy->{pid});
    delete $copy->{err};
    $copy->{ended} = 1;
    return;
}

# Ends the groups of these copies, and reaps the copies.
sub end_copies {
    my (@left) = @_;
    $_->{ended_by_run} = !defined $_->{status} for @left;
    SpawnMeter::Util::Cleanup::end_all(sub {
        for my $copy (grep { !defined $_->{status} } @left) {
            take_output($copy) if $copy->{err};
            $copy->{status} = $? if waitpid($copy->{pid}, WNOHANG) == $copy->{pid};
        }
        return map { -$_->{pid} } grep { !defined $_->{status} } @left;
    });
    for my $copy (@left) {
        take_output($copy) if $copy->{err};
        1 while !defined $copy->{status} && waitpid($copy->{pid}, 0) < 0 && $! == EINTR;
        $copy->{status} = $? if !defined $copy->{status};
        finish($copy);
    }
    return;
}

# ---- outcome ----

# The pass fails if one of its copies does.  The reason is that of the first copy that failed
# by itself; a copy that Run ended did not.
sub outcome {
    my ($copies, $problem) = @_;
    return { status => 'stopped', reason => 'stopped', results => [] }
        if $problem && !defined $problem->{reason};
    my @results = map { parse($_->{out}) } @{$copies};
    my @causes = grep { @{$_} }
        map { [ failure_of($copies->[$_], $results[$_]) ] }
        grep { !$copies->[$_]{ended_by_run} } 0 .. $#results;
    return { status => 'ok', results => \@results } if !@causes && !$problem;

    # a copy that failed says more than one that could not begin
    my ($cause) = ((grep { $_->[0] eq 'failed' } @causes), @causes);
    $cause = [ failed => $problem->{reason} ] if $problem && (!$cause || $problem->{decides});
    my ($status, $reason) = @{$cause};
    $reason =~ s/\bkilled by signal 9\b\K/ (out of memory?)/;
    return { status => $status, reason => $reason, results => [] };
}

# -> (status, reason), or nothing where the copy is good
sub failure_of {
    my ($copy, $printed) = @_;
    my ($error, $skip) = @{$printed}{qw(error skip)};
    return (failed => TOO_MUCH) if printed_too_much($copy);
    return (failed => 'the test was killed by signal ' . WTERMSIG($copy->{status}))
        if WIFSIGNALED($copy->{status});
    my $code = WEXITSTATUS($copy->{status});
    return (skipped => $skip) if defined $skip   && $code == EX_SKIPPED;
    return (failed  => $error) if defined $error && $copy->{out} =~ /^ERROR[|]/m;
    return (skipped => first_line($copy)) if $code == EX_USAGE;
    return (failed  => "the test exited with status $code: " . first_line($copy)) if $code != 0;
    return (failed  => $error) if defined $error;
    return (failed  => "the test printed SKIP, but exited with status $code") if defined $skip;
    return;
}

sub first_line {
    my ($copy) = @_;
    return $copy->{out} =~ /^([^\n]+)/ ? plain($1) : 'no output';
}

1;
