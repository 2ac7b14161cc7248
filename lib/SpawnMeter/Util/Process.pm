package SpawnMeter::Util::Process;

# Starts commands, each in a process group of its own that the guard knows of, and
# never by a shell.
#
#   start({ line => [program, arguments], folder => working folder, keep => [handles that
#       it inherits], environment => { variables to set; empty: to unset }, log => handle
#       for its standard output, input => file for standard input or undef }) ->
#       { pid, err => handle to read its standard error from, out => '', dropped => 0 };
#       dies if there is no process to be had
#   ended(process): it was reaped, and its group is to be forgotten
#   output(program, arguments) -> (wait status, all that it printed, on both outputs)
#   output_of({ line, before => sub in the child -> true if it may go on, seconds => after
#       which it is killed, with its group, marked => true where who leaves that group is to
#       be ended, too (SpawnMeter::Util::Cleanup) }) -> likewise
#   no_core_files(): this process and those that it will start leave no core file, where
#       /proc and prlimit (util-linux) can be used; perl has no setrlimit of its own
#   handled_signals() -> names of those that ask a program to end and are not ignored
#   status_of_signal(name) -> exit status of a program that it ended

use strict;
use warnings;
use Config;
use Errno qw(EINTR);
use Exporter 'import';
use Fcntl qw(F_SETFD F_GETFL F_SETFL O_NONBLOCK);
use POSIX ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File qw(slurp);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(output output_of);

# Those that end a program by default, by which nothing but its end can be meant, and their
# numbers here
my %SIGNAL;
{
    my %number;
    @number{ split q{ }, $Config{sig_name} } = split q{ }, $Config{sig_num};
    my @asking = qw(INT TERM HUP QUIT USR1 USR2 ALRM VTALRM PROF IO);
    %SIGNAL = map { $_ => $number{$_} } grep { defined $number{$_} } @asking;
}

# What nohup or a shell's background had ignored stays so
sub handled_signals {
    return grep { ($SIG{$_} || q{}) ne 'IGNORE' } sort keys %SIGNAL;
}

sub status_of_signal { my ($name) = @_; return 128 + $SIGNAL{$name} }

use constant {
    OUTPUT_MAX => 4 * 1024 * 1024,    # of what output() keeps; the rest is read and dropped
    CANNOT_RUN => 127,
    OOM_SCORE  => 500,                # of 1000; see proc(5), oom_score_adj
};

# A child that has its signals as a new process has them; what comes meanwhile waits
sub forked {
    SpawnMeter::Util::Cleanup::check();
    my $all = POSIX::SigSet->new;
    $all->fillset;
    my $before = POSIX::SigSet->new;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $all, $before);
    my $pid = fork;
    my $why = $!;
    if (defined $pid && $pid == 0) {
        $SIG{$_} = 'DEFAULT' for grep { ref $SIG{$_} } keys %SIGNAL, 'TSTP';
        $SIG{$_} = 'DEFAULT' for qw(CHLD XFSZ);
        $SIG{PIPE} = 'IGNORE';    # until exec: the guard may have been killed
        delete @SIG{qw(__DIE__ __WARN__)};
        setpgrp 0, 0;
        SpawnMeter::Util::Cleanup::begun();
    }
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
    die "cannot start a process: $why\n" if !defined $pid;
    return $pid if $pid == 0;
    setpgrp $pid, $pid;    # here, too: whichever comes first
    SpawnMeter::Util::Cleanup::started($pid);
    return $pid;
}

sub start {
    my ($command) = @_;
    pipe my $read, my $write or die "pipe: $!\n";
    my $pid = forked();
    become($command, $write) if $pid == 0;
    close $write or die "pipe: $!\n";
    fcntl $read, F_SETFL, fcntl($read, F_GETFL, 0) | O_NONBLOCK;
    return { pid => $pid, err => $read, out => q{}, dropped => 0 };
}

