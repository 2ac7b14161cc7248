# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity qw(costs);

sub cpu_us { return { costs([ { results => [@_] } ]) }->{cpu_us} }

sub latency {
    return { costs([ map { { results => [$_] } } @_ ]) }->{latency};
}

my %COPY = (count => 100, timebase => 1, cpu => [ 0.001, 0.002, 0.003, 0.004 ]);

subtest 'CPU time of an iteration' => sub {
    is(sprintf('%.3f', cpu_us(\%COPY, { %COPY, count => 300 })), '50.000', 'of all copies');
    is(sprintf('%.3f', cpu_us({ %COPY, timebase => 0, iterations => 50 })),
        '200.000', 'where the count is an amount');
    is(cpu_us({ %COPY, timebase => 0 }), undef, 'where iterations are unknown');
    is(cpu_us({ %COPY, cpu      => [ 1, undef, 1, 1 ] }), undef, 'where a time is unknown');
    my %pass = (results => [ \%COPY ], wall => 0.2, machine => { busy_elsewhere => 0.05 });
    is(sprintf('%.3f', { costs([ \%pass ]) }->{machine_us}), '200.000', 'of the whole machine');
    is({ costs([ { %pass, machine => {} } ]) }->{machine_us}, undef, 'where it is not known');
};

subtest 'latencies' => sub {
    my %fast = (histogram => '10:100', latency => [ (0) x 4, 0.009 ]);
    is_deeply(
        latency(\%fast),
        [ (0.009) x 3, undef, 0.009 ],
        'no percentile is above the largest value, nor one of 1000 known of 100'
    );
    is(latency({ %fast, histogram => '10:99' })->[2], undef, 'nor one of 100 of 99');
    is(latency(\%COPY), undef, 'of no histogram');
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
};

done_testing;
