# SPDX-License-Identifier: GPL-2.0-or-later
# Temporary folders: abandoned ones are removed, those of other processes and users are not.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Cleanup;

my $folder = scratch();

sub create { return SpawnMeter::Util::Cleanup::temporary("$folder") }

# A folder with a file in a folder, that was changed so many days ago
sub abandoned {
    my ($name, $days) = @_;
    my $path = "$folder/$name";
    mkdir $path       or die;
    mkdir "$path/sub" or die;
    spew("$path/sub/file", 'x');
    utime((time - $days * 24 * 3600) x 2, $path);
    return $path;
}

subtest 'a new folder' => sub {
    my $new = create();
    like("$new", qr{/spawnmeter-[a-z0-9]{8}-tmp-\w{6}\z}, 'its name');
    spew("$new/file", 'x');
    my $path = "$new";
    undef $new;
    ok(!-e $path, 'it is removed with the object');
};

subtest 'others that are there' => sub {
    my $old = abandoned('spawnmeter-zzzzzzzz-tmp-AAAAAA', 8);
    my $used = abandoned('spawnmeter-zzzzzzzz-tmp-CCCCCC', 6);
    my $living = create();
    utime((time - 8 * 24 * 3600) x 2, "$living");
    my $foreign = abandoned('spawnmeter-mine', 8);
    my $file = spew("$folder/spawnmeter-zzzzzzzz-EEEEEE", 'x');
    utime 1, 1, $file;
    my $new = create();
    ok(!-e $old, 'one that nobody has used for a week is removed');
    ok(-e $living, 'nor one whose Run lives, though the clock was set on by a week');
    ok(-e "$used/sub/file", 'one that may be in use is not');
    ok(-e "$foreign/sub/file", 'nor one of another name');
    ok(-e $file, 'nor a file of such a name');
SKIP: {
        skip 'only root can give a folder to another user', 1 if $> != 0;
        my $others = abandoned('spawnmeter-zzzzzzzz-FFFFFF', 8);
        chown 64_321, 64_321, $others;
        my $again = create();
        ok(-e "$others/sub/file", 'nor one of another user');
    }
};

subtest 'remove' => sub {
    my $path = abandoned('spawnmeter-zzzzzzzz-GGGGGG', 0);
    symlink "$folder", "$path/link";
    SpawnMeter::Util::Cleanup::remove_temporary($path);
    ok(!-e $path, 'with all that is in it');
    ok(-d "$folder", 'but not what a link in it leads to');
};
done_testing;
