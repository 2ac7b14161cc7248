# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity      qw(merge_histograms histogram_quantiles);
use SpawnMeter::Analysis::ProgramOutput qw(common_window parse rate_of);
use SpawnMeter::Util::Format            qw(plain);

my $good = parse(<<'END');
COUNT|1000|1|lps
TIME|0.500000
CPU|0.1|0.2|0.3|0.4
LATENCY|10.000|20.000|30.000|40.000|50.000
HISTOGRAM|64:1,,2
BATCHES|0.01|1000,2000
FOOTPRINT|2700|1600|-|5
DISTURB|rundelay_ns=10|nivcsw=-
TIMED|3
SPAWNERS|4
REFERENCE|page_faults=100|loads=-
REFERENCE|page_faults=200|loads=5
PAUSES|0.012500|0.010000|sparse_faults=100,300,100,300,800,300,800|page_faults=5,6,5,6,5,6,5
MINFLT|2.001|8.000|left-out
PLACEMENT|19|20
GATE|12.500000
PROGRESS|12.500000|10000:400,490000:600
NEW|whatever
END
my @within = map {
    my $of = $_;
    join q{ }, map { sprintf '%s %.6f', $_, $of->{$_} } sort keys %{$of}
} @{ delete $good->{within} };
is_deeply(
    \@within,
    [
        sprintf('page_faults 5.000000 sparse_faults %.6f', sqrt 100 * 800),
        'page_faults 6.000000 sparse_faults 300.000000'
    ],
    'PAUSES: two readings, the geometric means of every other pause'
);
is_deeply(
    $good,
    {
        count      => 1000,
        timebase   => 1,
        label      => 'lps',
        time       => 0.5,
        cpu        => [ 0.1, 0.2, 0.3, 0.4 ],
        latency    => [ 10, 20, 30, 40, 50 ],
        histogram  => '64:1,,2',
        batches    => '0.01|1000,2000',
        footprint  => [ 2700, 1600, undef, 5 ],
        disturb    => { rundelay_ns => 10, nivcsw => undef },
        timed      => 3,
        spawners   => 4,
        references =>
            [ { page_faults => 100, loads => undef }, { page_faults => 200, loads => 5 } ],
        paused      => 0.0125,
        paused_cpu  => 0.01,
        page_faults => [ 2.001, 8 ],
        placement   => [ 19, 20 ],
        gate        => 12.5,
        progress    => '10000:400,490000:600',
    },
    'all lines; what is unknown is undef, an unknown key is ignored'
);
my $few =
    parse("COUNT|1|1|lps\nPAUSES|0.004|0.003|sparse_faults=1,2,3,4,5|page_faults=1,2,3,4,5\n");
is_deeply([ @{$few}{qw(paused within)} ], [ 0.004, undef ], 'no readings of five pauses');

