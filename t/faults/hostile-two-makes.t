# SPDX-License-Identifier: GPL-2.0-or-later
# Two `make` at once in one tree where nothing is built, and a Run that builds and ends while a
# make is at work.  All exit with status 0, every program is whole, and no half-built file is
# left.
use lib 't/lib';
use TestHelp;
use Faults;

needs_proc();
if (!needs(1, 'cc', 'make')) { done_testing; exit }

local $ENV{CFLAGS} = '-O0';    # a third of a build's time is optimising
my $TIMES = $ENV{LONG} ? 3 : 1;
my $fault = 'two makes at once where nothing is built';
my $tree = tree(unbuilt => 1);

# Such a process, as finish() and check_end() take it
sub start_make { return start({ tree => $tree, command => [ qw(make -s -C), $tree, 'all' ] }) }

my (@status, @words, @runs);
for (1 .. $TIMES) {
    command({}, qw(make -s -C), $tree, 'clean');
    my @both = map { start_make() } 1, 2;
    finish($_) for @both;
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

# A compiler that does not end, when it has written a program, before the file "go" exists
$fault = 'a Run builds while a make is at work';
subtest $fault => sub {
    my $folder = scratch();
    my $real = tool('cc');
    executable("$folder/cc", <<"END");
"$real" "\$@" || exit
case "\$*" in *src/pipe.c*) ;; *) exit ;; esac
: >"$folder/waiting"
n=0
until [ -e "$folder/go" ] || [ \$n -ge 30000 ]; do n=\$((n + 1)); sleep 0.02; done
END
    command({}, qw(make -s -C), $tree, 'clean');
    my %slow = (env => { PATH => "$folder:$ENV{PATH}" });
    my $make = start({ tree => $tree, %slow, command => [ qw(make -s -C), $tree, 'all' ] });
    wait_until(sub { -e "$folder/waiting" });
    my $run = finish(start({ tree => $tree }, qw(-v --slice 0.02 --max-time 0.3 -c 1 vfork)));
    ok(!exited($make->{pid}), 'make is at work until Run has ended');
    spew("$folder/go", q{});
    finish($make);
    is($run->{status}, 0, 'Run has status 0')   or diag $run->{err_text};
    is($make->{status}, 0, 'make has status 0') or diag $make->{err_text};
    is_deeply([ glob "\Q$tree\E/build/new/*" ], [], 'no half-built file is left');
    check_end($fault, [ $run, $make ]);
};
done_testing;
