# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use InProcess;
use SpawnMeter::Util::Json qw(decode);

my $tree = small_tree();
my $got = run_in($tree, {}, qw(aa -i 2 -c 1 -c 2 fork vfork));
like($got->{out}, qr/nothing to\ncompare/, 'two passes of each: nothing to compare');
is($got->{status}, 1, 'which is no success') or diag $got->{err};
my ($file) = glob "\Q$tree\E/results/*.json";
my $run = decode(slurp_file($file));
is($run->{kind}, 'equals', 'stored as an A/A run');
my @passes = grep { !$_->{machine}{stall} } @{ $run->{passes} };    # those are made again
my @sides = map { "$_->{copies} $_->{side}" } @passes;
my %passes;
$passes{$_}++ for @sides;
is_deeply(
    \%passes,
    {
        map {
            my $copies = $_;
            map { ("$copies $_" => 4) } 1 .. 8
        } 1,
        2
    },
    'the same passes for each short run and number of copies'
);
my @order = map { (split)[1] } @sides;
is_deeply(\@order, [ sort { $a <=> $b } @order ], 'one short run after the other');
says(run_in($tree, {}, qw(aa frok)), qr/did you mean 'fork'/, 'an unknown test');
done_testing;
