#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Does portable/run.sh measure what ./Run measures?  Runs both by turns with the programs of
# the bundle, run.sh inside a root that has only busybox, and prints the ratio of each pair:
# of the rates, and of the rates for each second of CPU time, which other processes change
# less.  Needs root, busybox-static and make bundle.
#
# usage: perl bench/portable.pl [PAIRS [test ...]]

use strict;
use warnings;
use Cwd        ();
use File::Path qw(make_path);
use File::Temp ();
use FindBin;
use List::Util qw(sum);
use POSIX      ();
use lib "$FindBin::Bin/../lib";
use SpawnMeter::Stats::Estimate qw(estimate half);
use SpawnMeter::Stats::Numbers  qw(around geometric_mean median);
use SpawnMeter::Store::RunFile;
use SpawnMeter::Util::Process qw(output);
use SpawnMeter::Util::Programs;

use constant { PASSES => 2, SECONDS => 0.25 };

my ($pairs, @tests) = @ARGV;
$pairs ||= 40;
@tests = qw(fork vfork forkexec spawn) if !@tests;
chdir "$FindBin::Bin/.."                                   or die "$!\n";
my $busybox = SpawnMeter::Util::Programs::found('busybox') or die "portable.pl: no busybox\n";
my ($tar) = glob 'build/spawnmeter-*-' . (POSIX::uname())[4] . '-linux-*.tar';
die "portable.pl: run make bundle first\n" if !defined $tar;
my $folder = File::Temp->newdir;

sub run_of {
    my (@line) = @_;
    my ($status, $words) = output(@line);
    die "portable.pl: @line: $words\n" if $status != 0;
    return;
}

make_path(map { "$folder/root/$_" } qw(bin bundle proc dev tmp));
run_of('cp', $busybox, "$folder/root/bin/busybox");
symlink 'busybox', "$folder/root/bin/sh";
run_of(qw(mknod -m 666), "$folder/root/dev/null", qw(c 1 3));
run_of('tar', 'xf', $tar, '-C', "$folder/root/bundle", '--strip-components=1');

# { test => { rate, cpu => iterations for each second of CPU time } }, medians of all passes
sub level {
    my ($file) = @_;
    my (%rate, %cpu);
    my $run = SpawnMeter::Store::RunFile::load($file);
    for my $pass (@{ $run->{passes} }) {
        my ($copy) = @{ $pass->{results} };
        push @{ $rate{ $pass->{test} } }, $pass->{rate};
        push @{ $cpu{ $pass->{test} } }, $copy->{count} / sum(@{ $copy->{cpu} });
    }
    unlink $file;
    return {
        map { $_ => { rate => median(@{ $rate{$_} }), cpu => median(@{ $cpu{$_} }) } }
            keys %rate
    };
}

sub by_bundle {
    run_of(
        'chroot', "$folder/root", '/bin/sh', '/bundle/run.sh', '-r', PASSES,
        '-s', SECONDS, '-c', 1, '-o', '/tmp/samples',
        @tests
    );
    return level("$folder/root/tmp/samples");
}

sub by_run {
    local $ENV{UB_BINDIR} = "$folder/root/bundle";
    local $ENV{UB_RESULTDIR} = "$folder/results";
    run_of(
        $^X, 'Run', '-q', '-c', 1, '-i',
        PASSES, '--slice', SECONDS, '--precision', '0.1%', @tests
    );
    my ($file) = glob "\Q$folder\E/results/*.json";
    return level($file);
}

my %ratios;
for my $pair (1 .. $pairs) {
    my %level = map { $_ => {} } qw(bundle run);
    for my $which ($pair % 2 ? qw(bundle run) : qw(run bundle)) {
        $level{$which} = $which eq 'run' ? by_run() : by_bundle();
    }
    for my $kind (qw(rate cpu)) {
        my @of = map { $level{bundle}{$_}{$kind} / $level{run}{$_}{$kind} } @tests;
        push @{ $ratios{$kind}{ $tests[$_] } }, $of[$_] for 0 .. $#tests;
        push @{ $ratios{$kind}{together} }, geometric_mean(@of);
    }
}
printf "%-12s %26s %26s\n", 'bundle / Run', 'rate: 95 % interval', 'per CPU time: 95 %';
for my $test (@tests, 'together') {
    my $line = sprintf '%-12s', $test;
    for my $kind (qw(rate cpu)) {
        my @of = @{ $ratios{$kind}{$test} };
        my $estimate = estimate([ map { log } @of ]);
        my @ends = $estimate ? around($estimate->{center}, half($estimate)) : (undef) x 3;
        $line .= sprintf '  %8.3f %6s to %6s', median(@of),
            map { defined ? sprintf '%.3f', $_ : q{-} } @ends[ 1, 2 ];
    }
    print "$line  ($pairs pairs)\n";
}
