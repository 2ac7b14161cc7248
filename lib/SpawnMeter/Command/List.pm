# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::List;

# ./Run list: the tests, groups, sweeps and baselines; list tests, sweeps or published: only these.
#
#   run(suite) -> exit status; 1 where the file of a published experiment is malformed
#   sweeps(suite) -> lines with the names and titles of the sweeps and published experiments

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Catalog::Baseline;
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Util::Format   qw(folded visible_lines);

our @EXPORT_OK = qw(sweeps);

use constant WIDTH => 78;    # columns of a line

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my ($topic) = (@names, q{});
    die "list: unknown '@names'; the lists are tests, sweeps, runs and published\n"
        if @names > 1 || $topic !~ /^(?:tests|sweeps|published|)\z/;
    return published($suite) if $topic eq 'published';
    print_tests($suite) if $topic ne 'sweeps';
    print "Sweeps:\n", sweeps($suite) if $topic ne 'tests';
    return 0 if length $topic;
    my @baselines = map { m{/index[.]base-([^/]+)\z} } glob "\Q$suite->{root}\E/pgms/index.base-*";
    print "Baselines: @baselines (or a file, or a stored run)\n";
    return 0;
}

sub print_tests {
    my ($suite) = @_;
    my $catalog = $suite->{catalog};
    my @tests = @{ $catalog->{tests} };
    my $indexed = indexed($suite);
    print "Tests (name, title, index that the test is a part of):\n";
    printf "  %-16s %-42s %s%s\n", @{$_}{qw(name title)},
        $indexed->{ $_->{name} } ? $_->{category} : q{-}, $_->{tree} ? ' *' : q{}
        for @tests;
    print "  * runs from a classic tree (--classic-tree)\n" if grep { $_->{tree} } @tests;
    print_groups($catalog);
    return;
}

# { test => true where it counts in an index with the default baseline }
sub indexed {
    my ($suite) = @_;
    my $catalog = $suite->{catalog};
    my $baseline = SpawnMeter::Catalog::Baseline::load("$suite->{root}/pgms", undef,
        [ map { $_->{name} } @{ $catalog->{tests} } ])->{baseline};
    my $sets = SpawnMeter::Catalog::Tests::complete_sets($catalog, $baseline);
    return { map { $_ => 1 } map { @{$_} } values %{$sets} };
}

sub sweeps {
    my ($suite) = @_;
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    return map { sprintf "  %-20s %s\n", @{$_}{qw(name title)} } @{$sweeps},
        grep { @{ $_->{parts} || [] } } SpawnMeter::Catalog::Experiments::list($suite->{root});
}

# Loads modules that the other lists do not need
sub published {
    my ($suite) = @_;
    require SpawnMeter::Analysis::Points;
    require SpawnMeter::Command::Output::Sweep;
    my $facts = SpawnMeter::Command::Output::Sweep::facts_here($suite);
    my $status = 0;
    print "Published experiments and figures:\n";
    for my $experiment (SpawnMeter::Catalog::Experiments::list($suite->{root})) {
        if (defined $experiment->{problem}) {
            print {*STDERR} 'Run: ', visible_lines($experiment->{problem});
            $status = 1;
            next;
        }
        my $why =
            @{ $experiment->{parts} }
            ? SpawnMeter::Analysis::Points::unmet($experiment->{needs}, $facts)
            : 'it holds published figures only';
        printf "  %-22s %s\n", @{$experiment}{qw(name title)};
        print folded(q{ } x 25, "not measured here: $why", WIDTH) if defined $why;
    }
    return $status;
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
