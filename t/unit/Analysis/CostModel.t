# SPDX-License-Identifier: GPL-2.0-or-later
# When the cost model does not say a thing, or says less: what it says is in
# t/golden/expected/explain.text.
use lib 't/lib';
use TestHelp;
use GoldenRuns;
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Analysis::Points qw(analysis);
use SpawnMeter::Report::Explain  ();

my @warnings;
local $SIG{__WARN__} = sub { push @warnings, @_ };

# A sweep as Analysis::Points gives it: { series => { label => us } } and { series => slope in
# us for one of what is varied }, with an interval of 10 % around both
sub sweep {
    my ($times, $slopes) = @_;
    my (%points, %lines, %labels);
    for my $series (keys %{$times}) {
        for my $label (keys %{ $times->{$series} }) {
            my $us = $times->{$series}{$label};
            $labels{$label} = 1;
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
        sweep  => { values => [ sort keys %labels ], series => [ sort keys %{$times} ] },
        points => \%points,
        lines  => \%lines,
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
    return sweep(\%all, { fork => 2.4 / 1024**2, vfork => 0 });
}

# As with points and lines of few passes
sub without_intervals {
    my ($sweep) = @_;
    my ($points, $lines) = @{$sweep}{qw(points lines)};
    for my $of (map({ values %{$_} } values %{$points}), values %{$lines}) {
        $_ = undef for @{$of}{qw(time_low time_high low high)};
    }
    return $sweep;
}

sub model { my (%sweeps) = @_; return SpawnMeter::Analysis::CostModel::model_of(\%sweeps) }

my %BEGINNING = (
    open_files      => '100 more open files',
    largest_process => 'In a process of',
    threads         => 'With 100 idle threads',
    targets         => 'The time depends on the target',
    loader          => 'The dynamic loader takes',
    environment     => '64 KB of environment',
    launch          => 'A launch as programs make it',
    spawners        => '4 threads that create',
    blocked         => 'While fork copies',
    reaping         => 'Beside 1,000 idle children',
    containers      => 'In 8 PID namespaces',
);

# A finding, or undef
sub finding {
    my ($name, %sweeps) = @_;
    my ($found) =
        grep { index($_->[0][0], $BEGINNING{$name}) == 0 } @{ model(%sweeps)->{findings} };
    return $found && SpawnMeter::Report::Explain::sentence($found);
}

sub targets {
    my (@us) = @_;
    my @labels = qw(true-nolibc true-static true-dynamic);
    return sweep({ vforkexec => { map { $labels[$_] => $us[$_] } 0 .. 2 } });
}

sub slope { my (%slope) = @_; return sweep({}, \%slope) }

my $line = slope(vforkexec => 0.001);
$line->{lines}{vforkexec}{r2} = 0.5;
my $flat = slope(vforkexec => 1);
$flat->{lines}{vforkexec}{low} = -1;
my $launch = sweep({ launch => { none => 500, all => 520 } });
$launch->{points}{launch}{all}{added} = [ 20, -10, 50 ];
my @nothing = (
    [ 'a launch adds nothing that is measurable', launch => launch => $launch ],
    [
        'posix_spawn takes as long',
        largest_process => memory => memory(fork => { 0 => 50, '1G' => 700 })
    ],
    [ 'no line', environment            => environment => $line ],
    [ 'the slope can be 0', environment => environment => $flat ],
    [
        'threads cost little', threads => threads => sweep({ forkexec => { 0 => 500, 100 => 520 } })
    ],
    [ 'intervals overlap', targets         => target => targets(100, 115, 400) ],
    [ 'the last two overlap', targets      => target => targets(100, 400, 450) ],
    [ 'no time until main()', loader       => loader => sweep({ posix_spawn => { 0 => 700 } }) ],
    [ 'targets without intervals', targets => target => without_intervals(targets(100, 200, 400)) ],
    [
        'slopes without intervals',
        open_files => files => without_intervals(slope(vfork => 0.1, clone => 0.001))
    ],
);

for my $case (@nothing) {
    my ($why, $finding, @sweep) = @{$case};
    is(finding($finding, @sweep), undef, "$finding: not where $why");
}

subtest 'without intervals' => sub {
    my $model = model(memory => without_intervals(memory()));
    my ($fork) = grep { $_->{method} eq 'fork' } @{ $model->{methods} };
    my $term = $fork->{terms}{'MB touched'};
    is($term->{verdict}, 'inconclusive', 'a term is inconclusive');
    is($term->{low}, undef, 'and has none');
    is_deeply($model->{findings}, [], 'nothing is found in the sweep of memory');
};

subtest 'the kernel and the C library' => sub {
    my $threads = sweep({ forkexec => { 0 => 500, 100 => 900 } },
        { fork => 4, 'fork --raw' => 1, vfork => 2 });
    my @terms = map { [ $_->{method}, $_->{terms}{'10 threads'} || () ] }
        @{ model(memory => memory(), threads => $threads)->{methods} };
    is_deeply(
        [
            map  { sprintf '%s: %.0f (%.1f to %.1f)', $_->[0], @{ $_->[1] }{qw(slope low high)} }
            grep { $_->[1] } @terms
        ],
        [ 'fork: 10 (9.0 to 11.0)', '  C library: 30 (25.9 to 34.1)', 'vfork: 20 (18.0 to 22.0)' ],
        'what the bare call takes, and the rest; of vfork all'
    );
    like(
        finding(threads => threads => $threads),
        qr/ 30[.]0us are the C library's/,
        'the sentence says so'
    );
};

subtest 'what the dynamic loader takes' => sub {
    my $sweep = sweep({ posix_spawn => { 0 => 700 } });
    my $point = $sweep->{points}{posix_spawn}{0};
    $point->{start} = { main => [ 1000, 1, 1, 1, 1 ] };
    for my $ends ([ 690, 720, 1 ], [ 500, 900, 0 ], [ undef, undef, 0 ]) {
        @{$point}{qw(time_low time_high)} = @{$ends}[ 0, 1 ];
        my $words = defined $ends->[0] ? "between $ends->[0] and $ends->[1]" : 'without interval';
        is(defined finding(loader => loader => $sweep) ? 1 : 0, $ends->[2], $words);
    }
};

subtest 'threads that create at once' => sub {
    my $spawners = sub {
        my ($threads, $few) = @_;
        my %series = ('posix_spawn --spawners' => $threads, 'posix_spawn -c' => 200);
        my $sweep = sweep({ map { $_ => { 1 => 100, 4 => $series{$_} } } keys %series });
        my $point = $sweep->{points}{'posix_spawn -c'}{4};
        delete @{$point}{qw(time_low time_high)} if $few;
        return finding(spawners => spawners => $sweep);
    };
    unlike($spawners->(200, 1), qr/processes \d/, 'a series of too few passes is left out');
    like(
        $spawners->(600),
        qr/^4 threads .* 0[.]67 \(0[.]55 to 0[.]81\) .*, and 4 processes 2[.]00/,
        'fewer than one thread'
    );
};

subtest 'supervisors, containers, databases' => sub {
    my $reaping =
        sweep({ 'vfork --reap pid' => { 1000 => 30 }, 'vfork --reap any' => { 1000 => 90 } });
    like(finding(reaping => reaping => $reaping), qr/ 30[.]0us .* and 90[.]0us /, 'reaping');
    my $deep = sweep({ fork => { none => 100, 'pid-8' => 140 } });
    like(finding(containers => containers => $deep), qr/ 140us instead of 100us[.]$/, 'depth');
    my %times = (fork => { '256M' => 900 }, 'fork --heap shared' => { '256M' => 60 });
    my $stall = sweep(\%times, { fork => 3e-6 });
    like(finding(blocked => stall => $stall),
        qr/; with 256 MB .* 60[.]0us instead of 900us/, 'heap');
};

# Of the sweeps as they are measured, whose values have these names
subtest 'where the time of one process goes' => sub {
    my %of = map { $_ => analysis(GoldenRuns::sweep($ROOT, $_)) } qw(memory loader target);
    my $parts = model(%of)->{parts};
    is_deeply([ map { scalar @{$_} } @{$parts} ], [ 5, 5 ], 'two ways, with four parts');
};

is_deeply(\@warnings, [], 'no warnings');
done_testing;
