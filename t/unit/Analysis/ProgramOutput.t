# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity      qw(merge_histograms histogram_text histogram_quantiles);
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
    "hello\n"                                   => qr/the test printed: hello/,
    "COUNT|10"                                  => qr/an incomplete line/,
    "COUNT|-1|1|lps\n"                          => qr/malformed/,
    'COUNT|1' . '0' x 400 . "|1|lps\n"          => qr/malformed/,
    "COUNT|1e400|1|lps\n"                       => qr/malformed/,
    "COUNT|nan|1|lps\n"                         => qr/malformed/,
    "COUNT|0|1|lps\n"                           => qr/the test created nothing/,
    "COUNT|1|1|lps\nTIME|0\n"                   => qr/malformed/,
    "COUNT|1|1|lps\nPROGRESS|1|x\n"             => qr/malformed/,
    "COUNT|1|1|lps\nPROGRESS|1|1:\n"            => qr/malformed/,
    "COUNT|1|1|lps\nHISTOGRAM|300000000:1\n"    => qr/malformed/,
    "COUNT|1|1|lps\nHISTOGRAM|1,2\n"            => qr/malformed/,
    "COUNT|1|1|lps\nSTALL|1|1|1|1|1|123456:1\n" => qr/malformed/,
    "\e[2Jx\n"                                  => qr/\\x1b\[2Jx/,
    "ERROR|no \e[1mway\n"                       => qr/^no \\x1b\[1mway$/,
);

for my $text (sort keys %error) {
    like(parse($text)->{error}, $error{$text}, 'error: ' . substr(plain($text), 0, 30));
}
is(parse("SKIP|no such call\n")->{skip}, 'no such call', 'SKIP');
is(parse("SKIP|cause\nSKIP|script\n")->{skip}, 'cause', 'SKIP: the first reason counts');
is(parse("ERROR|why\n")->{kind}, 'reported', 'ERROR: reported by the program');
is(parse("hello\n")->{kind}, 'malformed', 'other words: malformed');
is(parse("COUNT|1|1|lps")->{kind}, 'incomplete', 'half a line: incomplete');

is(
    rate_of(
        [ { count => 100, time => 2, timebase => 1 }, { count => 300, time => 4, timebase => 1 } ],
        9
    ),
    400 / 3,
    'copies: counts are added, times averaged'
);
my @two = map { { count => $_, time => 2, timebase => 60 } } 100, 300;
is(rate_of(\@two, 9, { made => 50, length => 0.5, total => 400, outer => 4 }),
    6000, 'copies that ran at once: what they made then, per minute');
is(rate_of(\@two, 9, { made => undef, length => -1, total => 400, outer => 4 }),
    6000, 'copies that never did: from the first start to the last end');
is(rate_of([ { count => 100, timebase => 60 } ], 10),
    600, 'no TIME: elapsed; timebase 60: per minute');
is(rate_of([ { count => 5, timebase => 0 } ], 10), 5, 'timebase 0: a rate already');

my $merged = merge_histograms('64:1,,2', '64:1;700:4');
is_deeply($merged, { 64 => 2, 66 => 2, 700 => 4 }, 'histograms are added up');
is(histogram_text($merged), '64:2;66:2;700:4', 'and written as text again');
is_deeply(
    merge_histograms(histogram_text({ 5 => 1, 6 => 2, 9 => 3 })),
    { 5 => 1, 6 => 2, 9 => 3 },
    'which reads as the same'
);
my ($half, $most) = histogram_quantiles($merged, 0.5, 0.99);
is($half, 0.066, 'a quantile of the merged histogram, in us');
cmp_ok(abs($most - (64 + 700 % 64 + 0.5) * 2**9 / 1000), '<', 1e-9, 'the middle of a bucket');
is_deeply([ histogram_quantiles(merge_histograms(), 0.5) ], [], 'nothing of an empty one');

for my $bad (
    'CPU|1|2|3', 'CPU|1|2|3|x',
    'LATENCY|1', 'FOOTPRINT|1|2|3|4|5',
    'ITERATIONS|1|2', 'CREATING|x',
    'TIME|1|2', 'HISTOGRAM|a',
    'BATCHES|1', 'BATCHES|x|1',
    'DISTURB|x', 'REFERENCE|x',
    'COUNT|1|1', 'COUNT|1|-1|lps',
    'ERROR|', 'SKIP|',
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

sub near { my ($got, $want, $name) = @_; return cmp_ok(abs($got - $want), '<', 1e-6, $name) }

# A copy that starts at this time; steps => "us:made,us:made"
sub copy {
    my ($gate, $steps, %with) = @_;
    my ($us, $made) = (0, 0);
    for my $step (split /,/, $steps) {
        my ($more, $number) = split /:/, $step;
        $us   += $more;
        $made += $number;
    }
    return {
        gate     => $gate,
        time     => $us / 1e6,
        count    => $made,
        timebase => 1,
        progress => $steps,
        %with
    };
}

subtest 'two copies that start at once' => sub {
    my $window = common_window([ map { copy(5, '500000:50,500000:50') } 1, 2 ]);
    near($window->{length}, 1, 'the window is the whole time');
    near($window->{made}, 200, 'all is in it');
    near($window->{total}, 200, 'as much as in all');
    near($window->{spread}, 0, 'no spread');
};

subtest 'one starts later, and the first is faster until then' => sub {
    my $window =
        common_window([ copy(5, '500000:100,500000:50'), copy(5.5, '500000:50,500000:100') ]);
    near($window->{length}, 0.5, 'the window is from the last start to the first end');
    near($window->{made}, 100, 'only what was made in it');
    near($window->{spread}, 0.5, 'the spread of the starts');
    near($window->{outer}, 1.5, 'from the first start to the last end');
    near($window->{total}, 300, 'what was made in these');
};

subtest 'within a step a copy is steady' => sub {
    my $window = common_window([ copy(5, '1000000:100'), copy(5.25, '1000000:100') ]);
    near($window->{made}, 150, 'three quarters of each');
    my $plain = common_window(
        [ map { { %{$_}, progress => undef } } copy(5, '1000000:100'), copy(5.25, '1000000:100') ]);
    near($plain->{made}, 150, 'a copy without progress is steady from start to end');
};

subtest 'copies that never ran at once' => sub {
    my $window = common_window([ copy(5, '1000000:100'), copy(7, '1000000:100') ]);
    near($window->{length}, -1, 'the length is negative');
    is($window->{made}, undef, 'nothing was made in it');
    near($window->{outer}, 3, 'from the first start to the last end');
};

subtest 'a test whose count is an amount per second' => sub {
    my %file = (timebase => 0, count => 3000, iterations => 1000);    # 3 KB each
    my $window = common_window(
        [ copy(5, '500000:500,500000:500', %file), copy(5.5, '500000:500,500000:500', %file) ]);
    near($window->{made}, 3000, 'the amount');
};

subtest 'a copy that does not say when it started' => sub {
    is(common_window([ copy(5, '1:1'), { count => 1, time => 1, timebase => 1 } ]),
        undef, 'no window');
};
done_testing;
