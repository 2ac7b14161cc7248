# SPDX-License-Identifier: GPL-2.0-or-later
# make dist: the same files give the same bytes, anywhere, and the tree that comes out is
# whole.
use lib 't/lib';
use TestHelp;
use Packaging;

my $folder = scratch();
mkdir "$folder/$_" for qw(a b c d);
my $first = tarball("$folder/a");
my ($name) = $first =~ m{/(spawnmeter-\d+[.]\d+[.]\d+)[.]tar[.]gz\z};
ok(defined $name, 'the name has the version');
my $bytes = slurp_file($first);

subtest 'reproducible' => sub {
    ok(slurp_file(tarball("$folder/b")) eq $bytes, 'a second time: the same bytes');
    my $tree = unpacked($first, "$folder");
    my $dist = sub {
        my ($umask, %env) = @_;
        my $got = command({ env => \%env, before => sub { umask $umask } },
            $^X, "$tree/tools/dist", "$folder/c");
        is("$got->{status} $got->{err}", '0 ', 'in the unpacked tree, without git');
        return slurp_file("$folder/c/$name.tar.gz");
    };
    ok($dist->(oct 77, TZ => 'Asia/Tokyo', LC_ALL => 'C') eq $bytes,
        'another time zone and umask: the same bytes');
    my $new = command({ folder => $folder }, $^X, "$tree/tools/dist", 'new');
    is($new->{out}, "$folder/new/$name.tar.gz\n", 'a new folder, where it was called');
    spew("$tree/note", 'not in MANIFEST');
    ok($dist->(oct 22) eq $bytes, 'a file that does not belong to it: the same bytes');
    ok($dist->(oct 22, SOURCE_DATE_EPOCH => 1_000_000_000) ne $bytes, 'another date: others');
    spew("$tree/README", "changed\n");
    ok($dist->(oct 22) ne $bytes, 'another README: others');
    unlink "$tree/README";
    like(
        command({}, $^X, "$tree/tools/dist", "$folder/c")->{err},
        qr/^dist: missing, but listed in MANIFEST: README$/m,
        'a file is missing: it is named'
    );
    unlink "$tree/MANIFEST";
    like(
        command({}, $^X, "$tree/tools/dist", "$folder/c")->{err},
        qr/no MANIFEST here, which lists the files; make manifest/,
        'no list of files: it says so'
    );
};

subtest 'contents' => sub {
    my $tree = unpacked($first, "$folder/d");
    is_deeply(
        [ map { substr $_, 1 } files_below($tree) ],
        [ split /\n/, slurp_file("$tree/MANIFEST") ],
        'the files are those of MANIFEST'
    );
    my $list = command({}, 'tar', 'tvzf', $first)->{out};
    unlike($list, qr/^\S+ (?!root\/root )/m, 'they belong to root');
    my %times = map { $_ => 1 } $list =~ / (\d{4}-\d\d-\d\d \d\d:\d\d) /g;
    is(scalar keys %times, 1, 'and have one time');
    my @not_equal = grep { !-x "$tree/$_" } qw(Run .ci/run pgms/shells tools/dist);
    is("@not_equal", q{}, 'what can be run can still be run');
    ok(!-l "$tree/README", 'README is no link');
};

subtest 'checksum' => sub {
    plan skip_all => 'sha256sum is not installed' if !needs(0, 'sha256sum');
    my $got = command({ folder => "$folder/a" }, qw(sha256sum -c), "$name.tar.gz.sha256");
    is($got->{out}, "$name.tar.gz: OK\n", 'sha256sum -c finds it right');
};
done_testing;
