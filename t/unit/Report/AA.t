# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Report::AA;

my %row = (
    test     => "f\e",
    copies   => 1,
    unit     => 'lps',
    rate     => 9000,
    pairs    => 0.012,
    largest  => 0.034,
    level    => 0.01,
    smallest => 0.031,
    of_all   => 0.052,
);
my %summary = (rows => [ \%row ], runs => 8, disturbed => 0);
my $text = SpawnMeter::Report::AA::render(\%summary);
like($text, qr{^  f\\x1b +1 +9000/s +1\.2% +3\.4% +1\.0% +3\.1% +5\.2%$}m, 'a row');
like($text, qr/^The same tests in 8 short runs, one after the other\.$/m, 'how many runs');
ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80 columns');
unlike($text, qr/disturbed|NOT USED/, 'no warning of a quiet run');
unlike($text, qr/^Steadied/m, 'no table of steadied results without them');
my %steadied = (
    rate     => 8800,
    pairs    => 0.002,
    largest  => 0.005,
    level    => 0.003,
    smallest => 0.01,
    of_all   => 0.02
);
my @rows = (\%row, { %row, test => 'fork', steadied => \%steadied });
my $both = SpawnMeter::Report::AA::render({ %summary, rows => \@rows }, least => 0.018);
my ($raw, $of_steadied) = split /^Steadied, as compare judges runs of one kernel:$/m, $both;
like($raw, qr{^  fork +1 +9000/s +1\.2% +3\.4% +1\.0% +3\.1% +5\.2%$}m, 'raw results');
like($of_steadied, qr{^  fork +1 +8800/s +0\.2% +0\.5% +0\.3% +1\.0% +2\.0%$}m, 'steadied ones');
like($of_steadied, qr/^Steadied levels count as 1\.8 % at least:/m, 'what is taken at least');
ok(!(grep { length > 80 } split /\n/, $both), 'no line is wider than 80 columns');
unlike($of_steadied, qr/x1b/, 'only of tests that are steadied');
my $busy = SpawnMeter::Report::AA::render(
    { %summary, disturbed => 3 },
    further => 5,
    problem => 'equal runs differed by 90 %'
);
like($busy, qr/, and in 5 stored runs\.$/m, 'stored runs');
like($busy, qr/^3 results are disturbed and left out\.$/m, 'disturbed results');
like($busy, qr/^\*\*\* NOT USED by compare: equal runs differed by 90 %\.$/m, 'a banner');
my $none = SpawnMeter::Report::AA::render({ %summary, rows => [] });
like($none, qr/nothing to compare/, 'no rows');
my @unknown = ({ %row, smallest => undef, of_all => undef });
my $little = SpawnMeter::Report::AA::render({ %summary, rows => \@unknown });
like($little, qr/ 1[.]0% +- +-$/m, 'too little is known of the level');
like($little, qr/^-: too little is known of the level; take a longer --max-time[.]$/m, 'says so');
ok(!(grep { length > 80 } split /\n/, $none . $little), 'no line is wider than 80 columns');

for my $rows ([], [ \%row ]) {
    my $stopped = SpawnMeter::Report::AA::render({ %summary, rows => $rows },
        incomplete => "stopped by SIGINT\e");
    like($stopped, qr/^INCOMPLETE: stopped by SIGINT\\x1b$/m, 'an incomplete run says why');
}
unlike($none . $text, qr/INCOMPLETE/, 'others do not');
done_testing;
