# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity qw(costs seconds stall_of start_of);

sub cpu_us { return { costs([ { results => [@_] } ]) }->{cpu_us} }

sub latency {
    return { costs([ map { { results => [$_] } } @_ ]) }->{latency};
}

my %COPY = (count => 100, timebase => 1, cpu => [ 0.001, 0.002, 0.003, 0.004 ]);

subtest 'CPU time of an iteration' => sub {
    is(sprintf('%.3f', cpu_us(\%COPY)), '100.000', 'user and system, parent and children');
    is(sprintf('%.3f', cpu_us(\%COPY, { %COPY, count => 300 })), '50.000', 'of all copies');
    is(sprintf('%.3f', cpu_us({ %COPY, timebase => 0, iterations => 50 })),
        '200.000', 'where the count is an amount');
    is(cpu_us({ %COPY, timebase => 0 }), undef, 'where iterations are unknown');
    is(cpu_us({ %COPY, cpu      => [ 1, undef, 1, 1 ] }), undef, 'where a time is unknown');
    is(cpu_us(), undef, 'of no copies');
};

subtest 'latencies' => sub {
    my %fast = (histogram => '10:99', latency => [ (0) x 4, 0.01 ]);
    my %slow = (histogram => '60:1', latency => [ (0) x 4, 0.06 ]);
    is_deeply(
        latency(\%fast, \%slow),
        [ 0.01, 0.01, 0.01, 0.06, 0.06 ],
        'histograms of all passes are added up'
    );
    is_deeply(
        latency({ %fast, latency => [ (0) x 4, 0.009 ] }),
        [ (0.009) x 5 ],
        'no percentile is above the largest value'
    );
    is(latency(\%COPY), undef, 'of no histogram');
    my $timed = sub { my %of = costs([ { results => [@_] } ]); return $of{timed} };
    my %all = (%fast, count => 99, timebase => 1);
    is($timed->(\%all), 1, 'all iterations were timed');
    is($timed->(\%all, { %all, count => 297 }), 0.5, 'half of them were');
    is($timed->({ %all, timebase => 0, iterations => 396 }), 0.25, 'where the count is an amount');
    is($timed->({ %all, timebase => 0 }), undef, 'where the iterations are unknown');
};

subtest 'the creating call in the parent' => sub {
    my @passes = map { { results => [$_] } } (
        { stall => [ (0) x 4, 0.011 ], stalls => '10:99', fault => [ 4, 500, 700 ] },
        { stall => [ (0) x 4, 0.06 ], stalls  => '60:1', fault  => [ 4, 900, 800 ] }
    );
    my %of = costs(\@passes);
    is_deeply($of{stall}, [ 0.01, 0.01, 0.01, 0.06, 0.06 ], 'percentiles of all passes');
    is_deeply($of{fault}, [ 0.7, 0.75 ], 'medians of the writes, in microseconds');
    is(stall_of($passes[1]), 0, 'the median of a pass is the one that it prints');
    is(stall_of({ results => [ {} ] }), undef, 'unknown where a test has none');
    my %without = costs([ { results => [ \%COPY ] } ]);
    is($without{$_}, undef, "no $_") for qw(stall fault);
};

subtest 'page faults' => sub {
    my @passes =
        map { { results => [ map { { page_faults => $_ } } @{$_} ] } } [ [ 2, 8 ], [ 3, 9 ] ],
        [ [ 2, 8 ], [ 2, 8 ] ], [ [ 2, 8 ] ];
    my %of = costs([ @passes, { results => [ {} ] } ]);
    is_deeply(
        [ @of{qw(faults_parent faults_child)} ],
        [ 2, 8 ],
        'the median of the passes that have them'
    );
    %of = costs([ $passes[0] ]);
    is_deeply([ @of{qw(faults_parent faults_child)} ], [ 2.5, 8.5 ], 'of copies: their mean');
    %of = costs([ { results => [ {} ] } ]);
    is($of{faults_parent}, undef, 'none in runs of older versions');
};

subtest 'the start-up of the target' => sub {
    my @passes = map { { results => [$_] } } (
        {
            start  => { main => [ (1) x 4, 0.011 ] },
            starts => { main => '10:99' }
        },
        {
            start  => { main => [ (2) x 4, 0.06 ], first => [ (3) x 5 ] },
            starts => { main => '60:1', first            => '30:4' }
        },
        {}
    );
    my %of = costs(\@passes);
    is_deeply(
        $of{start},
        { main => [ 0.01, 0.01, 0.01, 0.06, 0.06 ], first => [ (0.03) x 4, 3 ] },
        'percentiles of all passes, by period'
    );
    is(start_of('main', $passes[1]), 2, 'the median of a pass is the one that it prints');
    is(start_of('first', $passes[0]), undef, 'unknown where a pass has none');
    my %without = costs([ { results => [ \%COPY ] } ]);
    is($without{start}, undef, 'none without --phases');
};

subtest 'seconds of a pass' => sub {
    is(seconds({ wall => 9, results => [ { time => 1 }, { time => 3 } ] }), 2,
        'mean of its copies');
    is(seconds({ wall => 9, results => [ {} ] }), 9, 'its own where theirs are unknown');
};
done_testing;
