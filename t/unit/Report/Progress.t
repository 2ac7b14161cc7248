# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use List::Util qw(max);
use Screen     qw(screen);
use SpawnMeter::Report::Progress;

sub state_of {
    my (%with) = @_;
    return { cell => { title => 'Fork Throughput' }, passes => [], %with };
}
my %PASS = (status => 'ok', rate => 9000, unit => 'lps');

# What is written by these calls
sub shown {
    my ($with, @calls) = @_;
    open my $out, '>', \my $text or die;
    my $progress = SpawnMeter::Report::Progress->new(out => $out, clock => sub { 100 }, %{$with});
    for my $call (@calls) {
        my ($method, @arguments) = @{$call};
        $progress->$method(@arguments);
    }
    close $out or die;
    return $text || q{};
}

my $done = state_of(passes => [ {%PASS} ], done => 1, settled => 1, plus_minus => 0.02);
my $open = state_of(passes => [ {%PASS}, {%PASS} ]);
subtest 'lines' => sub {
    is(shown({}, [ begin => 2, [$done] ]), "\n2 copies of each test\n", 'head of 2 copies');
    my @begun = ([ begin => 1, [$done] ], [ update => $done, 5 ]);
    unlike(shown({}, @begun), qr/Fork/, 'not before all are done: its interval can change');
    like(
        shown({}, @begun, ['finish']),
        qr{^  Fork Throughput +1 pass +9000/s \+/- 2\.0%  precise\n\z}m,
        'a test that is done'
    );
    like(
        shown({ verbose => 1 }, [ update => $open, 5 ]),
        qr{ 2 passes +9000/s\n\z},
        'verbose: a line for each pass'
    );
    my $pairs = state_of(
        passes => [ { %PASS, side => 'B' } ],
        pairs  => [ 1 .. 6 ],
        done   => 1,
        ratio  => 0.04,
        low    => 0.02,
        high   => 0.09
    );
    like(
        shown({}, [ update => $pairs, 5 ]),
        qr/ 6 pairs   B -96[.]0%, -98[.]0[.][.]-91[.]0  done\n\z/,
        'two sides: the difference and its interval'
    );
    is(shown({ quiet => 1 }, [ begin => 1, [$done] ], [ update => $done, 5 ], ['finish']),
        q{}, 'quiet');
};
subtest 'live' => sub {
    my @states = map { state_of(passes => [ {%PASS} ], done => $_ > 5 ? 0 : 1) } 1 .. 40;
    $states[39]{passes} = [ { status => 'failed', reason => 'x' x 90 } ];
    $states[6]{passes} = $states[39]{passes};
    my $text = shown({ live => 1 }, [ begin => 1, \@states ], [ update => $states[0], 65 ]);
    my @lines = split /\n/, $text =~ s/\e\[[KJ]|\r//gr;
    is(scalar(grep { /Fork/ } @lines), 18, 'as many tests as fit');
    is($lines[-1], '  5 of 40 done,  at most 1:05 left', 'the last line');
    my $open_end = shown(
        { live => 1 },
        [ start  => 80, 1 ],
        [ begin  => 1, \@states ],
        [ update => $states[0], 65 ]
    );
    like($open_end, qr/, +about 1:05 left/, 'which can become longer');
    ok(!(grep { length > 79 } @lines), 'no line is as wide as the terminal');
    like(shown({ live => 1 }, [ begin => 1, [$open] ], [ update => $open, 9 ], ['finish']),
        qr/\e\[2A\r/, 'the next drawing begins at the first line of the last');
};

my @LONG =
    ('File Copy 1024 bufsize 2000 maxblocks', 'Fork Throughput', 'Shell Scripts (8 concurrent)');

# What a terminal shows after twenty drawings; resized: its columns from the tenth on
sub drawn {
    my ($columns, $rows, $resized) = @_;
    my ($now, $drawings) = (100, 0);
    my @states =
        map { state_of(cell => { title => $_ }, passes => [ {%PASS} ], plus_minus => 0.123) } @LONG;
    open my $out, '>', \my $text or die;
    my $progress = SpawnMeter::Report::Progress->new(
        out   => $out,
        live  => 1,
        clock => sub { return $now += 1 },
        size  => sub { return ($resized && $drawings > 10 ? $resized : $columns, $rows) },
    );
    $progress->begin(1, \@states);
    for (1 .. 20) {
        $drawings++;
        $progress->update($states[0], 65);
    }
    close $out or die;
    return screen(max($columns, $resized || 0), $rows, $text);
}

subtest 'a terminal that becomes narrower' => sub {
    my $shown = drawn(80, 24, 50);
    is(scalar(grep { /File/ } @{ $shown->{lines} }), 2, 'one more drawing, and not one each time');
    is(scalar(grep { /File/ } @{ drawn(60, 24, 200)->{lines} }), 1, 'wider: drawn over');
};

subtest 'how long it takes' => sub {
    is(
        shown({ runs => 6 }, [ start => 53 ]),
        "Measuring takes at most 53 seconds, the 6 runs at most 5:18 minutes.\n",
        'of several runs'
    );
};
done_testing;
