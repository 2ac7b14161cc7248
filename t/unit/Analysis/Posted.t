# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Posted  qw(printed_results misprints printed_baseline has_index);
use SpawnMeter::Analysis::Results qw(blocks);

my %EXECL = (
    test     => 'execl',
    title    => 'E',
    category => 'System Benchmarks',
    copies   => 1,
    rate     => 577.7,
    rounding => 0.05,
    baseline => 43,
    index    => 134.4,
    samples  => 2,
);
my %FORK = (
    test       => 'fork',
    title      => 'F',
    copies     => 1,
    rate       => 100,
    plus_minus => 0.1,
    floor      => 90,
    samples    => 12,
);

sub run_of {
    my (%with) = @_;
    return {
        categories => [ { name   => 'System Benchmarks', title => 'System Benchmarks' } ],
        blocks     => [ { copies => 1 } ],
        form       => '5',
        printed    => [ {%EXECL}, {%FORK} ],
        scores     => [ { title => 'System Benchmarks', copies => 1, score => 134.4 } ],
        %with
    };
}

sub misprints_of {
    my ($run) = @_;
    my $by = { baseline => printed_baseline($run), form => $run->{form}, all => {} };
    return misprints($run, blocks($run, $by));
}

subtest 'results' => sub {
    my ($execl, $fork) = @{ printed_results(run_of()) };
    is_deeply(
        [ @{$execl}{qw(passes used low)} ],
        [ 2, 0, undef ],
        'of a classic suite: no interval'
    );
    is_deeply(
        [ map { sprintf '%.0f', $_ } @{$fork}{qw(used low high)} ],
        [ 12, 90, 110 ],
        'our own: as printed'
    );
    ok(has_index($execl, { execl => 43 }), 'the printed index, by its own baseline');
    ok(!has_index($execl, { execl => 44 }), 'not by another one');
};

subtest 'scores' => sub {
    is_deeply([ misprints_of(run_of()) ], [], 'a score that follows');
    my ($wrong) = misprints_of(
        run_of(scores => [ { title => 'System Benchmarks', copies => 1, score => 140 } ]));
    is(sprintf('%.1f', $wrong->{computed}), '134.3', 'one that does not');
    my ($lost) = misprints_of(run_of(scores => [ { title => 'Other', copies => 1, score => 1 } ]));
    is($lost->{computed}, undef, 'one without a table');
    my @rows = (
        {
            test     => 'a',
            title    => 'A',
            copies   => 1,
            rate     => 10,
            baseline => 2,
            index    => 5,
            rounding => 0.05
        },
        {
            test     => 'b',
            title    => 'B',
            copies   => 1,
            rate     => 30,
            baseline => 2,
            index    => 15,
            rounding => 0.05
        },
    );
    my %old = (form => '3.11', printed => \@rows);
    is_deeply(
        [ misprints_of(run_of(%old, scores => [ { title => '4.1', copies => 1, score => 10 } ])) ],
        [],
        'of 3.11: the arithmetic mean of the ratios'
    );
};
done_testing;
