# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use Screen qw(screen);
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
    my @lines = shown({ verbose => 1 }, @begun, ['finish']) =~ /Fork/g;
    is(scalar @lines, 1, 'of the last one, too');
    my $pairs = state_of(
        passes => [ { %PASS, side => 'B' } ],
        pairs  => [ 1 .. 6 ],
        done   => 1,
        ratio  => 0.04,
        low    => 0.02,
        high   => 0.09
    );
    like(
        shown({}, [ begin => 1, [$pairs] ], ['finish']),
        qr/ 6 pairs   B -96[.]0%, -98[.]0[.][.]-91[.]0  done\n\z/,
        'two sides: the difference and its interval'
    );
    is(shown({ quiet => 1 }, [ begin => 1, [$done] ], [ update => $done, 5 ], ['finish']),
        q{}, 'quiet');
};

# On a terminal of these columns, and what stands on it at the end
sub live {
    my ($columns, @calls) = @_;
    my $now = 100;
    my %with = (live => 1, columns => sub { $columns }, clock => sub { return $now += 1 });
    return grep { length } @{ screen($columns, 24, shown(\%with, @calls))->{lines} };
}

subtest 'live' => sub {
    my @states = map { state_of(passes => [ {%PASS} ], done => $_ > 5 ? 0 : 1) } 1 .. 40;
    $states[39]{passes} = [ { status => 'failed', reason => 'x' x 90 } ];
    my @begun = ([ start => 80 ], [ begin => 1, \@states ], [ update => $states[9], 66 ]);
    my $line = '  5 of 40 done, at most 1:05 left: Fork Throughput 1 pass 9000/s';
    is((live(80, @begun, [ update => $states[9], 65 ]))[-1], $line, 'one line, drawn over');
    my @open_end = ([ start => 80, 1 ], [ begin => 1, \@states ], [ update => $states[9], 65 ]);
    like((live(80, @open_end))[-1], qr/, about 1:05 left/, 'which can become longer');
    is((live(30, @begun))[-1], substr($line, 0, 29) =~ s/:05/:06/r, 'no wider than the terminal');
    my @done = live(80, @begun, [ update => $states[0], 65 ], ['finish']);
    is(scalar(grep { /left/ } @done), 0, 'at the end it is gone');
    is(scalar(grep { /Fork Throughput.* done\z/ } @done), 5, 'and the tests that are done stand');
};

subtest 'how long it takes' => sub {
    is(
        shown({ runs => 6 }, [ start => 53 ]),
        "Measuring takes at most 53 seconds, the 6 runs at most 5:18 minutes.\n",
        'of several runs'
    );
    my $busy = { busy => 1 };
    is(shown($busy, [ start => 53, 1 ]), "Measuring takes at least 53 seconds.\n",
        'a busy machine');
    is(shown($busy, [ start => 53 ]), "Measuring takes about 53 seconds.\n", 'which has a limit');
};
done_testing;
