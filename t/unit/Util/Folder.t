# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use Cwd                      ();
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

subtest 'files' => sub {
    spew("$scratch/one", 'new');
    is_deeply([ $folder->names ], ['one'], 'its names');
    is($folder->own('one'), 'file', 'a file of this user');
    $folder->remove_file('one') for 1 .. 2;
    ok(!-e "$scratch/one", 'removed, and removed again');
    is($folder->own('one'), q{}, 'a free name is nobody\'s');
};
subtest 'folders' => sub {
    mkdir "$scratch/inner" or die $!;
    my $inner = $folder->open_in('inner');
    rename "$scratch/inner", "$scratch/moved" or die $!;
    symlink "$scratch", "$scratch/inner"      or die $!;
    spew("$scratch/moved/file", q{});
    is_deeply([ $inner->names ], ['file'], 'a folder that was moved is still the open one');
    $inner->remove_file('file');
    $folder->remove_folder('moved');
    ok(!-e "$scratch/moved", 'removed');
};
subtest 'names that lead elsewhere' => sub {
    like(error_of(sub { $folder->open_in('inner') }), qr/inner: is a symbolic link$/, 'a folder');
    mkdir "$scratch/target" or die $!;
    spew("$scratch/target/file", 'precious');
    symlink 'target', "$scratch/link" or die $!;
    $folder->remove_own('link');
    ok(!-l "$scratch/link", 'a link is removed');
    is(slurp_file("$scratch/target/file"), 'precious', 'its target does not change');
    like(error_of(sub { $folder->own($_) }), qr/is not a name in a folder/, "refused: '$_'")
        for '../x', '..', q{}, '/etc';
    like(error_of(sub { open_folder("$scratch/none") }), qr{/none: No such file}, 'no such folder');
};
is(Cwd::getcwd(), $began, 'the current folder is as before');
done_testing;
