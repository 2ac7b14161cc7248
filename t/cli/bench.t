# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: the programs over bare loops, and over those of a classic tree, by ./Run ab
# --turns (t/c/turns.t).
use lib 't/lib';
use TestHelp;
use Packaging;

plan skip_all => 'it takes 16 s: with LONG=1' if !$ENV{LONG};

my $made = run_make($ROOT, map { "build/bare$_" } q{}, '-classic', '-execl');
is($made->{status}, 0, 'the bare loops are built') or diag $made->{err};

my $INTERVAL = qr/\d+[.]\d{3} [(]\d+[.]\d{3} to \d+[.]\d{3}[)]/a;
my $PAIRS = qr/\d+ pairs of [.\d]+ s/a;

# A busy machine can lose pairs
my $RATIO = qr/$INTERVAL, $PAIRS|\d pairs, at least 6 are needed/;

sub cost {
    my (@arguments) = @_;
    return command({ folder => $ROOT }, $^X, "-I$ROOT/lib", "$ROOT/bench/cost.pl", @arguments);
}

subtest 'over the bare loop' => sub {
    my $got = cost(qw(7 0.1 fork spawn launch_vfork));
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like($got->{out}, qr/^$_ over the bare loop +(?:$RATIO)$/m, $_) for qw(fork spawn launch_vfork);
};

subtest 'copies, beside the count of the kernel' => sub {
    my $got = command({ folder => $ROOT }, $^X, "$ROOT/bench/copies.pl", qw(-p 1 fork 1));
    is($got->{status}, 0, 'its status') or diag $got->{err};
    like($got->{out}, qr/^fork +1(?: +\d+[.]\d\d){4}(?: +\d+ +\d+ | +- )/m, 'its row');
};

subtest 'until the interval is narrow enough' => sub {
    my $got = cost(qw(90% 0.1 spawn));
    my ($pairs) = $got->{out} =~ /^spawn over the bare loop .*, (\d+) pairs of 0[.]1 s$/m;
    ok(defined $pairs, 'it ends') or diag $got->{out}, $got->{err};
    cmp_ok($pairs || 0, '<', 900, 'before its limit of pairs');
};

# A classic tree whose programs count some 100 a second
sub classic_tree {
    my $tree = scratch();
    mkdir "$tree/pgms";
    my $note = 'use Time::HiRes qw(sleep); sleep 0.01';
    spew("$tree/pgms/spawn", <<"END");
#!$^X
my \$count = 0;
\$SIG{ALRM} = sub { print {*STDERR} "COUNT|\$count|1|lps\\n"; exit };
alarm \$ARGV[0];
while (1) { $note; \$count++ }
END
    spew("$tree/pgms/execl", <<"END");
#!$^X
unshift \@ARGV, 0 if \@ARGV == 1;
$note;
exec \$0, 0, \$ARGV[1], (\$ARGV[2] || 0) + 1, 1;
END
    for my $name (qw(spawn execl)) {
        chmod 0755, "$tree/pgms/$name";
        symlink "$ROOT/bench/bare.pl", "$tree/$name" or die "symlink: $!";
    }
    return $tree;
}

subtest 'over a classic tree' => sub {
    my $tree = classic_tree();
    my $got = cost('--tree', $tree, qw(7 0.5 execl));
    is($got->{status}, 0, 'its status') or diag $got->{out}, $got->{err};
    like(
        $got->{out},
        qr/\Aexecl over the classic suite's +(?:$RATIO)\n\z/,
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
