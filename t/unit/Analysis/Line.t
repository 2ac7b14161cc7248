# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Sweep qw(line);

sub line_through { my ($x, @passes) = @_; return scalar line(x => $x, passes => \@passes) }

subtest 'an exact line' => sub {
    my $line = line_through([ 0, 1, 2, 10 ], map { [ (5 + 3 * $_) x 9 ] } 0, 1, 2, 10);
    my %expected = (slope => 3, intercept => 5, low => 3, high => 3, r2 => 1);
    is(sprintf('%.9f', $line->{$_}), sprintf('%.9f', $expected{$_}), $_) for sort keys %expected;
};

subtest 'one disturbed point does not move it' => sub {
    my @y = map { 5 + 3 * $_ } 0 .. 8;
    $y[4] *= 10;
    my $line = line_through([ 0 .. 8 ], map { [ ($_) x 9 ] } @y);
    is(sprintf('%.6f', $line->{slope}), '3.000000', 'slope');
    is(sprintf('%.6f', $line->{intercept}), '5.000000', 'intercept');
    cmp_ok($line->{r2}, '<', 0.9, 'r2 shows it');
};

subtest 'distant points determine the slope' => sub {
    my $line = line_through([ 0, 1, 2, 100 ], [0], [5], [-5], [100]);
    is($line->{slope}, 1, 'slope');
};

subtest 'interval' => sub {
    my @passes = map {
        my $x = $_;
        [ map { 100 + 10 * $x + $_ } -4 .. 4 ]
    } 1 .. 5;
    my $line = line_through([ 1 .. 5 ], @passes);
    cmp_ok($line->{low}, '<', 10, 'its lower end is below the slope');
    cmp_ok($line->{high}, '>', 10, 'its upper end is above it');
    is_deeply(line_through([ 1 .. 5 ], @passes), $line, 'the same at every call');
};

subtest 'no interval under six passes' => sub {
    my @passes = map {
        my $x = $_;
        [ map { 100 + 10 * $x + $_ } 1 .. 6 ]
    } 1 .. 4;
    ok(defined line_through([ 1 .. 4 ], @passes)->{low}, 'six of each');
    pop @{ $passes[2] };
    my $line = line_through([ 1 .. 4 ], @passes);
    is_deeply([ @{$line}{qw(low high)} ], [ undef, undef ], 'five of one');
    cmp_ok(abs($line->{slope} - 10), '<', 1, 'the slope is there');
};

subtest 'where there is no line' => sub {
    is(line_through([ 1, 2 ], [1], [2]), undef, 'two values');
    is(line_through([ 4, 4, 4 ], [1], [2], [3]), undef, 'all at one x');
    is(line_through([ 1 .. 3 ], [7], [7], [7])->{r2}, undef, 'no r2 where all times are equal');
};
done_testing;
