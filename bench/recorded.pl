#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What compare says of recorded runs of one machine (recorded/): of equal ones, and of planted
# slowdowns of all tests, in groups of one, two and more runs (make simulate).
#
# usage: recorded.pl
#
# Of four runs: each with each, and two with two in the three ways; of eight also four with four
# in two orders.  Of the pairs of runs with
# reference loops (recorded/pairs), whose second runs were disturbed on purpose: each pair, and
# groups of two and four in turn, raw and at one level of the loops.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Simulation                       qw(recorded recorded_pairs scaled);
use SpawnMeter::Analysis::Comparison qw(reduce compare);

use constant SLOWER => (0.95, 0.9, 0.8);    # of the rates

die "usage: recorded.pl\n" if @ARGV;
local $| = 1;

sub row_of {
    my ($name, @comparisons) = @_;
    my (%sum, %found);
    for my $groups (@comparisons) {
        my ($old, $new) = @{$groups};
        my @rows = @{ compare(reduced(@{$old}), reduced(@{$new}))->{rows} };
        $sum{rows}  += @rows;
        $sum{false} += grep { $_->{verdict} =~ /er\z/ } @rows;
        $sum{same}  += grep { $_->{verdict} eq 'same' } @rows;
        for my $slower (SLOWER) {
            my @slow = map { scaled($_, $slower) } @{$new};
            $found{$slower} +=
                grep { $_->{verdict} eq 'slower' }
                @{ compare(reduced(@{$old}), reduced(@slow))->{rows} };
        }
    }
    printf "%-28s %6d %6d %6d", $name, @sum{qw(rows false same)};
    printf ' %5.0f', 100 * $found{$_} / $sum{rows} for SLOWER;
    print "\n";
    return;
}

# The other four of eight
sub others_than {
    my (@numbers) = @_;
    my %given = map { $_ => 1 } @numbers;
    return grep { !$given{$_} } 0 .. 7;
}

sub reduced {
    my (@runs) = @_;
    return [ map { reduce($_, 'recorded') } @runs ];
}

printf "%-28s %6s %6s %6s %5s %5s %5s\n", 'runs a side', qw(tests false same 5% 10% 20%);
print "false: equal tests called different; found: per cent of the planted slowdowns\n\n";
for my $file (glob "$FindBin::Bin/recorded/*.csv") {
    my @runs = recorded($file);
    my ($name) = $file =~ m{([^/]+)[.]csv\z};
    my @pairs = map {
        my $i = $_;
        map { [ [ $runs[$i] ], [ $runs[$_] ] ] } $i + 1 .. $#runs
    } 0 .. $#runs;
    row_of("$name 1", @pairs);
    my @ways = ([ 0, 1, 2, 3 ], [ 0, 2, 1, 3 ], [ 0, 3, 1, 2 ]);
    my @fours = map { [ @runs[ $_ .. $_ + 3 ] ] } grep { $_ % 4 == 0 } 0 .. $#runs;
    my @twos = map {
        my $four = $_;
        map { [ [ @{$four}[ @{$_}[ 0, 1 ] ] ], [ @{$four}[ @{$_}[ 2, 3 ] ] ] ] } @ways
    } @fours;
    row_of("$name 2", @twos);
    row_of(
        "$name 4",
        map { [ [ @runs[ @{$_} ] ], [ @runs[ others_than(@{$_}) ] ] ] } [ 0, 2, 4, 6 ],
        [ 0, 3, 4, 7 ]
    ) if @fours > 1;
}
for my $loops (0, 1) {
    my @pairs = recorded_pairs("$FindBin::Bin/recorded/pairs/memory.csv", $loops);
    my $name = $loops ? 'memory, loops' : 'memory, raw';
    row_of("$name 1", map { [ [ $_->[0] ], [ $_->[1] ] ] } @pairs);
    for my $k (2, 4) {
        my @groups;
        for (my $i = 0 ; $i + $k <= @pairs ; $i += $k) {
            my @of = @pairs[ $i .. $i + $k - 1 ];
            push @groups, [ [ map { $_->[0] } @of ], [ map { $_->[1] } @of ] ];
        }
        row_of("$name $k", @groups);
    }
}
