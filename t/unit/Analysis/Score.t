# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Score   qw(index_of partial_set);
use SpawnMeter::Catalog::Baseline qw(parse_baseline);

is(index_of(252, 126), 20, 'twice the baseline is 20');
is(scalar index_of(252, undef), undef, 'no baseline, no index (and not 0)');

my $george = parse_baseline(slurp_file("$ROOT/pgms/index.base"), 'index.base');
cmp_ok($george->{spawn}, '==', 126.0, 'George creates 126 processes a second');
my $book = parse_baseline(slurp_file("$ROOT/pgms/index.base-tlpi"), 'index.base-tlpi');

# The baselines have one decimal, and the index is exact to that
for my $test (sort keys %{$book}) {
    my $index = index_of($book->{$test}, $george->{$test});
    my $rounding = 360.6 * 0.05 / $george->{$test} + 0.05;
    cmp_ok(abs($index - 360.6), '<=', $rounding, "the book's machine has the index 360.6 in $test")
        or diag('the baseline is not the book\'s ratio times 126/4544');
}

is(partial_set([qw(a b)], [qw(a b c)]), 1, 'one missing: partial');
is(partial_set([qw(a b c d)], [qw(a b c)]), 0, 'all there: not partial');
done_testing;
