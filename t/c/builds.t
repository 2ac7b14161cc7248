# SPDX-License-Identifier: GPL-2.0-or-later
# The programs built for another libc and for 32 bits keep the contract.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;

my @builds = (
    [ musl      => 'musl-gcc', qr/^musl, dynamic/m ],
    [ '32-bits' => 'gcc -m32', qr/^glibc \S+, dynamic/m ]
);
for my $build (@builds) {
    my ($name, $cc, $version) = @{$build};
SKIP: {
        my ($program, @option) = split q{ }, $cc;
        skip 'no compiler', 4 if !needs(1, $program);
        my $probe = scratch();
        if (
            @option
            && command(
                {
                    stdin => spew(
                        "$probe/empty.c",
                        "#include <errno.h>\n#include <sys/syscall.h>\n"
                            . "int main(void) { return 0; }\n"
                    )
                },
                tool($program),
                @option,
                qw(-x c -o),
                "$probe/empty",
                q{-}
            )->{status} != 0
        ) {
            diag "SKIPPED: $cc does not work here (gcc-multilib)";
            skip 'not on this machine', 6;
        }
        my $work = "build/$name";    # make takes no blank in it
        my $bin = "$ROOT/$work/pgms";
        my $built = command({ env => { CC => $cc, CFLAGS => '-O2 -Wall -Wextra -Werror' } },
            'make', '-s', '-C', $ROOT, "WORK=$work", "BINDIR=$work/pgms", 'all');
        is($built->{status}, 0, "$name: builds without a warning") or diag $built->{err};
        like(command({}, "$bin/fork", '--version')->{out}, $version, "$name: --version reports it");
        ok(-x "$bin/$_", "$name: $_ is there, too") for qw(shells shell-task);
        for my $test (qw(programs system)) {
            my $got = command({ env => { UB_BINDIR => $bin } }, $^X, '-Ilib', "$ROOT/t/c/$test.t");
            is($got->{status}, 0, "$name: all of t/c/$test.t") or diag $got->{err};
        }
    }
}
done_testing;
