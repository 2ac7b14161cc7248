# SPDX-License-Identifier: GPL-2.0-or-later
# The programs compile for other systems and architectures, without a warning: ziglang is
# a cross compiler with the headers of these systems.  For macOS and the BSDs, whose
# libraries it has as stubs, make all also links them.  Nothing is run here.
# LONG=1 (make check-long): all of them; PLATFORMS="x86_64-macos ..." limits it to these.
use lib 't/lib';
use TestHelp;
use Platforms;

# Built by make all
my @LINKED =
    qw(x86_64-macos aarch64-macos x86_64-freebsd aarch64-freebsd x86_64-netbsd x86_64-openbsd);

# Compiled only: to link them zig would first compile musl, a minute for each.  emulated.t
# links those that it runs, with the same warnings.
my @COMPILED = qw(x86_64-linux-musl x86-linux-musl riscv32-linux-musl loongarch64-linux-musl
    mips-linux-musleabi);
my @WARNINGS = qw(-O1 -Wall -Wextra -Werror);

needs_zig();
my $few = 'aarch64-macos';
my %wanted = map { $_ => 1 } split q{ },
    $ENV{PLATFORMS} || ($ENV{LONG} ? "@LINKED @COMPILED" : $few);

for my $target (grep { $wanted{$_} } @LINKED) {
    my $work = "build/platforms/$target";
    my $built = build_with_zig($target, $work, @WARNINGS);
    is($built->{status}, 0, "$target: make all") or diag $built->{err};
    is_deeply([ grep { !-s "$ROOT/$work/pgms/$_" } programs(), 'trace', 'true-dynamic' ],
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
            @ZIG, 'cc', '-target', $target, @WARNINGS, '-D_GNU_SOURCE', "-I$ROOT/src",
            "-I$ROOT/build", '-c', '-o', "$folder/object", $source);
        push @bad, $got->{err} if $got->{status} != 0;
    }
    is("@bad", q{}, "$target: every C file compiles");
}
done_testing;
