#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Many copies at once: the rate that Run reports against an independent count of the kernel
# over the same window.  Where process namespaces can be made (as root, or with user
# namespaces), the copies run in one, and the count is that of the process numbers it has
# given (/proc/loadavg, last field), so that other work on the machine does not count; elsewhere
# it is `processes` of /proc/stat, and the machine must be idle otherwise.
#
# usage: copies.pl [-p passes] [test ...] [copies ...]      1024 copies: ulimit -n 1040 before

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl                               qw(SEEK_SET);
use File::Temp                          ();
use List::Util                          qw(max sum);
use SpawnMeter::Analysis::ProgramOutput qw(common_window);
use SpawnMeter::Stats::Numbers          qw(median);
use SpawnMeter::Machine::Facts;
use SpawnMeter::Measure::Runner;
use SpawnMeter::Measure::Loop     qw(seconds_of_iteration);
use SpawnMeter::Measure::Settings qw(note_pass seconds_of settings_of warmup_of);
use Time::HiRes                   qw(clock_gettime CLOCK_MONOTONIC sleep);

use constant {
    SAMPLE_EVERY => 0.001,    # seconds between two readings of the kernel's count
    FIRST_REUSED => 300,      # process number after the largest (RESERVED_PIDS of Linux)
    TIMEOUT      => 300,      # seconds of a pass
};

my $root = "$FindBin::Bin/..";
my $inside = @ARGV && $ARGV[0] eq '--inside' ? shift : undef;
my @options = @ARGV;
my $passes = @ARGV > 1 && $ARGV[0] eq '-p' ? (splice @ARGV, 0, 2)[1] : 3;
my @copies = grep { /^\d+$/ } @ARGV;
my @tests = grep { !/^\d+$/ } @ARGV;
@copies = (1, 2, 8, 64, 256, 1024) if !@copies;
@tests = qw(fork vfork clone posix_spawn) if !@tests;

if (!$inside) {
    my @user = $> == 0 ? () : qw(--user --map-root-user);
    my @unshare = ('unshare', @user, qw(--pid --fork --mount-proc));
    exec @unshare, $^X, $0, '--inside', @options if system(@unshare, 'true') == 0;
}

# -> sub that returns how many processes were created since the first call
sub counter {
    my ($own) = @_;
    open my $in, '<', $own ? '/proc/loadavg' : '/proc/stat' or die "/proc: $!\n";
    my $most = number_in('/proc/sys/kernel/pid_max');
    my ($last, $wrapped) = (undef, 0);
    return sub {
        sysseek $in, 0, SEEK_SET;
        sysread $in, my $text, 65_536;
        return $text =~ /^processes (\d+)/m ? $1 : die "/proc/stat: no processes\n" if !$own;
        my ($now) = $text =~ /(\d+)\s*\z/;
        $wrapped += $most - FIRST_REUSED - numbers_in_use() if defined $last && $now < $last;
        $last = $now;
        return $wrapped + $now;
    };
}

sub number_in { my ($path) = @_; open my $in, '<', $path or return; return <$in> + 0 }

# Those that are skipped when the numbers begin again
sub numbers_in_use {
    opendir my $in, '/proc' or return 0;
    return scalar grep { /^\d+$/ && $_ >= FIRST_REUSED } readdir $in;
}

# Samples the count until the sub returns -> ([ clock, count ], what it returned)
sub sampled {
    my ($sub) = @_;
    my $file = File::Temp->new;
    my $pid = fork;
    die "fork: $!\n" if !defined $pid;
    if ($pid == 0) {
        setpriority 0, 0, -20;    # as root; else as it is
        my ($count, $end, @samples) = (counter($inside), 0);
        local $SIG{TERM} = sub { $end = 1 };
        until ($end) {
            push @samples, clock_gettime(CLOCK_MONOTONIC) . q{ } . $count->();
            sleep SAMPLE_EVERY;
        }
        print {$file} map { "$_\n" } @samples;
        close $file;
        require POSIX;
        POSIX::_exit(0);
    }
    my $got = $sub->();
    kill 'TERM', $pid;
    waitpid $pid, 0;
    open my $in, '<', "$file" or die "$file: $!\n";
    return ([ map { [ split q{ } ] } <$in> ], $got);
}

