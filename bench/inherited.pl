#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What a shell hands on, and by how much it changes the CPU time of a creation: programs by
# themselves, in turn with and without it; medians.
#
# usage: perl bench/inherited.pl [ROUNDS [TEST ...]]       5, fork and forkexec

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl                               qw(F_SETFD);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Stats::Numbers          qw(median);
use List::Util                          qw(sum);

use constant COUNT => 200;

my ($rounds, @tests) = (@ARGV, 5)[ 0 .. (@ARGV ? $#ARGV : 0) ];
@tests = qw(fork forkexec) if !@tests;
die "usage: inherited.pl [ROUNDS [TEST ...]]\n" if $rounds !~ /^[1-9]\d*\z/a;

# name => [a command that runs another], or sub in the child
my @CASES = (
    [ 'nothing', sub { } ],
    [ '15,000 descriptors', \&leak ],
    [ 'environment of 1 MB', sub { $ENV{"LARGE$_"} = 'x' x 100_000 for 1 .. 10 } ],
    [ '200 more folders in PATH', sub { $ENV{PATH} = join q{:}, ('/none') x 200, $ENV{PATH} } ],
    [ 'MALLOC_PERTURB_', sub { $ENV{MALLOC_PERTURB_} = 1 } ],
    [ 'ulimit -s unlimited', [ 'sh', '-c', 'ulimit -s unlimited; exec "$@"', 'sh' ] ],
    [ 'setarch -R', [qw(setarch -R)] ],
    [ 'nice -n 5', [qw(nice -n 5)] ],
);

my @open;

sub leak {
    while (@open < 15_000) {
        open my $file, '<', '/dev/null' or die "/dev/null: $!\n";
        fcntl $file, F_SETFD, 0;
        push @open, $file;
    }
    return;
}

# Microseconds of a creation, parent and child, or undef
sub cpu {
    my ($test, $how) = @_;
    my @line = ("$FindBin::Bin/../pgms/$test", '--count', COUNT);
    my $pid = open my $in, '-|';
    die "fork: $!\n" if !defined $pid;
    if ($pid == 0) {
        if   (ref $how eq 'ARRAY') { unshift @line, @{$how} }
        else                       { $how->() }
        open STDERR, '>&', \*STDOUT or die;
        exec { $line[0] } @line     or die "$line[0]: $!\n";
    }
    my $printed = parse(do { local $/ = undef; scalar <$in> });
    return if !close($in) || !$printed->{cpu};
    return 1e6 * sum(@{ $printed->{cpu} }) / $printed->{count};
}

for my $test (@tests) {
    my %times;
    for (1 .. $rounds) { push @{ $times{ $_->[0] } }, cpu($test, $_->[1]) for @CASES }
    for my $name (map { $_->[0] } @CASES) {
        my @known = grep { defined } @{ $times{$name} };
        next if !@known;
        my $change = median(@known) / median(@{ $times{nothing} }) - 1;
        printf "%-10s %-26s %8.1f us %+6.0f %%\n", $test, $name, median(@known), 100 * $change;
    }
}
