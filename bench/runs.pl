#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Many runs made from a few real ones, to see how ./Run compare grows with their number.
#
# usage: bench/runs.pl NUMBER FOLDER [--machines N] [--passes N] RUN.json ...
#
# Writes NUMBER run files into FOLDER, run-0001.json and so on, each a copy of one of the
# RUNs.  The copies are of NUMBER / 4 machines (--machines), which have host names, CPUs,
# kernels and speeds of their own; each run of a machine is a day after the one before, and
# has a level of its own (3 %).  The rates of its passes are those of the real run, times
# these, so that they drift as that did.  --passes repeats the passes of a run, in order,
# until each has so many.  The same arguments make the same files.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";
use Getopt::Long;
use List::Util             qw(max);
use Noise                  qw(normal);
use SpawnMeter::Util::File qw(read_bytes write_bytes decode encode);
use SpawnMeter::Util::Random;

use constant {
    DAY     => 86_400,
    MACHINE => 0.4,      # standard deviations of logarithms: of the machines' speeds
    LEVEL   => 0.03,     # of a run's level
    KINDS   => 7,        # of CPUs
    KERNELS => 5,
    RUNS_OF => 4,        # a machine
};

GetOptions('machines=i' => \my $machines, 'passes=i' => \my $passes) or exit 2;
my ($number, $folder, @files) = @ARGV;
die "usage: $0 NUMBER FOLDER [--machines N] [--passes N] RUN.json ...\n"
    if !@files || $number !~ /\A[1-9]\d{0,5}\z/a;
$machines ||= max(1, int $number / RUNS_OF);
-d $folder or mkdir $folder or die "$folder: $!\n";
my @real = map { decode(read_bytes($_) || die "$_: $!\n") } @files;

for my $i (0 .. $number - 1) {
    my $run = made($real[ $i % @real ], $i % $machines, int $i / $machines);
    write_bytes(sprintf('%s/run-%04d.json', $folder, $i + 1), encode($run) . "\n");
}

# The same number for the same seed
sub of_seed { my ($seed) = @_; return normal(SpawnMeter::Util::Random->new(7919 * $seed + 17)) }

sub made {
    my ($real, $machine, $day) = @_;
    my $scale = exp(MACHINE * of_seed($machine) + LEVEL * of_seed(1000 + $machine * 977 + $day));
    my $name = sprintf 'host-%03d', $machine + 1;
    my $cpu = $machine % KINDS;
    my %system = (
        %{ $real->{system} },
        cpu_model      => sprintf('Model %s CPU', chr(ord('A') + $cpu)),
        cpus_online    => 2**(1 + $cpu % 4),
        kernel_release => sprintf('6.%d.0', 1 + $machine % KERNELS),
    );
    my $started = $real->{started} + $day * DAY;
    my @blocks = map { +{ %{$_}, started => $started, ended => $started } } @{ $real->{blocks} };
    return {
        %{$real},
        host    => $name,
        name    => "$name-" . ($day + 1),
        started => $started,
        system  => \%system,
        blocks  => \@blocks,
        results => undef,
        passes  => [ map { scaled($_, $scale) } repeated(@{ $real->{passes} }) ],
    };
}

sub scaled {
    my ($pass, $scale) = @_;
    return { %{$pass}, defined $pass->{rate} ? (rate => $pass->{rate} * $scale) : () };
}

# The times go on after the end of the run
sub repeated {
    my (@all) = @_;
    return @all if !$passes;
    my $end = max(map { $_->{at} || 0 } @all) + 1;
    return map {
        my $pass = $all[ $_ % @all ];
        +{ %{$pass}, at => ($pass->{at} || 0) + $end * int($_ / @all) }
    } 0 .. $passes - 1;
}
