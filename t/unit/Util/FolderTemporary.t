# SPDX-License-Identifier: GPL-2.0-or-later
# Temporary folders: abandoned ones are removed, those of other processes and users are not.
use lib 't/lib';
use TestHelp;
use Fcntl                  qw(LOCK_EX LOCK_NB);
use SpawnMeter::Util::Lock qw(remove_temporary);

use constant PREFIX => 'spawnmeter-abcdefgh';

my $folder = scratch();

sub create { return SpawnMeter::Util::Lock::temporary("$folder", PREFIX) }

# A folder with a file in a folder, and with a lock file unless told otherwise
sub abandoned {
    my ($name, %with) = @_;
    my $path = "$folder/$name";
    mkdir $path or die;
    return $path if $with{empty};
    mkdir "$path/sub" or die;
    spew("$path/sub/file", 'x');
    spew("$path/spawnmeter.lock", q{}) if !$with{unlocked};
    return $path;
}

subtest 'a new folder' => sub {
    my $new = create();
    open my $lock, '<', "$new/spawnmeter.lock" or die;
    ok(!flock($lock, LOCK_EX | LOCK_NB), 'its lock is held');
    spew("$new/file", 'x');
    my $path = "$new";
    undef $new;
    ok(!-e $path, 'it is removed with the object');
};

subtest 'others that are there' => sub {
    my $old = abandoned('spawnmeter-zzzzzzzz-AAAAAA');
    my $empty = abandoned('spawnmeter-zzzzzzzz-BBBBBB', empty => 1);
    my $used = abandoned('spawnmeter-zzzzzzzz-CCCCCC');
    my $full = abandoned('spawnmeter-zzzzzzzz-DDDDDD', unlocked => 1);
    my $foreign = abandoned('spawnmeter-mine');
    my $file = spew("$folder/spawnmeter-zzzzzzzz-EEEEEE", 'x');
    open my $lock, '<', "$used/spawnmeter.lock" or die;
    my $held = flock $lock, LOCK_EX | LOCK_NB;
    ok($held, 'another one holds the lock of the third');
    my $new = create();
    ok(!-e $old, 'one whose lock nobody holds is removed');
    ok(!-e $empty, 'one that is empty, without a lock, too');
    ok(-e "$used/sub/file", 'one in use is not');
    ok(-e "$full/sub/file", 'nor one with files and without a lock');
    ok(-e "$foreign/sub/file", 'nor one of another name');
    ok(-e $file, 'nor a file of such a name');
SKIP: {
        skip 'only root can give a folder to another user', 1 if $> != 0;
        my $others = abandoned('spawnmeter-zzzzzzzz-FFFFFF');
        chown 64_321, 64_321, $others;
        my $again = create();
        ok(-e "$others/sub/file", 'nor one of another user');
    }
};

subtest 'remove' => sub {
    my $path = abandoned('spawnmeter-zzzzzzzz-GGGGGG');
    symlink "$folder", "$path/link";
    remove_temporary($path);
    ok(!-e $path, 'with all that is in it');
    ok(-d "$folder", 'but not what a link in it leads to');
};

subtest 'unlock' => sub {
    my $new = create();
    SpawnMeter::Util::Lock::unlock();
    open my $lock, '<', "$new/spawnmeter.lock" or die;
    ok(flock($lock, LOCK_EX | LOCK_NB), 'the locks are let go of');
};
done_testing;
