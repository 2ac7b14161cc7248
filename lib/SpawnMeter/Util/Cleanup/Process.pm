# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Cleanup::Process;

# The cleaner: the process that SpawnMeter::Util::Cleanup starts.  It reads messages until
# the pipe ends, which is the end of Run, and then cleans up what they named.
#
#   main(handle to read from, what is left so far, sub -> numbers of the processes that carry
#       Run's mark, sub (path) that undoes, file descriptors to keep open): returns when everything
#       is cleaned up
#   nothing_left() -> { groups => { number => when its leader began }, files, tried, prefixes,
#       undo }: what is to be ended, undone and removed
#   take(left, name of a message, value): what the message adds to it or takes from it
#   find_births(left): looks up when the groups' leaders began.  Only while Run has not reaped
#       them, so that their numbers are still theirs
#   clean_up(left, subs as above): ends and removes all of it
#   encoded(name of a message, value) -> bytes to write to the pipe
#   end_all(sub -> process numbers, negative ones for groups): SIGTERM to all that the sub
#       finds, SIGKILL to those that are left after 0.7 s; returns when it finds none, or
#       5 s later
#
# A message is a letter, a value and a zero byte.  One write(2) of less than PIPE_BUF bytes
# is atomic, so the messages of several processes do not mix.
#
# The files and folders that the cleaner (SpawnMeter::Util::Cleanup::Process) removes.
#
#   remove_left({ files, tried, prefixes => { path => true } }): removes the files or folders,
#       those of the tried ones that are empty files and that no other process has locked, and
#       all paths with these beginnings.  In a folder that others can write to, like /tmp, anybody
#       can use these names: only what is this user's own is removed

use strict;
use warnings;
use POSIX                  ();
use Time::HiRes            qw(CLOCK_MONOTONIC clock_gettime);
use SpawnMeter::Util::Lock qw(remove_temporary unlink_unused);

use constant {
    GRACE    => 0.7,     # seconds from SIGTERM to SIGKILL
    PATIENCE => 5,       # seconds to wait for processes after SIGKILL
    TICK     => 0.01,    # seconds between two looks
};

# name => [ letter, 1 where its value comes to what is left and 0 where it goes, what of this ]
my %MESSAGE = (
    group_begun  => [qw(g 1 groups)],
    group_reaped => [qw(r 0 groups)],
    file_tried   => [qw(t 1 tried)],
    file_begun   => [qw(f 1 files)],
    file_whole   => [qw(w 0 files tried)],
    to_undo      => [qw(u 1 undo)],          # the file that has the command (Util::Shell)
    undone       => [qw(d 0 undo)],
    prefix       => [qw(p 1 prefixes)],      # all files whose path begins so
);
my %BY_LETTER = map { $MESSAGE{$_}[0] => $_ } keys %MESSAGE;

sub nothing_left {
    return { map { $_ => {} } qw(groups files tried prefixes undo) };
}

sub take {
    my ($left, $message, $value) = @_;
    my (undef, $comes, @lists) = @{ $MESSAGE{$message} };
    for my $list (@lists) {
        delete $left->{$list}{$value};
        $left->{$list}{$value} = $list eq 'groups' ? born($value) : 1 if $comes;
    }
    return;
}

sub encoded {
    my ($message, $value) = @_;
    return "$MESSAGE{$message}[0]$value\0";
}

sub main {
    my ($read, $left, $strays, $undo, @shared) = @_;
    detach(fileno $read, @shared);
    find_births($left);
    read_messages($read, $left);
    clean_up($left, $strays, $undo);
    return;
}

# Ignores the signals of the terminal and those to Run's group, and closes all but the named
# descriptors: somebody may wait for the end of an output, or a copy for its gate
sub detach {
    my (@keep) = @_;
    POSIX::setsid();
    for my $name (qw(INT TERM HUP QUIT PIPE TSTP USR1 USR2 ALRM VTALRM PROF IO)) {
        $SIG{$name} = 'IGNORE';
    }
    delete @SIG{qw(__DIE__ __WARN__)};
    my %keep = map { $_ => 1 } @keep;
    my @open = map { m{/(\d+)\z} ? $1 : () } glob '/proc/self/fd/*';
    for my $fd (grep { !$keep{$_} } @open ? @open : (0 .. 255)) {
        POSIX::close($fd);
    }
    for my $fd (0 .. 2) {
        my $got = $keep{$fd} ? undef : POSIX::open('/dev/null', POSIX::O_RDWR());
        last if defined $got && $got > 2;
    }
    chdir q{/};
    return;
}

