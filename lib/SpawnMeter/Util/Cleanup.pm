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
#   ungroup(pid): Run has reaped this leader of a group
#   marked(): the calling process, a child of Run, and its descendants carry the mark from
#       its exec on
#   end_strays(): ends those that carry the mark, by SIGTERM and after 0.7 s by SIGKILL.  To
#       be called when no copy runs.  Does nothing without /proc.  Where Run is process 1 of
#       a container, it also reaps the orphans, which are its children there
#   file(path), keep(path): the file or folder is to be removed with Run; not any more
#   temporary(folder) -> File::Temp::Dir in this folder, which is removed with Run
#   finish(): Run ends; returns when the cleaner has ended
#
# Run informs the cleaner over a pipe; the end of the pipe is the end of Run.

use strict;
use warnings;
use Fcntl      qw(F_GETFL F_SETFL O_NONBLOCK);
use File::Temp ();
use POSIX      ();
use SpawnMeter::Util::Cleanup::Process;

use constant MARK => 'SPAWNMETER_RUN';    # name of the mark in the environment

my ($pipe, $pid, $owner);                 # owner: process that called begin()

# Value of the mark, and part of the names of this Run's temporary folders
my $token = join q{}, map { ('a' .. 'z', 0 .. 9)[ rand 36 ] } 1 .. 8;
my %known_prefix;

sub begin {
    my (@shared) = @_;
    return if in_owner();
    pipe my $read, $pipe or die "pipe: $!\n";
    $pid = fork;
    die "cannot start a process: $!\n" if !defined $pid;
    if ($pid == 0) {
        SpawnMeter::Util::Cleanup::Process::main($read, \&strays, map { fileno $_ } @shared);
        POSIX::_exit(0);
    }
    close $read or die "pipe: $!\n";

    # a cleaner that is stopped must not stop Run
    fcntl $pipe, F_SETFL, fcntl($pipe, F_GETFL, 0) | O_NONBLOCK;
    $owner = $$;
    %known_prefix = ();
    return;
}

sub in_owner { return defined $owner && $owner == $$ }

sub ungroup { my ($group) = @_; return inform(group_reaped => $group) }
sub file    { my ($path) = @_;  return inform(file_begun   => $path) }
sub keep    { my ($path) = @_;  return inform(file_whole   => $path) }

# The cleaner reads the end of the pipe only when this process, too, has closed its copy of
# the handle, which exec does
sub begun {
    send_message(group_begun => $$) if defined $owner;
    return;
}

sub inform {
    my ($message, $value) = @_;
    send_message($message, $value) if in_owner();
    return;
}

sub send_message {
    my ($message, $value) = @_;
    syswrite $pipe, SpawnMeter::Util::Cleanup::Process::encoded($message, $value);
    return;
}

sub marked {
    $ENV{ +MARK } = $token if defined $owner;
    return;
}

sub end_strays {
    return if !in_owner();
    SpawnMeter::Util::Cleanup::Process::end_all(\&strays);
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
    my $prefix = "$folder/spawnmeter-$token-";
    inform(prefix => $prefix) if !$known_prefix{$prefix}++;    # before the folder exists
    return File::Temp->newdir("spawnmeter-$token-XXXXXX", DIR => $folder);
}

sub finish {
    return if !in_owner();
    close $pipe;
    undef $owner;
    my $status = $?;    # in END this is the exit status of Run
    1 while waitpid($pid, 0) < 0 && $!{EINTR};
    $? = $status;
    return;
}

END { finish() }

1;
