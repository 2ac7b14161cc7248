# SPDX-License-Identifier: GPL-2.0-or-later
# Every program under valgrind, which runs vfork as fork, and no clone() but a thread's or a
# fork's: clone is left out.  Only with LONG=1 (make check-long): programs.t has the sanitizers.
use lib 't/lib';
use TestHelp;
use TestPrograms;

plan skip_all => 'with LONG=1' if !$ENV{LONG};
my $folder = scratch();
my $tmp = "$folder/tmp";
mkdir $tmp;
my %env = (UB_TMPDIR => $tmp, UB_TESTDIR => "$ROOT/testdir");
my @names = map { m{/([^/]+)[.]c\z} } glob "\Q$ROOT\E/src/*.c";
my @CASES = (
    [], [qw(--burst 3)], [qw(--targets 2)], [qw(--environment 5k)], [qw(--files 5 --heap 1M)],
    [qw(--mappings 9 --libraries 1)]
);

if (needs(1, 'valgrind')) {
    my @valgrind = (
        tool('valgrind'),
        split ' ',
        q(-q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,possible )
            . q(--errors-for-leak-kinds=definite --track-fds=no --trace-children=no)
    );
    my @trouble;
    my $runs = 0;
    for my $name (grep { $_ ne 'clone' } @names) {
        for my $case (@CASES, $name eq 'fork' ? ['--nonsense'] : ()) {
            next if $name eq 'execl' && @{$case} && $case->[0] eq '--files';
            my $got =
                command({ env => { %env, UB_BINDIR => "$ROOT/pgms" }, before => sub { alarm 600 } },
                @valgrind, "$ROOT/pgms/$name", '--warmup', 0, @{$case}, '--count', 5);
            next if $got->{status} == 2 && "@{$case}" ne '--nonsense';
            next if $got->{status} == 77;    # valgrind knows no clone3()
            $runs++;
            push @trouble, "$name @{$case}: status $got->{status}: $got->{err}"
                if $got->{err} =~ /^==\d+==/m || $got->{status} !~ /^[02]\z/;
        }
    }
    is_deeply(\@trouble, [], "valgrind: $runs runs");
    cmp_ok($runs, '>', 15, 'valgrind: most command lines are passes');
}
is_deeply([ names_in($tmp) ], [], 'no temporary file is left');
done_testing;
