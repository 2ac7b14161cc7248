# SPDX-License-Identifier: GPL-2.0-or-later
package Platforms;

# What the checks of t/platforms share.
#
#   missing(reason): skips all checks of this file or subtest; with CI=true a check fails
#   needs_zig(): the file is skipped, or fails, if the pinned ziglang, a cross compiler, is
#       missing
#   @ZIG: its command
#   build_with_zig(target, folder below ROOT, CFLAGS...) -> as TestHelp::command: make all for
#       that target, its programs in folder/pgms
#   qemu(architecture) -> path of a static qemu-user, or undef
#   root(name, command to run it by...) -> the command, without the folder of the suite, that
#       runs others in that Debian root (t/platforms/inside); or false after missing()
#   programs() -> names of the test programs

use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use TestHelp;

our @EXPORT = qw(@ZIG needs_zig missing build_with_zig qemu root programs);

our @ZIG = ('python3', '-m', 'ziglang');

sub in_ci { return ($ENV{CI} || q{}) eq 'true' }

sub missing {
    my ($reason) = @_;
    Test::More->builder->ok(0, "installed where CI=true: $reason") if in_ci();
    Test::More::plan(skip_all => $reason) if !in_ci();
    return;
}

sub needs_zig {
    my ($pinned) = slurp_file("$ROOT/t/platforms/requirements.txt") =~ /^ziglang==(\S+)$/m
        or die 'no version of ziglang is pinned';
    my $found = tool('python3') ? command({}, @ZIG, 'version') : { status => 1 };
    chomp(my $version = $found->{status} == 0 ? $found->{out} : 'none');
    if ($version ne $pinned) {
        missing(
            "needs ziglang $pinned, found $version: pip install -r t/platforms/requirements.txt");
        Test::More::done_testing();
        exit 1;
    }
    mkdir "$ROOT/build";
    $ENV{ZIG_LOCAL_CACHE_DIR} = "$ROOT/build/zig-cache";
    $ENV{ZIG_GLOBAL_CACHE_DIR} ||= $ENV{ZIG_LOCAL_CACHE_DIR};
    return;
}

sub build_with_zig {
    my ($target, $work, @flags) = @_;
    my $got;
    for (1, 2) {    # two compilers at once fail at times (ziglang/zig, issue 18989)
        $got = command({}, 'make', '-s', '-j2', '-C', $ROOT, "CC=@ZIG cc -target $target",
            "WORK=$work", "BINDIR=$work/pgms", "CFLAGS=@flags", 'all');
        last if $got->{status} == 0;
    }
    return $got;
}

sub qemu {
    my ($architecture) = @_;
    my $name = "qemu-$architecture-static";
    my $own = cached("qemu/usr/bin/$name");
    return -x $own ? $own : tool($name);
}

sub root {
    my ($name, @by) = @_;
    my $root = cached("roots/$name");
    if (!-d $root) {
        missing("no Debian root $name: .ci/run check-long makes it");
        return;
    }
    my $inside = [ @by, "$ROOT/t/platforms/inside", $root ];
    my $got = command({}, @{$inside}, "$ROOT/t", 'true');
    return $inside if $got->{status} == 0;
    missing("namespaces and chroot: $got->{err}");
    return;
}

sub programs {
    return map { m{([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";
}

1;
