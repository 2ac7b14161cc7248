# SPDX-License-Identifier: GPL-2.0-or-later
# The published experiments with the real programs: each takes the options of its points, and
# ./Run published that is interrupted is taken up again.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Published qw(unmet);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Tests;
use Time::HiRes qw(sleep);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};

subtest 'the programs take the options of each point' => sub {
    for my $experiment (SpawnMeter::Catalog::Published::list($ROOT)) {
        next if defined unmet($experiment->{needs}, { system => ucfirst $^O });
        my ($cells) = SpawnMeter::Catalog::Published::cells($experiment, $tests, 2);
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

subtest 'stored runs are used again, interrupted ones are not' => sub {
    my $results = scratch();
    my @command = ($^X, "$ROOT/Run", 'published', '--output', "$results");
    my @both = qw(maelstrom-2024 aspawn-2020);
    is(command({}, @command, qw(--max-time 0.3), $both[0])->{status}, 0, 'one is measured');
    my $pid = fork;
    die "fork: $!" if !defined $pid;
    if ($pid == 0) {
        $SIG{INT} = 'DEFAULT';    # a shell's background job ignores it
        open STDOUT, '>', '/dev/null'           or die;
        open STDERR, '>', "$results/err"        or die;
        exec @command, qw(--max-time 60), @both or die;
    }
    my $begun = sub { return (slurp_file("$results/err") || q{}) =~ /^Measuring takes/m };
    for (1 .. 1200) { last if $begun->(); sleep 0.1 }
    ok($begun->(), 'the other one is begun');
    kill INT => $pid;
    waitpid $pid, 0;
    is(exit_status($?), 130, 'interrupted: 128 + SIGINT');
    like(slurp_file("$results/err"), qr/\Amaelstrom-2024: stored as /, 'the first was not');
    my $again = command({}, @command, qw(--max-time 0.3), @both);
    is($again->{status}, 0, 'status 0') or diag $again->{err};
    unlike($again->{err}, qr/^aspawn-2020: stored as /m, 'the interrupted one is measured');
    is(scalar(() = $again->{out} =~ /^ {4}(?:agrees|differs|inconclusive) /mg),
        5, 'the page judges both');
};
done_testing;
