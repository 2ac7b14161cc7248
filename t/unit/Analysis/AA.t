# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::AA qw(differences smallest_effect summary problem);

# Passes of a test, of the three sides
sub passes {
    my ($test, $copies, %rate) = @_;
    return map {
        my $side = $_;
        map { {
            test    => $test,
            copies  => $copies,
            side    => $side,
            status  => 'ok',
            rate    => $rate{$side},
            unit    => 'lps',
            wall    => 0.3,
            results => []
        } }
            1 .. 9
    } sort keys %rate;
}

sub run_of {
    return {
        protocol => { name => 'settle', precision => 0.03 },
        tests    => [ { name => 'x', title => 'A test' }, { name => 'a', title => 'Last' } ],
        passes   => [@_],
    };
}

sub rounded {
    return map { sprintf '%.4f', $_ } @_;
}

my $run = run_of(
    passes('a', 1, A => 1000, B => 1010, C => 950),
    passes('x', 1, A => 100, B  => 99, C   => 102),
    passes('a', 4, A => 2000, B => 2000, C => 2000),
    passes('x', 4, A => 5, B    => 5),
);
my $differences = differences($run);

subtest 'differences' => sub {
    is_deeply(
        [ map { "$_->{copies} $_->{title}" } @{$differences} ],
        [ '1 A test', '1 Last', '4 Last' ],
        'by copies, then title; only where all sides have a rate'
    );
    my $last = $differences->[1];
    is_deeply([ @{$last}{qw(a b c unit)} ], [ 1000, 1010, 950, 'lps' ], 'rates of the sides');
    is_deeply(
        [ rounded(@{$last}{qw(interleaved consecutive)}) ],
        [ '0.0100', '-0.0500' ],
        'of B and of C from A, as shares'
    );
    is_deeply(differences(run_of()), [], 'of no passes');
};

subtest 'summary' => sub {

    # in logarithms: 5 % slower is as far as 1 / 0.95 times as fast
    is_deeply([ rounded(smallest_effect($differences)) ],
        ['0.0526'], 'the largest one of C from A');
    is(smallest_effect([]), undef, 'of none');
    my $summary = summary($differences);
    is_deeply(
        [ rounded(map { @{ $summary->{$_} }{qw(median largest)} } qw(interleaved consecutive)) ],
        [qw(0.0100 0.0100 0.0200 0.0500)],
        'median and largest, without signs'
    );
    is_deeply([ rounded($summary->{smallest_effect}) ], ['0.0526'], 'smallest effect');
    is($summary->{differences}, $differences, 'with the differences');
};

subtest 'a problem' => sub {
    is(scalar problem($differences), undef, 'none in quiet runs');
    like(problem([]), qr/no test was measured/, 'nothing to compare');
    my @busy = map { { %{$_}, disturbed => 1 } } @{$differences};
    like(problem(\@busy), qr/^3 of its 3 results are disturbed/, 'disturbed results');
    my @absurd = map { { %{$_}, consecutive => 2.367 } } @{$differences};
    like(problem(\@absurd), qr/^equals differed by 237 %/, 'a difference between equals of 237 %');
};
done_testing;
