# SPDX-License-Identifier: GPL-2.0-or-later
# Comparisons of groups of runs whose truth is known.  How often compare is wrong: make simulate.
use lib 't/lib', 'bench';
use TestHelp;
use Simulation                       qw(normal);
use SpawnMeter::Analysis::Comparison qw(reduce compare match_each_cpu);
use SpawnMeter::Stats::Difference    qw(compare_groups);

my $random = \(my $state = 11);

# A run of tests { name => rate }, whose passes spread by 1 %; with: fields of the run, level of
# the run, results of its passes, or a sub (factor of the rate) that makes them
sub run_of {
    my ($rates, %with) = @_;
    my $level = delete $with{level}      || 1;
    my $results = delete $with{results}  || [];
    my $machine = delete $with{machine}  || {};
    my $passes = delete $with{passes_of} || 20;
    my @passes;
    for my $i (1 .. $passes) {
        for my $test (sort keys %{$rates}) {
            my $factor = $level * exp(0.01 * normal($random));
            push @passes,
                {
                test    => $test,
                copies  => 1,
                status  => 'ok',
                unit    => 'lps',
                wall    => 0.3,
                at      => $i + 0.1,
                rate    => $rates->{$test} * $factor,
                machine => $machine,
                results => ref $results eq 'CODE' ? $results->($factor) : $results,
                };
        }
    }
    my %run = (
        settings => { name => 'settle', precision => 0.03 },
        suite    => '1',
        system   => {},
        started  => 1000,
        tests    => [ map { { name => $_, title => ucfirst } } sort keys %{$rates} ],
        blocks   => [ { copies => 1 } ],
    );
    return reduce({ %run, %with, passes => \@passes }, 'x');
}

my %RATES = map { $_ => 1000 } qw(a b c d);

# The verdicts of tests a to d
sub verdicts {
    my ($pair) = @_;
    return join q{ }, map { $_->{verdict} } @{ $pair->{rows} };
}

# Runs of both groups in turn, each with a level of its own
sub groups {
    my ($runs, %rates) = @_;
    my @groups = ([], []);
    for my $i (0 .. 2 * $runs - 1) {
        my %own = (level => exp(0.02 * normal($random)), started => 1000 + $i);
        push @{ $groups[ $i % 2 ] }, run_of({ %RATES, $i % 2 ? %rates : () }, %own);
    }
    return @groups;
}

subtest 'short and whole images' => sub {
    my ($short, $whole, $more) =
        map { [ run_of(\%RATES, results => [ { images => $_ } ]) ] } qw(short whole whole);
    is_deeply(compare($short, $whole)->{rows}, [], 'are not compared');
    is(scalar @{ compare($whole, $more)->{rows} }, 4, 'whole ones are');
};

subtest 'one run a side' => sub {
    my $pair = compare([ run_of(\%RATES) ], [ run_of({ %RATES, a => 700 }) ]);
    is(verdicts($pair), 'slower unclear unclear unclear', 'a third slower');
    my @few = map { run_of($_) } \%RATES, { %RATES, a => 800 };
    delete $few[1]{cells}{'1 b'}{summary};
    $pair = compare(map { [$_] } @few);
    is(verdicts($pair), 'slower unclear unclear unclear', 'also where one test has few passes');
    my $ten = compare([ run_of(\%RATES) ], [ run_of({ %RATES, a => 920 }) ]);
    is(verdicts($ten), 'unclear unclear unclear unclear', '8 % is no more than a level of a run');
    my @noisy = map { { a => { center => 1, se => 0.5, spread => 0.5, df => 5 } } } 1, 2;
    my $found = compare_groups(a => [ $noisy[0] ], b => [ $noisy[1] ]);
    cmp_ok($found->{group}{all}{half}, '>', 1, 'all tests together err by their passes, too');
};

subtest 'four runs a side' => sub {
    my $pair = compare(groups(4, a => 900));
    is((split q{ }, verdicts($pair))[0], 'slower', 'a tenth slower is found');
    is($pair->{order}, 'ABABABAB', 'the order of the runs');
    is($pair->{groups}[0]{kappa}, 1, 'in turn: no drift factor');
    my ($in_a, $in_b) = groups(2);
    my $started = 1000;
    $_->{head}{started} = $started++ for @{$in_a}, @{$in_b};
    my $blocks = compare($in_a, $in_b);
    is(sprintf('%.1f', $blocks->{groups}[0]{kappa}), '3.0', 'one group after the other');
    $_->{head}{started} = undef for @{$in_a};
    my $untimed = compare($in_a, $in_b);
    is($untimed->{order}, undef, 'unknown times');
    is($untimed->{groups}[0]{kappa}, $blocks->{groups}[0]{kappa}, 'are taken for that');
};

