# SPDX-License-Identifier: GPL-2.0-or-later
# make deb: dpkg-buildpackage makes a package in which lintian finds nothing that has no override,
# and that has the files of make install.  In a bare Debian root it is installed and run by the
# package's own test, and by autopkgtest.  Only with LONG=1 (make check-long), but for the version.
#
# CHROOT: the folder in which packaging/debian/chroot has made the roots; otherwise that of
# .ci/run
use lib 't/lib';
use TestHelp;
use Packaging;

my $folder = "$ROOT/build/deb";
plan skip_all => 'no Debian package can be built here'
    if grep { !needs(1, $_) } qw(dpkg-buildpackage dh);
my ($version) = slurp_file("$ROOT/VERSION") =~ /^(\S+)/;
like(
    slurp_file("$ROOT/packaging/debian/changelog"),
    qr/\Aspawnmeter \(\Q$version\E-\d+\) /,
    'the newest entry of the changelog is that of VERSION'
);

if (!$ENV{LONG}) {
    diag 'the package is built with LONG=1';
    done_testing;
    exit;
}
local $ENV{DEB_BUILD_OPTIONS} = 'nocheck parallel=2';    # make check has run them
my $made = run_make($ROOT, 'deb');
is($made->{status}, 0, 'make deb') or diag $made->{err};
my ($deb) = grep { !/dbgsym/ } glob "\Q$folder\E/spawnmeter_${version}-*.deb";
if (!ok(defined $deb, 'there is a package')) { done_testing; exit }

subtest 'lintian' => sub {
    plan skip_all => 'lintian is not installed' if !needs(0, 'lintian');
    my ($changes) = glob "\Q$folder\E/*.changes";
    my @with = (qw(--allow-root -I --pedantic --fail-on), 'error,warning,info,pedantic');
    my $got = command({}, tool('lintian'), @with, $changes);
    is("$got->{status} $got->{out}", '0 ', 'finds nothing without an override');
};

subtest 'files' => sub {
    my $dest = scratch();
    run_make($ROOT, 'install', "DESTDIR=$dest", 'PREFIX=/usr', 'DOCDIR=',
        'ZSHDIR=/usr/share/zsh/vendor-completions');
    my @wanted = map { s{(/man/.*)\z}{$1.gz}r } files_below("$dest");
    my @got = command({}, qw(dpkg-deb --fsys-tarfile), $deb)->{out};
    my $tar = spew("$dest.tar", $got[0]);
    my @list = grep { !m{/\z|/share/(?:doc|lintian)/} } map { s/\A[.]//r } split /\n/,
        command({}, 'tar', 'tf', $tar)->{out};
    unlink $tar;
    is_deeply([ sort @list ], [ sort @wanted ], 'those of make install');
    unlike($got[0], qr/\Q$ROOT\E/, 'no path of the build');
};

my $roots = $ENV{CHROOT} || cached('packages');

sub has_roots {
    return 0 if !must_be_root('run in another root');
    return 1 if -x "$roots/bare/usr/bin/perl" && -x "$roots/testbed/usr/bin/dpkg-source";
    return lacks("no Debian roots in $roots; sh packaging/debian/chroot $roots makes them");
}

subtest 'a bare root: install, run, remove' => sub {
    plan skip_all => 'no bare root' if !has_roots();
    my @in = ('chroot', "$roots/bare", 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin');
    spew("$roots/bare/tmp/spawnmeter.deb", slurp_file($deb));
    spew("$roots/bare/tmp/run", slurp_file("$ROOT/packaging/debian/tests/run"));
    my $installed = command({}, @in, qw(dpkg -i /tmp/spawnmeter.deb));
    is($installed->{status}, 0, 'dpkg -i') or diag $installed->{err};
    isnt(command({}, @in, qw(sh -c), 'command -v gcc make')->{status},
        0, 'it has neither compiler nor make');
    for my $user (qw(root nobody)) {
        my @as = $user eq 'root' ? () : qw(setpriv --reuid=65534 --regid=65534 --clear-groups);
        my $run = command({}, @in, @as, qw(sh /tmp/run));
        is($run->{status}, 0, "$user runs it") or diag $run->{out}, $run->{err};
        like($run->{out}, qr/^Fork Throughput +[\d.]+ lps/m, 'the run has a report');
    }
    is(command({}, @in, qw(dpkg -P spawnmeter))->{status}, 0, 'dpkg -P');
    my @left = grep { !m{/share/doc/} } glob "\Q$roots\E/bare/usr/{bin,libexec,share}/spawnmeter*";
    is("@left", q{}, 'nothing is left');
    unlink "$roots/bare/tmp/spawnmeter.deb", "$roots/bare/tmp/run";
    command({}, qw(sh -c), 'rm -rf "$1"/bare/tmp/*', 'sh', $roots);
};

subtest 'autopkgtest' => sub {
    plan skip_all => 'autopkgtest is not installed' if !needs(0, 'autopkgtest');
    plan skip_all => 'no test bed' if !has_roots();
    my ($changes) = glob "\Q$folder\E/*.changes";
    my $got = command({}, tool('autopkgtest'),
        '--no-built-binaries', $changes, '--', 'chroot', "$roots/testbed");
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like($got->{out}, qr/^run +PASS$/m, 'the test of the package passes');
};
done_testing;