# Until the pipe ends
sub read_messages {
    my ($read, $left) = @_;
    my $text = q{};
    while (1) {
        my $got = sysread $read, $text, 65_536, length $text;
        next if !defined $got && $!{EINTR};
        last if !$got;
        while ($text =~ s/\A(.)([^\0]*)\0//s) {
            my ($letter, $value) = ($1, $2);
            take($left, $BY_LETTER{$letter}, $value) if $BY_LETTER{$letter};
        }
    }
    return;
}

sub find_births {
    my ($left) = @_;
    $left->{groups}{$_} = born($_) for keys %{ $left->{groups} };
    return;
}

sub clean_up {
    my ($left, $strays, $undo) = @_;
    end_groups($left->{groups}, $strays);
    $undo->($_) for sort keys %{ $left->{undo} };
    remove_left($left);
    return;
}

sub end_groups {
    my ($begun, $strays) = @_;
    my @groups = grep { /^\d+\z/ && $_ > 1 && still_ours($_, $begun->{$_}) } keys %{$begun};
    end_all(sub {
        @groups = grep { kill 0, -$_ } @groups;    # the number of one that is gone can be reused
        return ((map { -$_ } living(@groups)), $strays->());
    });

    # and processes that were created by another that ended during the last look
    kill 'KILL', map { -$_ } grep { kill 0, -$_ } @groups;
    return;
}

sub end_all {
    my ($find) = @_;
    my @found = $find->() or return;
    kill 'TERM', @found;
    kill 'CONT', @found;            # a stopped process handles SIGTERM only when it continues
    my $begun = clock_gettime(CLOCK_MONOTONIC);
    while (@found = $find->()) {    # also finds processes that were created meanwhile
        my $waited = clock_gettime(CLOCK_MONOTONIC) - $begun;
        last if $waited > GRACE + PATIENCE;
        kill 'KILL', @found if $waited > GRACE;
        Time::HiRes::sleep(TICK);
    }
    return;
}

# Those of the groups that have a process which is not a zombie: Run, which may be waiting
# for the cleaner, reaps none.  Without /proc, all of them.
sub living {
    my (@groups) = @_;
    return @groups if !@groups || !-e '/proc/self/stat';
    my %in;
    for my $process (map { (split m{/})[2] } glob '/proc/[0-9]*/stat') {
        my ($state, undef, $group) = after_name($process);
        $in{$group} = 1 if defined $group && $state !~ /[ZX]/;
    }
    return grep { $in{$_} } @groups;
}

# The fields of /proc/PROCESS/stat after the name, which can hold any character: state,
# parent, group ...; nothing if there is no such process
sub after_name {
    my ($process) = @_;
    open my $in, '<', "/proc/$process/stat" or return;
    my $got = sysread $in, my $line, 4096;
    close $in;
    return $got && $line =~ /.*\) (.*)/s ? split q{ }, $1 : ();
}

# When a process began, in ticks since boot; q{} if there is no such process, undef without
# /proc
sub born {
    my ($process) = @_;
    return if !-e '/proc/self/stat';
    my $ticks = (after_name($process))[19];
    return defined $ticks ? $ticks : q{};
}

# Another process can have the number by now; that one began at another time.  While a group
# has members its number is not reused, even if its leader is gone.
sub still_ours {
    my ($process, $then) = @_;
    my $now = born($process);
    return 1 if !defined $now || $now eq q{};
    return defined $then && $now eq $then;
}

use constant {
    RETRIES => 10,
    PAUSE   => 0.05,    # seconds between them
};

# Repeated, since a process that is just ending may still write into a folder
sub remove_left {
    my ($left) = @_;
    local $SIG{__WARN__} = sub { };
    for (1 .. RETRIES) {
        my @own = grep { is_own($_) } keys %{ $left->{files} },
            (grep { lstat && -f _ && -z _ } keys %{ $left->{tried} }),
            map { glob "\Q$_\E*" } keys %{ $left->{prefixes} };
        last if !@own;
        remove($_) for @own;
        last if !grep { is_own($_) } @own;
        Time::HiRes::sleep(PAUSE);
    }
    return;
}

sub is_own {
    my ($path) = @_;
    my $owner = (lstat $path)[4];
    return defined $owner && $owner == $>;
}

sub remove {
    my ($path) = @_;
    return !-l $path && -d _ ? remove_temporary($path) : unlink_unused($path);
}

1;
