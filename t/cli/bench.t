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

# command() of a program with whom this process takes turns; line gives its command line for the
# text "R,W" of its ends of the pipes; waits: it waits for its first turn, too.  took, and turns
# ([begin, end] of this process's), are added
sub in_turns {
    my ($env, $waits, $line) = @_;
    pipe my $its_in, my $to_it    or die;
    pipe my $from_it, my $its_out or die;
    my ($began, @turns) = time;
    my $ends = join q{,}, map { fileno $_ } $its_in, $its_out;
    my $got = command(
        {
            env    => { %{$env}, BARE_TURN => 0.02, BARE_TURNS => $ends },
            before => sub {
                fcntl $_, F_SETFD, 0 for $its_in, $its_out;
                close $_ for $to_it, $from_it;
            },
            meanwhile => sub {
                local $SIG{PIPE} = 'IGNORE';
                close $_ for $its_in, $its_out;
                syswrite $to_it, 't' if $waits;
                while (sysread $from_it, my $byte, 1) {
                    push @turns, [time];
                    sleep 0.05;
                    push @{ $turns[-1] }, time;
                    syswrite $to_it, 't';
                }
            }
        },
        $line->($ends)
    );
    return { %{$got}, took => time - $began, turns => \@turns };
}

sub has_its_turns {
    my ($got) = @_;
    my ($seconds) = $got->{err} =~ /^TIME[|]([.\d]+)$/m;
    my $turns = @{ $got->{turns} };
    ok(defined $seconds, 'its time is printed') or diag $got->{err};
    cmp_ok($turns, '>=', 1, 'it has turns');
    cmp_ok($turns, '<=', 50, 'as many as fit into its time');
    cmp_ok($seconds || 0, '>=', 1, 'the program has all of its time');
    cmp_ok(($seconds || 0) + 0.05 * $turns, '<=', $got->{took}, 'without what it waited');
    return;
}

subtest 'turns of the bare loop' => sub {
    has_its_turns(
        in_turns({}, 0, sub { ("$ROOT/build/bare", 'fork', 1, "$ROOT/pgms/true-dynamic") }));
};

subtest 'until the interval is narrow enough' => sub {
    my $got = cost(qw(90% 0.1 spawn));
    my ($pairs) = $got->{out} =~ /^spawn over the bare loop .*, (\d+) pairs of 0[.]1 s$/m;
    ok(defined $pairs, 'it ends') or diag $got->{out}, $got->{err};
    cmp_ok($pairs || 0, '<', 900, 'before its limit of pairs');
};

# A classic tree whose programs count some 100 a second, and note the times at which they do
sub classic_tree {
    my $tree = scratch();
    mkdir "$tree/pgms";
    my $note = "use Time::HiRes qw(sleep time); open my \$out, '>>', '$tree/times' or die;"
        . "syswrite \$out, time . qq{\\n} if sleep 0.01;";
    spew("$tree/pgms/spawn", <<"END");
#!$^X
open my \$status, '<', '/proc/self/status';
open my \$about, '>', '$tree/about';
print {\$about} \$\$, "\\n", <\$status>;
close \$about;
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

for my $name (qw(spawn execl)) {
    subtest "turns of a classic $name" => sub {
        my $tree = classic_tree();
        my $got = in_turns({ BARE_TREE => "$tree/pgms" },
            1, sub { ("$tree/$name", '--turns', @_, '--pauses', 0.02, '--warmup', 0.1, 1) });
        has_its_turns($got);
        my ($count) = $got->{err} =~ /\ACOUNT[|](\d+)[|]1[|]lps\nTIME[|][.\d]+\n\z/;
        my @times = split /\n/, slurp_file("$tree/times");
        cmp_ok($count || 0, '>', 1, 'it counts');
        cmp_ok($count || 0, '<=', @times, 'no more than it did');
        my @beside = grep {
            my $at = $_;
            grep { $_->[0] < $at && $at < $_->[1] } @{ $got->{turns} }
        } @times;
        is_deeply(\@beside, [], 'it stands still while the other runs');
    };
}

subtest 'a classic program alone' => sub {
    my $tree = classic_tree();
    my ($cpu) = slurp_file('/proc/self/status') =~ /^Cpus_allowed_list:.*?(\d+)$/m;
    my $got =
        command({ env => { BARE_TREE => "$tree/pgms" } }, "$tree/spawn", '--cpu', $cpu, '0.3');
    like($got->{err}, qr/\ACOUNT[|]\d+[|]1[|]lps\nTIME[|]\d+[.]\d+\n\z/, 'count and time');
    like(slurp_file("$tree/about"), qr/^Cpus_allowed_list:\s+$cpu$/m, 'it is pinned');
    unlink "$tree/about";
    command(
        {
            env       => { BARE_TREE => "$tree/pgms" },
            meanwhile => sub {
                wait_until(sub { -s "$tree/about" });
                kill 'TERM', $_[0];
            }
        },
        "$tree/spawn",
        60
    );
    my ($pid) = slurp_file("$tree/about") =~ /\A(\d+)$/m;
    ok(!kill(0, $pid), 'it ends with the program that started it');
};

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