# The count at this reading of the clock
sub count_at {
    my ($samples, $clock) = @_;
    my ($low, $high) = (0, $#{$samples});
    while ($high - $low > 1) {
        my $middle = int(($low + $high) / 2);
        if   ($samples->[$middle][0] <= $clock) { $low = $middle }
        else                                    { $high = $middle }
    }
    my ($a, $b) = @{$samples}[ $low, $high ];
    return $a->[1] + ($b->[1] - $a->[1]) * ($clock - $a->[0]) / ($b->[0] - $a->[0]);
}

my $usable = SpawnMeter::Machine::Facts->new->usable_cpus->{count};
my %plan = (settings => settings_of({}, cells => 1), usable => $usable);
open my $log, '>', '/dev/null' or die "/dev/null: $!\n";

sub pass {
    my ($test, $copies) = @_;
    my $cell = { test => $test, copies => $copies };
    my $slice = seconds_of(\%plan, $cell);
    my ($samples, $got) = sampled(sub {
        return SpawnMeter::Measure::Runner->new->run({
            program   => "$root/pgms/$test",
            arguments => [ '--warmup', warmup_of(\%plan, $cell), $slice ],
            copies    => $copies,
            gate      => 1,
            timeout   => TIMEOUT,
            folder    => q{/},
            log       => $log,
        });
    });
    die "$test, $copies copies: $got->{reason}\n" if $got->{status} ne 'ok';
    my @results = @{ $got->{results} };
    my $window = common_window(\@results);
    note_pass(\%plan, $cell, scalar seconds_of_iteration(\@results), $window->{spread});
    my $from = max(map { $_->{gate} } @results);
    my %pass = (
        slice  => $slice,
        wall   => $got->{wall},
        length => $window->{length},
        spread => $window->{spread},
        added  => sum(map { $_->{count} } @results) * @results / sum(map { $_->{time} } @results),
    );
    return { %pass, compared($window, $from, $samples) };
}

sub compared {
    my ($window, $from, $samples) = @_;
    return if !$window->{made};
    my ($length, $made) = @{$window}{qw(length made)};
    my $kernel = count_at($samples, $from + $length) - count_at($samples, $from);
    return (rate => $made / $length, kernel => $kernel / $length);
}

sub middle {
    my ($key, @passes) = @_;
    return median(grep { defined } map { $_->{$key} } @passes);
}

sub row {
    my ($test, $copies, @passes) = @_;
    my @good = grep { $_->{kernel} } @passes;
    my @off = sort { $a <=> $b } map { 100 * ($_->{rate} / $_->{kernel} - 1) } @good;
    my @added = map { 100 * ($_->{added} / $_->{kernel} - 1) } @good;
    printf "%-12s %6d %6.2f %6.2f %6.2f %6.2f %9s %9s %22s %8s\n", $test, $copies,
        (map { middle($_, @passes) } qw(slice length spread wall)),
        @good
        ? (
        (map { sprintf '%.0f', middle($_, @good) } qw(rate kernel)),
        sprintf('%+.1f%% (%+.1f to %+.1f)', median(@off), $off[0], $off[-1]),
        sprintf('%+.1f%%', median(@added))
        )
        : ('-') x 4;
    return;
}

$| = 1;
printf "%d usable CPUs; count of the kernel: %s; medians of %d passes; times in seconds\n", $usable,
    $inside ? 'process numbers of a namespace' : 'processes of /proc/stat', $passes;
printf "%-12s %6s %6s %6s %6s %6s %9s %9s %22s %8s\n", qw(test copies slice window apart wall),
    'rate/s', 'kernel/s', 'rate over kernel', 'added';
for my $test (@tests) {
    for my $n (@copies) {
        row($test, $n, map { pass($test, $n) } 1 .. $passes);
    }
}
