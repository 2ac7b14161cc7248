# SPDX-License-Identifier: GPL-2.0-or-later
# What is recorded of a pass (the rest is in Loop.t).
use lib 't/lib';
use TestHelp;
use POSIX                               ();
use SpawnMeter::Analysis::Quantity      qw(costs);
use SpawnMeter::Analysis::ProgramOutput qw(condensed);
use SpawnMeter::Measure::Loop           qw(sample iteration);

sub copy {
    my (%with) = @_;
    return {
        count     => 100,
        timebase  => 1,
        label     => 'lps',
        time      => 0.25,
        gate      => 5,
        cpu       => [ 0.01, 0.02, 0.03, 0.04 ],
        latency   => [ 10, 20, 30, 40, 50 ],
        stall     => [ 5, 6, 7, 8, 9 ],
        stalls    => '300:4',
        fault     => [ 4, 500, 700 ],
        histogram => '640:60,40',
        timed     => 100,
        footprint => [ 1, 2, 3, 4 ],
        disturb   => { rundelay_ns => 7, nivcsw => 3, traced => 0 },
        progress  => '250000:100',
        %with
    };
}

# CPUs that others use, where 0.15 s of CPU time were used in 0.3 s
sub elsewhere {
    my ($with, %of_copy) = @_;
    my %outcome = (
        results => [ copy(%of_copy) ],
        wall    => 0.3,
        before  => { time => 10, busy   => 0 },
        after   => { time => 10.3, busy => 0.15 * POSIX::sysconf(POSIX::_SC_CLK_TCK()) },
    );
    return { sample(\%outcome, cpus => 1, seconds => 0.25, others => [], %{$with}) }
        ->{machine}{busy_elsewhere};
}

subtest 'CPU time of the reference loops is not that of others' => sub {
    cmp_ok(abs(elsewhere({}) - 0.05 / 0.3), '<', 1e-3, '0.1 s of the test');
    cmp_ok(abs(elsewhere({ reference => 0.02 }) - 0.03 / 0.3), '<', 1e-3, 'after the pass');
    cmp_ok(abs(elsewhere({}, paused_cpu => 0.02) - 0.03 / 0.3), '<', 1e-3, 'in its pauses');
};

subtest 'many copies are stored as one' => sub {
    my @copies =
        map { copy(gate => 5 + $_ / 1000, references => [ { loads => 10**($_ % 2) } ]) } 1 .. 100;
    is(scalar @{ condensed([ @copies[ 0 .. 63 ] ]) }, 64, '64 are stored one by one');
    my $all = condensed(\@copies);
    is(scalar @{$all}, 1, '100 as one');
    my %got = %{ $all->[0] };
    is_deeply(
        { map { $_ => $got{$_} } qw(copies count time timed histogram label timebase) },
        {
            copies    => 100,
            count     => 10_000,
            time      => 0.25,
            timed     => 10_000,
            histogram => '640:6000,4000',
            label     => 'lps',
            timebase  => 1
        },
        'sums, the mean time, and the histograms together'
    );
    is_deeply(
        $got{disturb},
        { rundelay_ns => 7, nivcsw => 300, traced => 0 },
        'of the waiting the longest, of the switches the sum'
    );
    cmp_ok(abs($got{references}[0]{loads} - sqrt 10), '<', 1e-9, 'of the references the mean');
    my %one = costs([ { results => \@copies } ]);
    my %condensed = costs([ { results => $all } ]);
    is_deeply($condensed{latency}, $one{latency}, 'the same percentiles');
    cmp_ok(abs($condensed{cpu_us} - $one{cpu_us}), '<', 1e-6, 'the same CPU time');
    is($condensed{timed}, 1, 'all were timed');
    is_deeply($condensed{$_}, $one{$_}, "the same $_") for qw(stall fault);
};

subtest 'a pass that takes longer than it should' => sub {
    my @cases = (
        { name => 'as long as asked for', copy => {}, stall => undef },
        { name => 'a last iteration', copy     => { time => 0.6 }, stall  => undef },
        { name => 'stopped for 2 s', copy      => { time => 2.25 }, stall => 2 },
        {
            name  => 'long iterations',
            copy  => { time => 2.25, latency => [ (1_900_000) x 5 ] },
            stall => undef
        },
        { name => 'stood still', copy => { latency => [ 84, 90, 500, 600, 3e5 ] }, stall => 0.3 },
        {
            name  => 'for a moment',
            copy  => { latency => [ 84, 90, 500, 600, 9e4 ] },
            stall => undef
        },
        {
            name  => 'a long one of long iterations',
            copy  => { latency => [ 4e3, 5e3, 2e5, 3e5, 3e5 ] },
            stall => undef
        },
        {
            name  => 'waits for others that share its CPU',
            copy  => { latency => [ 84, 90, 2e5, 3e5, 3e5 ] },
            cpus  => 0,
            stall => undef
        },
        { name => 'of --count', copy => { time => 2.25 }, seconds => undef, stall => undef },
        {
            name   => 'before the start, by the others',
            copy   => {},
            others => 1,
            wall   => 3,
            stall  => 2.7
        },
        { name => 'no others to compare with', copy => {}, wall => 3, stall => undef },
    );
    for my $case (@cases) {
        my %outcome = (
            results => [ copy(%{ $case->{copy} }) ],
            wall    => $case->{wall} || 0.3,
            before  => { time => 0 },
            after   => { time => 1 }
        );
        my %sample = sample(
            \%outcome,
            cpus    => defined $case->{cpus}   ? $case->{cpus}    : 2,
            seconds => exists $case->{seconds} ? $case->{seconds} : 0.25,
            others  => [ map { { wall => 0.3, results => [ copy() ] } } 1 .. $case->{others} || 0 ]
        );
        is($sample{machine}{stall}, $case->{stall}, $case->{name});
    }
};

is(iteration([ copy(), copy(time => 0.75) ]), 0.005, 'the time of an iteration as a copy sees it');
done_testing;
