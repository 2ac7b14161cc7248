# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Disturbance qw(flags sound crowded);
use SpawnMeter::Stats::Numbers        qw(median);

srand 99;

# A pass as Measure stores it; what is not given is as on a quiet machine
sub made {
    my (%with) = @_;
    return {
        rate    => $with{rate} || 1000,
        results => [ {
            time  => 0.25,
            count => 250,
            $with{references} ? (references => $with{references}) : (),
            disturb => {
                rundelay_ns  => 1e6 + rand 1e6,
                nivcsw       => 2,
                suspended_ns => 0,
                %{ $with{disturb} || {} }
            }
        } ],
        machine => {
            busy_elsewhere => -0.1 + rand 0.15,
            cpu_pressure   => 0.03 + rand 0.05,
            steal          => 0,
            throttled      => 0,
            %{ $with{machine} || {} }
        },
    };
}

# So many of these passes are flagged
sub flags_in {
    my ($number, $name, @passes) = @_;
    return is(scalar(grep { @{$_} } flags(\@passes)), $number, $name);
}

sub with { my (@with) = @_; return made(machine => {@with}) }

my @quiet = map { made() } 1 .. 20;
flags_in(0, 'a quiet machine: nothing', @quiet);
flags_in(12, 'throttling flags, even in every pass', map { with(throttled => 0.01) } 1 .. 12);
flags_in(
    1,
    'a pinned pass that left its CPU idle',
    map { with(occupancy => $_ == 7 ? 0.6 : 0.98 + rand 0.02) } 1 .. 20
);
flags_in(
    0,
    'pressure alone, without other work',
    map { with(cpu_pressure => $_ % 3 ? 0.2 : 0.8, busy_elsewhere => 0.01) } 1 .. 30
);

for my $of ([ 0, 450, 'one more: the child was placed elsewhere' ], [ 3, 800, 'two: traced' ]) {
    my ($flagged, $more, $name) = @{$of};
    flags_in(
        $flagged,
        "voluntary switches of an iteration, $name",
        map { made(disturb => { nvcsw => $_ < 4 ? $more : 240 + rand 20 }) } 1 .. 20
    );
}

subtest 'what flags by itself' => sub {
    my %case = (
        'CPU time that the host stole'            => { machine => { steal         => 0.04 } },
        'suspension'                              => { disturb => { suspended_ns  => 5e9 } },
        'a pass that took far too long'           => { machine => { stall         => 2 } },
        'copies that started 2 % of a pass apart' => { machine => { gate_spread   => 0.02 } },
        'copies that ran at once for 60 % of it'  => { machine => { apart         => 0.4 } },
        'CPUs that went away'                     => { machine => { cpus_changed  => 1 } },
        'a new quota'                             => { machine => { quota_changed => 1 } },
        'a tracer of Run'                         => { machine => { traced        => 1 } },
        'a stop of the test'                      => { disturb => { stops         => 2 } },
        'a test that was moved'                   => { disturb => { moved         => 1 } },
        'a tracer of the test'                    => { disturb => { traced        => 1 } },
    );
    flags_in(1, $_, @quiet, made(%{ $case{$_} })) for sort keys %case;
    my %fine = (
        machine => { stall  => 0, gate_spread => 0.009, apart => 0.3, traced => 0 },
        disturb => { traced => 0, stops       => 0 }
    );
    flags_in(0, 'below the limits: none', map { made(%fine) } 1 .. 12);
};

# Both loops of page faults, before the pass and after it, by 4 % around a rate
sub beside_loops {
    my ($of_usual) = @_;
    return made(
        references => [
            map {
                +{
                    page_faults   => 400_000 * $of_usual * (0.96 + rand 0.08),
                    sparse_faults => 200_000 * $of_usual * (0.96 + rand 0.08),
                }
            } 1 .. 2
        ]
    );
}

subtest 'passes beside which the reference loops were slow' => sub {
    my @usual = map { beside_loops(1) } 1 .. 20;
    my @slow = map { beside_loops(0.7) } 1 .. 6;
    flags_in(0, 'none: none', @usual);
    is_deeply(
        [ map { @{$_} } flags([ @usual, @slow[ 1 .. 5 ] ]) ],
        [ ('the machine was slower') x 5 ],
        'a fifth, by 30 %: these'
    );
    flags_in(0, 'more than a fifth: it is a level of the machine', @usual, @slow);
    flags_in(0, 'by 15 %: none', @usual, beside_loops(0.85));
    flags_in(
        0,
        'under 9 others: none, or the result would be disturbed',
        @usual[ 0 .. 7 ],
        beside_loops(0.6)
    );
    flags_in(1, '9 others: flagged', @usual[ 0 .. 8 ], beside_loops(0.6));
    flags_in(0, 'faster: none', @usual, beside_loops(1.5));
    delete $_->{sparse_faults} for @{ $slow[0]{results}[0]{references} };
    flags_in(0, 'not both loops are known: not judged by them', @usual, $slow[0]);
};

