# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(analysis beside_published judged_claims points unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Tests;

# Nine passes of a series at a value, of so many microseconds each
sub passes {
    my ($series, $label, $us) = @_;
    return map { {
        test    => $series,
        value   => $label,
        copies  => 1,
        status  => 'ok',
        rate    => 1e6 / ($us + $_ / 100),
        unit    => 'lps',
        wall    => 0.3,
        results => []
    } } -4 .. 4;
}

sub run_of {
    my ($sweep, @passes) = @_;
    return {
        settings => { name => 'settle', precision => 0.03 },
        tests    => [ { name => 'fork', title => 'fork' }, { name => 'vfork', title => 'vfork' } ],
        sweep    => { name => 'x', axis => 'files', series => [qw(fork vfork)], %{$sweep} },
        passes   => \@passes,
    };
}

subtest 'amounts that slopes are given for' => sub {
    my $per = sub {
        my ($axis, @x) = @_;
        return analysis(run_of({ axis => $axis, values => [@x], x => [@x] }))->{per}{words};
    };
    is($per->('open files', 0, 1000), 'per 100', 'numbers');
    is($per->('size, bytes', 0, 65_536), 'per KB', 'small sizes');
    is($per->('size, bytes', 0, 1024**2), 'per MB', 'sizes from 1 MB on');
};

subtest 'several copies at once' => sub {
    my @passes = (passes('fork', '1', 50), map { { %{$_}, copies => 4 } } passes('fork', '4', 20));
    my $sweep = { values => [qw(1 4)], x => [ undef, undef ] };
    my $analysis = analysis(run_of($sweep, @passes));
    ok($analysis->{together}, 'they are recognised');
    my $four = $analysis->{points}{fork}{4};
    is(sprintf('%.3f', $four->{time_us}), '80.000', 'four: as each of them sees it');
    is(sprintf('%.0f', $four->{rate}), '50000', 'and the rate of all');
    @passes = (
        passes('fork', '1', 50),
        map { { %{$_}, results => [ { spawners => 4, count => 9, timebase => 1 } ] } }
            passes('fork', '4', 20)
    );
    $analysis = analysis(run_of($sweep, @passes));
    ok($analysis->{together}, 'and threads');
    is(sprintf('%.3f', $analysis->{points}{fork}{4}{time_us}), '80.000', 'as each thread sees it');
};

subtest 'a slope of times as each copy sees them' => sub {
    my @passes = map {
        my $files = $_;
        map { { %{$_}, copies => 4 } } passes('fork', $files, (50 + 0.2 * $files) / 4)
    } 0, 100, 1000;
    my $line = analysis(run_of({ values => [ 0, 100, 1000 ], x => [ 0, 100, 1000 ] }, @passes));
    is(sprintf('%.3f', $line->{lines}{fork}{slope}), '0.200', 'as the points');
};

# Five of 14 passes of these are flagged and three times as slow
subtest 'disturbed passes that do not count' => sub {
    my @stolen = map {
        my $us = $_;
        map { { %{$_}, machine => { steal => 0.5 } } } (passes('fork', $us, 3 * $us))[ 0 .. 4 ]
    } 50, 70, 90;
    my @passes = (@stolen, map { passes('fork', $_, $_) } 50, 70, 90);
    my $line = analysis(run_of({ values => [ 50, 70, 90 ], x => [ 50, 70, 90 ] }, @passes));
    my $slope = $line->{lines}{fork};
    cmp_ok($slope->{high}, '<', 1.01, 'nor do they in a slope') or diag explain $slope;
    $_->{value} = $_->{value} == 50 ? 'none' : 'pipes'
        for @passes = grep { $_->{value} < 90 } @passes;
    my $added =
        analysis(run_of({ values => [qw(none pipes)], x => [ undef, undef ] }, @passes));
    $added = $added->{points}{fork}{pipes}{added};
    cmp_ok(abs($added->[0] - 20), '<', 0.1, 'nor in what a value adds') or diag explain $added;
};

subtest 'what a value adds, of too few passes' => sub {
    my @passes = (passes('fork', 'none', 50), (passes('fork', 'pipes', 70))[ 0, 1 ]);
    my $run = run_of({ values => [qw(none pipes)], x => [ undef, undef ] }, @passes);
    is(scalar @{ analysis($run)->{points}{fork}{pipes}{added} }, 1, 'has no interval');
};

subtest 'a sweep of another quantity' => sub {
    my @passes = map {
        my ($label, $us) = @{$_};
        map { { %{$_}, results => [ { stall => [ $us, (0) x 4 ] } ] } } passes('fork', $label, 500)
    } [ '1G', 20 ], [ '2G', 40 ];
    my $run = run_of(
        { quantity => 'stall', axis => 'bytes', values => [qw(1G 2G)], x => [ 2**30, 2**31 ] },
        @passes, passes('vfork', '1G', 30));
    my $points = points($run);
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
    my $measured = beside_published($experiment, $run);
    return grep { $_->{kind} } @{ judged_claims($experiment, $measured, $facts) };
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
        my $point = beside_published($experiment, $run)->{points}{fork}{0};
        cmp_ok(abs($point->{time_us} / $of->[1] - 1), '<', 1e-6, "$of->[0]: microseconds");
    }
};
done_testing;
