# SPDX-License-Identifier: GPL-2.0-or-later
# Temporary folders.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Util::Cleanup;

my $folder = scratch();

sub create { return SpawnMeter::Util::Cleanup::temporary("$folder") }

subtest 'a new folder' => sub {
    my $new = create();
    like("$new", qr{/spawnmeter-[a-z0-9]{8}-tmp-\w{6}\z}, 'its name');
    spew("$new/file", 'x');
    my $path = "$new";
    undef $new;
    ok(!-e $path, 'it is removed with the object');
};

subtest 'remove' => sub {
    my $path = "$folder/spawnmeter-zzzzzzzz-GGGGGG";
    mkdir $_ or die for $path, "$path/sub";
    spew("$path/sub/file", 'x');
    symlink "$folder", "$path/link";
    SpawnMeter::Util::Cleanup::remove_left({ prefixes => { $path => 1 } });
    ok(!-e $path, 'with all that is in it');
    ok(-d "$folder", 'but not what a link in it leads to');
};
done_testing;
