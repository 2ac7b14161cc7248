# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(analysis);

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

# A sweep as Analysis::Points gives it: { series => { label => us } } and { series => slope in
# us for one of what is varied }, with an interval of 10 % around both
sub sweep {
    my ($labels, $times, $slopes) = @_;
    my (%points, %lines);
    for my $series (keys %{$times}) {
        for my $label (keys %{ $times->{$series} }) {
            my $us = $times->{$series}{$label};
            $points{$series}{$label} =
                { time_us => $us, time_low => 0.9 * $us, time_high => 1.1 * $us };
        }
    }
    for my $series (keys %{$slopes}) {
        my $slope = $slopes->{$series};
        $lines{$series} =
            { slope => $slope, low => 0.9 * $slope, high => 1.1 * $slope, r2 => 0.99 };
    }
    return {
        run      => { sweep  => { values => $labels, series => [ sort keys %{$times} ] } },
        analysis => { points => \%points, lines => \%lines },
    };
}

sub memory {
    my (%times) = @_;
    my %all = (
        fork        => { 0 => 50, '100M'  => 300, '1G' => 2500 },
        vfork       => { 0 => 30, '100M'  => 31, '1G'  => 32 },
        clone       => { 0 => 31, '100M'  => 60, '1G'  => 90 },
        posix_spawn => { 0 => 400, '100M' => 405, '1G' => 410 },
        forkexec    => { 0 => 500, '100M' => 900 },
        vforkexec   => { 0 => 400, '100M' => 400 },
        %times,
    );
    return sweep([ 0, '100M', '1G' ], \%all, { fork => 2.4 / 1024**2, vfork => 0 });
}

sub model { my (%sweeps) = @_; return SpawnMeter::Analysis::CostModel::model(\%sweeps) }

sub finding { my ($name, %sweeps) = @_; return model(%sweeps)->{findings}{$name} }

subtest 'findings of the sweep of memory' => sub {
    my %with = (memory => memory());
    is(sprintf('%.1f', finding(slope_of_fork => %with)->{slope}), '2.4', 'the slope of fork');
    my $largest = finding(largest_process => %with);
    is_deeply(
        [ @{$largest}{qw(size fork posix_spawn small)} ],
        [ '1G', 2500, 410, 400 ],
        'the largest process'
    );
    is(sprintf('%.1f', $largest->{times}), '6.1', 'how many times slower fork is');
    is_deeply(
        finding(flat_methods => %with),
        [ { method => 'vfork', us => 30 } ],
        'vfork does not depend on size, and clone does'
    );
    is_deeply({ %{ finding(with_exec => %with) } },
        { fork => 500, vfork => 400, large => 900, more => 0.25 }, 'fork+exec');
    my %slow_spawn = (memory => memory(posix_spawn => { 0 => 400, '1G' => 600 }));
    is(finding(largest_process => %slow_spawn), undef,
        'not where posix_spawn depends on size, too');
    my %same = (memory => memory(forkexec => { 0 => 500, '100M' => 600 }));
    is(finding(with_exec => %same), undef, 'not where a large process is hardly slower');
};

# As with points and lines of few passes
sub without_intervals {
    my ($sweep) = @_;
    my ($points, $lines) = @{ $sweep->{analysis} }{qw(points lines)};
    for my $of (map({ values %{$_} } values %{$points}), values %{$lines}) {
        $_ = undef for @{$of}{qw(time_low time_high low high)};
    }
    return $sweep;
}

