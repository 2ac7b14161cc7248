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

# A finding, or undef
sub finding {
    my ($name, %sweeps) = @_;
    my ($found) = grep { $_->[0][0] =~ /^$name/ } @{ model(%sweeps)->{findings} };
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
        'posix_spawn depends on size, too',
        largest_process => memory => memory(posix_spawn => { 0 => 400, '1G' => 600 })
    ],
    [
        'a large process is hardly slower',
        with_exec => memory => memory(forkexec => { 0 => 500, '100M' => 600 })
    ],
    [ 'no line', environment            => environment => $line ],
    [ 'the slope can be 0', environment => environment => $flat ],
    [
        'threads cost little', threads => threads => sweep({ forkexec => { 0 => 500, 100 => 520 } })
    ],
    [ 'intervals overlap', targets             => target => targets(100, 115, 400) ],
    [ 'the last two overlap', targets          => target => targets(100, 400, 450) ],
    [ 'page faults are not known', page_faults => target => targets(100, 200, 400) ],
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
    is($fork->{terms}[0]{verdict}, 'inconclusive', 'a term is inconclusive');
    is($fork->{terms}[0]{low}, undef, 'and has none');
    is_deeply($model->{findings}, [], 'nothing is found in the sweep of memory');
};

subtest 'the kernel and the C library' => sub {
    my $threads = sweep({ forkexec => { 0 => 500, 100 => 900 } },
        { fork => 4, 'fork --raw' => 1, vfork => 2 });
    my $terms = model(memory => memory(), threads => $threads)->{methods};
    my %of = map {
        $_->{method} => [ grep { $_->{words} =~ /threads/ } @{ $_->{terms} } ]
    } @{$terms};
    is_deeply(
        [
            map {
                sprintf '%s: %.0f (%.1f to %.1f)', $_->{part} // q{kernel},
                    @{$_}{qw(slope low high)}
            } @{ $of{fork} }
        ],
        [
            'kernel: 10 (9.0 to 11.0)',
            'C library: 30 (25.9 to 34.1)'
        ],
        'what the bare call takes, and the rest'
    );
    is(scalar @{ $of{vfork} }, 1, 'one term where there is no bare call');
    like(
        finding(threads => threads => $threads),
        qr/ 30[.]0us are the C library's/,
        'the sentence says so'
    );
};

subtest 'less than all' => sub {
    like(finding(flat_methods => memory => memory()), qr/^vfork:/, 'clone depends on size');
    my $files = finding(open_files => files => slope(vfork => 0.1, clone => 0.05));
    unlike($files, qr/clone shares/, 'open files cost clone, too');
    my $targets = targets(100, 200, 400);
    my $points = $targets->{points}{vforkexec};
    @{$points}{qw(true-nolibc true-dynamic)} =
        map { { %{ $_->[0] }, faults_child => $_->[1] } } [ $points->{'true-nolibc'}, 2 ],
        [ $points->{'true-dynamic'}, 52 ];
    like(
        finding(page_faults => target => $targets),
        qr/with 52 page faults, .* with 2: 6[.]00us for each/,
        'what a target takes for each page fault that it has more'
    );
};

subtest 'what the dynamic loader takes' => sub {
    my $sweep = sweep({ posix_spawn => { 0 => 700 } });
    my $point = $sweep->{points}{posix_spawn}{0};
    $point->{start} = { main => [ 1000, 1, 1, 1, 1 ] };
    for my $ends ([ 690, 720, 1 ], [ 500, 900, 0 ], [ undef, undef, 0 ]) {
        @{$point}{qw(time_low time_high)} = @{$ends}[ 0, 1 ];
        my $words = defined $ends->[0] ? "between $ends->[0] and $ends->[1]" : 'without interval';
        my $text = finding(loader => loader => $sweep);
        is($text =~ /inconclusive/ ? 0 : 1, $ends->[2], $words);
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
    is($spawners->(200, 1), undef, 'nothing where a point has too few passes for an interval');
    like($spawners->(600), qr/ thread \(no help\), and 4 /, 'fewer than one thread');
    like($spawners->(380), qr/ thread \(inconclusive\), and 4 /, 'an interval that holds both');
};

# Of the sweeps as they are measured, whose values have these names
subtest 'where the time of one process goes' => sub {
    my %of = map { $_ => analysis(GoldenRuns::sweep($ROOT, $_)) } qw(memory loader target);
    my $parts = model(%of)->{parts};
    is_deeply([ map { scalar @{$_} } @{$parts} ], [ 5, 5 ], 'two ways, with four parts');
};

is_deeply(\@warnings, [], 'no warnings');
done_testing;
