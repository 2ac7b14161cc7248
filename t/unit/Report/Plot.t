# SPDX-License-Identifier: GPL-2.0-or-later
# The data that gnuplot draws a sweep from.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Plot;

sub point { my ($us, %with) = @_; return { status => 'ok', time_us => $us, %with } }

# A sweep of these values with these times of fork and vfork -> its figure
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
    return SpawnMeter::Report::Plot::figure($run, $analysis);
}

# The blocks of the data, as lists of lines
sub blocks {
    my ($figure) = @_;
    return map { [ split /\n/ ] } split /\n\n\n/, SpawnMeter::Report::Plot::data($figure);
}

my %BY_LINE =
    (lines => { fork => { slope => 1e-5, low => 9e-6, high => 1.1e-5, intercept => 100 } },);
my @MEMORY = ([ 0, 2**20, 2**30 ], [ 100, 110, 9000 ], [ 40, 40, 41 ]);

subtest 'the title of a page' => sub {
    my %sweep =
        (name => 'memory', title => 'Title', axis => 'size', values => [0], series => ['fork']);
    my $title = sub {
        my %line = (intercept => 100, slope => 3e-5, low => 2.9e-5, high => 3.1e-5, r2 => 1);
        my %analysis = (points => { fork => { 0 => point(100, @_) } }, lines => { fork => \%line });
        $analysis{per} = { amount => 1024**2, words => 'per MB' };
        my %part = (run => { sweep => { %sweep, x => [0] } }, analysis => \%analysis);
        return SpawnMeter::Report::Plot::page(undef, [], \%part)->{title};
    };
    is($title->(), 'fork costs 31.5us for each MB (30.4us to 32.5us)', 'what the sweep shows');
    my $neutral = 'Title: time of one process, by size';
    is($title->(busy => 1.5, disturbed => 1, flagged => 0, passes => 9),
        $neutral, 'nothing beside other work');
};

subtest 'categories' => sub {
    my $names = figures([ undef, undef ], [ 100, 300 ], [ 50, 60 ]);
    my ($fork, undef, $line, undef, $times, $rows) = blocks($names);
    like($fork->[1], qr/^(\d+),(\d+),\1,\1,\2,\2,0$/, 'times are along x, rows along y');
    is("@{$line}", 'NaN,NaN', 'no line joins them');
    is_deeply(
        [ map { (split /,/)[1] } @{$rows} ],
        [ 'v0: fork', 'v0: vfork', 'v1: fork', 'v1: vfork' ],
        'the names are the ticks of y'
    );
    is("@{$times}[0, -1]", '113,50us 712,200us', 'times of more than four times: logarithmic');
    ($fork, undef, undef, undef, $times) =
        blocks(figures([ undef, undef ], [ 100, 130 ], [ 90, 95 ]));
    is($times->[0], '0,0', 'else a linear axis that begins at 0');
};

subtest 'numbers' => sub {
    my $figure = figures(@MEMORY);
    my ($fork, undef, $line, undef, $x, $y) = blocks($figure);
    like($fork->[1], qr/^0,/, '0 stands at the left end of a logarithmic axis');
    is(scalar @{$line}, 3, 'a line from point to point');
    is_deeply([ map { (split /,/)[1] } @{$x} ], [qw(v0 v1 v2)], 'its ticks are the values');
    is_deeply(
        [ map { (split /,/)[1] } @{$y} ],
        [qw(100us 1ms 10ms)],
        'those of y have one notation'
    );
    is($figure->{under}, 'here, A CPU, Linux 6.1, 2007-11-14', 'it names machine and date');
};

subtest 'straight lines' => sub {
    my ($figure) = figures(@MEMORY, %BY_LINE);
    my ($fork, undef, $line) = blocks($figure);
    is($fork->[0], 'fork: 10.5us per MB', 'the slope stands in the picture');
    my @fork = split /,/, $fork->[-1];
    like($line->[-1], qr/^$fork[0],/, 'the line ends where the points end');
    is(scalar @{ $figure->{series}[0]{lines} }, 3, 'it and both ends of its interval');
};

subtest 'disturbed times' => sub {
    my ($fork, $vfork) = blocks(figures(@MEMORY, point => { disturbed => 1 }));
    like($fork->[1], qr/,1$/, 'have a mark');
    like($vfork->[1], qr/,0$/, 'and no others');
};

is(figures([1], [undef], [undef]), undef, 'nothing measured: no picture');
is(SpawnMeter::Report::Plot::literal('a\\042'), 'a\\\\042', 'gnuplot takes no escape');

done_testing;
