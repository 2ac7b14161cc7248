# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use SpawnMeter::Command::List;

my $tree = small_tree();
my $all = run_in($tree, {}, 'list');
is("$all->{status} $all->{err}", '0 ', 'list exits with status 0 and has no message');
like($all->{out}, qr/^  dhry2reg .* system \*$/m, 'a test of a classic tree is marked');
like($all->{out}, qr/^  \* runs from a classic tree/m, 'the mark is explained');
like($all->{out}, qr/^  tlpi-28-3 +Table 28-3/m, 'published experiments stand with the sweeps');
like($all->{out}, qr/^Baselines: 4\.1 .*\btlpi /m, 'baselines');
ok(!(grep { length > 80 } split /\n/, $all->{out}), 'no line is wider than 80 columns');

unlink "$tree/pgms/tests.list";
spew("$tree/pgms/tests.list",
    "category|process|Process Benchmarks|\ndefault|one\none|Test One|process|few|long 10||good\n");
my $few = run_in($tree, {}, 'list')->{out};
like($few, qr/\ATests .*:\n  one +Test One +-\nGroups:\n/, 'no mark where no test needs a tree');
like($few, qr/^  few +one$/m, 'groups');
like($few, qr/^Without a name: one$/m, 'what runs without a name');
done_testing;
