#!/usr/bin/env perl
# The report of a run with fixed numbers, in all forms: what golden/*.expected hold.
# usage: make.pl text|csv

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../lib";
use POSIX ();
use SpawnBench::Catalogue;
use SpawnBench::Report::CSV;
use SpawnBench::Report::Text;
use SpawnBench::Result qw(blocks);
use SpawnBench::Score qw(parse_baseline);

$ENV{TZ} = 'UTC';
POSIX::tzset();

my $root = "$FindBin::Bin/../..";
my $catalogue = SpawnBench::Catalogue::load("$root/pgms/tests.list");
my %rate = (fork => 9000, vfork => 26000, clone => 29000, forkexec => 1150, vforkexec => 1270, posix_spawn => 1230, spawn => 8700, execl => 1240, fstime => 1_700_000, shell8 => 905);
my %unit = (fstime => [ 0, 'KBps' ], shell8 => [ 60, 'lpm' ]);

# Twelve passes around the rate: quiet, but for one that steal flags
sub passes {
    my ($name, $copies) = @_;
    return map {
        my $rate = $rate{$name} * $copies * (1 + ($_ - 5.5) / ($name eq 'clone' ? 50 : 500));
        { test => $name, copies => $copies, status => 'ok', rate => $rate, unit => $unit{$name} ? $unit{$name}[1] : 'lps', wall => 0.29,
            machine => { steal => $_ == 3 && $name eq 'fork' ? 0.04 : 0 },
            results => [ map { { count => int($rate / 4 / $copies), timebase => $unit{$name} ? $unit{$name}[0] : 1, iterations => 425_000, time => 0.25, cpu => [ 0, 0.1, 0.13, 0.01 ],
                histogram => '640:100,50,20;700:3', latency => [ 30, 40, 50, 60, 1234.567 ] } } 1 .. $copies ],
        }
    } 0 .. 11;
}

my @tests = SpawnBench::Catalogue::choose($catalogue, sort keys %rate);
my @lost  = { test => 'clone', copies => 2, status => 'failed', reason => 'it was killed by signal 11' };
my %run = (
    suite => '1.2.3', host => 'golden', complete => 0, reason => '1 of the tests failed', command => './Run',
    build => [ 'cc 12.2.0, -O2', 'glibc 2.36, dynamic, position-independent' ],
    system => { distribution => 'Debian GNU/Linux 12', system => 'Linux', kernel_release => '6.1.0', kernel_version => '#1 SMP',
        architecture => 'x86_64', cpus_online => 2, cpus_usable => 2, cpu_model => 'A CPU', hypervisor => 'none' },
    protocol   => { name => 'settle', precision => 0.03, max_time => 10, slice => 0.25, seed => 7, warmup => 0.025, pin => 0 },
    categories => $catalogue->{categories},
    tests      => \@tests,
    blocks     => [ { copies => 1, started => 1_195_000_000, ended => 1_195_000_065 }, { copies => 2, started => 1_195_000_065, ended => 1_195_000_128 } ],
    passes     => [ map({ passes($_, 1) } sort keys %rate), map({ passes($_, 2) } grep { $_ ne 'clone' } sort keys %rate), @lost ],
);
open my $in, '<', "$root/pgms/index.base" or die;
my $baseline = parse_baseline(do { local $/; <$in> }, 'index.base');
$run{scored} = blocks(\%run, { baseline => $baseline, all => SpawnBench::Catalogue::complete_sets($catalogue, $baseline) });
my $class = $ARGV[0] eq 'csv' ? 'SpawnBench::Report::CSV' : 'SpawnBench::Report::Text';
print $class->new->render(\%run);