subtest 'an equal run that was disturbed' => sub {
    my @runs =
        map { run_of({ fork => 9000, spawn => 5000 }, level => $_, name => "at $_") } 1, 1.02, 0.5,
        0.99;
    my $apart = SpawnMeter::Analysis::Comparison::spread_of(\@runs, 1)->{apart};
    is($apart->{name}, 'at 0.5', 'is named');
    cmp_ok(abs($apart->{ratio} - 0.5), '<', 0.02, 'with how far it is from the others');
    splice @runs, 2, 1;
    is(SpawnMeter::Analysis::Comparison::spread_of(\@runs, 1)->{apart}, undef, 'or none is');
};

subtest 'equal runs without a common test' => sub {
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my @runs = map { run_of({ $_ => 9000 }, name => $_) } qw(fork vfork clone);
    SpawnMeter::Analysis::Comparison::spread_of(\@runs, 1);
    is("@warnings", q{}, 'no warning');
};

# Of a noisy machine, of which only two tests are known
subtest 'equal runs that lack tests' => sub {
    my @equals =
        map { run_of({ b => 1000, c => 1000 }, level => exp(0.05 * normal($random))) } 1 .. 6;
    my @pair = ([ run_of(\%RATES) ], [ run_of({ %RATES, a => 700 }) ]);
    my $found = compare(@pair, equals => \@equals);
    is(join(q{ }, map { $_->{test} } @{ $found->{rows} }), 'a b c d', 'no test is lost');
    is($found->{rows}[0]{verdict}, 'slower', 'which are compared as without them');
    is_deeply(
        [ map { "$_->{tests} $_->{f} $_->{equals}" } @{ $found->{groups} } ],
        [ '2 0 0', '2 5 1' ],
        'the others have their degrees of freedom'
    );
};

