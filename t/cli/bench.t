# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: the programs over bare loops, and over those of a classic tree, by ./Run ab.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use Packaging;

my $made = run_make($ROOT, 'build/bare', 'build/bare-classic');
is($made->{status}, 0, 'the bare loops are built') or diag $made->{err};

my $RATIO = qr/\d+[.]\d{3}  [(]\d+[.]\d{3} to \d+[.]\d{3}, \d+ pairs of [.\d]+ s[)]/a;

sub cost {
    my (@arguments) = @_;
    return command({ folder => $ROOT }, $^X, "-I$ROOT/lib", "$ROOT/bench/cost.pl", @arguments);
}

subtest 'over the bare loop' => sub {
    my $got = cost(qw(7 0.1 fork spawn launch_vfork));
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like($got->{out}, qr/^$_ over the bare loop +$RATIO$/m, $_) for qw(fork spawn launch_vfork);
};

subtest 'until the interval is narrow enough' => sub {
    my $got = cost(qw(90% 0.1 spawn));
    my ($pairs) = $got->{out} =~ /^spawn over the bare loop .*, (\d+) pairs of 0[.]1 s[)]$/m;
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
    symlink "$ROOT/bench/bare.pl", "$tree/execl" or die "symlink: $!";
    my $alone = command({ env => { BARE_TREE => "$tree/pgms" } }, "$tree/execl", '0.1');
    is($alone->{err}, "COUNT|500|1|lps\nTIME|0.1\n", 'a program without a time gets the given one');
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
