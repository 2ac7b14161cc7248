# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes for other systems' packages, as far as they can be checked on Debian: their
# syntax, and that what they install are the files of make install.  makepkg and rpmbuild
# really build; the others are read by the interpreter of their language, with stand-ins
# for what only their system has.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use File::Temp ();
use Packaging;

# Ports and makepkg take no folder with a blank in its name
my $folder = File::Temp->newdir('sm-recipes-XXXXXX', TMPDIR => 1);
chmod 0755, "$folder";
my $tarball = tarball("$folder");
my ($file) = $tarball =~ m{([^/]+)\z};
my $recipes = "$folder/recipes";
my $filled = command({}, $^X, "$ROOT/tools/recipes", $tarball, $recipes);
is("$filled->{status} $filled->{err}", '0 ', 'tools/recipes fills them in');
my @recipes = files_below($recipes);
is(scalar @recipes, scalar(split /\n/, $filled->{out}), 'and names each');
is(join(q{}, grep { slurp_file("$recipes$_") =~ /\@[A-Z0-9]+\@/ } @recipes),
    q{}, 'no place is left');

# The files of make install with these settings; manual pages may be packed
sub wanted {
    my (%env) = @_;
    my @files = split /\n/, command({ env => \%env }, $^X, "$ROOT/tools/install", 'list')->{out};
    return [ sort map { s{(/man1/.*[.]1)\z}{$1.gz}r } @files ];
}

sub packed {
    my (@files) = @_;
    return [ sort map { s{(/man1/.*[.]1)\z}{$1.gz}r } @files ];
}

# The tree, for those that build in it; the programs are those that are already built
sub tree {
    my ($name) = @_;
    mkdir "$folder/$name";
    my $tree = unpacked($tarball, "$folder/$name");
    copy_suite($tree, qw(pgms build)) if !-e "$tree/build";
    return $tree;
}

subtest 'arch: makepkg' => sub {
    plan skip_all => 'no makepkg' if grep { !needs(1, $_) } qw(makepkg bsdtar fakeroot);
    is(command({}, 'bash', '-n', "$recipes/arch/PKGBUILD")->{status}, 0, 'bash reads it');
    my $place = File::Temp->newdir('sm-makepkg-XXXXXX', TMPDIR => 1);
    spew("$place/$_", slurp_file($_ eq 'PKGBUILD' ? "$recipes/arch/$_" : $tarball))
        for 'PKGBUILD', $file;
    command({}, 'chown', '-R', 'nobody', "$place") if $> == 0;
    my %env = (
        HOME   => "$place",
        PACMAN => 'true',
        PKGEXT => '.pkg.tar',
        map { $_ => undef } qw(MAKEFLAGS MAKELEVEL MFLAGS)
    );
    my $made = command({ folder => "$place", env => \%env }, as_user(qw(makepkg -d --noconfirm)));
    is($made->{status}, 0, 'it builds a package, and the checksum is right') or diag $made->{err};
    my ($package) = glob "$place/*.pkg.tar";
    my @files = grep { !m{/\z|\A/[.]} } map { "/$_" } split /\n/,
        command({}, 'bsdtar', 'tf', $package)->{out};
    is_deeply(packed(@files), wanted(PREFIX => '/usr', LIBEXECDIR => '/usr/lib'), 'its files');
};

