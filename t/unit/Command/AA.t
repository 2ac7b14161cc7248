# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use InProcess;
use TestHelp;
use SpawnMeter::Command::AA;
use SpawnMeter::Util::Json qw(decode);

my $tree = small_tree();
my $got = run_in($tree, {}, qw(aa -i 2 -c 1 -c 2 fork vfork));
is($got->{status}, 0, 'status 0') or diag $got->{err};
like($got->{out}, qr/^Smallest significant difference between two runs here: /m, 'the result');
my ($file) = glob "\Q$tree\E/results/*.json";
my $run = decode(slurp_file($file));
is($run->{kind}, 'equals', 'stored as an A/A run');
my @sides = map { "$_->{copies} $_->{side}" } @{ $run->{passes} };
my %passes;
$passes{$_}++ for @sides;
is_deeply(
    \%passes,
    { map { $_ => 4 } '1 A', '1 B', '1 C', '2 A', '2 B', '2 C' },
    'the same passes for each side and number of copies'
);
is(scalar(grep { /C/ } @sides[ 0 .. 15 ]), 0, 'C is measured after A and B');
ok((join q{ }, map { substr $_, -1 } @sides[ 0 .. 7 ]) !~ /^(?:A ?){4}/, 'A and B are interleaved');
my $wrong = run_in($tree, {}, qw(aa frok));
is($wrong->{status}, 2, 'an unknown test: status 2');
like($wrong->{err}, qr/did you mean 'fork'/, 'an unknown test: the message');
done_testing;