my %error = (
    q{}                                         => qr/no COUNT line/,
    "COUNT|10"                                  => qr/an incomplete line/,
    "COUNT|-1|1|lps\n"                          => qr/malformed/,
    'COUNT|1' . '0' x 400 . "|1|lps\n"          => qr/malformed/,
    "COUNT|0|1|lps\n"                           => qr/the test created nothing/,
    "COUNT|1|1|lps\nTIME|0\n"                   => qr/malformed/,
    "COUNT|1|1|lps\nPROGRESS|1|x\n"             => qr/malformed/,
    "COUNT|1|1|lps\nHISTOGRAM|300000000:1\n"    => qr/malformed/,
    "COUNT|1|1|lps\nSTALL|1|1|1|1|1|123456:1\n" => qr/malformed/,
    "\e[2Jx\n"                                  => qr/\\x1b\[2Jx/,
    "ERROR|no \e[1mway\n"                       => qr/^no \\x1b\[1mway$/,
);

for my $text (sort keys %error) {
    like(parse($text)->{error}, $error{$text}, 'error: ' . substr(plain($text), 0, 30));
}
is(parse("SKIP|no such call\n")->{skip}, 'no such call', 'SKIP');
is(parse("SKIP|cause\nSKIP|script\n")->{skip}, 'cause', 'SKIP: the first reason counts');

my @two = map { { count => $_, time => 2, timebase => 60 } } 100, 300;
my @once = map { { count => 100 * $_, time => 2 * $_, timebase => 1 } } 1, 2;
my %window = (total => 400, outer => 4);
for my $case (
    [ 'counts are added, times averaged', 100, \@once, 9 ],
    [
        'copies at once: what they made then', 6000,
        \@two, 9,
        { %window, made => 50, length => 0.5 }
    ],
    [ 'copies that never did: from first to last', 6000, \@two, 9, { %window, length => -1 } ],
    [ 'no TIME: elapsed; timebase 60: per minute', 600, [ { count => 100, timebase => 60 } ], 10 ],
    [ 'timebase 0: a rate already', 5, [ { count => 5, timebase => 0 } ], 10 ],
) {
    my ($name, $rate, @of) = @{$case};
    is(rate_of(@of), $rate, "rate: $name");
}

my $merged = merge_histograms('64:1,,2', '64:1;700:4');
is_deeply($merged, { 64 => 2, 66 => 2, 700 => 4 }, 'histograms are added up');
my ($half, $most) = histogram_quantiles($merged, 0.5, 0.99);
is($half, 0.066, 'a quantile of the merged histogram, in us');
cmp_ok(abs($most - (64 + 700 % 64 + 0.5) * 2**9 / 1000), '<', 1e-9, 'the middle of a bucket');
is_deeply([ histogram_quantiles(merge_histograms(), 0.5) ], [], 'nothing of an empty one');

for my $bad (
    'CPU|1|2|3', 'LATENCY|1',
    'FOOTPRINT|1|2|3|4|5', 'ITERATIONS|1|2',
    'HISTOGRAM|a', 'BATCHES|x|1',
    'DISTURB|x', 'REFERENCE|x',
    'COUNT|1|-1|lps', 'ERROR|',
    'START|main|1|2|3|4|5', 'START|Main|1|2|3|4|5|1:1',
    'STALL|1|2|3|4|5|x', 'PAUSES|0.1',
    'PAUSES|0.1|0.1', 'PAUSES|0.1|x|loads=1,2',
    'PAUSES|0.1|0.1|loads=1,0', 'PAUSES|0.1|0.1|loads='
) {
    like(
        parse("COUNT|1|1|lps\n$bad\n")->{error},
        qr/^the test printed a malformed line: \Q$bad/,
        "malformed: $bad"
    );
}
my $more = parse("COUNT|1|1|lps\nITERATIONS|7\nCREATING|0.5\n");
is_deeply([ @{$more}{qw(iterations creating)} ], [ 7, 0.5 ], 'lines of one number');
my $started = parse("COUNT|1|1|lps\nSTART|first|1|2|3|4|5|64:1\nSTART|main|2|3|4|5|6|65:1\n");
is_deeply(
    [ @{$started}{qw(start starts)} ],
    [ { first => [ 1 .. 5 ], main => [ 2 .. 6 ] }, { first => '64:1', main => '65:1' } ],
    'START: a line for each period'
);

# ---- what several copies made in the time in which all of them ran ----

# A copy that starts at this time; steps => "us:made,us:made"
sub copy {
    my ($gate, $steps, %with) = @_;
    my ($us, $made) = (0, 0);
    for my $step (split /,/, $steps) {
        my ($more, $number) = split /:/, $step;
        $us   += $more;
        $made += $number;
    }
    my %copy = (gate => $gate, time => $us / 1e6, count => $made, timebase => 1);
    return { %copy, progress => $steps, %with };
}

my @even = (copy(5, '500000:50,500000:50')) x 2;
my @later = (copy(5, '500000:100,500000:50'), copy(5.5, '500000:50,500000:100'));
my @steady = (copy(5, '1000000:100'), copy(5.25, '1000000:100'));
my @plain = map { { %{$_}, progress => undef } } @steady;
my @apart = (copy(5, '1000000:100'), copy(7, '1000000:100'));
my %file = (timebase => 0, count => 3000, iterations => 1000);    # 3 KB each
my @file = map { copy($_, '500000:500,500000:500', %file) } 5, 5.5;
for my $case (
    [ 'at once: the whole time', \@even, length => 1, made   => 200, total  => 200, spread => 0 ],
    [ 'one starts later', \@later, length       => 0.5, made => 100, spread => 0.5 ],
    [ 'from the first start to the last end', \@later, outer => 1.5, total => 300 ],
    [ 'within a step a copy is steady', \@steady, made       => 150 ],
    [ 'without progress from start to end', \@plain, made    => 150 ],
    [ 'never at once', \@apart, length                       => -1, made => undef, outer => 3 ],
    [ 'where the count is an amount per second: the amount', \@file, made => 3000 ],
) {
    my ($name, $copies, %expected) = @{$case};
    my $window = common_window($copies);
    my %got = map { $_ => defined $window->{$_} && sprintf '%.6f', $window->{$_} } keys %expected;
    $_ = defined && sprintf '%.6f', $_ for values %expected;
    is_deeply(\%got, \%expected, "copies: $name");
}
is(common_window([ $even[0], { count => 1, time => 1, timebase => 1 } ]),
    undef, 'a copy that does not say when it started: no window');
done_testing;
