# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers in different notations, and what a posted report says of a test by its result line and
# its row in the index table
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(consistent import_reports);

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");

sub rows {
    my ($factor, @texts) = @_;
    my %row;
    @row{qw(baseline rate index)} = @texts;
    my $numbers = consistent(\%row, $factor) or return q{};
    return join q{ }, map { $numbers->{$_}{value} } qw(baseline rate index);
}

subtest 'rows of an index table' => sub {
    is(rows(10, '43.0', '577.7', '134.3'), '43 577.7 134.3', 'correct');
    is(rows(10, '43.0', '577.7', '134.9'), q{}, 'wrong');
    is(rows(10, '0.0', '577.7', '1.0'), q{}, 'baseline 0');
    is(rows(10, '42', '6571.8', '1550.0'), q{}, 'a baseline without decimals is exact');
    is(rows(10, '42', '6572', '1550'), '42 6572 1550', 'unless all are without');
    is(rows(1, '16.5', '998.0', '60.5'), '16.5 998 60.5', 'of version 3.11');
    is(rows(10, '3,960', '443,558', "1'120.1"), '3960 443558 1120.1', 'thousands');
    is(rows(10, '3,960.0', '443.558,0', '1.120'), q{}, 'decimals stand behind a point');
};
my $HEAD = 'System Benchmarks Index Values  BASELINE  RESULT  INDEX';

# ---- a test ---------------------------------------------------------------------------

# A result line (or none) and rows of an index table -> rate, and the number of unread lines
sub read_as {
    my ($result, @rows) = @_;
    my @lines = defined $result ? "Pipe Throughput  $result lps  (10.0 s, 7 samples)" : ();
    push @lines, 'Execl Throughput  577.7 lps  (30.0 s, 2 samples)';
    push @lines, q{}, $HEAD, map { "Pipe Throughput  $_" } @rows if @rows;
    my $found = import_reports(join("\n", @lines, q{}), $catalog->{tests});
    my ($cell) = grep { $_->{test} eq 'pipe' } map { @{ $_->{printed} } } @{ $found->{runs} };
    return ($cell ? $cell->{rate} : undef) . q{ } . @{ $found->{unread} } if $cell;
    return 'none ' . @{ $found->{unread} };
}

my $ROW = '12440.0 976217.6 784.7';
my @CASES = (
    [ '976217.6 0', 'both agree', '976217.6', $ROW ],
    [ 'none 2', 'the row contradicts the result', '876217.6', $ROW ],
    [ '976217.6 1', 'a wrong index', '976217.6', '12440.0 976217.6 999.9' ],
    [ 'none 2', 'both wrong', '976217.6', '12440.0 5.0 999.9' ],
    [ 'none 1', 'blanks between thousands, alone', '976 217.6' ],
    [ 'none 1', 'one dot before three digits, alone', '976.217' ],
    [ 'none 1', 'a decimal comma', '976217,6' ],
    [ '976217 0', 'no decimals where others have them', '976217' ],
    [ '976217.6 0', 'thousands by an apostrophe of printers', "976\x{2019}217.6" ],
    [ '976217.6 0', 'the same row twice', '976217.6', $ROW, $ROW ],
    [ 'none 3', 'another row of the same test', '976217.6', $ROW, '12440.0 10.0 0.0' ],
    [ 'none 2', 'two different rows alone', undef, $ROW, '12440.0 976317.6 784.8' ],
);
for my $case (@CASES) {
    my ($expected, $name, @lines) = @{$case};
    is(read_as(@lines), $expected, $name);
}

done_testing;