# In the child: never returns.  exec with a list and a program of its own never
# goes through a shell, nor does a leading dash mean anything.
sub become {
    my ($command, $write) = @_;
    my $failed = sub { syswrite $write, "ERROR|$_[0]: $!\n"; POSIX::_exit(CANNOT_RUN) };
    fcntl $_, F_SETFD, 0 for @{ $command->{keep} || [] };
    SpawnMeter::Util::Cleanup::marked();
    my $set = $command->{environment} || {};
    for my $name (keys %{$set}) {
        if   (length $set->{$name}) { $ENV{$name} = $set->{$name} }
        else                        { delete $ENV{$name} }
    }
    POSIX::dup2(fileno $write, 2);
    POSIX::dup2(fileno $command->{log}, 1) if $command->{log};
    my $input = defined $command->{input} ? $command->{input} : '/dev/null';
    my $null = POSIX::open($input, POSIX::O_RDONLY());
    $failed->("cannot read $input") if !defined $null && defined $command->{input};
    if (defined $null) { POSIX::dup2($null, 0); POSIX::close($null) if $null > 2 }
    chdir $command->{folder} or $failed->("cannot change to $command->{folder}");
    die_first();
    my ($program, @arguments) = @{ $command->{line} };
    $SIG{PIPE} = 'DEFAULT';
    no warnings 'exec';    ## no critic (ProhibitNoWarnings) -- said by the line below
    exec {$program} $program, @arguments or $failed->("cannot run $program");
}

# Where memory is short the kernel is to end a copy, whose failure can be told, and not
# Run, with all that was measured
sub die_first {
    open my $file, '+<', '/proc/self/oom_score_adj' or return;
    my $now = <$file>;
    syswrite $file, OOM_SCORE if defined $now && $now =~ /^-?\d+$/ && $now < OOM_SCORE;
    close $file;
    return;
}

sub no_core_files {
    my ($now) = (slurp('/proc/self/limits') || q{}) =~ /^Max core file size +(\S+)/m;
    return if !defined $now || $now eq '0';
    my $prlimit = SpawnMeter::Util::Programs::found('prlimit') or return;
    output($prlimit, '--pid', $$, '--core=0:');    # the soft limit
    return;
}

sub ended {
    my ($process) = @_;
    SpawnMeter::Util::Cleanup::ungroup($process->{pid});
    return;
}

sub output { my (@line) = @_; return output_of({ line => \@line }) }

sub output_of {
    my ($command) = @_;
    my ($program, @arguments) = @{ $command->{line} };
    pipe my $read, my $write or die "pipe: $!\n";
    my $pid = eval { forked() };
    die "$program: $@" if !defined $pid;
    if ($pid == 0) {
        POSIX::dup2(fileno $write, $_) for 1, 2;
        my $null = POSIX::open('/dev/null', POSIX::O_RDONLY());
        if (defined $null) { POSIX::dup2($null, 0); POSIX::close($null) if $null > 2 }
        SpawnMeter::Util::Cleanup::marked() if $command->{marked};
        POSIX::_exit(CANNOT_RUN - 1) if $command->{before} && !$command->{before}->();
        $SIG{PIPE} = 'DEFAULT';
        no warnings 'exec';    ## no critic (ProhibitNoWarnings) -- the status tells
        exec {$program} $program, @arguments or POSIX::_exit(CANNOT_RUN);
    }
    close $write or die "pipe: $!\n";
    my $words = words_of($read, $command->{seconds}, sub { kill 'KILL', -$pid });
    1 while waitpid($pid, 0) < 0 && $! == EINTR;
    my $status = $?;
    SpawnMeter::Util::Cleanup::ungroup($pid);
    return ($status, $words);
}

sub words_of {
    my ($read, $seconds, $kill) = @_;
    my $words = q{};
    my $bits = q{};
    vec($bits, fileno $read, 1) = 1;
    while (1) {

        # a new wait for each part of what it says
        if (defined $seconds && !select my $ready = $bits, undef, undef, $seconds) {
            $kill->();
            last;
        }
        my $got = sysread $read, my $text, 65_536;
        next if !defined $got && $! == EINTR;
        last if !$got;
        $words .= $text if length $words < OUTPUT_MAX;
    }
    return $words;
}

1;