subtest 'same' => sub {
    my @runs = map { run_of(\%RATES, passes_of => 60, started => 1000 + $_) } 1 .. 12;
    my @groups = map {
        my $side = $_;
        [ @runs[ grep { $_ % 2 == $side } 0 .. $#runs ] ]
    } 0, 1;
    is(verdicts(compare(@groups)), 'same same same same', 'six quiet runs a side, within 3 %');
};

# As a posted text has it
sub post {
    my ($rate, $copies, @only) = @_;
    my $run = {
        kind     => 'imported',
        suite    => '5.1.3',
        system   => {},
        settings => { name => 'imported' },
        passes   => [],
        blocks   => [ { copies => $copies } ],
        printed  => [ { test   => 'a', title => 'Aa', copies => $copies, rate => $rate } ],
    };
    return reduce($run, 'p', @only);
}

subtest 'posts' => sub {
    my $pair = compare([ post(1000, 1) ], [ post(1250, 1) ]);
    is($pair->{rows}[0]{verdict}, 'unclear', 'posts of one machine differ by a quarter');
    is(compare([ run_of(\%RATES) ], [ post(1400, 1) ])->{rows}[0]{verdict},
        'faster', 'a post and a run');
    is(compare([ run_of(\%RATES, passes_of => 2) ], [ post(2000, 1) ])->{rows}[0]{verdict},
        'unclear', 'two passes of a run say less than a post');
    my @equals = map { run_of(\%RATES, started => 2000 + $_) } 1 .. 6;
    my @two_passes = ([ run_of(\%RATES) ], [ run_of({ %RATES, a => 500 }, passes_of => 2) ]);
    is(compare(@two_passes, equals => \@equals)->{rows}[0]{verdict},
        'unclear', 'also where equal runs are known');
    is((keys %{ post(950, 0, 4)->{cells} })[0], '4 a', 'is taken to have the number given');
};

subtest 'a copy on each CPU of machines with 2 and 8' => sub {
    my @runs = map { post(1000 * $_, $_) } 2, 8;
    $runs[0]{cells} = { %{ $runs[0]{cells} }, %{ post(500, 1)->{cells} } };
    $runs[$_]{head}{system} = { cpus_online => (2, 8)[$_] } for 0, 1;
    is_deeply(compare([ $runs[0] ], [ $runs[1] ])->{rows}, [], 'are other numbers of copies');
    $_->{scores} =
        [ { copies => 2, title => 'I', tests => ['a'], index => { a => 20 }, score => 20 } ]
        for @runs;
    $runs[1]{scores}[0] = {
        copies => 8,
        title  => 'I',
        tests  => [qw(a b)],
        index  => { a => 80, b => 7 },
        score  => 50
    };
    match_each_cpu(@runs);
    my $pair = compare([ $runs[0] ], [ $runs[1] ]);
    my ($row, $index) = map { $pair->{$_}[0] } qw(rows indexes);
    is(
        "@{$row}{qw(copies to_copies ratio verdict)}",
        '2 8 4 faster',
        'until these results are matched'
    );
    is(
        "@{$index}{qw(to_copies old new partial)} @{ $index->{names} }",
        '8 20 80 1 a',
        'with their indexes over the test that both have'
    );
    my @alike = map { post(1000, 2) } 1, 2;
    $_->{head}{system} = { cpus_online => 2 } for @alike;
    match_each_cpu(@alike);
    is((keys %{ $alike[0]{cells} })[0], '2 a', 'machines with one number of CPUs keep it');
};

# Loops that move with the runs' levels
subtest 'reference loops' => sub {
    my %machine = (host => 'h', build => ['cc'], system => { cpu_model => 'A' });
    my $with_loops = sub {
        my ($rates, $level) = @_;
        my $loops = sub {
            my ($factor) = @_;
            my %loops = map { $_ => 1e5 * $factor } qw(page_faults sparse_faults);
            return [ { within => [ {%loops}, {%loops} ] } ];
        };
        return run_of($rates, level => $level, results => $loops, %machine);
    };
    my @pair = ([ $with_loops->(\%RATES, 1) ], [ $with_loops->({ %RATES, a => 880 }, 0.85) ]);
    my $found = compare(@pair);
    cmp_ok(abs($found->{rows}[1]{ratio} - 1), '<', 0.03, 'what moved the machine is taken out');
    is(sprintf('%.2f', $found->{reference}{levels}{1}), '0.85', 'it is named');
    is($found->{rows}[0]{verdict}, 'slower', 'a slower test is found');
};

subtest 'the creating calls' => sub {
    my $with_calls_of = sub {
        my ($us) = @_;
        return run_of({ a => 1000 }, results => [ { stall => [ $us, (0) x 4 ] } ]);
    };
    my $pair = compare([ $with_calls_of->(20) ], [ $with_calls_of->(30) ]);
    my ($row) = @{ $pair->{blocked} };
    is($row->{verdict}, 'longer', 'half as long again');
    is(sprintf('%.2f', $row->{ratio}), '1.50', 'the ratio of the times');
};

# The host took CPUs
subtest 'disturbed' => sub {
    my @stolen = map { run_of({ %RATES, a => 100 }, machine => { steal => 0.1 }) } 1, 2;
    my ($row) = @{ compare([ run_of(\%RATES) ], [ $stolen[0] ])->{rows} };
    like($row->{why}, qr/^most passes of a run were disturbed/, 'one run a side');
    ($row) = @{ compare([ map { run_of(\%RATES) } 1, 2 ], \@stolen)->{rows} };
    is($row->{verdict}, 'slower', 'several runs show what that does');
};

# Of test a of all passes, of the others of two of four: half, and too few for an estimate
subtest 'loops that are known of two passes' => sub {
    my %machine = (host => 'h', build => ['cc'], system => { cpu_model => 'A' });
    my $run = sub {
        my $pass = -1;
        my $results = sub {
            $pass++;
            my %loops = map { $_ => 1e5 * $_[0] } qw(page_faults sparse_faults);
            return [ { within => $pass < 8 || !($pass % 4) ? [ {%loops}, {%loops} ] : [] } ];
        };
        return run_of(\%RATES, passes_of => 4, results => $results, %machine);
    };
    for my $runs (1, 2) {
        my $pair = compare(
            map {
                [ map { $run->() } 1 .. $runs ]
            } 1,
            2
        );
        is(scalar @{ $pair->{rows} }, 4, "no test is lost in groups of $runs");
    }
};
done_testing;
