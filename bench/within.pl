#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How much of the noise of single passes a reference loop sees: one that runs before and after
# a pass, as the programs have it, and one that runs in short pauses within it.
#
# usage: within.pl fork|vfork PASSES [EVERY PAUSE]
#        a pause of PAUSE seconds (0.001) after each EVERY seconds of creation (0.02)
#
# Prints the standard deviation of the logarithms of the passes' rates, without what moves
# slowly (the mean of 11 passes around each), and what is left of it by regression on each loop,
# with the correlation and the coefficient.

use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util                  qw(sum);
use SpawnMeter::Analysis::Stats qw(mean);

use constant {
    HALF   => 5,     # passes at each side of one
    FEWEST => 30,    # passes
};

my ($test, $passes, @pauses) = @ARGV;
die "usage: within.pl fork|vfork PASSES [EVERY PAUSE]\n"
    if !defined $passes
    || $test   !~ /\Av?fork\z/
    || $passes !~ /\A\d{2,6}\z/a
    || $passes < FEWEST
    || (@pauses != 0 && @pauses != 2);
@pauses = (0.02, 0.001) if !@pauses;

sub rows {
    my $folder = File::Temp->newdir;
    my $program = "$folder/within";
    system(split(q{ }, $ENV{CC} || 'cc'), '-O2', '-o', $program, "$FindBin::Bin/within.c") == 0
        or die "bench/within.c cannot be built\n";
    open my $in, q{-|}, $program, $test, $passes, @pauses or die "$program: $!\n";
    my @rows = map { [ map { log } split ] } <$in>;
    close $in or die "within failed\n";
    return @rows;
}

sub without_slow {
    my (@values) = @_;
    return map { $values[$_] - mean(@values[ $_ - HALF .. $_ + HALF ]) } HALF .. $#values - HALF;
}

sub product {
    my ($x, $y) = @_;
    return sum(map { $x->[$_] * $y->[$_] } 0 .. $#{$x}) / @{$x};
}

my @rows = rows();
my @noise = without_slow(map { $_->[0] } @rows);
my $variance = product(\@noise, \@noise);
printf "%s, %d passes: noise %.2f %%\n", $test, scalar @noise, 100 * sqrt $variance;
printf "%-14s %6s %7s %12s %6s\n", qw(loop noise left correlation b);
for (
    [ 'before, after', sub { ($_[0][1] + $_[0][2]) / 2 } ],
    [ 'after', sub { $_[0][2] } ],
    [ 'within', sub { $_[0][3] } ]
) {
    my ($words, $level) = @{$_};
    my @x = without_slow(map { $level->($_) } @rows);
    my ($xx, $xy) = (product(\@x, \@x), product(\@x, \@noise));
    my $left = sqrt($variance - $xy**2 / $xx);
    printf "%-14s %5.2f%% %6.2f%% %12.2f %6.2f\n", $words, 100 * sqrt($xx), 100 * $left,
        $xy / sqrt($xx * $variance), $xy / $xx;
}
