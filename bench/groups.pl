#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Groups of runs of two states of this machine that differ in fork() alone, measured in the order
# A B B A A B B A ..., and what ./Run compare says of them.
#
# usage: groups.pl [RUNS of each, 4] [SECONDS of a run, 30] [PER CENT by which fork is slower, 8;
#        0: the states are equal]
#
# The slowdown is a busy delay in fork() (bench/delay.c, preloaded in both states, with a delay of
# 0 in state A).  The runs are kept where UB_RESULTDIR says.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use File::Temp ();
use Delay      qw(delay library);

my ($runs, $seconds, $percent) = (@ARGV, (4, 30, 8)[ @ARGV .. 2 ]);
die "usage: groups.pl [RUNS [SECONDS [PER CENT]]]\n"
    if @ARGV > 3 || grep { !/^\d+(?:[.]\d+)?\z/a } @ARGV;
my @tests = qw(fork vfork clone posix_spawn);
my $root = "$FindBin::Bin/..";
my $folder = File::Temp->newdir;
local $ENV{UB_RESULTDIR} = $ENV{UB_RESULTDIR} || "$folder/results";
local $ENV{LD_PRELOAD} = library($folder);

sub measure {
    my ($label, $delay, @options) = @_;
    local $ENV{DELAY_FORK_NS} = $delay;
    system("$root/Run", qw(-qq --pin -c 1 --label), $label, @options) == 0
        or die "Run: status " . ($? >> 8) . "\n";
    return;
}

sub output {
    open my $out, '-|', "$root/Run", @_ or die "Run: $!\n";
    local $/ = undef;
    return scalar <$out>;
}

my $state = sub { $_[0] eq 'A' ? 0 : $_[1] };
measure('trial', 0, qw(--max-time 2 fork));
my ($rate) = output(qw(show latest)) =~ /^Fork Throughput +([\d.]+) lps/m;
my $delay = $percent ? delay($rate, $percent) : 0;
printf "fork: %.0f/s; state B: %d ns longer\n", $rate, $delay;
for my $turn (1 .. $runs) {
    for my $label ($turn % 2 ? qw(A B) : qw(B A)) {
        measure($label, $state->($label, $delay), '--max-time', $seconds / @tests, @tests);
    }
}
print output(qw(compare A B)) or die "$!\n";
