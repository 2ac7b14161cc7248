# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Quantity      qw(merge_histograms histogram_text histogram_quantiles);
use SpawnMeter::Analysis::ProgramOutput qw(parse rate_of);
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
is($good->{count}, 1000, 'COUNT');
is_deeply($good->{cpu}, [ 0.1, 0.2, 0.3, 0.4 ], 'CPU');
is_deeply($good->{footprint}, [ 2700, 1600, undef, 5 ], 'what is unknown is undef');
is_deeply($good->{disturb}, { rundelay_ns => 10, nivcsw => undef }, 'DISTURB');
is_deeply(
    $good->{references},
    [ { page_faults => 100, loads => undef }, { page_faults => 200, loads => 5 } ],
    'REFERENCE: before and after'
);
is_deeply([ @{$good}{qw(paused paused_cpu)} ], [ 0.0125, 0.01 ], 'PAUSES: seconds');
is_deeply(
    [
        map {
            my $of = $_;
            +{ map { $_ => sprintf '%.6f', $of->{$_} } keys %{$of} }
        } @{ $good->{within} }
    ],
    [
        { sparse_faults => sprintf('%.6f', sqrt 100 * 800), page_faults => '5.000000' },
        { sparse_faults => '300.000000', page_faults                    => '6.000000' },
    ],
    'and two readings, the geometric means of every other pause'
);
my $few =
    parse("COUNT|1|1|lps\nPAUSES|0.004|0.003|sparse_faults=1,2,3,4,5|page_faults=1,2,3,4,5\n");
is_deeply([ @{$few}{qw(paused within)} ], [ 0.004, undef ], 'none of five pauses');
is($good->{timed}, 3, 'TIMED');
is($good->{spawners}, 4, 'SPAWNERS');
is($good->{gate}, 12.5, 'GATE');
is_deeply($good->{page_faults}, [ 2.001, 8 ], 'MINFLT');
is_deeply($good->{placement}, [ 19, 20 ], 'PLACEMENT');
is($good->{progress}, '10000:400,490000:600', 'PROGRESS');
ok(!exists $good->{error}, 'an unknown key is ignored');

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
my $more = parse("COUNT|1|1|lps\nITERATIONS|7\nCREATING|0.5\nGATE|3\n");
is_deeply([ @{$more}{qw(iterations creating gate)} ], [ 7, 0.5, 3 ], 'lines of one number');
my $started = parse("COUNT|1|1|lps\nSTART|first|1|2|3|4|5|64:1\nSTART|main|2|3|4|5|6|65:1\n");
is_deeply(
    [ @{$started}{qw(start starts)} ],
    [ { first => [ 1 .. 5 ], main => [ 2 .. 6 ] }, { first => '64:1', main => '65:1' } ],
    'START: a line for each period'
);
done_testing;
