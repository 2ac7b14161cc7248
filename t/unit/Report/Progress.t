# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
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
    is(shown({}, [ begin => 1, [$done] ]), "\n1 copy of each test\n", 'head of 1 copy');
    is(shown({}, [ begin => 2, [$done] ]), "\n2 copies of each test\n", 'head of 2 copies');
    is(shown({}, [ begin => 2, [$done], 'A sweep' ]), "\nA sweep\n", 'head of a sweep');
    like(
        shown({}, [ update => $done, 5 ]),
        qr{^  Fork Throughput +1 pass +9000/s \+/- 2\.0%  settled\n\z},
        'a test that is done'
    );
    is(shown({}, [ update => $open, 5 ]), q{}, 'nothing before a test is done');
    like(
        shown({ verbose => 1 }, [ update => $open, 5 ]),
        qr{ 2 passes +9000/s\n\z},
        'verbose: a line for each pass'
    );
    my $failed = state_of(passes => [ { status => 'failed', reason => 'x' } ], done => 1);
    like(shown({}, [ update => $failed, 5 ]), qr/ 1 pass    failed: x\n\z/, 'a failed pass');
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
    ok(!(grep { length > 78 } @lines), 'no line is wider than 78 columns');
    like(shown({ live => 1 }, [ begin => 1, [$open] ], [ update => $open, 9 ], ['finish']),
        qr/\e\[2A\r/, 'the next drawing begins at the first line of the last');
};
done_testing;
