# SPDX-License-Identifier: GPL-2.0-or-later
# The published experiments with the real programs: each takes the options of its points, and
# ./Run published that is interrupted is taken up again.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Command::Experiment qw(find_tools);
use Time::HiRes                     qw(sleep);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};

subtest 'the programs take the options of each point' => sub {
    for my $experiment (@{ SpawnMeter::Catalog::Published::list($ROOT) }) {
        next if grep { $_->{kind} eq 'system' && $_->{amount} ne lc $^O } @{ $experiment->{needs} };
        my ($cells) = SpawnMeter::Catalog::Published::cells($experiment, $tests, 2);
        find_tools($cells);
        my @refused = map { refused($_) } grep { !defined $_->{skip} } @{$cells};
        is_deeply(\@refused, [], $experiment->{name});
    }
};

# What the program says instead of a count, or nothing; with small heaps and bursts
sub refused {
    my ($cell) = @_;
    my @options = map { s/\A\d+[GM]\z/1M/r } @{ $cell->{options} };
    for my $i (1 .. $#options) { $options[$i] = 2 if $options[ $i - 1 ] eq '--burst' }
    my $program = "$ROOT/pgms/" . ($cell->{static} ? 'static/' : q{}) . $cell->{program};
    return if $cell->{static} && !-x $program;
    my $got = command({}, $program, @options, '--count', 8, '--', @{ $cell->{arguments} });
    return if "$got->{out}$got->{err}" =~ /^(?:COUNT[|]\d|SKIP[|])/m;
    return "$cell->{value} $cell->{series}: $got->{err}";
}

subtest 'a file of one\'s own' => sub {
    my $place = scratch();
    mkdir "$place/mine" or die "$!";
    spew("$place/mine/small.txt", <<'END');
title      Small
source     this check
address    unknown
axis       heap, bytes
measure    vfork | --heap VALUE | 0 1M
claim      vfork does not copy
    if 1M over none: time(vfork, 1M) / time(vfork, 0) < 100 by 0 %
END
    my %by = (
        'by its path'    => [ {}, "$place/mine/small.txt" ],
        'by its folder'  => [ { UB_PUBLISHED => "$place/mine" }, 'small' ],
        'a path of here' => [ {}, './mine/small.txt' ],
    );
    for my $how (sort keys %by) {
        my ($environment, $name) = @{ $by{$how} };
        my $got = command(
            { env => $environment, folder => "$place" },
            $^X, "$ROOT/Run", qw(sweep --slice 0.02 --output),
            "$place/results", $name
        );
        is($got->{status}, 0, $how) or diag $got->{err};
        like($got->{out}, qr/^  vfork does not copy +reproduced$/m, 'its claim is judged');
    }
    my $list =
        command({ env => { UB_PUBLISHED => "$place/mine" } }, $^X, "$ROOT/Run", qw(list published));
    like($list->{out}, qr/^  small +Small\n.*^  tlpi-28-3 /ms, 'listed with the others');
    spew("$place/mine/tlpi-28-3.txt", slurp_file("$place/mine/small.txt") =~ s/Small/Mine/r);
    my $same = command(
        { folder => "$place" },
        $^X, "$ROOT/Run", qw(sweep --slice 0.02 --output),
        "$place/results", 'mine/tlpi-28-3.txt'
    );
    like($same->{out}, qr/^Mine$/m, 'rather than that of the suite with this name');
    spew("$place/explain.txt", slurp_file("$place/mine/small.txt"));
    my $taken = command({ folder => "$place" }, $^X, "$ROOT/Run", qw(sweep ./explain.txt));
    like(
        $taken->{err},
        qr/is the name of a command; give the file another/m,
        'a name that is taken'
    );
    my $none = command({ folder => "$place" }, $^X, "$ROOT/Run", qw(sweep ./none.txt));
    is($none->{status}, 2, 'a file that is not there: status 2');
    like($none->{err}, qr/^Run: [.]\/none[.]txt: no such file/m, 'with the reason');
};

subtest 'an interrupted one is taken up again' => sub {
    my $results = scratch();
    my @names = qw(maelstrom-2024 aspawn-2020);
    my @command = ($^X, "$ROOT/Run", qw(published --max-total 30), '--output', "$results", @names);
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        $SIG{INT} = 'DEFAULT';    # a shell's background job ignores it
        open STDOUT, '>', '/dev/null'    or die;
        open STDERR, '>', "$results/err" or die;
        exec @command                    or die;
    }
    my $first =
        sub { my ($n) = (slurp_file("$results/err") || q{}) =~ /^aspawn-2020: (.)/m; return $n };
    for (1 .. 1200) { last if $first->(); sleep 0.1 }
    ok($first->(), 'the first experiment is measured');
    kill INT => $pid;
    waitpid $pid, 0;
    is(exit_status($?), 130, 'interrupted: 128 + SIGINT');
    my $again = command({}, @command);
    is($again->{status}, 0, 'status 0') or diag $again->{err};
    like($again->{err}, qr/^Taking up the last .*: 1 of 2 experiments are done/m, 'taken up');
    is(scalar(() = $again->{err} =~ /^(?:@{[ join '|', @names ]}): /mg),
        1, 'only the other one is measured');
    like($again->{out}, qr/^4 claims: /m, 'the page has both');
};
done_testing;
