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
#            loops, in turn: prints what the loops do to rate and CPU time of the timed part
#
# The programs are pinned to CPU 0 (Linux); the other process is not.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Beside                              qw(beside end_beside writing);
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Analysis::Reference     qw(LOOPS level words_of);
use SpawnMeter::Analysis::Stats         qw(median interval);

use constant {
    BUFFER => 100,       # MB that the other process writes through
    PASS   => 0.25,      # seconds
    LENGTH => 0.0112,    # seconds of the loops before it and after it
    FEWEST => 6,         # rounds that an interval needs
};

my @PIN = $^O eq 'linux' ? qw(--cpu 0) : ();
my @LOOPS = ('--reference', LENGTH);

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
    my ($without, $with) = map { scalar level({ results => [$_] }, $name) } @results;
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
        for my $test (qw(fork vfork clone forkexec vforkexec posix_spawn)) {
            my @of;
            for my $with ($round % 2 ? (0, 1) : (1, 0)) {
                kill $with ? 'CONT' : 'STOP', $other;
                $of[$with] = pass_with($test, @LOOPS);
            }
            push @{ $logs{$test} }, log(creation_rate($of[1]) / creation_rate($of[0]));
            push @{ $logs{ words_of($_) } }, loop_moved($_, @of) for LOOPS;
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
        }
    }
    print "with the loops as a share of without: median, 95 % interval\n";
    show(%logs);
    return;
}

sub show {
    my (%logs) = @_;
    for my $name (sort keys %logs) {
        my @shares = map { exp } @{ $logs{$name} };
        printf "%-20s %.3f (%.3f to %.3f; %d pairs)\n", $name, scalar median(@shares),
            interval(@shares), scalar @shares;
    }
    return;
}

my %COMMANDS = (follow => \&follow, warmth => \&warmth);
my ($what, $rounds) = @ARGV;
my $command = $COMMANDS{ defined $what ? $what : q{} };
die "usage: loops.pl follow N | loops.pl warmth N (N is ${\FEWEST} at least)\n"
    if @ARGV != 2 || !$command || $rounds !~ /^\d+\z/ || $rounds < FEWEST;
$command->($rounds);
