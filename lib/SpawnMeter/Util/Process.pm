# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Process;

# Starts commands, each in a process group of its own, which the cleaner (SpawnMeter::Util::Cleanup)
# knows of.
#
#   start({ line => [program, arguments], folder => working folder, keep => [handles that
#       it inherits], environment => { variables to set; empty: to unset }, log => handle
#       for its standard output, input => file for its standard input or undef }) -> process { pid,
#       err => handle to read its standard error from, out => '' }; dies if no process can be
#       created.  If the program cannot be run, its standard error has "ERROR|reason"
#   output(program, arguments) -> (wait status, all that it printed on both outputs)
#   output_of({ line, seconds => without output after which the group is killed, marked => true to
#       end also processes that leave the group }) -> likewise
#   child({ what start takes but log, and: marked, before => sub that runs in the child before exec,
#       error => beginning of the line on standard error where it cannot run }, handles for standard
#       output, which can be undef, and standard error) -> process number
#   withhold(handles): of the descriptors above 2 that are open now none but these reaches a
#       program that is started; with the handles of files that this process has opened itself
#   handled_signals() -> names of the signals that ask a program to end and are not ignored
#   status_of_signal(name) -> exit status after this signal

use strict;
use warnings;
use Config;
use Errno qw(EINTR);
use Exporter 'import';
use Fcntl       qw(FD_CLOEXEC F_SETFD F_GETFL F_SETFL O_NONBLOCK);
use POSIX       ();
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime);
use SpawnMeter::Util::Cleanup;

our @EXPORT_OK = qw(output output_of run_shell);

# The signals that end a program by default and can only mean that, and their numbers here
my %number;
@number{ split q{ }, $Config{sig_name} } = split q{ }, $Config{sig_num};
my %SIGNAL = map { $_ => $number{$_} }
    grep { defined $number{$_} } qw(INT TERM HUP QUIT USR1 USR2 ALRM VTALRM PROF IO XCPU);

# A signal that is ignored, by nohup or in a shell's background, stays ignored
sub handled_signals {
    return grep { ($SIG{$_} || q{}) ne 'IGNORE' } sort keys %SIGNAL;
}

sub status_of_signal { my ($name) = @_; return 128 + $SIGNAL{$name} }

use constant {
    OUTPUT_MAX => 4 * 1024 * 1024,    # bytes that output() keeps; it drops the rest
    CANNOT_RUN => 127,                # exit status, as of a shell
    OOM_SCORE  => 500,                # of 1000; see proc(5), oom_score_adj
};

# A child with the default signal handlers; signals that arrive meanwhile are blocked
sub forked {
    my $all = POSIX::SigSet->new;
    $all->fillset;
    my $before = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $all, $before);
    my $pid = fork;
    my $why = $!;
    if (defined $pid && $pid == 0) {
        $SIG{$_} = 'DEFAULT' for grep { ref $SIG{$_} } keys %SIGNAL;
        $SIG{$_} = 'DEFAULT' for qw(CHLD XFSZ);
        $SIG{PIPE} = 'IGNORE';    # until exec: the cleaner may have been killed
        setpgrp 0, 0;
        SpawnMeter::Util::Cleanup::begun();
    }
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
    die "cannot start a process: $why\n" if !defined $pid;
    return $pid if $pid == 0;
    setpgrp $pid, $pid;    # in both processes: either can run first
    SpawnMeter::Util::Cleanup::started($pid);
    return $pid;
}

sub start {
    my ($command) = @_;
    pipe my $read, my $write or die "pipe: $!\n";
    my %test = (marked => 1, error => 'ERROR|', before => \&prefer_for_oom);
    my $pid = child({ %{$command}, %test }, $command->{log}, $write);
    close $write or die "pipe: $!\n";
    fcntl $read, F_SETFL, (fcntl($read, F_GETFL, 0) || 0) | O_NONBLOCK;
    return { pid => $pid, err => $read, out => q{} };
}

# exec with a list and a block never uses a shell, and a program whose name begins with a dash is
# no option
sub child {
    my ($command, $out, $err) = @_;
    my $pid = forked();
    return $pid if $pid;
    my ($program, @arguments) = @{ $command->{line} };
    become($command, $out, $err);
    $SIG{PIPE} = 'DEFAULT';
    no warnings 'exec';    ## no critic (ProhibitNoWarnings) -- the line below reports it
    exec {$program} $program, @arguments
        or failed($command, "cannot run $program");
}

sub failed {
    my ($command, $why) = @_;
    my $text = ($command->{error} || q{}) . "$why: $!\n";
    utf8::encode($text) if utf8::is_utf8($text);
    POSIX::write(2, $text, length $text);
    return POSIX::_exit(CANNOT_RUN);
}

