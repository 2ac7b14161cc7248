# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup;

# Cleans up after Run, however it ends, SIGKILL included, and keeps runs apart by locks.  begin()
# starts a second process, the cleaner, which outlives Run for a moment: it ends the process groups
# that Run started and did not reap, and the processes that left their group but carry Run's mark in
# their environment; and it removes what Run had not finished writing.
#
#   begin(): starts the cleaner, once, which keeps the locks of trees as long as it lives; before
#       that the calls below do nothing.  Dies if no process can be created
#   begun(), started(pid): the calling process, a child of Run, leads a process group of its own; so
#       does this child of the calling Run.  Both are needed: if Run is killed at once, the cleaner
#       learns of it from the child, before its exec
#   ungroup(pid): Run has reaped this leader of a group
#   marked(): the calling process and its descendants carry the mark from its exec on
#   end_strays(): ends those that carry the mark.  To be called when no copy runs.  Does nothing
#       without /proc.  Where Run is process 1 of a container, it also reaps the orphans, which
#       are its children there
#   file(path), keep(path): the file or folder is to be removed with Run, unless another process
#       holds its lock; not any more
#   undo(path), undone(path): what is in this file is to be undone when Run is gone; not any more
#   undo_by(sub (path)): it is run by this; within UNDO_SECONDS each
#   temporary(folder) -> File::Temp::Dir in this folder, which is removed with Run.  Dies where it
#       cannot be made
#   claim(folder) -> beginning of names: what other programs create in this folder under such a
#       name is removed with Run
#   finish(): Run ends; returns when the cleaner has ended, or does its work itself if that was
#       killed or does not end in time
#   end_all(sub -> process numbers, negative ones for groups): SIGTERM to all that the sub
#       finds, SIGKILL to those that are left after 0.7 s; returns when it finds none, or
#       5 s later
#   living(groups) -> those that have a process which is not a zombie; without /proc all of them

use strict;
use warnings;
use Errno qw(EINTR EWOULDBLOCK);
use Exporter 'import';
use Fcntl qw(:flock F_GETFL F_SETFL O_APPEND O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK
    O_RDONLY O_WRONLY);
use File::Path             ();
use POSIX                  ();
use Time::HiRes            qw(clock_gettime CLOCK_MONOTONIC);
use SpawnMeter::Util::File qw(slurp);

our @EXPORT_OK = qw(create_locked is_open unlink_own unlink_unused);

use constant {
    MARK         => 'SPAWNMETER_RUN',    # name of the mark in the environment
    FAREWELL     => 10,                  # seconds in which the cleaner must have ended after Run
    UNDO_SECONDS => 60,
    GRACE        => 0.7,                 # seconds from SIGTERM to SIGKILL
    PATIENCE     => 5,                   # seconds to wait for processes after SIGKILL
    TICK         => 0.01,                # seconds between two looks
    RETRIES      => 10,                  # to remove what is left,
    PAUSE        => 0.05,                # and seconds between them
    TREE_WAIT    => 0.2,                 # seconds between two attempts to lock a tree
};

my ($pipe, $pid, $owner, $undo);         # owner: process that called begin()
my ($tree, @held);                       # handles with locks: of the tree, and of unfinished files

# What is to be ended, removed and undone when Run is gone, as both processes know it: groups =>
# { number => when its leader began }; files, and beginnings of paths
my %left = map { $_ => {} } qw(groups files prefixes undo);

# Value of the mark, and part of the names of this Run's temporary folders
my $token = join q{}, map { ('a' .. 'z', 0 .. 9)[ rand 36 ] } 1 .. 8;

sub undo_by { ($undo) = @_; return }

