# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::List;

# ./Run list: the tests, groups, sweeps and baselines.
#
#   run(suite) -> exit status

use strict;
use warnings;
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Util::Format   qw(folded);

use constant WIDTH => 78;

sub run {
    my ($suite) = @_;
    my $catalog = $suite->{catalog};
    my @tests = @{ $catalog->{tests} };
    print "Tests:\n";
    printf "  %-16s %-42s %s%s\n", @{$_}{qw(name title category)}, $_->{tree} ? ' *' : q{}
        for @tests;
    print "  * runs from a classic tree (--classic-tree)\n" if grep { $_->{tree} } @tests;
    print_groups($catalog);
    print "Sweeps:\n";
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    printf "  %-20s %s\n", @{$_}{qw(name title)}
        for @{$sweeps}, @{ SpawnMeter::Catalog::Published::list() };
    my @baselines = map { m{/index[.]base-([^/]+)\z} } glob "\Q$suite->{root}\E/pgms/index.base-*";
    print "Baselines: @baselines (or a file, or a stored run)\n";
    return 0;
}

sub print_groups {
    my ($catalog) = @_;
    my $groups = SpawnMeter::Catalog::Tests::groups_of($catalog);
    print "Groups:\n";
    for my $name (sort keys %{$groups}) {
        print folded(sprintf('  %-12s ', $name), "@{ $groups->{$name} }", WIDTH);
    }
    print "  all          all of them\n";
    print "Without a name: @{ $catalog->{default} }\n";
    return;
}

1;
