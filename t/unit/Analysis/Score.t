# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Score   qw(index_of);
use SpawnMeter::Catalog::Baseline qw(parse_baseline);

is(scalar index_of(252, undef), undef, 'no baseline, no index (and not 0)');

my $george = parse_baseline(slurp_file("$ROOT/pgms/index.base"), 'index.base');
my $book = parse_baseline(slurp_file("$ROOT/pgms/index.base-tlpi"), 'index.base-tlpi');

# The baselines have one decimal, and the index is exact to that
for my $test (sort keys %{$book}) {
    my $index = index_of($book->{$test}, $george->{$test});
    my $rounding = 360.6 * 0.05 / $george->{$test} + 0.05;
    cmp_ok(abs($index - 360.6), '<=', $rounding, "the book's machine has the index 360.6 in $test")
        or diag('the baseline is not the book\'s ratio times 126/4544');
}

done_testing;