sub begin {
    return if in_owner();
    $_ = {} for values %left;
    pipe my $read, my $write or die "cannot start a process: $!\n";
    my $child = fork;
    die "cannot start a process: $!\n" if !defined $child;
    if ($child == 0) {
        undef $owner;
        detach(map { fileno $_ } $read, $tree // ());
        read_messages($read);
        clean_up();
        POSIX::_exit(0);
    }
    close $read;

    # a cleaner that is stopped must not stop Run
    fcntl $write, F_SETFL, (fcntl($write, F_GETFL, 0) || 0) | O_NONBLOCK;
    ($pipe, $pid, $owner) = ($write, $child, $$);
    return;
}

sub in_owner { return defined $owner && $owner == $$ }

# ---- what Run tells the cleaner ----
#
# It informs the cleaner over a pipe; the end of the pipe is the end of Run.  A message is "+LIST
# VALUE" or "-LIST VALUE" and a zero byte: what comes to what is left, or goes.  One write(2) of
# less than PIPE_BUF bytes is atomic, so the messages of several processes do not mix.

sub started { my ($group) = @_; return inform('+groups', $group) }
sub ungroup { my ($group) = @_; return inform('-groups', $group) }
sub file    { my ($path) = @_;  return inform('+files', $path) }
sub keep    { my ($path) = @_;  return inform('-files', $path) }
sub undo    { my ($path) = @_;  return inform('+undo', $path) }
sub undone  { my ($path) = @_;  return inform('-undo', $path) }

# The pipe ends only when this process, too, has closed its copy of the handle, which exec does
sub begun {
    send_message('+groups', $$) if defined $owner;
    return;
}

sub inform {
    my ($list, $value) = @_;
    return if !in_owner();
    take($list, $value);
    local $SIG{PIPE} = 'IGNORE';
    send_message($list, $value);    # in vain if the cleaner was killed: finish() does its work
    return;
}

sub send_message {
    my ($list, $value) = @_;
    1 while !defined(syswrite $pipe, "$list $value\0") && $!{EINTR};
    return;
}

sub take {
    my ($list, $value) = @_;
    my ($sign, $name) = $list =~ /(.)(.*)/;
    delete $left{$name}{$value};
    $left{$name}{$value} = $name eq 'groups' ? born($value) : 1 if $sign eq q{+};
    return;
}

sub marked {
    $ENV{ +MARK } = $token if defined $owner;
    return;
}

sub temporary {
    my ($folder) = @_;
    require File::Temp;    # loads slowly, and most commands need none
    return File::Temp->newdir(claim($folder) . '-tmp-XXXXXX', DIR => $folder);
}

sub claim {
    my ($folder) = @_;
    my $prefix = "$folder/spawnmeter-$token-";
    inform('+prefixes', $prefix) if !$left{prefixes}{$prefix};    # before the first one exists
    return "spawnmeter-$token";
}

sub finish {
    return if !in_owner();
    flock $_, LOCK_UN for grep { defined fileno $_ } splice @held;
    close $pipe;
    undef $owner;
    my $status = $?;    # in END this is the exit status of Run
    clean_up() if !cleaner_has_ended();
    $? = $status;
    return;
}

# True if it has done its work.  One that is stopped again, or does not end in time, is killed
sub cleaner_has_ended {
    kill 'CONT', $pid;
    my $deadline = clock_gettime(CLOCK_MONOTONIC) + FAREWELL + UNDO_SECONDS * keys %{ $left{undo} };
    my $got;
    while (($got = waitpid $pid, POSIX::WNOHANG()) == 0) {
        kill 'KILL', $pid if clock_gettime(CLOCK_MONOTONIC) > $deadline;
        Time::HiRes::sleep(TICK / 5);
    }
    return $got == $pid && $? == 0;
}

# ---- the cleaner ----

# Ignores the signals of the terminal and those to Run's group, and closes all but the named
# descriptors: somebody may wait for the end of an output, or a copy for its gate
sub detach {
    my (@keep) = @_;
    POSIX::setsid();
    $SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT PIPE TSTP USR1 USR2 ALRM VTALRM PROF IO);
    my %keep = map { $_ => 1 } @keep;
    my @open = map { m{/(\d+)\z} ? $1 : () } glob '/proc/self/fd/*';
    POSIX::close($_) for grep { !$keep{$_} } @open ? @open : (0 .. 255);
    my $null = POSIX::open('/dev/null', POSIX::O_RDWR());
    POSIX::dup2($null, $_) for grep { defined $null && !$keep{$_} } 0 .. 2;
    chdir q{/};
    return;
}

# Until the pipe ends
sub read_messages {
    my ($read) = @_;
    local $/ = "\0";
    while (my $message = <$read>) {
        take($1, $2) if $message =~ /\A(\S+) ([^\0]*)\0/;
    }
    return;
}

sub clean_up {
    my $begun = $left{groups};
    end_groups(grep { /^\d+\z/ && $_ > 1 && is_ours($_, $begun->{$_}) } keys %{$begun});
    $undo->($_) for sort keys %{ $left{undo} };
    remove_left(\%left);
    return;
}

sub end_groups {
    my (@groups) = @_;
    end_all(sub {
        @groups = grep { kill 0, -$_ } @groups;    # the number of one that is gone can be reused
        return ((map { -$_ } living(@groups)), strays());
    });

    # and processes that were created by another that ended during the last look
    kill 'KILL', map { -$_ } grep { kill 0, -$_ } @groups;
    return;
}

sub end_all {
    my ($find) = @_;
    my @pids = $find->() or return;
    kill 'TERM', @pids;
    kill 'CONT', @pids;            # a stopped process handles SIGTERM only when it continues
    my $begun = clock_gettime(CLOCK_MONOTONIC);
    while (@pids = $find->()) {    # also finds processes that were created meanwhile
        my $waited = clock_gettime(CLOCK_MONOTONIC) - $begun;
        last if $waited > GRACE + PATIENCE;
        kill 'KILL', @pids if $waited > GRACE;
        Time::HiRes::sleep(TICK);
    }
    return;
}

