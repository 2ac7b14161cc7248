#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What the reference loops see, and what they do to the passes that they run beside.
#
# usage: loops.pl follow N
#            N (6 or more) rounds of passes of the six tests that create, with a process that
#            writes through 100 MB beside them and without, in turn: prints how much that changes
#            the rate of each test and of each loop
#        loops.pl warmth N
#            N (6 or more) rounds of passes of fork, vfork and vforkexec, with and without the
#            loops, in turn: prints what the loops do to rate, CPU time and percentiles of the
#            timed part
#        loops.pl cost N
#            N (6 or more) rounds of passes of the six tests that create, with and without the
#            loops, in turn: prints which share of the time of a pass, start included, they take
#        loops.pl noise N
#            N (30 or more) passes of fork, vfork and posix_spawn: prints the standard deviation of
#            the logarithms of their rates, without what moves slowly (the mean of 11 passes around
#            each), and what is left of it by regression on the loops around the pass, and on
#            those in its pauses, with the correlation and the coefficient
#
# The programs are pinned to CPU 0 (Linux); the other process is not.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Beside                              qw(beside end_beside writing);
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Analysis::Quantity      qw(FAULTS WITHIN loop_speed);
use SpawnMeter::Stats::Numbers          qw(around estimate half mean median);
use Time::HiRes                         qw(time);

use constant {
    BUFFER => 100,        # MB that the other process writes through
    PASS   => 0.25,       # seconds
    LENGTH => 0.00875,    # seconds of the loops before it and after it
    EVERY  => 0.02,       # seconds between two pauses for some of them
    HALF   => 5,          # passes at each side of one
};

# Rounds that an interval needs, and passes
my %FEWEST = (follow => 6, warmth => 6, cost => 6, noise => 30);
my @CREATE = qw(fork vfork clone forkexec vforkexec posix_spawn);

my @PERCENTILES = qw(p50 p90 p99 p99.9);    # of a latency
my @PIN = $^O eq 'linux' ? qw(--cpu 0) : ();
my @LOOPS = ('--reference', LENGTH, '--pauses', EVERY);

# -> as parse() gives it
sub pass_with {
    my ($test, @options) = @_;
    my $pid = open my $in, '-|';
    die "fork: $!\n" if !defined $pid;
    if (!$pid) {
        open STDERR, '>&', \*STDOUT or die "STDERR: $!\n";
        my @words = (@PIN, qw(--warmup 0.025), @options, PASS);
        exec {"$FindBin::Bin/../pgms/$test"} $test, @words or die "$test: $!\n";
    }
    my $text = do { local $/ = undef; <$in> };
    close $in or die "$test: $text\n";
    return parse($text);
}

sub creation_rate { my ($result) = @_; return $result->{count} / $result->{time} }

# Logarithm of what a loop has with, less that without; nothing where it did not run
sub loop_moved {
    my ($name, @results) = @_;
    my ($without, $with) = map { scalar loop_speed({ results => [$_] }, $name) } @results;
    return defined $without && defined $with ? $with - $without : ();
}

sub follow {
    my ($rounds) = @_;
    local @SIG{qw(INT TERM HUP)} = (sub { die "interrupted\n" }) x 3;
    my $other = beside(writing(BUFFER));
    my $logs = eval { followed($rounds, $other) };
    my $error = $@;
    end_beside($other);    # which may be stopped, and would not see that its parent ended
    die $error if !$logs;
    print 'with a process that writes through ', BUFFER,
        " MB, as a share of without: median, 95 % interval\n";
    show(%{$logs});
    return;
}

sub followed {
    my ($rounds, $other) = @_;
    my %logs;
    for my $round (1 .. $rounds) {
        for my $test (@CREATE) {
            my @of;
            for my $with ($round % 2 ? (0, 1) : (1, 0)) {
                kill $with ? 'CONT' : 'STOP', $other;
                $of[$with] = pass_with($test, @LOOPS);
            }
            push @{ $logs{$test} }, log(creation_rate($of[1]) / creation_rate($of[0]));
            push @{ $logs{tr{_}{ }r} }, loop_moved($_, @of)
                for qw(sparse_faults page_faults arithmetic);
        }
    }
    return \%logs;
}

