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

for my $bad (
    [ 'fork|10|lps|0|abc|1'      => qr/f, line 1: 'abc' is not a score above 0/ ],
    [ "# c\n\nfork|10|lps|0|1"   => qr/f, line 3: a baseline has six fields/ ],
    [ 'fork|10|lps|0|-1|1'       => qr/not a score above 0/ ],
    [ 'fork|10|lps|0|0|1'        => qr/not a score above 0/ ],
    [ "a|1|l|0|1|1\na|1|l|0|1|1" => qr/line 2: a already has a baseline/ ],
    [ '# nothing'                => qr/no baseline in it/ ],
) {
    my ($text, $message) = @{$bad};
    eval { parse_baseline($text, 'f') };
    like($@, $message, "malformed: $text");
}
is(partial_set([qw(a b)], [qw(a b c)]), 1, 'one missing: partial');
is(partial_set([qw(a b c d)], [qw(a b c)]), 0, 'all there: not partial');
done_testing;
