# SPDX-License-Identifier: GPL-2.0-or-later
# Catalog::KernelOptions, and the list itself.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::KernelOptions qw(different);

my $list = "$ROOT/pgms/kernel-options.list";
my %old = (MEMCG => 'y', HZ_250 => 'y', E1000 => 'm', SMP => 'y');
my %new = (MEMCG_V1 => 'y', MEMCG => 'y', HZ_1000 => 'y', KASAN => 'y', SMP => 'y');
is_deeply(
    [ different($list, \%old, \%new) ],
    [qw(KASAN MEMCG_V1 HZ_1000 HZ_250)],
    'those of the list that differ, of debugging first'
);
is_deeply([ different($list, \%old, \%old) ], [], 'none of one configuration');
my $folder = scratch();
ok(!eval { different(spew("$folder/list", "kasan | low\n"), {}, {}); 1 },
    'an option is in capitals');
like($@, qr/list, line 1: option: 'kasan' is not an option/, 'which is said with the line');

done_testing;