sub warmth {
    my ($rounds) = @_;
    my %logs;
    for my $round (1 .. $rounds) {
        for my $test (qw(fork vfork vforkexec)) {
            my @of;
            for my $loops ($round % 2 ? (0, 1) : (1, 0)) {
                $of[$loops] = pass_with($test, $loops ? @LOOPS : ());
            }
            push @{ $logs{"$test rate"} }, log(creation_rate($of[1]) / creation_rate($of[0]));
            my @cpu = map { sum(@{ $_->{cpu} }) / $_->{count} } @of;
            push @{ $logs{"$test CPU time"} }, log($cpu[1] / $cpu[0]);
            for my $i (0 .. $#PERCENTILES) {
                my @of_pass = map { $_->{latency}[$i] } @of;
                push @{ $logs{"$test $PERCENTILES[$i]"} }, log($of_pass[1] / $of_pass[0]);
            }
        }
    }
    print "with the loops as a share of without: median, 95 % interval\n";
    show(%logs);
    return;
}

# The loops' share of the time, of each test and of all
sub cost {
    my ($rounds) = @_;
    my %shares;
    for my $round (1 .. $rounds) {
        for my $test (@CREATE) {
            my @seconds;
            for my $loops ($round % 2 ? (0, 1) : (1, 0)) {
                my $began = time;
                pass_with($test, $loops ? @LOOPS : ());
                $seconds[$loops] = time - $began;
            }
            push @{ $shares{$_} }, log($seconds[1] / $seconds[0]) for $test, 'all';
        }
    }
    print "time of a pass with the loops as a share of without: median, 95 % interval\n";
    show(%shares);
    return;
}

sub without_slow {
    my (@values) = @_;
    return map { $values[$_] - mean(@values[ $_ - HALF .. $_ + HALF ]) } HALF .. $#values - HALF;
}

sub product {
    my ($x, $y) = @_;
    return mean(map { $x->[$_] * $y->[$_] } 0 .. $#{$x});
}

sub noise {
    my ($count) = @_;
    printf "%-12s %6s   %-10s %6s %12s %6s\n", qw(test noise loops left correlation b);
    for my $test (qw(fork vfork posix_spawn)) {
        my @passes = map { scalar pass_with($test, @LOOPS) } 1 .. $count;
        my @noise = without_slow(map { log creation_rate($_) } @passes);
        my $variance = product(\@noise, \@noise);
        for my $loops (FAULTS, WITHIN) {
            my @level = map { scalar loop_speed({ results => [$_] }, $loops) } @passes;
            die "the loops of page faults do not run here\n" if grep { !defined } @level;
            my @x = without_slow(@level);
            my ($xx, $xy) = (product(\@x, \@x), product(\@x, \@noise));
            printf "%-12s %5.2f%%   %-10s %5.2f%% %12.2f %6.2f\n", $test, 100 * sqrt $variance,
                $loops eq WITHIN ? 'in pauses' : 'around it', 100 * sqrt($variance - $xy**2 / $xx),
                $xy / sqrt($xx * $variance), $xy / $xx;
        }
    }
    return;
}

sub show {
    my (%logs) = @_;
    for my $name (sort keys %logs) {
        my @logs = @{ $logs{$name} };
        my $estimate = estimate(\@logs);
        my (undef, @ends) = around($estimate->{center}, half($estimate));
        printf "%-20s %.3f (%.3f to %.3f; %d pairs)\n", $name, exp median(@logs), @ends,
            scalar @logs;
    }
    return;
}

my %COMMANDS = (follow => \&follow, warmth => \&warmth, cost => \&cost, noise => \&noise);
my ($what, $number) = @ARGV;
my $command = $COMMANDS{ defined $what ? $what : q{} };
die "usage: loops.pl follow N | warmth N | cost N (6 or more rounds) | noise N (30 or more "
    . "passes)\n"
    if @ARGV != 2 || !$command || $number !~ /^\d{1,6}\z/a || $number < $FEWEST{$what};
$command->($number);
