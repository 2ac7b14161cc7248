# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(analysis found judged points unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Tests;

# Nine passes of a series at a value, of so many microseconds each
sub passes {
    my ($series, $label, $us, %with) = @_;
    return map { {
        test    => $series,
        value   => $label,
        copies  => 1,
        status  => 'ok',
        rate    => 1e6 / ($us + $_ / 100),
        unit    => 'lps',
        wall    => 0.3,
        results => [],
        %with
    } } -4 .. 4;
}

# A run of a sweep; its numbers are its values where x is not given
sub run_of {
    my ($sweep, @passes) = @_;
    my %sweep = (name => 'x', axis => 'files', series => [qw(fork vfork)]);
    return {
        protocol => { name => 'settle', precision => 0.03 },
        tests    => [ map { { name => $_, title => $_ } } qw(fork vfork) ],
        sweep    => { %sweep, x => $sweep->{values}, %{$sweep} },
        passes   => \@passes,
    };
}

subtest 'amounts that slopes are given for' => sub {
    for my $case (
        [ 'per 100', 'open files', 0, 1000 ],
        [ 'per KB', 'size, bytes', 0, 65_536 ],
        [ 'per MB', 'size, bytes', 0, 1024**2 ]
    ) {
        my ($words, $axis, @x) = @{$case};
        my $analysis = analysis(run_of({ axis => $axis, values => \@x }));
        is($analysis->{per}{words}, $words, "$axis: $words");
    }
};

subtest 'several copies at once' => sub {
    my @passes = (passes('fork', '1', 50), passes('fork', '4', 20, copies => 4));
    my $analysis = analysis(run_of({ values => [qw(1 4)], @NAMES }, @passes));
    ok($analysis->{together}, 'they are recognised');
    my $four = $analysis->{points}{fork}{4};
    is(sprintf('%.3f', $four->{time_us}), '80.000', 'four: as each of them sees it');
    is(sprintf('%.0f', $four->{rate}), '50000', 'and the rate of all');
    ok(!$analysis->{threads}, 'they are copies');
    my @threads = (results => [ { spawners => 4, count => 9, timebase => 1 } ]);
    @passes = (passes('fork', '1', 50), passes('fork', '4', 20, @threads));
    $analysis = analysis(run_of({ values => [qw(1 4)], @NAMES }, @passes));
    ok($analysis->{threads}, 'and threads');
    is(sprintf('%.3f', $analysis->{points}{fork}{4}{time_us}), '80.000', 'as each thread sees it');
    @passes = map { passes('fork', $_, (50 + 0.2 * $_) / 4, copies => 4) } 0, 100, 1000;
    my $line = analysis(run_of(\%numbers, @passes))->{lines}{fork};
    is(sprintf('%.3f', $line->{slope}), '0.200', 'so is the slope of their times');
};

# Five of 14 passes of these are flagged and three times as slow
subtest 'disturbed passes that do not count' => sub {
    my @passes = map { ((passes('fork', $_, 3 * $_, machine => { steal => 0.5 }))[ 0 .. 4 ],
        passes('fork', $_, $_)) } 50, 70, 90;
    my $slope = analysis(run_of({ values => [ 50, 70, 90 ] }, @passes))->{lines}{fork};
    cmp_ok($slope->{high}, '<', 1.01, 'nor do they in a slope') or diag explain $slope;
    my %name = (50 => 'none', 70 => 'pipes');
    my @named =
        map { { %{$_}, value => $name{ $_->{value} } } } grep { $name{ $_->{value} } } @passes;
    my $found = analysis(run_of({ values => [qw(none pipes)], @NAMES }, @named));
    my ($added) = @{ $found->{added} };
    cmp_ok(abs($added->{us} - 20), '<', 0.1, 'nor in what a value adds') or diag explain $added;
};

subtest 'what a value adds, of too few passes' => sub {
    my @passes = (passes('fork', 'none', 50), (passes('fork', 'pipes', 70))[ 0, 1 ]);
    my $run = run_of({ values => [qw(none pipes)], x => [ undef, undef ] }, @passes);
    is(analysis($run)->{added}[0]{low}, undef, 'has no interval');
};

subtest 'a sweep of another quantity' => sub {
    my %us = ('1G' => 20, '2G' => 40);
    my @passes = map { passes('fork', $_, 500, results => [ { stall => [ $us{$_}, (0) x 4 ] } ]) }
        sort keys %us;
    my %sweep =
        (quantity => 'stall', axis => 'bytes', values => [qw(1G 2G)], x => [ 2**30, 2**31 ]);
    my $analysis = analysis(run_of(\%sweep, @passes, passes('vfork', '1G', 30)));
    my $points = $analysis->{points};
    cmp_ok(abs($points->{fork}{'2G'}{time_us} - 40), '<', 1e-6, 'its times are those');
    is($points->{vfork}{'1G'}{status}, 'skipped', 'a test without it is skipped');
};

# ---- claims of published experiments, judged by planted times ----

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $folder = scratch();
my @ORDER = (0, 3, -2, 4, -1, -4, 2, -3, 1);    # of nine passes

