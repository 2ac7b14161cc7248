# SPDX-License-Identifier: GPL-2.0-or-later
# The programs compile for other systems and architectures, without a warning: ziglang is
# a cross compiler with the headers of these systems.  For macOS and the BSDs, whose
# libraries it has as stubs, make all also links them.  Nothing is run here.
# PLATFORMS="x86_64-macos ..." limits it to these.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;

# Built by make all
my @LINKED =
    qw(x86_64-macos aarch64-macos x86_64-freebsd aarch64-freebsd x86_64-netbsd x86_64-openbsd);

# Compiled only: to link them zig would first compile musl, a minute for each
my @COMPILED =
    qw(x86_64-linux-musl x86-linux-musl aarch64-linux-musl arm-linux-musleabihf riscv64-linux-musl
    riscv32-linux-musl powerpc64le-linux-musl s390x-linux-musl loongarch64-linux-musl
    mips-linux-musleabi);
my @WARNINGS = qw(-O1 -Wall -Wextra -Werror);

my ($pinned) = slurp_file("$ROOT/t/platforms/requirements.txt") =~ /^ziglang==(\S+)$/m
    or die 'no version of ziglang is pinned';
my @zig = ('python3', '-m', 'ziglang');
my $found =
    tool('python3') ? command({}, @zig, 'version') : { status => 1, err => 'python3 is missing' };
chomp(my $version = $found->{status} == 0 ? $found->{out} : 'none');
if ($version ne $pinned) {
    my $reason =
        "needs ziglang $pinned, found $version: pip install -r t/platforms/requirements.txt";
    plan skip_all => $reason if ($ENV{CI} || q{}) ne 'true';
    fail($reason);
    done_testing;
    exit;
}
my %wanted = map { $_ => 1 } split q{ }, $ENV{PLATFORMS} || "@LINKED @COMPILED";
mkdir "$ROOT/build";
$ENV{ZIG_GLOBAL_CACHE_DIR} = $ENV{ZIG_LOCAL_CACHE_DIR} = "$ROOT/build/zig-cache";
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};

my @programs = map { m{([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";
for my $target (grep { $wanted{$_} } @LINKED) {
    my $work = "build/platforms/$target";
    my $built = command({}, 'make', '-s', '-j2', '-C', $ROOT, "CC=@zig cc -target $target",
        "WORK=$work", "BINDIR=$work/pgms", "CFLAGS=@WARNINGS", 'all');
    is($built->{status}, 0, "$target: make all") or diag $built->{err};
    is_deeply([ grep { !-s "$ROOT/$work/pgms/$_" } @programs, 'trace', 'true-dynamic' ],
        [], "$target: every program is there");
}

is(command({}, 'make', '-s', '-C', $ROOT, 'build/methods.h')->{status}, 0, 'the list of methods');
my @sources =
    grep { !m{-posix[.]c\z} }
    map  { glob "\Q$ROOT\E/$_" }
    qw(src/*.c src/harness/*.c src/trace/*.c src/bench/*.c src/targets/*.c);
for my $target (grep { $wanted{$_} } @COMPILED) {
    my $folder = scratch();
    my @bad;
    for my $source (@sources) {
        my $got = command({ folder => "$folder" },
            @zig, 'cc', '-target', $target, @WARNINGS, '-D_GNU_SOURCE', "-I$ROOT/src",
            "-I$ROOT/build", '-c', '-o', "$folder/object", $source);
        push @bad, $got->{err} if $got->{status} != 0;
    }
    is("@bad", q{}, "$target: every C file compiles");
    my $linked = command(
        { folder => "$folder" },
        @zig, 'cc', '-target', $target, qw(-static -nostdlib -o),
        "$folder/true-nolibc", "$ROOT/src/targets/true-nolibc.c"
    );
    is($linked->{status}, 0, "$target: true-nolibc is written for it") or diag $linked->{err};
}
done_testing;
