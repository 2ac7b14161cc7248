# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Command::List;

# ./Run list: the tests, groups, sweeps and baselines; list tests or sweeps: only these.
#
#   run(suite) -> exit status
#   sweeps(suite) -> lines with the names and titles of the sweeps and published experiments

use strict;
use warnings;
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests ();
use SpawnMeter::Util::Format   qw(folded);
use SpawnMeter::Util::Terminal qw(print_text);

sub run {
    my ($suite) = @_;
    my (undef, @names) = @{ $suite->{option}{names} };
    my ($topic) = (@names, q{});
    die "list: unknown '@names'; the lists are tests, sweeps, runs\n"
        if @names > 1 || $topic !~ /^(?:tests|sweeps|)\z/;
    my @lines = $topic eq 'sweeps' ? () : tests($suite);
    push @lines, sweeps($suite) if $topic ne 'tests';
    my @baselines = map { m{/index[.]base-([^/]+)\z} } glob "\Q$suite->{root}\E/pgms/index.base-*";
    push @lines, "Baselines: @baselines (or a file, or a run's .json)\n" if !length $topic;
    print_text(join q{}, @lines);
    return 0;
}

sub tests {
    my ($suite) = @_;
    my $catalog = $suite->{catalog};
    my @rows = map { sprintf "  %-16s %s%s\n", @{$_}{qw(name title)}, $_->{tree} ? ' *' : q{} }
        @{ $catalog->{tests} };
    my $groups = SpawnMeter::Catalog::Tests::groups_of($catalog);
    my @groups = map { folded(sprintf('  %-12s ', $_), "@{ $groups->{$_} }") } sort keys %{$groups};
    return "Tests:\n", @rows, "  * runs from a classic tree (--classic-tree)\n", "Groups:\n",
        @groups,
        "  all          all of them\n", "Without a name: @{ $catalog->{default} }\n";
}

sub sweeps {
    my ($suite) = @_;
    my $sweeps = SpawnMeter::Catalog::Sweeps::load($suite->{sweeps_list});
    my @published = SpawnMeter::Catalog::Experiments::list($suite->{root});
    my $line = sub {
        return map { sprintf "  %-20s %s\n", @{$_}{qw(name title)} } @_;
    };
    return "Sweeps:\n", $line->(@{$sweeps}), "Published experiments (./Run published NAME):\n",
        $line->(grep { @{ $_->{parts} || [] } } @published);
}

1;
