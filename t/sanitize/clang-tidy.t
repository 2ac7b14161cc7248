# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy finds nothing in the C files (.clang-tidy).
use lib 't/lib';
use TestHelp;
use Seen;

if (needs(1, 'clang-tidy')) {
    chdir $ROOT or die;
    my @sources = (
        glob('src/*.c'), glob('src/harness/*.c'), glob('src/trace/*.c'), glob('src/bench/*.c'),
        qw(src/targets/true.c src/targets/sh.c src/targets/library.c src/targets/start.c)
    );
    my @rules = ('.clang-tidy', glob 'src/*.h src/*/*.h build/methods.h');
    my @read = unseen('clang-tidy', \@rules, @sources);
    my @line = (tool('clang-tidy'), '--quiet', @read, qw(-- -std=c11 -D_GNU_SOURCE -Isrc -Ibuild));
    my $got = @read ? command({}, @line) : { status => 0, out => q{}, err => q{} };
    my @found = grep { /(?:warning|error): / } split /^/, "$got->{out}$got->{err}";
    is(join(q{}, $got->{status}, @found), 0, 'clang-tidy')
        and all_well('clang-tidy', \@rules, @read);
}
done_testing;
