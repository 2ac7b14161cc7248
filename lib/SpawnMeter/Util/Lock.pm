# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Lock;

# One Run at a time measures in a tree: two would measure each other, and build over
# each other.
#
#   take(path of a file, say => sub (text)) -> true; waits for another Run to end, and says whom
#       it waits for.  Held until this process, and the guard that cleans up after it,
#       are gone; a second take is the first one's.
#   handles() -> what holds it, for SpawnMeter::Util::Cleanup::begin
#
# It is flock(2) on a file that is there anyway: nothing is written, nothing is left, and
# the kernel lets it go with its owner.  Where the file system has no locks there is none.

use strict;
use warnings;
use Errno                    qw(EWOULDBLOCK EINTR);
use Fcntl                    qw(LOCK_EX LOCK_NB);
use SpawnMeter::Util::File   qw(slurp);
use SpawnMeter::Util::Format qw(plain);
use Time::HiRes              ();

use constant TICK => 0.2;    # seconds between two looks

my %held;

sub take {
    my ($path, $say) = @_;
    return 1 if $held{$path};
    open my $file, '<', $path or return 1;
    my $told;
    while (!flock $file, LOCK_EX | LOCK_NB) {
        next if $! == EINTR;
        return 1 if $! != EWOULDBLOCK;
        $say->(   'waiting for '
                . holder($file)
                . " to end, which measures in this tree (Ctrl-C gives up)\n")
            if !$told++;
        Time::HiRes::sleep(TICK);
    }
    $held{$path} = $file;
    return 1;
}

sub handles { return values %held }

# Linux tells it in /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF"
sub holder {
    my ($file) = @_;
    my $inode = (stat $file)[1];
    for my $line (split /\n/, slurp('/proc/locks') || q{}) {
        my ($pid) = $line =~ /^\d+: FLOCK +ADVISORY +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:$inode /;
        next if !$pid;
        my $command = join q{ }, split /\0/, slurp("/proc/$pid/cmdline") || q{};
        return "process $pid"
            . (
            length $command
            ? ' (' . plain(substr $command, 0, 100) . ')'
            : ', after which it is cleaned up,'
            );
    }
    return 'another ./Run';
}

1;
