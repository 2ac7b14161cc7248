# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Results qw(results);
use SpawnMeter::Analysis::Score   qw(blocks);
use SpawnMeter::Util::File        qw(encode);

sub passes {
    my ($test, $copies, @rates) = @_;
    return map { {
        test    => $test,
        copies  => $copies,
        status  => 'ok',
        rate    => $_,
        unit    => 'lps',
        wall    => 0.3,
        results => [ { count => $_ / 4, timebase => 1, time => 0.25 } ]
    } } @rates;
}

my %run = (
    settings   => { name => 'settle', precision => 0.03 },
    categories => [ { name => 'c', title => 'Cat Benchmarks', tests => [] } ],
    tests      => [
        { name => 'a', title => 'Aa', category => 'c' },
        { name => 'b', title => 'Bb', category => 'c' }
    ],
    blocks => [ { copies => 1, started => 0, ended => 1 } ],
    passes => [
        passes('b', 1, map { 100 + $_ } 1 .. 12),
        passes('a', 1, map { 1000 * (1 + ($_ % 2)) } 1 .. 12),
    ],
);
my ($a, $b) = @{ results(\%run) };
is($b->{best}, 112, 'the best pass');
is_deeply([ $b->{precise}, $a->{precise} ], [ 1, 0 ], 'within 3 % or not: settled or not');

my ($only) = @{ results({ %run, passes => [ passes('a', 1, 1 .. 6) ] }) };
is(encode([ $only->{copies} ]), '[1]', 'the number of copies is a number in JSON');

# 'f' is a flagged pass, '.' another one
sub disturbed {
    my ($passes) = @_;
    my @all = passes('a', 1, (1000) x length $passes);
    $all[$_]{machine}{steal} = substr($passes, $_, 1) eq 'f' ? 0.1 : 0 for 0 .. $#all;
    return results({ %run, passes => \@all })->[0];
}

subtest 'disturbed results' => sub {
    my %reason = (
        'f........'        => 'one flagged, under 9 others',
        'fff.........'     => 'over 20 % flagged, 9 others',
        'f' x 9            => 'all flagged',
        'f' x 5 . '.' x 19 => '20.8 % flagged, 19 others',
    );
    is(disturbed($_)->{disturbed}, 1, "disturbed: $reason{$_}") for sort keys %reason;
    my %quiet = (
        'f.........'      => '10 % flagged, 9 others',
        'ff.........'     => 'under 20 % flagged, 9 others',
        'fff............' => '20 % flagged, 12 others',
    );
    is(disturbed($_)->{disturbed}, 0, "not disturbed: $quiet{$_}") for sort keys %quiet;
    my $result = disturbed('ff..........');
    is_deeply([ @{$result}{qw(passes used flagged)} ], [ 12, 10, 2 ],
        'flagged passes are left out');
    is_deeply($result->{reasons}, { 'CPU time stolen by the host' => 2 }, 'reasons');
    is(disturbed('f........')->{used}, 9, 'they count where under 9 others are left');
};
subtest '--count of a few creations gives no index' => sub {
    my @run = map { { %run, settings => { %{ $run{settings} }, counted => $_ } } } 99, 100;
    my @tables = map { blocks($_, { baseline => { a => 100 }, all => {} })->[0]{tables} } @run;
    is_deeply($tables[0], [], 'below 100');
    is(scalar @{ $tables[1] }, 1, 'from 100 on there is one');
};
subtest 'two speeds' => sub {
    my @rates = map { (1000, 1500)[ $_ * 7 % 5 % 2 ] * (1 + $_ * 3 % 7 / 1000) } 1 .. 35;
    my @passes = passes('a', 1, @rates);
    $passes[$_]{at} = $_ for 0 .. $#passes;
    my ($two) = @{ results({ %run, passes => \@passes }) };
    my @found = map { sprintf '%.0f %.1f', @{$_}{qw(rate share)} } @{ $two->{speeds} || [] };
    is_deeply(\@found, [ '1003 0.6', '1504 0.4' ], 'the rate and the share of each');
};

# The loops beside passes, by the mark of the test and in runs that have none
for my $case (
    [ pipe => undef, 0 ],
    [ fork => undef, 1 ],
    [ pipe => 0, 1 ],
    [ fork => 1, 0 ],
    [ fork => 0, 1, 6 ],
    [ fork => 0, 0, 5 ]
) {
    my ($test, $mark, $expected, $number) = @{$case};
    my @all = passes($test, 1, map { 1000 + 10 * ($_ % 3) } 1 .. ($number || 9));
    for my $i (0 .. $#all) {
        my @loops = map { { page_faults => 500 + $i, sparse_faults => 500 + $i } } 1, 2;
        $all[$i]{at} = $i;
        $all[$i]{results}[0]{references} = \@loops;
    }
    my %marked = (%run, tests => [ { name => $test, no_process => $mark } ], passes => \@all);
    my ($result) = @{ results(\%marked) };
    is(defined $result->{drift_corrected} ? 1 : 0,
        $expected, "$test, mark " . ($mark // 'unknown') . ', passes: ' . @all);
}

done_testing;
