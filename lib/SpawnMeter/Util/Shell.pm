# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Shell;

# Runs a command by sh -c, with a time limit.
#
#   run_shell({ command, folder => working folder, stopped => sub -> true where it is to end at
#       once, or undef, seconds => another limit than 60 }) -> undef where its exit status is 0,
#       else why not: "exit status 1: the first line of its output"
#
# It leads a process group of its own, which the cleaner ends if Run is killed meanwhile.  A process
# that it leaves in the background stays, unless the command itself has to be ended.
#
# A command that must run after Run has changed the machine, however Run ends.  It stands in a
# file on the disk before anything is changed, and the file is removed when it has run.
#
#   pending(path) -> { command, folder, by => command line of Run }, or undef where nothing is
#       pending.  Dies where the file cannot be read, is not a regular file of this user's own, or
#       can be written by others
#   store(path, the same): writes it, synced, for this user alone; dies where that fails
#   undo(path, what was stored, where the caller knows it: the file can be gone, or another one)
#       -> undef where the command succeeded, and the file is gone; else why it did not

use strict;
use warnings;
use Exporter 'import';
use POSIX          ();
use Time::HiRes    qw(CLOCK_MONOTONIC clock_gettime);
use Errno          qw(EACCES ENOENT);
use Fcntl          qw(:mode O_NOFOLLOW O_NONBLOCK O_RDONLY);
use File::Basename qw(dirname);
use File::Path     ();
use SpawnMeter::Util::Cleanup;
use SpawnMeter::Util::File qw(replace_file sync_entry decode encode);
use SpawnMeter::Util::Process;

our @EXPORT_OK = qw(run_shell pending store undo);

use constant {
    SHELL    => '/bin/sh',
    TICK     => 0.01,         # seconds between two looks
    RESERVED => 65_536,       # bytes of room for its output
    LINE_MAX => 200,          # characters of its output in a message
    SIZE_MAX => 1_048_576,    # bytes of a file; a command line is shorter
};

sub run_shell {
    my ($options) = @_;
    my $output = for_output() or return "/dev/null: $!";
    my %command = (
        program => SHELL,
        line    => [ 'sh', '-c', $options->{command} ],
        folder  => $options->{folder},
        before  => sub { $SIG{XFSZ} = 'IGNORE' },    # a limit of its output is no reason to end it
    );
    my $pid = eval { SpawnMeter::Util::Process::child(\%command, $output, $output) };
    return $@ =~ s/\n\z//r if !defined $pid;
    my $why = wait_for($options, $pid);
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
sub wait_for {
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

# Checks the file that is open, since somebody can exchange the file of a path
sub pending {
    my ($path) = @_;
    my $opened = sysopen my $in, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    return if !$opened && $! == ENOENT;
    my ($mode, $owner) = $opened ? (stat $in)[ 2, 4 ] : (0, $! == EACCES ? -1 : $>);
    die "$path: another user's file, or one that others can write to, so its command is not run;"
        . " where it is yours, read it, then chmod go-w and again ./Run ab --set-back-now\n"
        if $owner != $> || S_ISREG($mode) && $mode & (S_IWGRP | S_IWOTH);
    my $text = q{};
    read $in, $text, SIZE_MAX if S_ISREG($mode);
    my $stored = eval { decode($text) };
    die "$path: cannot be read; remove it when this machine is set back\n"
        if ref $stored ne 'HASH' || grep { !defined || ref } @{$stored}{qw(command folder)};
    return $stored;
}

# What somebody has put in the place of the new file is not followed or written to
sub store {
    my ($path, $what) = @_;
    File::Path::make_path(dirname($path), { error => \my $ignored });
    eval { replace_file($path, encode($what) . "\n", mode => oct 600, sync => 1); 1 }
        or die 'cannot write ', $@ =~ s/\n\z//r, "; nothing was changed\n";
    return;
}

sub undo {
    my ($path, $what) = @_;
    $what ||= eval { pending($path) };
    return length $@ ? $@ =~ s/\n\z//r : undef if !$what;
    my $why = run_shell({ map { $_ => $what->{$_} } qw(command folder) });
    return $why if defined $why;
    unlink $path or $! == ENOENT or return "cannot remove $path: $!";
    sync_entry($path);
    return;
}

SpawnMeter::Util::Cleanup::undo_by(\&undo);

1;
