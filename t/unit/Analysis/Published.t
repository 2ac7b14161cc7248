# SPDX-License-Identifier: GPL-2.0-or-later
# Claims of published experiments are judged by planted times.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Points qw(found judged unmet);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Report::Published qw(counts);

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $folder = scratch();
my @ORDER = (0, 3, -2, 4, -1, -4, 2, -3, 1);    # of nine passes

# An experiment with these lines, and its run in which a point takes these microseconds
sub repeated {
    my ($lines, $us, %with) = @_;
    spew("$folder/x.txt", "title T\nsource S\n$lines");
    my $experiment = SpawnMeter::Catalog::Experiments::named($ROOT, "$folder/x.txt");
    my ($cells, $head) = SpawnMeter::Catalog::Experiments::cells($experiment, $tests, 2);
    my $spread = $with{spread} || 0.001;
    my @passes = map {
        my $cell = $_;
        my $time = $us->{"$cell->{series} $cell->{value}"};
        map { pass_of($cell, $time * (1 + $spread * $_)) } @ORDER[ 0 .. ($with{passes} || 9) - 1 ];
    } grep { $us->{"$_->{series} $_->{value}"} } @{$cells};
    return ($experiment, { passes => \@passes, sweep => $head });
}

our $throttled = 0;

sub pass_of {
    my ($cell, $us) = @_;
    my %result = (count => 100, time => $us / 1e4, creating => $us / 2e4, fault => [ 3, 700, 800 ]);
    return {
        status  => 'ok',
        test    => $cell->{series},
        value   => $cell->{value},
        copies  => 1,
        rate    => 1e6 / $us,
        machine => { throttled => $throttled },
        results => [ \%result ]
    };
}

sub claims {
    my ($lines, $us, %with) = @_;
    my ($experiment, $run) = repeated($lines, $us, %with);
    my $facts = { cpus_usable => 2, system => 'Linux' };
    return grep { $_->{kind} } @{ judged($experiment, found($experiment, $run), $facts) };
}

my $MEASURE = "measure fork vfork | --heap VALUE | 0 1M\nclaim C\n";
my %US = ('fork 0' => 100, 'fork 1M' => 200, 'vfork 0' => 50);

subtest 'each form agrees, differs, is inconclusive' => sub {
    my %expected = (
        'ratio fork 1M / fork 0 > 1.5'                   => 'agrees',
        'ratio fork 1M / fork 0 > 2.5'                   => 'differs',
        'ratio fork 1M / fork 0 > 2'                     => 'inconclusive',
        'ratio fork 1M / fork 0 < 2.5'                   => 'agrees',
        'ratio fork 1M / fork 0 < 1.5'                   => 'differs',
        'ratio fork 1M / fork 0 < 2'                     => 'inconclusive',
        'ratio fork 1M / fork 0 = 2 within 10 %'         => 'agrees',
        'ratio fork 1M / fork 0 = 3 within 10 %'         => 'differs',
        'ratio fork 1M / fork 0 = 1 within 10 %'         => 'differs',
        'ratio fork 1M / fork 0 = 1 within 99 %'         => 'differs',
        'ratio fork 1M / fork 0 = 4 within 50 %'         => 'inconclusive',
        'slope fork 0 .. fork 1M > 0.05 ms'              => 'agrees',
        'slope fork 0 .. fork 1M > 200 us'               => 'differs',
        'slope fork 0 .. fork 1M > 100 us'               => 'inconclusive',
        'slope fork 0 .. fork 1M = 100000 ns within 5 %' => 'agrees',
        'slope vfork 0 .. fork 1M < 0.1 ms'              => 'differs',
    );
    my @texts = sort keys %expected;
    my @claims = claims(join("\n", $MEASURE, @texts), \%US);
    is_deeply({ map { $texts[$_] => $claims[$_]{verdict} } 0 .. $#texts }, \%expected, 'verdicts');
    my ($ratio) = grep { $_->{words} eq 'fork 1M / fork 0 > 1.5' } @claims;
    my ($value, $low, $high) = @{ $ratio->{here} };
    ok(abs($value - 2) < 1e-6 && $low < 2 && 2 < $high && $high < 2.1, 'the ratio')
        or diag explain $ratio->{here};
    my ($slope) = grep { $_->{words} eq 'fork 0 .. fork 1M > 0.05 ms' } @claims;
    ok(abs($slope->{here}[0] - 100) < 1e-6, 'the slope: microseconds') or diag explain $slope;
    is(counts(@claims), "\nagrees: 5\ndiffers: 7\ninconclusive: 4\n", 'how many');
};

subtest 'wide intervals, and too little' => sub {
    my $text = $MEASURE . 'ratio fork 1M / fork 0 > 1.9';
    my ($sure) = claims($text, \%US);
    my ($wide) = claims($text, \%US, spread => 0.05);
    my ($few) = claims($text, \%US, passes => 2);
    is_deeply([ map { $_->{verdict} } $sure, $wide, $few ],
        [qw(agrees inconclusive inconclusive)], 'verdicts');
    is(scalar @{ $few->{here} }, 1, 'too few passes: no interval');
    local $throttled = 1;
    my ($disturbed) = claims($text, \%US);
    is_deeply(
        [ @{$disturbed}{qw(verdict why)} ],
        [ 'inconclusive', 'most passes of a point are disturbed' ],
        'no verdict on disturbed points'
    );
    local $throttled = 0;
    my ($none) = claims("${MEASURE}ratio vfork 1M / vfork 0 > 1", \%US);
    is($none->{verdict}, 'not measured', 'a point that was not measured');
    my ($many) = claims("$text | needs 4 CPUs", \%US);
    is_deeply(
        [ @{$many}{qw(verdict why)} ],
        [ 'not measured', 'needs 4 CPUs, 2 usable here' ],
        'too few CPUs'
    );
    my ($mac) = claims("needs macOS\n$text", \%US);
    is($mac->{why}, 'needs macOS, this is Linux', 'another system');
    is(unmet(['macOS'], { system => 'Darwin' }), undef, 'this system');
    is(unmet([ '4 CPUs', 'Linux' ], {}), undef, 'a fact that is unknown is no reason');
};

subtest 'other quantities' => sub {
    my ($rate) = claims("quantity rate\n${MEASURE}ratio vfork 0 / fork 0 = 2 within 5 %", \%US);
    is($rate->{verdict}, 'agrees', 'rates: the faster over the slower');
    my $parts = <<'END';
part made | M
quantity creating
measure fork | VALUE | 0=
part all | A
measure fork | VALUE | 0=
claim C
ratio all fork 0 / made fork 0 = 2 within 1 %
END
    my ($both) = claims($parts, { map { $_ => 100 } 'fork made 0', 'fork all 0' });
    is($both->{verdict}, 'agrees', 'of two parts, each with its own');
    for my $of ([ fault => 0.7 ], [ creating => 50 ], [ exiting => 50 ], [ rate => 100 ]) {
        my ($experiment, $run) = repeated("quantity $of->[0]\n$MEASURE", \%US, spread => 1e-9);
        my $point = found($experiment, $run)->{points}{fork}{0};
        cmp_ok(abs($point->{time_us} / $of->[1] - 1), '<', 1e-6, "$of->[0]: microseconds");
    }
};

done_testing;
