# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Report::Plot qw(bars);

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
    qr/^a-name-of[^ ]*\.\.\.[^ ]*letters +fork +\|=+ 50\.0us!$/m,
    'a long name is shortened by its middle, a disturbed time is marked'
);
unlike($text, qr/vfork +\|/, 'no bar where nothing was measured');
like($text, qr/; !: disturbed$/m, 'the mark has a legend');
ok(!(grep { length > 78 } split /\n/, $text), 'no line is wider than 78 columns');
my ($bar) = $text =~ /^a .*\|(\S+) /m;
my ($half) = $text =~ /^a-name.*\|(\S+) /m;
cmp_ok(abs(length($half) / (length($bar) / 1.2) - 0.5), '<', 0.02, 'bars begin at 0');
is(bars(\%sweep, {}), q{}, 'nothing measured: nothing is drawn');
done_testing;
