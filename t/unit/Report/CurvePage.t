# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a sweep, its picture, and what gnuplot is told.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Command::Output::Series;
use SpawnMeter::Report::Curve qw(drawn page);

sub point { my ($us, %with) = @_; return { status => 'ok', time_us => $us, %with } }

# A run of a sweep of these values
sub run_of {
    my ($x) = @_;
    my %sweep = (title => 'Title', axis => 'size, bytes', x => $x, series => [qw(fork vfork)]);
    $sweep{values} = [ map { "v$_" } 0 .. $#{$x} ];
    my %system = (cpu_model => 'A CPU', system => 'Linux', kernel_release => '6.1');
    return { sweep => \%sweep, host => 'here', started => 1_195_000_000, system => \%system };
}

# Its picture, with these times of fork and vfork
sub picture {
    my ($x, $fork, $vfork, %with) = @_;
    my %point = %{ $with{point} || {} };
    my %points = (
        fork  => { map { ("v$_" => point($fork->[$_], %point)) } 0 .. $#{$x} },
        vfork => { map { ("v$_" => point($vfork->[$_])) } 0 .. $#{$x} },
    );
    return drawn(run_of($x), { points => \%points, lines => {} });
}

my @MEMORY = ([ 0, 2**20, 2**30 ], [ 100, 110, 9000 ], [ 40, 40, 41 ]);

subtest 'the title of a page' => sub {
    my %sweep =
        (name => 'memory', title => 'Title', axis => 'size', values => [0], series => ['fork']);
    my $title = sub {
        my %line = (intercept => 100, slope => 3e-5, low => 2.9e-5, high => 3.1e-5, r2 => 1);
        my %analysis = (points => { fork => { 0 => point(100, @_) } }, lines => { fork => \%line });
        $analysis{per} = { amount => 1024**2, words => 'per MB' };
        my %part = (run => { sweep => { %sweep, x => [0] } }, analysis => \%analysis);
        return page(undef, [], \%part)->{title};
    };
    is($title->(), 'fork costs 31.5us for each MB (30.4us to 32.5us)', 'what the sweep shows');
    my $neutral = 'Title: time of one process, by size';
    is($title->(busy => 1.5, disturbed => 1, flagged => 0, passes => 9),
        $neutral, 'nothing beside other work');
};

# The texts below or beside the axes of a picture
sub ticks {
    my ($html, $class) = @_;
    my ($texts) = $html =~ m{<g class="$class">(.*?)</g>}s;
    return [ $texts =~ m{<text[^>]*>(.*?)</text>}g ];
}

subtest 'categories' => sub {
    my $names = picture([ undef, undef ], [ 100, 300 ], [ 50, 60 ]);
    my @texts = $names =~ m{>(v\d|v?fork)</text>}g;
    is("@texts", 'v0 fork vfork v1 fork vfork', 'a row for each value and series');
    is_deeply(ticks($names, 'under'), [qw(50us 100us 200us)], 'a logarithmic axis');
    my $near = picture([ undef, undef ], [ 100, 130 ], [ 90, 95 ]);
    is(ticks($near, 'under')->[0], '90us', 'else a linear one');
};

subtest 'numbers' => sub {
    my $html = picture(@MEMORY);
    is_deeply(ticks($html, 'under'), [qw(v0 v1 v2)], 'the ticks of x are the values');
    is_deeply(ticks($html, 'left'), [qw(100us 1ms 10ms)], 'those of y have one notation');
    my $near = picture([ 0, 1 ], [ 100, 130 ], [ 90, 95 ]);
    is(ticks($near, 'left')->[0], '0us', 'a linear axis begins at 0');
};

like(picture(@MEMORY, point => { disturbed => 1 }), qr/class="k0 dot hole"/, 'disturbed times');
is(picture([1], [undef], [undef]), q{}, 'nothing measured: no picture');
is_deeply(
    [ SpawnMeter::Command::Output::Series::arguments(run_of([ 0, 1 ])) ],
    [
        'Title', 'here, A CPU, Linux 6.1, 2007-11-14',
        'size, bytes', 'time of one process',
        2, 'numbers'
    ],
    'gnuplot is told machine and date'
);

done_testing;
