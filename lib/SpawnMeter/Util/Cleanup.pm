# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup;

# Cleans up after Run, however it ends, SIGKILL included.  begin() starts a second process,
# the cleaner (SpawnMeter::Util::Cleanup::Process), which outlives Run for a moment: it ends
# the process groups that Run started and did not reap, and the processes that left their
# group but carry Run's mark in their environment; and it removes what Run had not finished
# writing.
#
#   begin(handles): starts the cleaner, once, which keeps these handles open as long as it
#       lives; before that the calls below do nothing.  Dies if no process can be created
#   begun(): the calling process, a child of Run, leads a process group of its own.  Must be
#       called before exec: only then does the cleaner learn of it in time, even if Run is
#       killed at once
#   started(pid): the same for the calling Run, for a cleaner that replaces a killed one
#   check(): replaces a cleaner that was killed; the next call that informs it does so, too
#   ungroup(pid): Run has reaped this leader of a group
#   marked(): the calling process, a child of Run, and its descendants carry the mark from
#       its exec on
#   end_strays(): ends those that carry the mark, and on Linux also orphans without it, by
#       SIGTERM and after 0.7 s by SIGKILL.  To be called when no copy runs.  Does nothing
#       without /proc.  Where Run is process 1 of a container, it also reaps the orphans, which
#       are its children there
#   creating(path): Run is about to create this file, which another process may have created before:
#       if it is empty, and nobody holds its lock, it is to be removed with Run
#   file(path), keep(path): the file or folder is to be removed with Run; not any more, as after
#       creating()
#   undo(path), undone(path): the command in this file of SpawnMeter::Util::Shell is to run when
#       Run is gone; not any more
#   undo_by(sub (path)): it is run by this; within UNDO_SECONDS each
#   temporary(folder) -> File::Temp::Dir in this folder, which is removed with Run; if Run and
#       cleaner are killed, by the next Run (SpawnMeter::Util::Lock)
#   orphans_stay(): from now on there are no orphans
#   claim(folder) -> beginning of names: what other programs create in this folder under such a
#       name is removed with Run
#   finish(): Run ends; returns when the cleaner has ended.  Does its work itself if the
#       cleaner was killed or does not end in time
#
# Run informs the cleaner over a pipe; the end of the pipe is the end of Run.

use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use Config;
use POSIX ();
use SpawnMeter::Util::Cleanup::Process;
use SpawnMeter::Util::File qw(slurp);
use SpawnMeter::Util::Lock;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant {
    MARK         => 'SPAWNMETER_RUN',    # name of the mark in the environment
    FAREWELL     => 10,                  # seconds in which the cleaner must have ended after Run
    TICK         => 0.002,               # seconds between two looks at it
    UNDO_SECONDS => 60,
};

my ($pipe, $pid, $owner, @shared, $undo);    # owner: process that called begin()

sub undo_by { ($undo) = @_; return }

# What is to be ended and removed when Run is gone; a cleaner that replaces a killed one
# begins with this
my $left;

# Value of the mark, and part of the names of this Run's temporary folders
my $token = join q{}, map { ('a' .. 'z', 0 .. 9)[ rand 36 ] } 1 .. 8;
my %known_prefix;

sub begin {
    my (@handles) = @_;
    return if in_owner();
    @shared = map { fileno $_ } @handles;
    $left = SpawnMeter::Util::Cleanup::Process::nothing_left();
    adopt();
    start_cleaner() or die "cannot start a process: $!\n";
    ($owner, %known_prefix) = ($$);
    return;
}

sub start_cleaner {
    pipe my $read, my $write or return 0;
    my $child = fork;
    return 0 if !defined $child;
    if ($child == 0) {
        undef $owner;
        SpawnMeter::Util::Cleanup::Process::main($read, $left, \&strays, $undo, @shared);
        POSIX::_exit(0);
    }
    close $read;

    # a cleaner that is stopped must not stop Run
    fcntl $write, F_SETFL, (fcntl($write, F_GETFL, 0) || 0) | O_NONBLOCK;
    ($pipe, $pid) = ($write, $child);
    return 1;
}

# If no process can be started now, the next call tries again
sub check {
    return if !in_owner();
    local ($?, $!) = (0, 0);
    start_cleaner() if waitpid($pid, POSIX::WNOHANG()) != 0;
    return;
}

sub started {
    my ($group) = @_;
    $left->{groups}{$group} = undef if in_owner();
    return;
}

sub in_owner { return defined $owner && $owner == $$ }

sub ungroup  { my ($group) = @_; return inform(group_reaped => $group) }
sub creating { my ($path) = @_;  return inform(file_tried   => $path) }
sub file     { my ($path) = @_;  return inform(file_begun   => $path) }
sub keep     { my ($path) = @_;  return inform(file_whole   => $path) }
sub undo     { my ($path) = @_;  return inform(to_undo      => $path) }
sub undone   { my ($path) = @_;  return inform(undone       => $path) }

# The cleaner reads the end of the pipe only when this process, too, has closed its copy of
# the handle, which exec does
sub begun {
    send_message(group_begun => $$) if defined $owner;
    return;
}