# Makes the child what the command asks for, before it runs it
sub become {
    my ($command, $out, $err) = @_;
    fcntl $_, F_SETFD, 0 for @{ $command->{keep} || [] };
    SpawnMeter::Util::Cleanup::marked() if $command->{marked};
    my $set = $command->{environment} || {};
    @ENV{ keys %{$set} } = values %{$set};    ## no critic (RequireLocalized) -- of this child
    delete @ENV{ grep { !length $ENV{$_} } keys %{$set} };
    POSIX::dup2(fileno $err, 2);
    POSIX::dup2(fileno $out, 1) if $out;
    my ($input, $folder) = @{$command}{qw(input folder)};
    my $fd = POSIX::open($input // '/dev/null', POSIX::O_RDONLY());
    failed($command, "cannot read $input") if defined $input && !defined $fd;
    POSIX::dup2($fd, 0) if defined $fd;
    POSIX::close($fd) if ($fd || 0) > 2;
    failed($command, "cannot change to $folder") if defined $folder && !chdir $folder;
    $command->{before}->() if $command->{before};
    return;
}

# Where memory is short the kernel should end a copy, whose failure is reported, and not Run
# with all that it measured
sub prefer_for_oom {
    open my $file, '+<', '/proc/self/oom_score_adj' or return;
    my $now = <$file>;
    syswrite $file, OOM_SCORE if defined $now && $now =~ /^-?\d+$/ && $now < OOM_SCORE;
    return close $file;
}

# A shell or an agent that leaks descriptors would make each fork slower, which copies them.  They
# stay open here: a user may name one (/dev/fd/63), and a lock may hang on it
my @withheld;

sub withhold {
    my (@own) = @_;
    my %is_own = map { $_ => 1 } grep { defined } map { fileno $_ } @own;
    opendir my $list, '/dev/fd' or return;
    my @all = grep { /\A\d+\z/a && $_ > 2 && !$is_own{$_} } readdir $list;
    closedir $list;
    for my $fd (@all) {
        open my $handle, '<&=', $fd or next;    # not that of the list, which is closed
        fcntl $handle, F_SETFD, FD_CLOEXEC;
        push @withheld, $handle;
    }
    return;
}

sub output { my (@line) = @_; return output_of({ line => \@line }) }

sub output_of {
    my ($command) = @_;
    pipe my $read, my $write or die "pipe: $!\n";
    my $pid = eval { child($command, $write, $write) };
    die "$command->{line}[0]: $@" if !defined $pid;
    close $write or die "pipe: $!\n";
    my $words = words_of($read, $command->{seconds}, sub { kill 'KILL', -$pid });
    1 while waitpid($pid, 0) < 0 && $! == EINTR;
    my $status = $?;
    SpawnMeter::Util::Cleanup::ungroup($pid);
    return ($status, $words);
}

# All that can be read; calls $kill if neither text nor a signal comes for so many seconds
sub words_of {
    my ($read, $seconds, $kill) = @_;
    my $words = q{};
    vec(my $open = q{}, fileno $read, 1) = 1;
    while (1) {
        my $is_ready = select my $ready = $open, undef, undef, $seconds;
        next if $is_ready < 0;
        $kill->() if !$is_ready;
        my $got = $is_ready ? sysread $read, my $text, 65_536 : 0;
        next if !defined $got && $! == EINTR;
        last if !$got;
        $words .= $text if length $words < OUTPUT_MAX;
    }
    return $words;
}

# ---- commands of the user ----
#
#   run_shell({ command => of sh -c, folder => working folder, stopped => sub -> true where it is to
#       end at once, or undef, seconds => another limit than 60 }) -> undef where its exit status is
#       0, else why not: "exit status 1: the first line of its output"
#
# A process that it leaves in the background stays, unless the command itself has to be ended.

use constant {
    TICK     => 0.01,      # seconds between two looks
    RESERVED => 65_536,    # bytes of room for its output
    LINE_MAX => 200,       # characters of its output in a message
};

sub run_shell {
    my ($options) = @_;
    my $output = for_output() or return "/dev/null: $!";
    my %command = (
        line   => [ '/bin/sh', '-c', $options->{command} ],
        folder => $options->{folder},
        before => sub { $SIG{XFSZ} = 'IGNORE' },    # a limit of its output is no reason to end it
    );
    my $pid = eval { child(\%command, $output, $output) };
    return $@ =~ s/\n\z//r if !defined $pid;
    my $why = wait_for_shell($options, $pid);
    my $status = $?;
    SpawnMeter::Util::Cleanup::ungroup($pid);
    return $why if defined $why || $status == 0;
    $why = $status & 127 ? 'killed by signal ' . ($status & 127) : 'exit status ' . ($status >> 8);
    seek $output, 0, 0;
    read $output, my $text, 4096;
    return ($text || q{}) =~ /^([^\n\0]+)/ ? "$why: " . substr $1, 0, LINE_MAX : $why;
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

# -> why it was ended; undef where it ended by itself, with its status in $?
sub wait_for_shell {
    my ($options, $pid) = @_;
    my $seconds = $options->{seconds} || SpawnMeter::Util::Cleanup::UNDO_SECONDS();
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + $seconds;
    while (waitpid($pid, POSIX::WNOHANG()) != $pid) {
        my $stopped = $options->{stopped} && $options->{stopped}->();
        if ($stopped || clock_gettime(CLOCK_MONOTONIC) > $deadline) {
            SpawnMeter::Util::Cleanup::end_groups($pid);
            1 while waitpid($pid, 0) < 0 && $!{EINTR};
            return $stopped ? 'stopped' : "not done after $seconds s";
        }
        Time::HiRes::sleep(TICK);
    }
    return;
}

1;