subtest 'without intervals' => sub {
    my %with = (memory => without_intervals(memory()));
    my ($fork) = grep { $_->{method} eq 'fork' } @{ model(%with)->{methods} };
    is($fork->{terms}[0]{verdict}, 'inconclusive', 'a term is inconclusive');
    is($fork->{terms}[0]{low}, undef, 'and has none');
    is_deeply(model(%with)->{findings}, {}, 'nothing is found in the sweep of memory');
    my $files = without_intervals(sweep([], {}, { vfork => 0.1, clone => 0.001 }));
    is(finding(open_files => files => $files), undef, 'nor in slopes');
    my %targets = ('true-nolibc' => 100, 'true-static' => 200, 'true-dynamic' => 400);
    my $sweep = sweep([ keys %targets ], { vforkexec => \%targets });
    ok(finding(targets => target => $sweep), 'three targets, with intervals');
    is(finding(targets => target => without_intervals($sweep)), undef, 'and without');
};

subtest 'findings of slopes' => sub {
    my $files = sweep([], {}, { vfork => 0.1, clone => 0.001 });
    my $open_files = finding(open_files => files => $files);
    is(sprintf('%.1f', $open_files->{vfork}), '10.0', 'open files: vfork, for 100');
    is($open_files->{clone_free}, 1, 'open files: they cost clone nothing');
    my $both = sweep([], {}, { vfork => 0.1, clone => 0.05 });
    is(finding(open_files => files => $both)->{clone_free}, 0, 'open files: they cost clone, too');
    my $mappings = finding(mappings => mappings => sweep([], {}, { fork => 0.3, vfork => 0 }));
    is_deeply(
        [ sprintf('%.0f', $mappings->{fork}), $mappings->{vfork_free} ],
        [ 300, 1 ],
        'mappings, for 1000'
    );
    my $environment = sweep([], {}, { vforkexec => 0.001 });
    is(sprintf('%.1f', finding(environment => environment => $environment)->{slope}),
        '65.5', 'environment, for 64 KB');
    $environment->{analysis}{lines}{vforkexec}{r2} = 0.5;
    is(finding(environment => environment => $environment), undef, 'not where it is no line');
    $environment->{analysis}{lines}{vforkexec} = { slope => 1, low => -1, high => 3, r2 => 1 };
    is(finding(environment => environment => $environment), undef, 'not where the slope can be 0');
};

subtest 'findings of threads and targets' => sub {
    my $threads = sweep([], { forkexec => { 0 => 500, 100 => 1000 } });
    is_deeply(finding(threads => threads => $threads),
        { without => 500, with => 1000, times => 2 }, 'threads');
    my $few = sweep([], { forkexec => { 0 => 500, 100 => 520 } });
    is(finding(threads => threads => $few), undef, 'not where threads cost little');
    my @labels = qw(true-nolibc true-static true-dynamic);
    my $targets = sweep(\@labels, { vforkexec => { map { $labels[$_] => 100 * 2**$_ } 0 .. 2 } });
    is(finding(targets => target => $targets)->{loader}, 0.75, 'the share of libc and loader');
    is_deeply(
        [ map { $_->{us} } @{ model(target => $targets)->{targets} } ],
        [ 100, 200, 400 ],
        'targets, in order'
    );
    is(finding(page_faults => target => $targets), undef, 'page faults are not known');
    my $points = $targets->{analysis}{points}{vforkexec};
    $points->{ $labels[0] }{faults_child} = 2;
    $points->{ $labels[2] }{faults_child} = 52;
    is_deeply(
        finding(page_faults => target => $targets),
        { few => 2, many => 52, us => 6 },
        'and what a target takes for each that it has more'
    );

    my %shapes = ('/bin/sh' => 500, script => 700, 'true-dynamic' => 400, 'true-100M' => 405);
    is_deeply(
        finding(shapes => target => sweep([], { vforkexec => \%shapes })),
        { script => 200 },
        'shapes: only what adds to the time'
    );
    my $loader = sweep([0], { posix_spawn => { 0 => 300 } }, { posix_spawn => 40 });
    $loader->{analysis}{points}{posix_spawn}{0}{start} = { main => [400] };
    is(finding(loader => loader => $loader)->{library}{slope}, 40, 'the loader, for each library');

    for my $us ([ 100, 115, 400 ], [ 100, 400, 450 ]) {
        my %times = map { $labels[$_] => $us->[$_] } 0 .. 2;
        my $close = sweep(\@labels, { vforkexec => \%times });
        is(finding(targets => target => $close), undef, "not where intervals overlap: @{$us}");
    }
};

