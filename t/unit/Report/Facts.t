# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use Test::More;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::HTML::Facts qw(facts_in_words);

my @rows = facts_in_words({ uptime => 5, cpu_model => 'A CPU', smt => undef, new_fact => 1 });
is_deeply(
    \@rows,
    [ [ 'CPU', 'A CPU' ], [ 'Up, seconds', 5 ], [ 'New fact', 1 ], [ 'SMT', undef ] ],
    'in order, with words; unknown ones last'
);
my %all = %{ SpawnMeter::Machine::Facts->new->facts };
my @keys = grep { $_->[0] =~ /^[a-z]|[a-z]_/ } facts_in_words(\%all);
is_deeply(\@keys, [], 'no fact of this machine is shown under its key');
done_testing;
