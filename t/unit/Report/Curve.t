# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Curve;

my %sweep = (
    name   => 's',
    title  => 'Title',
    axis   => 'size, bytes',
    values => [ '0', 'a,b' ],
    x      => [ 0, 4096 ],
    series => [ 'fork', 'vfork' ]
);
my %points = (
    fork => {
        '0' => {
            status     => 'ok',
            time_us    => 100,
            time_low   => 99,
            time_high  => 101,
            plus_minus => 0.01
        },
        'a,b' => { status => 'failed', reason => 'bad' },
    },
    vfork => { '0' => { status => 'ok', time_us => 40 } },
);
my %analysis = (
    points => \%points,
    lines  => { fork   => { slope => 0.001, low => -0.0001, high => 0.002 } },
    per    => { amount => 1024, words => 'per KB' },
);
my %run = (sweep => \%sweep, complete => 0);
my $text = SpawnMeter::Report::Curve::text(\%run, \%analysis);
like($text, qr/^fork, a,b: failed: bad$/m, 'the reason');
like($text, qr/^vfork, a,b: not measured$/m, 'a cell that is missing');
{
    local $analysis{lines} = { fork => { slope => 0.001, r2 => 0.5 } };
    my $few = SpawnMeter::Report::Curve::text(\%run, \%analysis);
    like($few, qr/^fork +1\.02us per KB \(too few passes\), R2 0\.5000$/m, 'without an interval');
    $analysis{lines}{fork}{r2} = -0.4;
    unlike(SpawnMeter::Report::Curve::text(\%run, \%analysis),
        qr/^fork.*R2/m, 'a line that explains nothing');
}

{
    local $points{fork}{0}{disturbed} = 1;
    local $points{vfork}{0}{busy} = 1.4;
    like(
        SpawnMeter::Report::Curve::text(\%run, \%analysis),
        qr/^0 +100us [+]\/-1[.]0%! +40[.]0us[*]$/m,
        'the signs of a report'
    );
}

{
    my %measured = (disturbed => 1, passes => 9, reasons => { throttled => 2 });
    local $points{fork}{0} = { %{ $points{fork}{0} }, %measured };
    my $text = SpawnMeter::Report::Curve::text(\%run, \%analysis);
    my $disturbed = 'DISTURBED: 1 of 1 times: throttled in 2 of 9 passes';
    like($text, qr/^\Q$disturbed\E/m, 'a published figure is no time that was measured');
}

{
    local $points{fork}{0}{plus_minus} = 2.85;
    my $unknown = SpawnMeter::Report::Curve::text(\%run, \%analysis);
    like($unknown, qr/^0 +[?] +40[.]0us$/m, 'an interval that is wider than the time');
    like($unknown, qr/^[?]: the interval /m, 'and what it means');
}

{
    local $points{fork}{'a,b'}{added} = [ 12.5, 9, 16 ];
    local $points{vfork}{'a,b'} = { status => 'ok', time_us => 37, added => [-3] };
    my $added = SpawnMeter::Report::Curve::text(\%run, \%analysis);
    like(
        $added,
        qr/^a,b +12[.]5us [(]9[.]00us to 16[.]0us[)] +-3[.]00us [(]too few passes[)]$/m,
        'what is added to "none", with its interval'
    );
}

$sweep{cells} = [ '0 fork', 'a,b fork', '0 vfork' ];
unlike(
    SpawnMeter::Report::Curve::text(\%run, \%analysis),
    qr/not measured/,
    'a cell that the experiment does not have is not missing'
);

subtest 'several copies at once' => sub {
    my %together = (%analysis, together => 1);
    local $points{fork}{0}{rate} = 40_000;
    my $table = SpawnMeter::Report::Curve::text(\%run, \%together);
    like($table, qr/^Title: time of one process, by size, bytes, as each copy or thread sees it$/m,
        'title');
    like($table, qr/^Rate of all copies or threads together\n\n.*\n0 +40000\/s +-$/m, 'the rates');
    my $csv = SpawnMeter::Report::Curve::csv(\%run, \%together);
    like($csv, qr/,fork rate,vfork rate\n0,0,.*,40000\.000,\n/, 'CSV: their columns are the last');
};

is(
    SpawnMeter::Report::Curve::claim_in_words({
        words => 'a / b > 1',
        kind  => 'ratio',
        here  => [ 36.9, 10.7, 127.7 ],
        why   => 'disturbed'
    }),
    'a / b > 1: 36.9 (10.7 to 127.7), disturbed',
    'a claim without a verdict: its interval stands beside its value'
);

done_testing;
