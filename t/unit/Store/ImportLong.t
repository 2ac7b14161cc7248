# SPDX-License-Identifier: GPL-2.0-or-later
# The time to read a posted text grows with its length, however long its lines are: a line of
# eight times the length costs less than thirty times the CPU time.  It is 64 times where each
# position is tried up to the end of the line.
use lib 't/lib';
use TestHelp;
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Store::Import qw(import_reports);

use constant {
    SHORT => 2_400,     # characters
    LONG  => 19_200,
    MOST  => 30 / 8,    # for the same number of characters in long lines
    TIMES => 3,         # at most, since other work disturbs one
};

my $catalog = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list");

# CPU seconds to read lines of this length, as many as make LONG characters
sub cost {
    my ($length, $unit, $before) = @_;
    my $line = substr $unit x $length, 0, $length - 10;
    my $text = join "\n", map { "${before}a$line b$_" } 1 .. LONG / $length;
    my $begun = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
    import_reports($text, $catalog->{tests});
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $begun;
}

cost(SHORT, q{ }, q{});    # what is made at the first call
my @units = ([q{ }], ['1 '], ['a '], [q{-}], ['Benchmarks '], ['(lps) '], ['[details=a']);
for my $of (@units, [ q{ }, 'test | ' ]) {
    my ($unit, $before) = (@{$of}, q{});
    my ($short, $long);
    for (1 .. TIMES) {
        ($short, $long) = map { cost($_, $unit, $before) } SHORT, LONG;
        last if $long < MOST * $short;
    }
    cmp_ok($long, '<', MOST * $short, "lines of '$before$unit'")
        or diag sprintf '%.3f s, in short lines %.3f s', $long, $short;
}
done_testing;
