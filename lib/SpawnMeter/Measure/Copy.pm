# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Copy;

# One copy of a test program that runs: its output, its signals, its end.
#
#   take_output(copy): reads what its standard error has
#   reap(copy, now): notes its end, if it ended
#   signal(name, copies): sends the signal to their process groups
#   end_all(clock, copies): ends these copies and reaps them
#
# A copy is what SpawnMeter::Util::Process::start returns: { pid, err, out, dropped }.  Added
# to it are status => wait status, exited => seconds, ended => true when it was reaped and its
# output is complete, and ended_by_run => true where end_all ended it.
#
# Every copy leads a process group of its own.  When the copy ends, the rest of it is killed.

use strict;
use warnings;
use Errno qw(EINTR EAGAIN);
use POSIX qw(WNOHANG);
use SpawnMeter::Util::Process;
use Time::HiRes ();

use constant {
    OUTPUT_MAX  => 262_144,    # bytes that are kept of what a copy prints
    LATE_OUTPUT => 0.1,        # seconds that output is awaited after the exit
    GRACE       => 1,          # seconds from SIGTERM to SIGKILL
};

# Keeps the beginning and counts the rest
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

# To the groups of these copies; not to one that was reaped and whose number is used again
sub signal {
    my ($name, @copies) = @_;
    kill $name, map { -$_->{pid} } grep { !defined $_->{status} || !-e "/proc/$_->{pid}" } @copies;
    return;
}

# Kills what it left behind in its group
sub finish {
    my ($copy) = @_;
    signal('KILL', $copy);
    SpawnMeter::Util::Process::ended($copy);
    delete $copy->{err};
    $copy->{ended} = 1;
    return;
}

# SIGTERM to every group that is left, SIGKILL after a grace; reaps all
sub end_all {
    my ($clock, @left) = @_;
    $_->{ended_by_run} = !defined $_->{status} for @left;
    signal('TERM', @left);
    signal('CONT', @left);    # a stopped process handles SIGTERM only when it continues
    my $deadline = $clock->() + GRACE;
    while (my @alive = grep { !defined $_->{status} } @left) {
        for my $copy (@alive) {
            take_output($copy) if $copy->{err};
            my $pid = waitpid $copy->{pid}, WNOHANG;
            $copy->{status} = $? if $pid == $copy->{pid};
            $copy->{status} = 0 if $pid < 0;
        }
        signal('KILL', grep { !defined $_->{status} } @alive) if $clock->() > $deadline;
        Time::HiRes::sleep(0.01);
    }
    for my $copy (@left) {
        take_output($copy) if $copy->{err};
        finish($copy);
    }
    return;
}

1;
