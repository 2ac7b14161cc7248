# SPDX-License-Identifier: GPL-2.0-or-later
# How much equal runs differ, from runs whose truth is known.
use lib 't/lib', 'bench';
use TestHelp;
use Simulation               qw(normal);
use SpawnMeter::Analysis::AA qw(sides summary);
use SpawnMeter::Report::AA;
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(3);

# Passes of a short run whose level is so much
sub passes {
    my ($side, $level) = @_;
    return map {
        my $test = $_;
        map { {
            test    => $test,
            copies  => 1,
            side    => $side,
            status  => 'ok',
            rate    => 1000 * $level * exp(0.01 * normal($random)),
            unit    => 'lps',
            wall    => 0.3,
            results => []
        } }
            1 .. 12
    } qw(a b c d);
}

my @levels = (1, 1.08, 0.94, 1.03, 0.97, 1.05, 0.92, 1.01);
my $run = {
    protocol => { name => 'settle', precision => 0.03, max_time => 4 },
    suite    => '1',
    system   => {},
    blocks   => [ { copies => 1 } ],
    tests    => [ map { { name => $_, title => $_ } } qw(a b c d) ],
    passes   => [ map { passes($_, $levels[ $_ - 1 ]) } 1 .. 8 ],
};
my $runs = sides($run, 'aa');
is(scalar @{$runs}, 8, 'one run for each side');
is($runs->[0]{name}, 'aa 1', 'with its name');

my $found = summary($runs, shorter => 0.4);
is(scalar @{ $found->{rows} }, 4, 'a row for each test');
cmp_ok(abs($found->{rows}[0]{rate} - 999), '<', 10, 'the rate is that of all runs');
cmp_ok(abs($found->{rows}[0]{spread} - 0.054), '<', 0.01, 'what runs differ by');
my ($group) = @{ $found->{groups} };
cmp_ok(abs($group->{shared} - 0.053), '<', 0.01, 'most of it is shared by all tests');
cmp_ok($group->{own}, '<', 0.01, 'little is not');
is($group->{f}, 7, 'degrees of freedom');
my @resolves = @{ $group->{resolves} }{ 1, 2, 4, 8 };
is_deeply(\@resolves, [ sort { $b <=> $a } @resolves ], 'more runs resolve more');

my $text = SpawnMeter::Report::AA::render($found, further => 0);
like($text, qr/in 8 short runs/, 'the report says how many runs');
is((grep { length > 72 } split /\n/, $text), 0, 'in 72 columns');
my $nothing = summary([ $runs->[0] ], shorter => 1);
like(SpawnMeter::Report::AA::render($nothing, further => 0), qr/nothing to\ncompare/, 'one run');
done_testing;