sub inform {
    my ($message, $value) = @_;
    return if !in_owner();
    SpawnMeter::Util::Cleanup::Process::take($left, $message, $value);
    local $SIG{PIPE} = 'IGNORE';
    check() if !send_message($message, $value) && $!{EPIPE};
    return;
}

# -> false with $! where it could not be written
sub send_message {
    my ($message, $value) = @_;
    my $bytes = SpawnMeter::Util::Cleanup::Process::encoded($message, $value);
    my $sent;
    1 while !defined($sent = syswrite $pipe, $bytes) && $!{EINTR};
    return $sent;
}

sub marked {
    $ENV{ +MARK } = $token if defined $owner;
    return;
}

sub end_strays {
    return if !in_owner();
    SpawnMeter::Util::Cleanup::Process::end_all(sub { return (strays(), orphans($pid)) });
    if ($$ == 1) { 1 while waitpid(-1, POSIX::WNOHANG()) > 0 }
    return;
}

# The numbers of the processes that carry the mark.  Neither this process nor the cleaner
# does: /proc shows the environment that a process began with.
sub strays {
    my @found;
    for my $path (glob '/proc/[0-9]*/environ') {
        open my $in, '<', $path or next;
        my $got = sysread $in, my $environment, 4_194_304;
        close $in;
        push @found, (split m{/}, $path)[2]
            if $got && $environment =~ /(?:\A|\0)${\MARK}=$token(?:\0|\z)/;
    }
    return @found;
}

sub temporary {
    my ($folder) = @_;
    return SpawnMeter::Util::Lock::temporary($folder, claim($folder));
}

sub claim {
    my ($folder) = @_;
    my $prefix = "$folder/spawnmeter-$token-";
    inform(prefix => $prefix) if !$known_prefix{$prefix}++;    # before the first one exists
    return "spawnmeter-$token";
}

sub finish {
    return if !in_owner();
    check();
    SpawnMeter::Util::Lock::unlock();
    close $pipe;
    undef $owner;
    my $status = $?;    # in END this is the exit status of Run
    if (!cleaner_has_ended()) {
        SpawnMeter::Util::Cleanup::Process::find_births($left);
        SpawnMeter::Util::Cleanup::Process::clean_up($left, \&strays, $undo);
    }
    $? = $status;
    return;
}

# True if it has done its work.  One that was stopped continues; one that is stopped again,
# or does not end in time, is killed.
sub cleaner_has_ended {
    kill 'CONT', $pid;
    my $deadline =
        clock_gettime(CLOCK_MONOTONIC) + FAREWELL + UNDO_SECONDS * keys %{ $left->{undo} };
    my $got;
    while (($got = waitpid $pid, POSIX::WNOHANG()) == 0) {
        if (clock_gettime(CLOCK_MONOTONIC) > $deadline) {
            kill 'KILL', $pid;
            return 0;
        }
        Time::HiRes::sleep(TICK);
    }
    return $got == $pid && $? == 0;
}

# ---- orphans ----
#
# Processes that a test left behind and that nothing else recognises: a target that became a
# daemon has a session of its own, and may have cleared its environment.  Where the kernel
# makes Run the parent of its orphaned descendants (prctl(2), PR_SET_CHILD_SUBREAPER), they
# are those children of Run that it did not start.  Not on other systems than Linux, on other
# processors than those below, without /proc, and where this process has children already, as
# after "exec ./Run" in a shell, or is process 1 of a container: other orphans are not ours.
# SIGKILL to Run makes them children of process 1.

use constant PR_SET_CHILD_SUBREAPER => 36;

# Numbers of prctl(2), from the kernel's tables of system calls
my %PRCTL = (
    (map { $_ => 157 } qw(x86_64)),
    (map { $_ => 167 } qw(aarch64 riscv64 loongarch64)),
    (map { $_ => 171 } qw(powerpc powerpc64 powerpc64le ppc64 ppc64le)),
    (map { $_ => 172 } qw(i386 i486 i586 i686 arm armv6l armv7l s390x)),
);

my $adopted;    # the process that called adopt()
my $kept;

sub adopt {
    my ($processor, $system) = split /-/, $Config{archname};
    my $number = $PRCTL{$processor};
    my @children = children();
    return if !$number   || $system ne 'linux'  || $Config{archname} =~ /x32/;
    return if !@children || length $children[0] || $$ == 1;
    $adopted = $$ if syscall($number, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
    return;
}

# The text of the kernel's list, or nothing where there is none
sub children {
    my $text = slurp("/proc/$$/task/$$/children");
    return defined $text ? $text =~ s/\s+\z//r : ();
}

sub orphans {
    my (@known) = @_;
    return if !defined $adopted || $adopted != $$ || $kept;
    my %known = map { $_ => 1 } @known;
    return grep { waitpid($_, POSIX::WNOHANG()) == 0 }
        grep { !$known{$_} } map { split q{ } } children();
}

# The next commands are a user's and may start a daemon on purpose, which can become an orphan at
# any time later
sub orphans_stay { $kept = 1; return }

END { finish() }

1;
