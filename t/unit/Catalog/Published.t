# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use TestHelp;
use SpawnMeter::Analysis::Published qw(forms);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Catalog::Published::Lines qw(add_line new_experiment);
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests;

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $sweeps = SpawnMeter::Catalog::Sweeps::load("$ROOT/pgms/sweeps.list");
my %sweep = map { $_->{name} => 1 } @{$sweeps};

for my $experiment (@{ SpawnMeter::Catalog::Published::list($ROOT) }) {
    my $name = $experiment->{name};
    is(SpawnMeter::Catalog::Published::named($ROOT, $name)->{title},
        $experiment->{title}, "$name: by name");
    ok(!$sweep{$name}, "$name: no sweep has this name");
    my @missing =
        grep { !-f "$ROOT/results/reference/$_.json" } @{ $experiment->{references} };
    is_deeply(\@missing, [], "$name: its references are stored");
    my ($cells, $sweep) = SpawnMeter::Catalog::Published::cells($experiment, $tests, 2);
    my %seen;
    is_deeply([ grep { $seen{"$_->{value} $_->{series}"}++ } @{$cells} ],
        [], "$name: each cell is measured once");
    my %label = map { $_ => 1 } @{ $sweep->{values} };
    is_deeply([ grep { !$label{ $_->{value} } } @{$cells} ], [], "$name: the sweep has each label");
    is_deeply([ sort keys %seen ], $sweep->{cells}, "$name: the sweep record lists the cells");
    is(
        scalar @{ $sweep->{x} },
        scalar @{ $sweep->{values} },
        "$name: a place on the axis for each value"
    );
    is_deeply([ grep { !-e "$ROOT/src/$_->{program}.c" } @{$cells} ], [], "$name: programs exist");
}
is(SpawnMeter::Catalog::Published::named($ROOT, 'nothing'), undef, 'an unknown name');
my $tlpi = SpawnMeter::Catalog::Published::named($ROOT, 'tlpi-28-3');
my ($cells) = SpawnMeter::Catalog::Published::cells($tlpi, $tests, 2);
my ($exec) = grep { $_->{series} eq 'forkexec' && $_->{value} eq '+1M' } @{$cells};
is_deeply($exec->{options}, [qw(--exec PATH/true --heap 1M)], 'options of a cell');
is($exec->{pinned}, 1, 'cells are pinned unless they say otherwise');
my $burst = SpawnMeter::Catalog::Published::named($ROOT, 'linux-windows-2012');
my ($free) = SpawnMeter::Catalog::Published::cells($burst, $tests, 2);
is_deeply([ @{ $free->[0] }{qw(pinned count)} ], [ 0, 1000 ], 'a free cell with a count');

# The manual has the lines that a file may have, and no other
my ($manual) = slurp_file("$ROOT/Run") =~ /^=head1 PUBLISHED EXPERIMENTS\n(.*?)^=head1 /ms;
my $mine = new_experiment('mine');
my ($list) = $manual =~ /^(    title .*?)\n\n/ms;
for my $of ([ 'of a file', 'unknown words', 4 ], [ 'of a claim', '  unknown words', 6 ]) {
    my ($what, $line, $indent) = @{$of};
    my ($known) = (add_line($mine, $line) || q{}) =~ /^expected one of (.*), found/;
    is_deeply([ sort $list =~ /^ {$indent}(\w+) /mg ], [ split /, /, $known ], "lines $what");
    is(add_line($mine, 'claim words'), undef, 'a claim');
}
my ($in_manual) = $manual =~ /^    form +(.*): the table/m;
is_deeply([ split /, | or /, $in_manual ], forms(), 'its forms');
done_testing;
