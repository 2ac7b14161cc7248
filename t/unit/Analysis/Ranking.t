# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput                   qw(machine row pair);
use SpawnMeter::Analysis::Ranking qw(ranges scores ranking);

my %BY = (
    baseline => { execl => 10, spawn => 10 },
    form     => '5',
    all      => { system => [qw(execl spawn pipe)], process => [qw(execl spawn)] },
);
my @CATEGORIES =
    ({ name => 'system', title => 'System' }, { name => 'process', title => 'Process' });

# A run with passes: every other one is 10 % quicker
sub run_of {
    my ($name, $rates, %with) = @_;
    my $machine = machine($name, $rates, categories => \@CATEGORIES);
    for my $cell (values %{ $machine->{cells} }) {
        $cell->{category} = 'process';
        $cell->{series} = pack 'd*',
            map { ($_, log($cell->{rate}) + 0.1 * ($_ % 2), (0) x 4) } 1 .. 12;
    }
    return { %{$machine}, scores => scores($machine, \%BY), %with };
}

subtest 'scores' => sub {
    my $unknown = run_of('a', { execl => 40, spawn => 90 });
    delete $unknown->{cells}{'1 execl'}{series};
    is(scores($unknown, \%BY)->[0]{low}, undef, 'a test without passes: no interval');
    my $unscored = run_of('a', { execl => 40 });
    $unscored->{run}{unscored} = 1;
    is_deeply(scores($unscored, \%BY), [], 'a run without an index');
};

subtest 'several runs' => sub {
    my @points = map { { value => $_, low => $_ - 1, high => $_ + 1 } } 10, 14, 12;
    is_deeply(ranges([ $points[0] ]), { value => 10, low => 9, high => 11 }, 'one: its own');
    my $shown = sub {
        return join q{ }, map { sprintf '%.2f', $_ } @{ $_[0] }{qw(value low high)};
    };
    my @alike = map { { value => $_ } } 100, 101, 100, 101;
    is(
        $shown->((ranges([ @points[ 1, 2 ] ], \@alike))[0]),
        '12.96 11.64 14.43',
        'two: by what the runs of all machines differ by'
    );
};

# The first run and others, with the ratios of their tests
sub ranked {
    my ($first, @others) = @_;
    my @pairs = map {
        my $scale = $_->{ratio};
        pair(map { row(test => $_, ratio => $scale, low => $scale, high => $scale) } 1, 2)
    } @others;
    return ranking({ machines => [ $first, map { $_->{run} } @others ], pairs => \@pairs });
}

subtest 'order' => sub {
    my %same = (identity => 'x', host => 'h');
    my $ranking = ranked(
        run_of('a', { execl => 40, spawn => 90 }),
        { run => run_of('b', { execl => 80, spawn => 90 }, %same), ratio => 1.4 },
        { run => run_of('c', { execl => 90, spawn => 90 }, %same), ratio => 1.5 },
        { run => run_of('d', { execl => 50 }), ratio                     => 1.2 },
        { run => run_of('d', { fork => 50 }), ratio                      => 1.1 },
    );
    my (undef, @others) = @{ $ranking->{tables} };
    is_deeply(
        [ map { $_->{tests} } @others ],
        [ ['execl'], undef ],
        'runs with an index of other tests, or without one, are not ranked with these'
    );
    is_deeply(
        [ map { $_->{name} } @{ $ranking->{machines} } ],
        [ 'a', 'h', 'd', 'd#2' ],
        'machines of one name are told apart'
    );
};

subtest 'tests that the first run does not have' => sub {
    my $ranking = ranked(run_of('a', { execl => 40, fork => 7 }),
        { run => run_of('b', { spawn => 50, fork => 8 }), ratio => 1.1 });
    my %ratio = map { $_->{tests}[0] => $_->{rows}[0]{ratio} } @{ $ranking->{tables} };
    is($ratio{execl}{value}, 1, 'its own');
    is($ratio{spawn}, undef, 'no ratio, which is that of other tests, beside their score');
};

subtest 'runs of one machine only' => sub {
    my %same = (identity => 'x', host => 'h');
    my $ranking = ranked(run_of('a', { execl => 40 }, %same),
        { run => run_of('b', { execl => 50 }, %same), ratio => 1.25 });
    is_deeply([ map { $_->{name} } @{ $ranking->{machines} } ], [qw(a b)], 'each by itself');
};
done_testing;