# An experiment with these lines, and its run in which a point takes these microseconds
sub repeated {
    my ($lines, $us, %with) = @_;
    spew("$folder/x.txt", "title T\nsource S\n$lines");
    my $experiment = SpawnMeter::Catalog::Experiments::named($ROOT, "$folder/x.txt");
    my ($cells, $head) = SpawnMeter::Catalog::Experiments::cells($experiment, $tests, 2);
    my $spread = $with{spread} || 0.001;
    my @passes = map {
        my $cell = $_;
        my $time = $us->{"$cell->{series} $cell->{value}"};
        map { pass_of($cell, $time * (1 + $spread * $_)) } @ORDER[ 0 .. ($with{passes} || 9) - 1 ];
    } grep { $us->{"$_->{series} $_->{value}"} } @{$cells};
    return ($experiment, { passes => \@passes, sweep => $head });
}

our $throttled = 0;

sub pass_of {
    my ($cell, $us) = @_;
    my %result = (count => 100, time => $us / 1e4, creating => $us / 2e4, fault => [ 3, 700, 800 ]);
    return {
        status  => 'ok',
        test    => $cell->{series},
        value   => $cell->{value},
        copies  => 1,
        rate    => 1e6 / $us,
        machine => { throttled => $throttled },
        results => [ \%result ]
    };
}

sub claims {
    my ($lines, $us, %with) = @_;
    my ($experiment, $run) = repeated($lines, $us, %with);
    my $facts = { cpus_usable => 2, system => 'Linux' };
    return grep { $_->{kind} } @{ judged($experiment, found($experiment, $run), $facts) };
}

my $MEASURE = "measure fork vfork | --heap VALUE | 0 1M\nclaim C\n";
my %US = ('fork 0' => 100, 'fork 1M' => 200, 'vfork 0' => 50);

subtest 'each form agrees, differs, is inconclusive' => sub {
    my %expected = (
        'ratio fork 1M / fork 0 < 2.5'                   => 'agrees',
        'ratio fork 1M / fork 0 < 1.5'                   => 'differs',
        'ratio fork 1M / fork 0 < 2'                     => 'inconclusive',
        'ratio fork 1M / fork 0 = 3 within 10 %'         => 'differs',
        'ratio fork 1M / fork 0 = 4 within 50 %'         => 'inconclusive',
        'slope fork 0 .. fork 1M > 0.05 ms'              => 'agrees',
        'slope fork 0 .. fork 1M > 200 us'               => 'differs',
        'slope fork 0 .. fork 1M > 100 us'               => 'inconclusive',
        'slope fork 0 .. fork 1M = 100000 ns within 5 %' => 'agrees',
        'slope vfork 0 .. fork 1M < 0.1 ms'              => 'differs',
    );
    my @texts = sort keys %expected;
    my @claims = claims(join("\n", $MEASURE, @texts), \%US);
    is_deeply({ map { $texts[$_] => $claims[$_]{verdict} } 0 .. $#texts }, \%expected, 'verdicts');
    my ($slope) = grep { $_->{words} eq 'fork 0 .. fork 1M > 0.05 ms' } @claims;
    ok(abs($slope->{here}[0] - 100) < 1e-6, 'the slope: microseconds') or diag explain $slope;
};

subtest 'wide intervals, and too little' => sub {
    my $text = $MEASURE . 'ratio fork 1M / fork 0 > 1.9';
    my ($sure) = claims($text, \%US);
    my ($wide) = claims($text, \%US, spread => 0.05);
    my ($few) = claims($text, \%US, passes => 2);
    is_deeply([ map { $_->{verdict} } $sure, $wide, $few ],
        [qw(agrees inconclusive inconclusive)], 'verdicts');
    is(scalar @{ $few->{here} }, 1, 'too few passes: no interval');
    local $throttled = 1;
    my ($disturbed) = claims($text, \%US);
    is_deeply(
        [ @{$disturbed}{qw(verdict why)} ],
        [ 'inconclusive', 'most passes of a point are disturbed' ],
        'no verdict on disturbed points'
    );
    local $throttled = 0;
    my ($none) = claims("${MEASURE}ratio vfork 1M / vfork 0 > 1", \%US);
    is($none->{verdict}, 'not measured', 'a point that was not measured');
    is(unmet(['macOS'], { system => 'Darwin' }), undef, 'this system');
    is(unmet([ '4 CPUs', 'Linux' ], {}), undef, 'a fact that is unknown is no reason');
};

subtest 'other quantities' => sub {
    my ($rate) = claims("quantity rate\n${MEASURE}ratio vfork 0 / fork 0 = 2 within 5 %", \%US);
    is($rate->{verdict}, 'agrees', 'rates: the faster over the slower');
    my $parts = <<'END';
part made | M
quantity creating
measure fork | VALUE | 0=
part all | A
measure fork | VALUE | 0=
claim C
ratio all fork 0 / made fork 0 = 2 within 1 %
END
    my ($both) = claims($parts, { map { $_ => 100 } 'fork made 0', 'fork all 0' });
    is($both->{verdict}, 'agrees', 'of two parts, each with its own');
    for my $of ([ fault => 0.7 ], [ creating => 50 ], [ exiting => 50 ], [ rate => 100 ]) {
        my ($experiment, $run) = repeated("quantity $of->[0]\n$MEASURE", \%US, spread => 1e-9);
        my $point = found($experiment, $run)->{points}{fork}{0};
        cmp_ok(abs($point->{time_us} / $of->[1] - 1), '<', 1e-6, "$of->[0]: microseconds");
    }
};
done_testing;
