# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: the programs over bare loops, and over those of a classic tree, by ./Run ab.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use Fcntl qw(F_SETFD);
use TestHelp;
use Packaging;
use Time::HiRes qw(sleep time);

my $made = run_make($ROOT, map { "build/bare$_" } q{}, '-classic', '-execl');
is($made->{status}, 0, 'the bare loops are built') or diag $made->{err};

my $INTERVAL = qr/\d+[.]\d{3} [(]\d+[.]\d{3} to \d+[.]\d{3}[)]/a;
my $PAIRS = qr/\d+ pairs of [.\d]+ s/a;
my $RATIO = qr/$INTERVAL, $PAIRS/;

sub cost {
    my (@arguments) = @_;
    return command({ folder => $ROOT }, $^X, "-I$ROOT/lib", "$ROOT/bench/cost.pl", @arguments);
}

subtest 'over the bare loop' => sub {
    my $got = cost(qw(7 0.1 fork spawn launch_vfork));
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like($got->{out}, qr/^$_ over the bare loop +$RATIO$/m, $_) for qw(fork spawn launch_vfork);
};

subtest 'turns of the bare loop' => sub {
    pipe my $its_in, my $to_it    or die;
    pipe my $from_it, my $its_out or die;
    my ($turns, $began) = (0, time);
    my %turns = (BARE_TURN => 0.02, BARE_TURNS => join q{,}, map { fileno $_ } $its_in, $its_out);
    my $got = command(
        {
            env    => \%turns,
            before => sub {
                fcntl $_, F_SETFD, 0 for $its_in, $its_out;
                close $_ for $to_it, $from_it;
            },
            meanwhile => sub {
                local $SIG{PIPE} = 'IGNORE';
                close $_ for $its_in, $its_out;
                while (sysread $from_it, my $byte, 1) {
                    sleep 0.05;
                    $turns++;
                    syswrite $to_it, 't';
                }
            }
        },
        "$ROOT/build/bare",
        'fork',
        1,
        "$ROOT/pgms/true-dynamic"
    );
    my $took = time - $began;
    my ($seconds) = $got->{err} =~ /^TIME[|]([.\d]+)$/m;
    ok(defined $seconds, 'its time is printed') or diag $got->{err};
    cmp_ok($turns, '>=', 1, 'it has turns');
    cmp_ok($turns, '<=', 50, 'as many as fit into its time');
    cmp_ok($seconds, '>=', 1, 'the loop has all of its time');
    cmp_ok($seconds + 0.05 * $turns, '<=', $took, 'without what it waited');
};

subtest 'until the interval is narrow enough' => sub {
    my $got = cost(qw(90% 0.1 spawn));
    my ($pairs) = $got->{out} =~ /^spawn over the bare loop .*, (\d+) pairs of 0[.]1 s$/m;
    ok(defined $pairs, 'it ends') or diag $got->{out}, $got->{err};
    cmp_ok($pairs || 0, '<', 900, 'before its limit of pairs');
};

subtest 'over a classic tree' => sub {
    my $tree = scratch();
    mkdir "$tree/pgms";
    for my $name (qw(spawn execl)) {
        spew("$tree/pgms/$name", "#!/bin/sh\nsleep \$1\necho 'COUNT|500|1|lps' >&2\n");
        chmod 0755, "$tree/pgms/$name";
    }
    my %alone;
    for my $name (qw(spawn execl)) {
        symlink "$ROOT/bench/bare.pl", "$tree/$name" or die "symlink: $!";
        my $got = command({ env => { BARE_TREE => "$tree/pgms" } }, "$tree/$name", '0.1');
        $alone{$name} = $got->{err};
    }
    is($alone{spawn}, "COUNT|500|1|lps\nTIME|0.1\n", 'one without a time gets the given one');
    my ($took) = $alone{execl} =~ /\ACOUNT[|]500[|]1[|]lps\nTIME[|]([.\d]+)\n\z/;
    cmp_ok($took || 0, '>=', 0.1, 'execl, whose length depends on the clock, what it took');
    my $got = cost('--tree', $tree, qw(7 0.1 execl));
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like(
        $got->{out},
        qr/\Aexecl over the classic suite's +$RATIO\n\z/,
        'execl, as its programs print it'
    );
    like(
        cost('--tree', $tree, qw(7 0.1 fork))->{err},
        qr/^cost[.]pl: fork: the classic suite has spawn and execl$/m,
        'it has no fork'
    );
    like(cost('--tree', "$tree/none")->{err}, qr/no pgms\/spawn and pgms\/execl there/, 'no tree');
};
done_testing;
