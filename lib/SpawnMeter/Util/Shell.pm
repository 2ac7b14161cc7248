# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Shell;

# Runs a command by sh -c, with a time limit.
#
#   run_shell({ command, folder => working folder, seconds => limit, stopped => sub -> true where
#       it is to end at once, begun => sub in the child before exec, started => sub (pid), ended
#       => sub (pid) }) -> undef where its exit status is 0, else why not: "exit status 1: the
#       first line of its output".  All subs can be left out
#
# It leads a process group of its own.  A process that it leaves in the background stays,
# unless the command itself has to be ended.

use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use SpawnMeter::Util::Cleanup::Orphans;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

our @EXPORT_OK = qw(run_shell);

use constant {
    SHELL      => '/bin/sh',
    TICK       => 0.01,        # seconds between two looks
    GRACE      => 1,           # seconds from SIGTERM to SIGKILL
    CANNOT_RUN => 127,
    RESERVED   => 65_536,      # bytes of room for its output
    LINE_MAX   => 200,         # characters of its output in a message
};

sub run_shell {
    my ($how) = @_;
    return SpawnMeter::Util::Cleanup::Orphans::kept(sub { return scalar run($how) });
}

sub run {
    my ($how) = @_;

    my $output = for_output() or return "/dev/null: $!";
    my $pid = fork;
    return "cannot start a process: $!" if !defined $pid;
    become($how, $output) if $pid == 0;
    setpgrp $pid, $pid;    # in both processes: either can run first
    $how->{started}->($pid) if $how->{started};
    my ($status, $why) = wait_for($how, $pid);
    $how->{ended}->($pid) if $how->{ended};
    return $why if defined $why;
    return if $status == 0;
    $why = $status & 127 ? 'killed by signal ' . ($status & 127) : 'exit status ' . ($status >> 8);
    my $line = first_line($output);
    return length $line ? "$why: $line" : $why;
}

# Not a pipe: a process in the background would keep it open.  What is printed must not make the
# command fail where there is no room: /dev/null then
sub for_output {
    my $output;
    return $output
        if open($output, '+>', undef)
        && syswrite($output, "\0" x RESERVED)
        && sysseek $output, 0, 0;
    return open($output, '+<', '/dev/null') ? $output : undef;
}

# In the child; never returns
sub become {
    my ($how, $output) = @_;
    $SIG{$_} = 'DEFAULT' for grep { ref $SIG{$_} } keys %SIG;
    $SIG{$_} = 'DEFAULT' for qw(PIPE CHLD);
    $SIG{XFSZ} = 'IGNORE';    # a limit of its output is no reason to end it
    delete @SIG{qw(__DIE__ __WARN__)};
    setpgrp 0, 0;
    $how->{begun}->() if $how->{begun};
    my $input = POSIX::open('/dev/null', POSIX::O_RDONLY());
    POSIX::dup2($input, 0) if defined $input;
    POSIX::dup2(fileno $output, $_) for 1, 2;

    if (!chdir $how->{folder}) {
        syswrite STDERR, "$how->{folder}: $!\n";
        POSIX::_exit(CANNOT_RUN);
    }
    no warnings 'exec';       ## no critic (ProhibitNoWarnings) -- the status reports it
    exec { +SHELL } 'sh', '-c', $how->{command} or POSIX::_exit(CANNOT_RUN);
}

# -> (wait status, undef) or (undef, why it was ended)
sub wait_for {
    my ($how, $pid) = @_;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + $how->{seconds};
    while (1) {
        my $got = waitpid $pid, POSIX::WNOHANG();
        return ($?, undef) if $got == $pid;
        return (undef, 'its exit status is unknown') if $got < 0 && !$!{EINTR};
        my $why =
              $how->{stopped} && $how->{stopped}->()     ? 'stopped'
            : clock_gettime(CLOCK_MONOTONIC) > $deadline ? "not done after $how->{seconds} s"
            :                                              undef;
        if (defined $why) {
            end_group($pid);
            return (undef, $why);
        }
        Time::HiRes::sleep(TICK);
    }
    return;
}

sub end_group {
    my ($pid) = @_;
    kill 'TERM', -$pid;
    kill 'CONT', -$pid;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + GRACE;
    while (waitpid($pid, POSIX::WNOHANG()) == 0 && clock_gettime(CLOCK_MONOTONIC) < $deadline) {
        Time::HiRes::sleep(TICK);
    }
    kill 'KILL', -$pid;
    1 while waitpid($pid, 0) < 0 && $!{EINTR};
    return;
}

sub first_line {
    my ($output) = @_;
    seek $output, 0, 0;
    read $output, my $text, 4096;
    return defined $text && $text =~ /^([^\n\0]+)/ ? substr $1, 0, LINE_MAX : q{};
}

1;
