# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use Test::More;
use TestHelp;
use SpawnMeter::Util::Folder qw(open_folder);

my $scratch = scratch();
my $began = Cwd::getcwd();

sub error_of {
    my ($code) = @_;
    return eval { $code->(); 1 } ? 'no error' : $@;
}

my $folder = open_folder("$scratch");
is($folder->owner, $>, 'the owner');
is($folder->path('x'), "$scratch/x", 'the path of a name');
ok($folder->lock, 'the lock');
ok(!open_folder("$scratch")->lock, 'a lock that is held');

subtest 'files' => sub {
    $folder->create(one => { bytes => "a\nb", mode => oct 640 });
    my $read = $folder->read_file('one');
    is_deeply(
        [ @{$read}{qw(bytes mode set_id owner links)} ],
        [ "a\nb", oct 640, 0, $>, 1 ],
        'what was created is read'
    );
    like(
        error_of(sub { $folder->create(one => { bytes => q{}, mode => 0 }) }),
        qr/^\Q$scratch\E\/one: File exists$/,
        'a file that exists is not replaced'
    );
    chmod oct 4755, "$scratch/one";
    is_deeply(
        [ @{ $folder->read_file('one') }{qw(mode set_id)} ],
        [ oct 755, oct 4000 ],
        'set-id bits are no part of the mode'
    );
    $folder->create(two => { bytes => 'new', mode => oct 600 });
    $folder->replace(one => 'two');
    is_deeply([ $folder->names ], ['one'], 'renamed');
    is(slurp_file("$scratch/one"), 'new', 'replaced');
    $folder->remove_file('one') for 1 .. 2;
    ok(!$folder->holds('one'), 'removed, and removed again');
};
subtest 'folders' => sub {
    my $inner = $folder->make_folder('inner');
    rename "$scratch/inner", "$scratch/moved" or die $!;
    symlink "$scratch", "$scratch/inner"      or die $!;
    $inner->create(file => { bytes => q{}, mode => oct 600 });
    ok(-e "$scratch/moved/file", 'a folder that was moved is still the open one');
    $inner->sync;
    $inner->remove_file('file');
    $folder->remove_folder('moved');
    ok(!-e "$scratch/moved", 'removed');
};
subtest 'names that lead elsewhere' => sub {
    spew("$scratch/target", 'precious');
    symlink 'target', "$scratch/link";
    like(error_of(sub { $folder->open_in('inner') }), qr/inner: is a symbolic link$/, 'a folder');
    like(
        error_of(sub { $folder->read_file('link') }),
        qr/link: is a symbolic link$/,
        'a file to read'
    );
    like(
        error_of(sub { $folder->create(link => { bytes => 'x', mode => 0 }) }),
        qr/link: is a symbolic link$/,
        'a file to create'
    );
    is(slurp_file("$scratch/target"), 'precious', 'its target does not change');
    like(error_of(sub { $folder->holds($_) }), qr/is not a name in a folder/, "refused: '$_'")
        for '../x', '..', q{}, '/etc';
    like(error_of(sub { open_folder("$scratch/none") }), qr{/none: No such file}, 'no such folder');
};
is(Cwd::getcwd(), $began, 'the current folder is as before');
done_testing;
