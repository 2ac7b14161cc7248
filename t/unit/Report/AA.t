# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Report::AA;

my %row = (
    test        => "f\e",
    copies      => 1,
    unit        => 'lps',
    a           => 9000,
    b           => 9045,
    c           => 8910,
    interleaved => 0.005,
    consecutive => -0.01
);
my $text = SpawnMeter::Report::AA::render({
    differences     => [ \%row ],
    interleaved     => { median => 0.005, largest => 0.006 },
    consecutive     => { median => 0.01, largest  => 0.02 },
    smallest_effect => 0.02
});
like($text, qr{^  f\\x1b +1 +9000/s +9045/s +8910/s +\+0\.5% +-1\.0%$}m, 'a row');
like($text, qr/^Difference between consecutive runs: median 1\.0 %, largest 2\.0 %\.$/m, 'spread');
like($text, qr/^Smallest significant difference between two runs here: 2\.0 %\.$/m, 'the result');
ok(!(grep { length > 80 } split /\n/, $text), 'no line is wider than 80 columns');
like(
    SpawnMeter::Report::AA::render({ differences => [] }),
    qr/nothing to compare/,
    'a run without three measurements of a test'
);
done_testing;
