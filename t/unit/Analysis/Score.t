# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Comparison qw(reduce compare);
use SpawnMeter::Analysis::Score      qw(blocks index_of);
use SpawnMeter::Catalog::Baseline    qw(parse_baseline);

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

# Passes of two tests: one has no baseline, and drifts
subtest 'the index of one test has the interval of its rate' => sub {
    my %of = (copies => 1, status => 'ok', unit => 'lps', wall => 1, results => [], machine => {});
    my @passes = map {
        my %each = (%of, at => $_);
        (
            { %each, test => 'execl', rate => 100 + ($_ * 7) % 5 },
            { %each, test => 'other', rate => 100 + $_ }
        );
    } 1 .. 15;
    my $run = {
        passes     => \@passes,
        blocks     => [ { copies => 1 } ],
        tests      => [ map { { name => $_, category => 's' } } qw(execl other) ],
        settings   => { name => 'settle' },
        categories => [ { name => 's', title => 'S' } ],
    };
    my ($block) = @{ blocks($run, { baseline => { execl => 43 }, all => {} }) };
    my ($row, $table) = ($block->{tables}[0]{rows}[0], $block->{tables}[0]);
    my $high = $table->{high} / $table->{score} - 1;
    is(sprintf('%.6f', $high), sprintf('%.6f', $row->{plus_minus}), 'as wide as the +/-');
};

# Two numbers of copies are judged apart, each with half of the error
subtest 'what two runs resolve is what their comparison shows' => sub {
    my @passes = map {
        my $i = $_;
        map { {
            test    => 'execl',
            copies  => $_,
            status  => 'ok',
            at      => $i,
            wall    => 1,
            rate    => 100 + $i * 7 % 5,
            machine => {},
            results => []
        } } 1, 2
    } 1 .. 15;
    my $run =
        { passes => \@passes, settings => {}, blocks => [ { copies => 1 }, { copies => 2 } ] };
    my $reduced = reduce({ %{$run}, suite => '1' }, 'a');
    my $row = compare([$reduced], [$reduced])->{rows}[0];
    my ($block) = @{ blocks($run, { baseline => {}, all => {} }) };
    is(sprintf('%.6f', $block->{resolves}), sprintf('%.6f', $row->{high} - 1), 'of 2 x 2');
};

done_testing;
