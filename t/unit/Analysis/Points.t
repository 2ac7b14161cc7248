# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(added points parts analysis);

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

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
        protocol => { name => 'settle', precision => 0.03 },
        tests    => [ { name => 'fork', title => 'fork' }, { name => 'vfork', title => 'vfork' } ],
        sweep    => { name => 'x', axis => 'files', series => [qw(fork vfork)], %{$sweep} },
        passes   => \@passes,
    };
}

my $files = run_of(
    { values => [ 0, 100, 1000 ], x => [ 0, 100, 1000 ] },
    map({ passes('fork', $_, 50 + 0.2 * $_) } 0, 100, 1000),
    passes('vfork', 0, 30)
);

subtest 'points' => sub {
    my $points = points($files);
    is_deeply([ sort keys %{ $points->{fork} } ], [ 0, 100, 1000 ], 'one for each value');
    my $point = $points->{fork}{100};
    is(sprintf('%.1f', $point->{time_us}), '70.0', 'microseconds of an iteration');
    is(sprintf('%.2f %.2f', @{$point}{qw(time_low time_high)}), '69.87 70.13', 'its interval');
    is($point->{settled}, undef, 'one value alone cannot tell whether it settled');
    my ($failed) = passes('fork', 5, 1);
    @{$failed}{qw(status rate reason)} = ('failed', undef, 'why');
    my $lost = points(run_of({}, $failed))->{fork}{5};
    is($lost->{time_us}, undef, 'no time of a value that failed');
    is($lost->{reason}, 'why', 'but its reason');
};

subtest 'lines' => sub {
    my $analysis = analysis($files);
    is(sprintf('%.3f', $analysis->{lines}{fork}{slope}), '0.200', 'slope of a series');
    is($analysis->{lines}{vfork}, undef, 'no line through one value');
    my $names = analysis(run_of({ values => [qw(a b c)], x => [ 1, 2, undef ] }));
    is_deeply($names->{lines}, {}, 'none where a value is a name');
};

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
    my ($one, $four) = map { $analysis->{points}{fork}{$_} } qw(1 4);
    is(sprintf('%.3f', $one->{time_us}), '50.000', 'one copy: the time of a creation');
    is(sprintf('%.3f', $four->{time_us}), '80.000', 'four: as each of them sees it');
    is(sprintf('%.0f', $four->{rate}), '50000', 'and the rate of all');
    ok(!analysis($files)->{together}, 'one copy each: not');
    ok(!$analysis->{threads}, 'they are copies');
    @passes = (
        passes('fork', '1', 50),
        map { { %{$_}, results => [ { spawners => 4, count => 9, timebase => 1 } ] } }
            passes('fork', '4', 20)
    );
    $analysis = analysis(run_of($sweep, @passes));
    ok($analysis->{threads}, 'and threads');
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
    my ($added) =
        @{ analysis(run_of({ values => [qw(none pipes)], x => [ undef, undef ] }, @passes))->{added}
        };
    cmp_ok(abs($added->{us} - 20), '<', 0.1, 'nor in what a value adds') or diag explain $added;
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
    my $analysis = analysis($run);
    is($analysis->{per}{words}, 'per GB', 'slopes are per GB');
    is($analysis->{lines}{vfork}, undef, 'no line where there is nothing');
};

subtest 'several sweeps that were measured together' => sub {
    my @heads = map { { name => $_, axis => $_, values => [ 0, 100 ] } } qw(files threads);
    my $run = run_of(
        { name => 'explain', parts => \@heads },
        passes('fork', 'files 0', 50),
        passes('fork', 'threads 0', 70)
    );
    my $part = parts($run);
    is_deeply([ sort keys %{$part} ], [qw(files threads)], 'each has a run');
    is($part->{threads}{sweep}, $heads[1], 'with its own sweep');
    is(sprintf('%.0f', points($part->{threads})->{fork}{0}{time_us}), '70', 'and its own points');
};

# ---- what the values of a sweep add to "none" ----

# Passes around a time in microseconds: 1 % apart
sub point {
    my ($us, $passes) = @_;
    return {
        time_us => $us,
        rates   => [ map { 1e6 / ($us * (1 + ($_ % 3 - 1) / 100)) } 1 .. $passes ],
        flags   => [ (0) x $passes ],
    };
}

my %sweep = (values => [qw(none pipes path)], series => ['launch']);

subtest 'the difference of the medians, with an interval around it' => sub {
    my ($pipes, $path, @more) = @{
        added(
            \%sweep,
            {
                launch =>
                    { none => point(500, 15), pipes => point(520, 15), path => point(500, 15) }
            }
        )
    };
    is_deeply([ @{$pipes}{qw(series label)} ], [qw(launch pipes)], 'series and label');
    cmp_ok(abs($pipes->{us} - 20), '<', 1e-6, '20 microseconds more');
    ok($pipes->{low} > 0 && $pipes->{low} <= 20 && $pipes->{high} >= 20,
        'the interval is around it')
        or diag explain $pipes;
    ok($path->{low} <= 0 && $path->{high} >= 0, 'no difference: 0 is in the interval')
        or diag explain $path;
    is(scalar @more, 0, 'nothing else');
};

subtest 'too little to say' => sub {
    my ($few) =
        @{ added(\%sweep, { launch => { none => point(500, 15), pipes => point(520, 2) } }) };
    cmp_ok(abs($few->{us} - 20), '<', 1e-6, 'few passes: the difference');
    is($few->{low}, undef, 'but no interval');
    is_deeply(added(\%sweep, { launch => { pipes => point(520, 15) } }),
        [], '"none" was not measured: nothing is said');
    is_deeply(added(\%sweep, {}), [], 'no point of the series');
    is_deeply(added({ values => [qw(0 1M)], series => ['fork'] }, { fork => { 0 => point(9, 9) } }),
        [], 'a sweep of numbers has no "none"');
};

is_deeply(\@warnings, [], 'no warnings');
done_testing;