# A CPU hog beside every second pass: the machine is busy, the test waits, the rate falls
my @passes = map {
    my $hog = $_ % 2;
    made(
        rate => ($hog ? 500 : 1000) * (0.99 + rand 0.02),
        $hog
        ? (
            machine => { busy_elsewhere => 0.8 + rand 0.3, cpu_pressure => 0.4 + rand 0.2 },
            disturb => { rundelay_ns    => 1e8 * (1 + rand) }
            )
        : ()
    );
} 1 .. 36;
my @flags = flags(\@passes);
my @flagged = map { scalar @{$_} } @flags;
is(scalar(grep { @{ $flags[$_] } && $_ % 2 == 0 } 0 .. 35),
    18, 'a hog beside half of the passes: these are flagged');
is(scalar(grep { @{ $flags[$_] } && $_ % 2 == 1 } 0 .. 35), 0, 'and no other');
cmp_ok(abs(median(map { $_->{rate} } @{ sound(\@passes, \@flagged) }) / 1000 - 1),
    '<', 0.03, 'the median of the others is the quiet one');
is(scalar @{ sound([ @passes[ 0 .. 9 ] ], [ @flagged[ 0 .. 9 ] ]) },
    10, 'under 9 sound passes all count');

# What other work the passes had, and how their copies spent a second
subtest 'a machine that is busy all the time' => sub {
    my $beside = sub {
        my ($other, $copies, $waits, @cpu) = @_;
        my %copy = (time => 1, cpu => \@cpu, disturb => { rundelay_ns => $waits * 1e9 });
        my @passes = map { {
            copies  => $copies,
            machine => { busy_elsewhere => $other + ($_ % 2 ? 0.2 : -0.2) },
            results => [ (\%copy) x $copies ]
        } } 1 .. 12;
        return \@passes;
    };
    my @alone = (0, 0.4, 0.6, 0, 0);    # waits for nothing, and uses a CPU
    my @case = (
        [ 1, 'four loops on two CPUs', 1.84, 1, 2, @alone ],
        [ 1, 'over a quarter of a CPU, and two copies', 0.251, 2, 2, @alone ],
        [ 1, 'a loop on one of two CPUs, and one copy', 0.95, 1, 2, @alone ],
        [ 1, 'two copies with a CPU of their own', 2, 2, 3, 0.3, 0.2, 0.3, 0.2, 0 ],
        [ 1, 'a CPU of 8 that all copies need', 1, 8, 8, @alone ],
        [ 1, 'the CPUs are not known, and it waits', 1, 1, undef, 0.5, 0.1, 0.4, 0, 0 ],
        [ 0, 'nothing else', 0, 2, 2, @alone ],
        [ 0, 'under a quarter of a CPU', 0.249, 2, 2, @alone ],
        [ 1, 'over a twentieth of 8 CPUs', 0.41, 8, 8, @alone ],
        [ 0, 'under a twentieth of 8 CPUs', 0.39, 8, 8, @alone ],
        [ 1, 'less than a copy needs is left', 0.91, 1, 2, @alone ],
        [ 0, 'what a copy needs is left', 0.89, 1, 2, @alone ],
        [ 1, 'it waits over a tenth of its time', 1, 1, 4, 0.105, 0.8, 0, 0, 0 ],
        [ 0, 'it waits under a tenth of its time', 1, 1, 4, 0.095, 0.8, 0, 0, 0 ],
        [ 0, 'room for all', 1, 1, 4, @alone ],
        [ 0, 'a parent that waits for its own child', 1, 1, 4, 0.8, 0.1, 0.1, 0.7, 0.1 ],
        [ 0, 'a test that sleeps', 1, 1, 4, 0.05, 0.1, 0.1, 0, 0 ],
    );
    for my $case (@case) {
        my ($is_busy, $name, $other, $copies, $cpus, @copy) = @{$case};
        my $found = SpawnMeter::Analysis::Disturbance::busy($beside->($other, $copies, @copy),
            $copies, $cpus);
        is($found && sprintf('%.2f', $found), $is_busy ? sprintf('%.2f', $other) : undef, $name);
    }
    is(
        scalar SpawnMeter::Analysis::Disturbance::busy([ { machine => {}, results => [ {} ] } ], 1,
            2),
        undef,
        'not: nothing is known'
    );
    ok(crowded(2, 1, 2) && !crowded(2, 1, 4), 'before the run');
};

done_testing;
