# SPDX-License-Identifier: GPL-2.0-or-later
# Modules lie in layers and use only their own layer and those below it.
use lib 't/lib';
use TestHelp;

my $graph = command({}, $^X, "$ROOT/tools/layers");
is($graph->{status}, 0, 'no module uses one above it, and none are in a circle')
    or diag grep { /^BROKEN/ } split /^/m, $graph->{out};
like(
    $graph->{out},
    qr/^\d{2,} modules, \d{2,} arrows, 0 broken$/m,
    'the graph has modules and arrows'
);

my %of_name;
push @{ $of_name{s{.*/}{}r} }, $_ for split /\n/, `find '$ROOT/lib' -name '*.pm'`;
is_deeply([ grep { @{$_} > 1 } values %of_name ], [], 'no two modules have one base name');

done_testing;
