# SPDX-License-Identifier: GPL-2.0-or-later
# Random numbers that depend on nothing but the seed.
use strict;
use warnings;
use Test::More;
use SpawnMeter::Util::Random;

sub numbers {
    my ($seed, $count) = @_;
    my $random = SpawnMeter::Util::Random->new($seed);
    return map { $random->below(10) } 1 .. $count;
}

# x = 1664525 x + 1013904223 modulo 2^32, from 1: 1015568748, 1586005467, 2165703038
is("@{[ numbers(1, 3) ]}", '2 3 5', 'below: the published generator');
is("@{[ numbers(0, 9) ]}", "@{[ numbers(1, 9) ]}", 'a seed of 0 is a seed of 1');
isnt("@{[ numbers(2, 9) ]}", "@{[ numbers(1, 9) ]}", 'another seed gives other numbers');

my %seen = map { $_ => 1 } numbers(5, 1000);
is_deeply([ sort keys %seen ], [ 0 .. 9 ], 'below: from 0 to n - 1');

my @list = SpawnMeter::Util::Random->new(3)->shuffled('a' .. 'z');
isnt("@list", "@{[ 'a' .. 'z' ]}", 'shuffled: in another order');
is_deeply([ sort @list ], [ 'a' .. 'z' ], 'shuffled: each once');
is_deeply([ SpawnMeter::Util::Random->new(3)->shuffled() ], [], 'shuffled: nothing');

done_testing;
