# SPDX-License-Identifier: GPL-2.0-or-later
# How often intervals hold the truth and equal groups are called different, in simulated runs of a
# fixed seed: so wide of what docs/method.md says that only another model fails.  For check-long.
use lib 't/lib';
use TestHelp;

sub simulated {
    my (@arguments) = @_;
    my $got = command({}, $^X, "$ROOT/bench/simulate.pl", @arguments);
    is($got->{status}, 0, "simulate.pl @arguments") or diag $got->{err};
    return $got->{out};
}

my @rows = grep { /[(][\d.]+ to [\d.]+[)]/ } split /\n/, simulated(200, 'intervals');
cmp_ok(scalar @rows, '>=', 10, 'kinds of noise');
for my $row (@rows) {
    my ($name) = $row =~ /^(.*?) {2,}/;
    my ($fixed, $settled) = $row =~ /([\d.]+) % [(]/g;
    cmp_ok($fixed, '>=', 75, "$name: a fixed number of passes");
    cmp_ok($settled, '>=', 75, "$name: until settled");
}

my $compared = simulated(100, 'compare');
my @false = $compared =~ /^  k = [2-9] +([\d.]+) +[\d.]+:/mg;    # docs have those of one run a side
cmp_ok(scalar @false, '>=', 20, 'kinds of runs that are compared');
is_deeply([ grep { $_ > 15 } @false ],
    [], 'tables of equal tests with a false call: 5 % and chance');
like(
    $compared,
    qr/^passes 3 %, no levels.*?^  k = 6 .*?: +\d+ (?:9\d|100) /ms,
    '5 % is found there'
);
done_testing;
