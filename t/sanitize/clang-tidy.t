# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy finds nothing in the C files (.clang-tidy).
use lib 't/lib';
use TestHelp;

if (needs(1, 'clang-tidy')) {
    chdir $ROOT or die;
    my @sources = (
        glob('src/*.c'), glob('src/harness/*.c'), glob('src/trace/*.c'), glob('src/bench/*.c'),
        qw(src/targets/true.c src/targets/sh.c src/targets/library.c src/targets/start.c)
    );
    my $got = command({}, tool('clang-tidy'), '--quiet', @sources, q{--},
        qw(-std=c11 -D_GNU_SOURCE -Isrc -Ibuild));
    is(join(q{}, grep { /(?:warning|error): / } split /^/, "$got->{out}$got->{err}"),
        q{}, 'clang-tidy');
}
done_testing;
