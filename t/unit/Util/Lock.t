# SPDX-License-Identifier: GPL-2.0-or-later
# One process at a time holds the lock of a file.
use strict;
use warnings;
use lib 't/lib';
use Fcntl qw(LOCK_EX);
use POSIX ();
use Test::More;
use TestHelp;
use SpawnMeter::Util::Lock;

my $folder = scratch();
my $file = spew("$folder/Run", q{});
my @messages;
my $report = sub { push @messages, @_ };

# Another process holds it, until it is asked to let go
pipe my $locked, my $locking or die;
pipe my $going, my $go       or die;
my $pid = fork;
die if !defined $pid;
if ($pid == 0) {
    close $go;
    open my $held, '<', $file or POSIX::_exit(1);
    flock $held, LOCK_EX;
    syswrite $locking, 'x';
    sysread $going, my $byte, 1;
    POSIX::_exit(0);
}
close $going;
sysread $locked, my $byte, 1;

# let go of after more than one attempt
local $SIG{ALRM} = sub { close $go };
SpawnMeter::Util::Lock::take($file, sub { push @messages, @_; alarm 1 if @messages == 1 });
waitpid $pid, 0;
is(scalar @messages, 1, 'a lock that another process holds: one message, then it waits');
like($messages[0], qr/^waiting for process $pid \(.*\) to end/, 'the message names the process')
    if -r '/proc/locks' && slurp_file('/proc/locks') =~ /\S/;
is(scalar SpawnMeter::Util::Lock::handles(), 1, 'then it is held');

@messages = ();
SpawnMeter::Util::Lock::take($file, $report);
is_deeply(\@messages, [], 'a second time: no wait');
is(scalar(my @handles = SpawnMeter::Util::Lock::handles()), 1, 'a second time: the same handle');
ok(SpawnMeter::Util::Lock::take("$folder/none", $report), 'a file that does not exist: no lock');
is(scalar(@handles = SpawnMeter::Util::Lock::handles()), 1, 'and no handle');
done_testing;
