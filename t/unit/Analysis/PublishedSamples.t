# SPDX-License-Identifier: GPL-2.0-or-later
# Each measure that a claim can be about is taken from the passes, and has words for titles.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Analysis::Published::Samples qw(samples);
use SpawnMeter::Analysis::Quantity           qw(words_of);
use SpawnMeter::Catalog::Published::Claim    ();

my %start = (first => 11, main => 12, end => 13, loader => 14, libc => 15, ending => 16);
my %result = (
    count    => 10,
    time     => 0.02,
    cpu      => [ 0.001, 0.002, 0.003, 0.004 ],
    creating => 0.005,
    fault    => [ 3, 700, 800 ],
    stall    => [ 41, 42, 43, 44, 45 ],
    start    => { map { $_ => [ $start{$_} ] } keys %start },
);
my @passes = map { {
    status  => 'ok',
    test    => 'fork',
    copies  => 1,
    value   => '1G',
    rate    => $_,
    results => [ {%result} ]
} } 500, 1000;
my %expected = (
    time     => [ 2000, 1000 ],
    rate     => [ 0.0005, 0.001 ],
    cpu      => [ 1000, 1000 ],
    creating => [ 500, 500 ],
    fault    => [ 0.7, 0.7 ],
    stall    => [ 41, 41 ],
    map { $_ => [ ($start{$_}) x 2 ] } keys %start
);
my $sample = samples({ passes => \@passes }, { fork => { '1G' => { effective => 2 } } });
my @measures = SpawnMeter::Catalog::Published::Claim::measures();
is_deeply(\@measures, [ sort keys %expected ], 'the measures of claims');

for my $measure (@measures) {
    my $of = $sample->($measure, 'fork', '1G');
    is_deeply([ map { sprintf '%.9g', $_ } @{ $of->{values} } ],
        $expected{$measure}, "$measure: of each pass");
    like(words_of($measure), qr/^\w.{5}/, "$measure: words of titles");
}

my @quiet = ($passes[0]) x 9;
my $stolen = { %{ $passes[1] }, machine => { steal => 0.5 } };
my $of = samples({ passes => [ @quiet, $stolen ] }, {})->('rate', 'fork', '1G');
is_deeply($of->{values}, [ (0.0005) x 9 ], 'a flagged pass does not count');
is(scalar $sample->('time', 'vfork', '1G'), undef, 'nothing where nothing was measured');
done_testing;
