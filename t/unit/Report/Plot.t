# SPDX-License-Identifier: GPL-2.0-or-later
# The data that gnuplot draws a sweep from.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Plot qw(bars);

sub point { my ($us, %with) = @_; return { status => 'ok', time_us => $us, %with } }

# A sweep of these values with these times of fork and vfork -> its figures by form
sub figures {
    my ($x, $fork, $vfork, %with) = @_;
    my @labels = map { "v$_" } 0 .. $#{$x};
    my %points = (
        fork  => { map { $labels[$_] => point($fork->[$_], %{ $with{point} || {} }) } 0 .. $#{$x} },
        vfork => { map { $labels[$_] => point($vfork->[$_]) } 0 .. $#{$x} },
    );
    my $run = {
        sweep => {
            title  => 'Title',
            axis   => 'size, bytes',
            values => \@labels,
            x      => $x,
            series => [qw(fork vfork)],
        },
        host    => 'here',
        started => 1_195_000_000,
        system  => { cpu_model => 'A CPU', system => 'Linux', kernel_release => '6.1' },
    };
    my $analysis = {
        points => \%points,
        lines  => $with{lines} || {},
        per    => { amount => 1024**2, words => 'per MB' }
    };
    return map { $_->{form} => $_ } @{ SpawnMeter::Report::Plot::figures($run, $analysis) };
}

sub argument { my ($figure, $i) = @_; return (SpawnMeter::Report::Plot::arguments($figure))[$i] }

# The blocks of the data, as lists of lines
sub blocks {
    my ($figure) = @_;
    return map { [ split /\n/ ] } split /\n\n\n/, SpawnMeter::Report::Plot::data($figure);
}

my %BY_LINE =
    (lines => { fork => { slope => 1e-5, low => 9e-6, high => 1.1e-5, intercept => 100 } },);
my @MEMORY = ([ 0, 2**20, 2**30 ], [ 100, 110, 9000 ], [ 40, 40, 41 ]);

subtest 'categories' => sub {
    my %of = figures([ undef, undef ], [ 100, 300 ], [ 50, 60 ]);
    my @blocks = blocks($of{names});
    like($blocks[0][1], qr/^100,0,100,100$/, 'times are along x, rows along y');
    is_deeply(
        $blocks[3],
        [ '0,v0: fork', '-1,v0: vfork', '-2,v1: fork', '-3,v1: vfork' ],
        'the names are the ticks of y'
    );
    my $numbers = argument($of{names}, 3);
    like($numbers, qr/^2 names 1 /, 'times of more than four times: logarithmic');
    %of = figures([ undef, undef ], [ 100, 130 ], [ 90, 95 ]);
    like(argument($of{names}, 3), qr/^2 names 0 0 /, 'else a linear axis that begins at 0');
};

subtest 'numbers' => sub {
    my %of = figures(@MEMORY);
    my @blocks = blocks($of{log});
    my @zero = split /,/, $blocks[0][1];
    is($zero[0], 2**20 / 4, 'the place of 0 is a quarter of the smallest value');
    is($blocks[0][2], q{}, 'no line from 0 to the next value: the axis is broken');
    is_deeply([ map { (split /,/)[1] } @{ $blocks[2] } ],
        [qw(v0 v1 v2)], 'its ticks are the values');
    my (undef, undef, $log, $x1, $x2, $y1, $y2, undef, $broken) = split q{ }, argument($of{log}, 3);
    ok($broken > 2**18 && $broken < 2**20, 'the axis is broken between 0 and the next value');
    ok($y1 > 20 && $y2 < 20_000, 'no empty decades');
    is_deeply([ map { (split /,/)[1] } @{ $blocks[3] } ],
        [qw(100us 1ms 10ms)], 'the ticks of y have one notation');
    is(
        argument($of{log}, 1),
        'here, A CPU, Linux 6.1, 2007-11-14',
        'the picture names machine and date'
    );
};

subtest 'straight lines' => sub {
    my %of = figures(@MEMORY, %BY_LINE);
    is_deeply([ sort keys %of ], [qw(linear log)], 'a second picture, with linear axes');
    my @blocks = blocks($of{linear});
    is($blocks[0][0], 'fork: 10.5us per MB', 'the slope stands in the picture');
    is_deeply($blocks[2], [ '0,v0', '1073741824,v2' ], 'ticks of x');
    is_deeply($blocks[5], [ '0,100', '1073741824,10837.41824' ], 'both ends of the line');
    like(argument($of{linear}, 3), qr/^2 linear 0 0 \S+ 0 /, 'both axes begin at 0');
};

subtest 'disturbed times' => sub {
    my %of = figures(@MEMORY, point => { disturbed => 1 });
    my @blocks = blocks($of{log});
    is($blocks[4][0], 'disturbed (!)', 'the mark has a legend');
};

subtest 'nothing measured' => sub {
    is_deeply({ figures([1], [undef], [undef]) }, {}, 'no picture');
};

is(SpawnMeter::Report::Plot::literal('a\\042'), 'a\\\\042', 'gnuplot takes no escape');

my %sweep = (
    title  => 'Targets',
    axis   => 'target',
    values => [ 'a', 'a-name-of-more-than-twenty-letters' ],
    series => [qw(fork vfork)],
);
my %points = (
    fork => {
        a                 => { time_us => 100, time_low => 80, time_high => 120 },
        $sweep{values}[1] => { time_us => 50, disturbed => 1 },
    },
    vfork => { a => { status => 'failed' } },
);
my $text = bars(\%sweep, \%points);
like($text, qr/^a +fork +\|=+-+ 100us$/m, 'a bar with its interval');
like(
    $text,
    qr/^a-name-\S*\.\.\.\S*etters +fork +\|=+ 50\.0us!$/m,
    'a long name is shortened by its middle, a disturbed time is marked'
);
ok(!(grep { length > 78 } split /\n/, $text), 'no line is wider than 78 columns');
my ($bar) = $text =~ /^a .*\|(\S+) /m;
my ($half) = $text =~ /^a-name.*\|(\S+) /m;
cmp_ok(abs(length($half) / (length($bar) / 1.2) - 0.5), '<', 0.02, 'bars begin at 0');
is(bars(\%sweep, {}), q{}, 'nothing measured: nothing is drawn');
done_testing;