# Run, which may be waiting for the cleaner, reaps none.  The name of a process, before the
# parenthesis, can hold any character; state, parent and group follow
sub living {
    my (@groups) = @_;
    return @groups if !@groups || !-e '/proc/self/stat';
    my %in;
    for my $path (glob '/proc/[0-9]*/stat') {
        $in{$2} = 1 if (slurp($path) // q{}) =~ /\) ([^ZX]) \d+ (\d+) [^)]*\z/;
    }
    return grep { $in{$_} } @groups;
}

# When a process began, in ticks since boot; undef where there is no such process, or no /proc
sub born {
    my ($process) = @_;
    return (slurp("/proc/$process/stat") // q{}) =~ /.*\) (?:\S+ ){19}(\d+)/s ? $1 : undef;
}

# Another process can have the number of a leader by now; that one began at another time
sub is_ours {
    my ($leader, $then) = @_;
    my $now = born($leader);
    return !defined $now || defined $then && $now eq $then;
}

# Removes the files or folders, and all paths with these beginnings: only what is this user's own.
# A control group, whose files cannot be removed, is an empty folder for rmdir.  At any moment
# another user may put something else in the place of a name: File::Path sees where the device and
# inode of what it is in are others than it found, and dies there.  Repeated, since a process that
# is just ending may still write into a folder
sub remove_left {
    my ($left) = @_;
    local $SIG{__WARN__} = sub { };
    for (1 .. RETRIES) {
        my @own = grep { is_own($_) } keys %{ $left->{files} },
            map { glob "\Q$_\E*" } keys %{ $left->{prefixes} };
        unlink_unused($_) for grep { -l || !-d _ } @own;
        for my $folder (grep { !-l && -d _ } @own) {
            eval { File::Path::remove_tree($folder, { error => \my $ignored }); 1 }
                or chdir q{/};
        }
        last if !grep { is_own($_) } @own;
        Time::HiRes::sleep(PAUSE);
    }
    return;
}

sub is_own {
    my ($path) = @_;
    my $user = (lstat $path)[4];
    return defined $user && $user == $>;
}

# ---- strays ----

sub end_strays {
    return if !in_owner();
    end_all(\&strays);
    if ($$ == 1) { 1 while waitpid(-1, POSIX::WNOHANG()) > 0 }
    return;
}

# The numbers of the processes that carry the mark.  Neither Run nor the cleaner does: /proc shows
# the environment that a process began with.
sub strays {
    my @pids;
    for my $path (glob '/proc/[0-9]*/environ') {
        open my $in, '<', $path or next;
        my $got = sysread $in, my $environment, 4_194_304;
        close $in;
        push @pids, (split m{/}, $path)[2]
            if $got && $environment =~ /(?:\A|\0)${\MARK}=$token(?:\0|\z)/;
    }
    return @pids;
}

# ---- locks ----
#
# Locks of files by flock(2), which the kernel releases with their owner.  A file system without
# locks is not locked.
#
#   create_locked(path) -> handle of a new file for appending, locked; undef with $! where it
#       cannot be created, as EEXIST where something has this name
#   is_open(path, handle) -> true where the path leads to the open file
#   unlink_own(path, handle): removes the file if it is the one that is open
#   unlink_unused(path) -> true where it was removed or is not there; false where another
#       process holds its lock
#
# Two runs at once would disturb each other's measurements and builds, so a tree has a lock, on a
# file that exists anyway.
#
#   lock_tree(path of this file, sub (text)): waits until no other process holds the lock, and
#       takes it until this process and the cleaner have ended; the sub is called with a message if
#       it has to wait.  A second call does nothing

# Between the two calls another process can have taken the file for an abandoned one
sub create_locked {
    my ($path) = @_;
    my $out;
    while (!$out) {
        sysopen $out, $path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666 or return;
        undef $out if !locked($out) || !is_open($path, $out);
    }
    push @held, $out;
    return $out;
}

# -> true where its file is locked now, or cannot be; false where another process holds its lock
sub locked {
    my ($handle) = @_;
    my $got;
    1 while !($got = flock $handle, LOCK_EX | LOCK_NB) && $! == EINTR;
    return $got || $! != EWOULDBLOCK;
}

sub is_open {
    my ($path, $handle) = @_;
    my @there = lstat $path;
    my @open = defined fileno $handle ? stat $handle : ();
    return @there && @open && "@there[ 0, 1 ]" eq "@open[ 0, 1 ]";
}

sub unlink_own {
    my ($path, $handle) = @_;
    unlink $path if is_open($path, $handle);
    return;
}

# What cannot be opened for reading has no owner that could be asked
sub unlink_unused {
    my ($path) = @_;
    my $opened = sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    if (!$opened) { unlink $path; return 1 }
    return 0 if !locked($file);
    unlink_own($path, $file);
    return 1;
}

sub lock_tree {
    my ($path, $report) = @_;
    return if $tree;
    open my $file, '<', $path or return;
    my $reported;
    while (!locked($file)) {
        $report->('waiting for another ./Run to end; one run at a time measures in a tree'
                . " (press Ctrl-C to give up)\n")
            if !$reported++;
        Time::HiRes::sleep(TREE_WAIT);
    }
    $tree = $file;
    return;
}

END { finish() }

1;
