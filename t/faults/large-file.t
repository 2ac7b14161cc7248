# SPDX-License-Identifier: GPL-2.0-or-later
# A run file of 184 MB, and one of too many passes: refused at once, with the limit in the
# message, instead of minutes and gigabytes later.
use lib 't/lib';
use TestHelp;
use Faults;
use SpawnMeter::Util::File qw(encode);

my $folder = scratch();
my $small = "$ROOT/results/reference/tlpi-2.6.27.json";

sub refused {
    my ($fault, $file, $message) = @_;
    subtest $fault => sub {
        for my $command ([qw(show)], [ 'compare', $small ]) {
            my $got = command({ before => sub { alarm 20 } }, "$ROOT/Run", @{$command}, $file);
            says($got, $message, "$command->[0]: status 2, within 20 s");
        }
        tally($fault, 1, 0, 0, 0);
    };
    return;
}

my $large = spew("$folder/large.json", '{');
truncate $large, 184 * 1024 * 1024 or die "truncate: $!";
refused('a run file of 184 MB',
    $large,
    qr/: too large for a run file \(over 64 MB; SPAWNMETER_RUN_MAX_MB sets another limit\)$/);
my $pass = { test => 'fork', copies => 1, status => 'ok', wall => 1, rate => 1 };
my %run = (
    format   => 'spawnmeter-run',
    schema   => 1,
    suite    => '1',
    protocol => {},
    system   => {},
    tests    => [],
    blocks   => []
);
my $many = spew("$folder/many.json", encode({ %run, passes => [ ($pass) x 20_001 ] }));
refused('a run file of 20,001 passes', $many, qr/: more than 20000 passes$/);
is(
    command({ env => { SPAWNMETER_RUN_MAX_MB => 1 } }, "$ROOT/Run", 'show', $many)->{err} =~
        /over 1 MB/ ? 1 : 0,
    1,
    'the limit can be set'
);
done_testing;
