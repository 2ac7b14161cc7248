# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Lock;

# The lock of a tree: two runs at once would disturb each other's measurements and builds.
#
#   take(path of a file, sub (text)): waits until no other process holds the lock of this
#       file, and takes it; the sub is called with a message if it has to wait.  The lock is
#       held until this process and the cleaner (SpawnMeter::Util::Cleanup) have ended; a
#       second call does nothing.  Returns true
#   is_free(path) -> 1 where no process holds it, or 0; it is not taken
#   handles() -> the handles that hold locks, for SpawnMeter::Util::Cleanup::begin
#
# It is flock(2) on a file that exists anyway: nothing is written or left behind, and the
# kernel releases it with its owner.  A file system without locks is not locked.

use strict;
use warnings;
use Errno                    qw(EWOULDBLOCK EINTR);
use Fcntl                    qw(LOCK_EX LOCK_NB);
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(bytes plain);
use Time::HiRes              ();

use constant {
    TICK          => 0.2,    # seconds between two attempts
    COMMAND_SHOWN => 100,    # characters
};

my %held;

sub take {
    my ($path, $report) = @_;
    return 1 if $held{$path};
    open my $file, '<', $path or return 1;
    my $reported;
    while (!flock $file, LOCK_EX | LOCK_NB) {
        next if $! == EINTR;
        return 1 if $! != EWOULDBLOCK;
        $report->('waiting for '
                . holder($file)
                . " to end; one run at a time measures in a tree (press Ctrl-C to give up)\n")
            if !$reported++;
        Time::HiRes::sleep(TICK);
    }
    $held{$path} = $file;
    return 1;
}

sub is_free {
    my ($path) = @_;
    open my $file, '<', $path or return 1;
    return 1 if flock $file, LOCK_EX | LOCK_NB;
    return $! == EWOULDBLOCK ? 0 : 1;
}

sub handles { return values %held }

# The process that holds the lock, from lines like "1: FLOCK  ADVISORY  WRITE 1234
# 08:01:131 0 EOF" in /proc/locks
sub holder {
    my ($file) = @_;
    my $inode = (stat $file)[1];
    for my $line (split /\n/, slurp('/proc/locks') || q{}) {
        my ($pid) = $line =~ /^\d+: FLOCK +ADVISORY +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:$inode /;
        return "process $pid" . command_of($pid) if $pid;
    }
    return 'another ./Run';
}

# The cleaner of a run that has ended has no command line
sub command_of {
    my ($pid) = @_;
    my $command = join q{ }, split /\0/, slurp("/proc/$pid/cmdline") || q{};
    return length $command ? ' (' . bytes(plain($command, COMMAND_SHOWN)) . ')' : q{};
}

1;