subtest 'fedora: rpmbuild' => sub {
    plan skip_all => 'no rpmbuild' if !needs(1, 'rpmbuild');
    my $place = File::Temp->newdir('sm-rpm-XXXXXX', TMPDIR => 1);
    mkdir "$place/SOURCES";
    spew("$place/SOURCES/$file", slurp_file($tarball));
    my $made = command(
        { env => { map { $_ => undef } qw(MAKEFLAGS MAKELEVEL MFLAGS) } },
        'rpmbuild', '--define',
        "_topdir $place",
        qw(--nodeps -bb),
        "$recipes/fedora/spawnmeter.spec"
    );
    is($made->{status}, 0, 'it builds a package') or diag $made->{err};
    my ($package) = glob "$place/RPMS/*/*.rpm";
    my @files = grep { !m{/share/(?:doc|licenses)/} } grep { !/^\(/ } split /\n/,
        command({}, 'rpm', qw(-qp --qf), '[%{FILENAMES} %{FILEMODES:perms}\n]', $package)->{out};
    @files = map { s/ .*//r } grep { !/ d\S+\z/ } @files;
    is_deeply(packed(@files), wanted(PREFIX => '/usr', DOCDIR => q{}), 'its files');
    my $needs = command({}, 'rpm', qw(-qpR), $package)->{out};
    unlike($needs, qr/SpawnMeter/, 'its own modules are no dependency');
};

subtest 'alpine: busybox sh' => sub {
    plan skip_all => 'no busybox' if !needs(1, 'busybox');
    my $recipe = "$recipes/alpine/APKBUILD";
    is(command({}, qw(busybox sh -n), $recipe)->{status}, 0, 'its shell reads it');
    my $tree = tree('alpine');
    my $script = <<'END';
srcdir=$1 pkgdir=$2; . "$3" && cd "$builddir" && build && package || exit
for name in pkgname pkgver pkgdesc url arch license source; do
	eval "test -n \"\$$name\"" || echo "$name is empty"
done
END
    my $got = command(
        { env => { map { $_ => undef } qw(MAKEFLAGS MAKELEVEL MFLAGS) } },
        qw(busybox sh -ec),
        $script, 'sh', $tree =~ s{/[^/]+\z}{}r,
        "$folder/apk", $recipe
    );
    is($got->{status}, 0, 'build() and package() work') or diag $got->{err};
    unlike($got->{out}, qr/is empty/, 'all that abuild asks for is set');
    is_deeply(packed(files_below("$folder/apk")), wanted(PREFIX => '/usr'), 'its files');
    my ($sum) = slurp_file($recipe) =~ /^(\w{128})  \Q$file\E$/m;
    is($sum, (split q{ }, command({}, 'sha512sum', $tarball)->{out})[0], 'the checksum');
};

# bsd.port.mk is not to be had here: one that prints the variables takes its place
subtest 'freebsd: bmake' => sub {
    plan skip_all => 'no bmake' if !needs(1, 'bmake');
    mkdir "$folder/mk";
    spew("$folder/mk/bsd.port.mk", "SED?=sed\nall:\n\t\@true\n");
    my $tree = tree('freebsd');
    my $stage = "$folder/stage";
    my $port = "$recipes/freebsd";
    my @bmake = (
        'bmake', '-m', "$folder/mk", '-m', '/usr/share/bmake/mk-netbsd', '-C',
        $port, 'PREFIX=/usr/local', "STAGEDIR=$stage", "TMPPLIST=$folder/plist",
        "WRKSRC=$tree", '.OBJDIR=.'
    );
    my %value = map { my $name = $_; ($name => command({}, @bmake, '-V', $name)->{out}) }
        qw(PORTNAME DISTVERSION CATEGORIES MAINTAINER COMMENT LICENSE USES ALL_TARGET MAKE_ARGS);
    is(join(q{ }, grep { $value{$_} !~ /\S/ } sort keys %value), q{}, 'its variables are set');
    my @args = split q{ }, $value{MAKE_ARGS};
    my $made = run_make($tree, 'install', "DESTDIR=$stage", 'PREFIX=/usr/local', @args);
    is($made->{status}, 0, 'make install as ports call it') or diag $made->{err};
    my $got = command({}, @bmake, 'post-install');
    is($got->{status}, 0, 'post-install') or diag $got->{err};
    my @plist = map { "/usr/local/$_" } split /\n/, slurp_file("$folder/plist");
    is_deeply([ sort @plist ], [ files_below($stage) ], 'writes the list of all files');
    like(slurp_file("$port/distinfo"), qr/^SIZE \(\Q$file\E\) = @{[ -s $tarball ]}$/m, 'distinfo');
};

# A class Formula with what a formula calls
subtest 'homebrew: ruby' => sub {
    plan skip_all => 'no ruby' if !needs(1, 'ruby');
    my $formula = "$recipes/homebrew/spawnmeter.rb";
    is(command({}, qw(ruby -wc), $formula)->{out}, "Syntax OK\n", 'ruby reads it');
    my $tree = tree('homebrew');
    my $script = <<'END';
class Formula
  def self.set; @set ||= {}; end
  %i[desc homepage url sha256 license].each { |n| define_singleton_method(n) { |v| set[n] = v } }
  def self.uses_from_macos(*); end
  def self.test; end
  def prefix; ARGV[1]; end
  def bash_completion; "#{prefix}/etc/bash_completion.d"; end
  def zsh_completion; "#{prefix}/share/zsh/site-functions"; end
  def system(*line); Kernel.system(*line.map(&:to_s)) || exit(1); end
end
load ARGV[0]
missing = %i[desc homepage url sha256 license].reject { |n| Spawnmeter.set[n] }
abort "missing: #{missing}" unless missing.empty?
abort 'desc' if Spawnmeter.set[:desc].length > 80 || Spawnmeter.set[:desc] =~ /\A(a|an|the) /i
Spawnmeter.new.install
puts Spawnmeter.set[:sha256]
END
    my $cellar = "$folder/cellar";
    my $got =
        command({ folder => $tree, env => { map { $_ => undef } qw(MAKEFLAGS MAKELEVEL MFLAGS) } },
        qw(ruby -e), $script, $formula, $cellar);
    is($got->{status}, 0, 'install works') or diag $got->{err};
    like($got->{out}, qr/^\Q@{[ (split q{ }, slurp_file("$tarball.sha256"))[0] ]}\E$/m,
        'the checksum');
    is_deeply(
        [ files_below($cellar) ],
        [
            map { substr $_, length $cellar } @{ [
                sort map { s/[.]gz\z//r }
                    @{ wanted(PREFIX => $cellar, BASHDIR => "$cellar/etc/bash_completion.d") }
            ] }
        ],
        'its files'
    );
    my $run = command({}, "$cellar/bin/spawnmeter", '--version');
    like($run->{out}, qr/^SpawnMeter \d/, 'its test');
};
done_testing;
