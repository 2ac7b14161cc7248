# SPDX-License-Identifier: GPL-2.0-or-later
# Catalog::KernelOptions, and the list itself.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::KernelOptions;

*different = \&SpawnMeter::Catalog::KernelOptions::different;

my $list = "$ROOT/pgms/kernel-options.list";
my %old = (MEMCG => 'y', HZ_250 => 'y', E1000 => 'm', SMP => 'y');
my %new = (MEMCG_V1 => 'y', MEMCG => 'y', HZ_1000 => 'y', KASAN => 'y', SMP => 'y');
is_deeply(
    [ different($list, \%old, \%new) ],
    [qw(KASAN MEMCG_V1 HZ_1000 HZ_250)],
    'those of the list that differ, of debugging first'
);
is_deeply([ different($list, \%old, \%old) ], [], 'none of one configuration');
my @lines = grep { /^[^#\n]/ } split /^/, slurp_file($list);
is_deeply([ grep { !/^[A-Z\d_*]+ +[|] \S/ } @lines ], [], 'each line has an option and a reason');

done_testing;
