# SPDX-License-Identifier: GPL-2.0-or-later
# Two `make` at once in one tree where nothing is built.  Both exit with status 0, every
# program is whole, and no half-built file is left.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Faults;
use TestHelp;

needs_proc();
if (!needs(1, 'cc', 'make')) { done_testing; exit }

my $TIMES = 3;
my $fault = 'two makes at once where nothing is built';
my $tree = tree(unbuilt => 1);

# Such a process, as finish() and check_end() take it
sub start_make { return start({ tree => $tree, command => [ qw(make -s -C), $tree, 'all' ] }) }

my (@status, @words, @runs);
for (1 .. $TIMES) {
    command({}, qw(make -s -C), $tree, 'clean');
    my @both = map { start_make() } 1, 2;
    finish($_, 300) for @both;
    push @status, map { $_->{status} } @both;
    push @words, grep { length } map { $_->{err_text} } @both;
    push @runs, @both;
}

subtest $fault => sub {
    is_deeply(\@status, [ (0) x @status ], 'all have status 0') or diag @words;
};
subtest "$fault, afterwards" => sub {
    is(command({}, qw(make -s -C), $tree, 'all')->{status}, 0, 'make has status 0');
    is_deeply([ glob "\Q$tree\E/build/new/*" ], [], 'no half-built file is left');
    my $run = finish(start({ tree => $tree }, qw(-v --slice 0.02 --max-time 0.3 -c 1 vfork)));
    is($run->{status}, 0, 'Run measures with these programs');
    check_end($fault, [ $run, @runs ], times => $TIMES);
};
done_testing;
