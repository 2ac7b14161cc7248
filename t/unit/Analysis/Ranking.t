# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use ReportInput                      qw(reduced row pair);
use SpawnMeter::Analysis::Comparison qw(weighted);
use SpawnMeter::Analysis::Ranking    qw(scores ranking);

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
    my $run = reduced($name, $rates, categories => \@CATEGORIES);
    for my $cell (values %{ $run->{cells} }) {
        $cell->{category} = 'process';
        $cell->{series} =
            [ map { { at => $_, y => log($cell->{rate}) + 0.1 * ($_ % 2) } } 1 .. 12 ];
    }
    $run->{score_by} = \%BY;
    return { %{$run}, scores => scores($run), %with };
}

subtest 'scores' => sub {
    my $unknown = run_of('a', { execl => 40, spawn => 90 });
    delete $unknown->{cells}{'1 execl'}{series};
    is(scores($unknown)->[0]{low}, undef, 'a test without passes: no interval');
    my $unscored = run_of('a', { execl => 40 });
    $unscored->{head}{unscored} = 1;
    is_deeply(scores($unscored), [], 'a run without an index');
};

subtest 'several runs' => sub {
    my @points = map { { value => $_, low => $_ - 1, high => $_ + 1 } } 10, 14, 12;
    is_deeply(
        SpawnMeter::Analysis::Ranking::ranges([ $points[0] ]),
        { value => 10, low => 9, high => 11, points => [10] },
        'one: its own'
    );
    my $shown = sub {
        return join q{ }, map { sprintf '%.2f', $_ } @{ $_[0] }{qw(value low high)};
    };
    my @alike = map { { value => $_ } } 100, 101, 100, 101;
    my ($two) = SpawnMeter::Analysis::Ranking::ranges([ @points[ 1, 2 ] ], \@alike);
    is($shown->($two), '12.96 11.64 14.43', 'two: by what the runs of all groups differ by');
};

# The first run and others, with the ratios of their tests
sub ranked {
    my ($first, @others) = @_;
    my @pairs = map {
        my $scale = $_->{ratio};
        pair(map { row(test => $_, ratio => $scale, low => $scale, high => $scale) } 1, 2)
    } @others;
    return ranking({ runs => [ $first, map { $_->{run} } @others ], pairs => \@pairs });
}

subtest 'order' => sub {
    my @two = map { run_of($_, { execl => 80, spawn => 90 }) } qw(b c);
    my $ranking = ranked(
        run_of('a', { execl => 40, spawn => 90 }),
        { run => { %{ $two[0] }, members => \@two }, ratio => 1.4 },
        { run => run_of('d', { execl => 50 }), ratio       => 1.2 },
        { run => run_of('e', { fork => 50 }), ratio        => 1.1 },
    );
    my ($table) = @{$ranking};
    is_deeply([ map { $_->{run} } @{ $table->{rows} } ], [ 1, 0, 2, 3 ], 'the best first');
    is(scalar @{ $table->{rows}[0]{score}{points} },
        2, 'a group is one, with the scores of its runs');
    is($table->{rows}[0]{members}, 2, 'and how many are in this table');
    is_deeply(
        [ map { $_->{place} } @{ $table->{rows} } ],
        [ 1, 2, undef, undef ],
        'those with an index of other tests, or without one, have no place'
    );
};

subtest 'runs with and without some of the tests of an index meet in those that all have' => sub {
    my @runs = map { run_of("m$_", { execl => 10 * $_, spawn => 10 * $_, pipe => 1 }) } 1 .. 3;
    my %by = (%BY, baseline => { %{ $BY{baseline} }, pipe => 10 });
    $_->{score_by} = \%by, $_->{scores} = scores($_) for @runs[ 0, 1 ];
    my $only = run_of('one', { execl => 90 });
    my ($table, @none) = @{
        ranked(
            $runs[0],
            { run => $runs[1], ratio => 1.2 },
            { run => $runs[2], ratio => 3 },
            { run => $only, ratio    => 1 }
        )
    };
    is("@{ $table->{tests} } @none", 'execl spawn ', 'one table');
    is_deeply(
        [ map { $_->{run} } @{ $table->{rows} } ],
        [ 2, 1, 0, 3 ],
        'with all runs that have them'
    );
    my @scores = map { sprintf '%.0f', $_->{score}{value} } @{ $table->{rows} }[ 0 .. 2 ];
    is("@scores", '30 20 10', 'by their scores over these tests');
    is_deeply($table->{rows}[0]{rates}, { execl => 30, spawn => 30, pipe => 1 }, 'and all rates');
};

subtest 'places' => sub {
    my @runs = map { run_of("m$_", { execl => $_, spawn => $_ }) } 100, 104, 150;
    my @pairs = map {
        pair(map { row(test => $_, ratio => 1, low => 1 / 1.1, high => 1.1) } 1, 2)
    } 1, 2;
    my ($table) = @{ ranking({ runs => \@runs, pairs => \@pairs }) };
    is(join(q{ }, map { "$_->{run}:$_->{place}" } @{ $table->{rows} }),
        '2:1 1:2 0:2', 'are equal where two runs of one machine can differ as much');
    my $other = run_of('other', { fork => 4 });
    ($table) = @{ ranking({ runs => [ $other, @runs ], pairs => [ map { pair() } @runs ] }) };
    is((grep { defined $_->{place} } @{ $table->{rows} }),
        0, 'none where no run has a result of the first one');
};

subtest 'tests with loops and without, which have a mean each' => sub {
    my $one = weighted(
        { tests => 2, ratio => 1, low => 1, high => 2 },
        { tests => 1, ratio => 8, low => 8, high => 16 }
    );
    is(
        join(q{ }, map { sprintf '%.3f', $_ } @{$one}{qw(ratio low high)}),
        '2.000 2.000 4.000',
        'the ratio is that of all three'
    );
};

subtest 'tests that the first run does not have' => sub {
    my $ranking = ranked(run_of('a', { execl => 40, fork => 7 }),
        { run => run_of('b', { spawn => 50, fork => 8 }), ratio => 1.1 });
    my ($own, $other) = @{ $ranking->[0]{rows} };
    is("$own->{run} $own->{ratio}{value}", '0 1', 'its own');
    is(sprintf('%.1f', $other->{ratio}{value}), '1.1', 'the ratio is that of the tests of both');
    is($other->{score}, undef, 'without a score');
};
done_testing;