subtest 'what the dynamic loader takes' => sub {
    my $sweep = sweep([0], { posix_spawn => { 0 => 700 } });
    is(finding(loader => loader => $sweep), undef, 'not without the time until main()');
    my $point = $sweep->{analysis}{points}{posix_spawn}{0};
    $point->{start} = { main => [ 1000, 1, 1, 1, 1 ] };
    @{$point}{qw(time_low time_high)} = (690, 720);
    my %times = (us => 700, low => 690, high => 720, main => 1000, share => 0.7);
    is_deeply(
        finding(loader => loader => $sweep),
        { %times, sure => 1, library => undef },
        'its share, with the interval of its time'
    );
    @{$point}{qw(time_low time_high)} = (500, 900);
    is(finding(loader => loader => $sweep)->{sure}, 0, 'a wide interval: inconclusive');
    @{$point}{qw(time_low time_high)} = (undef, undef);
    is(finding(loader => loader => $sweep)->{sure}, 0, 'so without one');
};

# Each part adds its time of 100 us, with an interval of 10 %
sub launch {
    my (%us) = @_;
    my $sweep =
        sweep([qw(none pipes chdir pipes+actions all)], { launch => { none => 500, all => 700 } });
    $sweep->{analysis}{added} = [
        map { {
            series => 'launch',
            label  => $_,
            us     => $us{$_},
            low    => $us{$_} - 30,
            high   => $us{$_} + 30
        } } sort keys %us
    ];
    return $sweep;
}

subtest 'what a launch adds' => sub {
    my $found = finding(
        launch => launch => launch(all => 200, pipes => 80, chdir => 20, 'pipes+actions' => 150));
    is_deeply([ @{$found}{qw(bare all us low high)} ], [ 500, 700, 200, 170, 230 ], 'in all');
    is_deeply([ map { $_->{label} } @{ $found->{parts} } ],
        ['pipes'], 'its parts whose interval lies above 0, without those of several');
    is(finding(launch => launch => launch(all => 20)), undef, 'nothing that is measurable');
};

subtest 'threads that create at once' => sub {
    my $spawners = sub {
        my ($threads, $few) = @_;
        my $sweep = sweep(
            [ 1, 4 ],
            {
                'posix_spawn --spawners' => { 1 => 100, 4 => $threads },
                'posix_spawn -c'         => { 1 => 100, 4 => 200 }
            }
        );
        my $point = $sweep->{analysis}{points}{'posix_spawn -c'}{4};
        delete @{$point}{qw(time_low time_high)} if $few;
        return finding(spawners => spawners => $sweep);
    };
    is($spawners->(200, 1), undef, 'nothing where a point has too few passes for an interval');
    my $found = $spawners->(200);
    is($found->{verdict}, 'help', 'twice the time for each of four: twice the rate');
    is($found->{threads}{times}, 2, 'how many times as many');
    is(sprintf('%.2f', $found->{threads}{low}), '1.64', 'from the ends of both intervals');
    is($spawners->(600)->{verdict}, 'no help', 'fewer than one thread');
    is($spawners->(380)->{verdict}, 'inconclusive', 'an interval that holds both');
};

# Of the sweeps as they are measured, whose values have these names
subtest 'where the time of one process goes' => sub {
    my %of = map { $_ => { run => GoldenRuns::sweep($ROOT, $_) } } qw(memory loader target);
    $_->{analysis} = analysis($_->{run}) for values %of;
    my $parts = SpawnMeter::Analysis::CostModel::model(\%of)->{parts};
    is(scalar @{ $parts->{$_} || [] }, 4, "parts by $_") for qw(stamps steps);
};

is_deeply(\@warnings, [], 'no warnings');
done_testing;
