#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What ./Run ab finds: how often it calls equal sides different, how often it finds a slowdown of
# a known size, and how wide its intervals are, plain and in turns, beside those of two runs.
#
# usage: ab.pl [PART ...] [runs of each row, 40] [seconds of a run, 60] [slowdowns in per cent, 10
#        5 2 1]
#        PART  equal, slower or widths; all by default; turns: the first two with --turns
#
# The slowdown is a busy delay in waitpid (bench/delay.c, preloaded on both sides, with a delay
# of 0 on side A), as a share of what a creation takes.  It runs unattended; each figure is
# printed as soon as it is known.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use File::Temp                 ();
use Delay                      qw(delay library);
use SpawnMeter::Stats::Numbers qw(median);
use SpawnMeter::Util::File     qw(decode);

my @TURNS = qw(--turns 0.02);

$| = 1;
my %wanted;
$wanted{ shift @ARGV } = 1 while @ARGV && $ARGV[0] =~ /^(?:equal|slower|widths|turns)\z/;
my @turns = delete $wanted{turns} ? @TURNS : ();
%wanted = (equal => 1, slower => 1, widths => 1) if !%wanted;
my ($runs, $seconds, @slower) = (@ARGV, (40, 60)[ @ARGV .. 1 ]);
@slower = (10, 5, 2, 1) if !@slower;
die "usage: ab.pl [PART ...] [RUNS [SECONDS [PER CENT ...]]]\n"
    if grep { !/^\d+(?:[.]\d+)?\z/a } $runs, $seconds, @slower;
my $root = "$FindBin::Bin/..";
my $folder = File::Temp->newdir;
local $ENV{UB_RESULTDIR} = "$folder/results";
my @TESTS = qw(fork vfork clone forkexec vforkexec posix_spawn);
my @PINNED = qw(--pin -c 1);

# The output of ./Run; dies where it fails
sub run_suite {
    my (@arguments) = @_;
    open my $out, '-|', "$root/Run", @arguments or die "Run: $!\n";
    my $text = do { local $/ = undef; <$out> };
    close $out or die "Run @arguments: status " . ($? >> 8) . "\n";
    return $text;
}

sub rows_of {
    my (@arguments) = @_;
    open my $err, '>&', \*STDERR    or die "$!\n";
    open STDERR, '>', "$folder/err" or die "$!\n";
    my $text = eval { run_suite('ab', '--json', '--max-total', $seconds, @PINNED, @arguments) };
    my $why = $@;
    open STDERR, '>&', $err or die "$!\n";
    return @{ decode($text)->{rows} } if defined $text;
    system 'cat', "$folder/err";
    die $why;
}

# The 95 % interval of a share (Clopper and Pearson), in per cent
sub interval {
    my ($found, $n) = @_;
    my $low = $found == 0 ? 0 : halved(sub { at_most($found - 1, $n, $_[0]) > 0.975 });
    my $high =
        $found == $n ? 1 : halved(sub { at_most($found, $n, $_[0]) > 0.025 });
    return sprintf '%.0f..%.0f %%', 100 * $low, 100 * $high;
}

# The probability that at most so many of n have what has this probability in each
sub at_most {
    my ($most, $n, $share) = @_;
    my ($sum, $term) = (0, (1 - $share)**$n);
    for my $i (0 .. $most) {
        $sum  += $term;
        $term *= ($n - $i) / ($i + 1) * $share / (1 - $share);
    }
    return $sum;
}

sub halved {
    my ($below) = @_;
    my ($low, $high) = (0, 1);
    for (1 .. 40) {
        my $middle = ($low + $high) / 2;
        if   ($below->($middle)) { $low = $middle }
        else                     { $high = $middle }
    }
    return $low;
}

# Of those that are known; runs that are too short have none
sub middle {
    my ($factor, @values) = @_;
    my $middle = median(grep { defined } @values);
    return defined $middle ? sprintf '%.2f', $factor * $middle : q{-};
}

sub is_different { my ($row) = @_; return $row->{verdict} =~ /^(?:faster|slower)\z/ }

sub equal_sides {
    my ($wrong, @verdicts, @widths) = (0);
    for (1 .. $runs) {
        my @rows = rows_of(@turns, '--b', q{}, @TESTS);
        $wrong++ if grep    { is_different($_) } @rows;
        push @verdicts, map { $_->{verdict} } @rows;
        push @widths, grep  { defined } map { $_->{plus_minus} } @rows;
    }
    my $open = grep { $_ eq 'unclear' } @verdicts;
    printf "A = B, %d runs of %d tests: %d called different (%s; at most 5 %% are claimed); "
        . "%d of %d unclear; median +/-%s %%\n", $runs, scalar @TESTS, $wrong,
        interval($wrong, $runs), $open, scalar @verdicts, middle(100, @widths);
    return;
}

sub slowdowns {
    my ($library) = @_;
    for my $test (qw(fork posix_spawn)) {
        my $preload = "env LD_PRELOAD=$library";
        my ($row) =
            rows_of('--wrap-a', "$preload DELAY_NS=0", '--wrap-b', "$preload DELAY_NS=0", $test);
        for my $percent (@slower) {
            my $ns = delay($row->{a}, $percent);
            my ($found, @ratios) = (0);
            for (1 .. $runs) {
                my ($of) = rows_of(@turns, '--wrap-a', "$preload DELAY_NS=0",
                    '--wrap-b', "$preload DELAY_NS=$ns", $test);
                $found++ if $of->{verdict} eq 'slower';
                push @ratios, $of->{ratio};
            }
            printf "%s slower by %d %% (%d ns): found in %d of %d runs (%s); "
                . "median rate of B %s %% of A's\n",
                $test, $percent, $ns, $found, $runs, interval($found, $runs),
                middle(100, @ratios);
        }
    }
    return;
}

# ab against two runs of half its time, one after the other
sub widths {
    my (%of_ab, %of_turns, %of_two);
    for (1 .. $runs) {
        for my $row (rows_of(@TURNS, '--b', q{}, qw(fork posix_spawn))) {
            push @{ $of_turns{ $row->{test} } }, $row->{plus_minus};
        }
        for my $row (rows_of('--b', q{}, qw(fork posix_spawn))) {
            push @{ $of_ab{ $row->{test} } }, $row->{plus_minus};
        }
        run_suite(
            '-q', @PINNED, '--precision', '0.01%', '--max-time',
            $seconds / 4,
            qw(fork posix_spawn)
        ) for 1 .. 2;
        my $compared = decode(run_suite(qw(compare --json latest~1 latest)));
        for my $row (@{ $compared->{rows} }) {
            push @{ $of_two{ $row->{test} } }, $row->{high} && $row->{high} / $row->{ratio} - 1;
        }
    }
    for my $test (sort keys %of_ab) {
        printf "%s, %g s: ab +/-%s %%, in turns +/-%s %%, two runs +/-%s %% "
            . "(medians of %d, two runs without the levels that runs have)\n",
            $test, $seconds / 2,
            map({ median(100, @{ $_->{$test} }) } \%of_ab, \%of_turns, \%of_two),
            $runs;
    }
    return;
}

equal_sides() if $wanted{equal};
slowdowns(library($folder)) if $wanted{slower};
widths() if $wanted{widths};
