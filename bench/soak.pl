#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs ./Run process repeatedly for some minutes (make soak MINUTES=60) and reports whether
# memory grows and whether processes or files are left.
#
# usage: soak.pl MINUTES [arguments of Run]
#
# Prints a line for each run: passes, largest resident memory of Run, of its cleaner and of
# a copy (kB); then the same for the first and the last quarter of all runs, and what is
# left: zombies and processes seen after a run, files in tmp and half-written results.
# Status 0 where nothing is left and the smallest of the last quarter is at most 10 % above that
# of the first.  Medians of few runs move by chance: a process between fork and exec is as large as
# its parent.
use strict;
use warnings;
use Cwd            ();
use File::Basename ();
use File::Temp     ();
use List::Util     qw(min);
use POSIX          ();
use Time::HiRes    qw(sleep time);

my ($minutes, @arguments) = @ARGV;
die "usage: soak.pl MINUTES [arguments of Run]\n"
    if !defined $minutes || $minutes !~ /^\d+(?:[.]\d+)?\z/;
@arguments = 'process' if !@arguments;
my $root = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/..');
my $folder = File::Temp->newdir('spawnmeter-soak-XXXXXX', TMPDIR => 1);
mkdir "$folder/$_" or die "$folder/$_: $!\n" for qw(results tmp);
my $me = $$;
my $tag = "soak-$me";

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or return q{};
    local $/ = undef;
    my $text = <$in>;
    close $in;
    return defined $text ? $text : q{};
}

# The processes of this run: { pid, parent, state, rss in kB }
sub processes {
    my @found;
    for my $path (glob '/proc/[0-9]*') {
        next if slurp("$path/environ") !~ /SPAWNMETER_SOAK=\Q$tag\E\0/;
        my $status = slurp("$path/status");
        my %of = $status =~ /^(Pid|PPid|State|VmRSS):\s+(\w+)/mg;
        push @found,
            { pid => $of{Pid}, parent => $of{PPid}, state => $of{State}, rss => $of{VmRSS} || 0 }
            if defined $of{Pid} && defined $of{State};
    }
    return @found;
}

# The larger of two numbers, of which the first can be undefined
sub most { my ($old, $new) = @_; return !defined $old || $new > $old ? $new : $old }

sub one_run {
    my $pid = fork;
    die "fork: $!\n" if !defined $pid;
    if ($pid == 0) {
        local %ENV = (
            %ENV,
            SPAWNMETER_SOAK => $tag,
            UB_RESULTDIR    => "$folder/results",
            UB_TMPDIR       => "$folder/tmp"
        );
        open STDOUT, '>', "$folder/out" or die;
        open STDERR, '>', "$folder/err" or die;
        exec "$root/Run", @arguments    or POSIX::_exit(126);
    }
    my %seen = (run => 0, cleaner => 0, copy => 0, zombies => 0);
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        for my $process (processes()) {
            my $what =
                  $process->{pid} == $pid                            ? 'run'
                : slurp("/proc/$process->{pid}/cmdline") =~ /--gate/ ? 'copy'
                :                                                      'cleaner';
            $seen{$what} = most($seen{$what}, $process->{rss});
        }
        sleep 1;
    }
    $seen{status} = $? >> 8;
    my @left = processes();
    $seen{left} = @left;
    $seen{zombies} = grep { slurp($_) =~ /^PPid:\s+$me\n/m && slurp($_) =~ /^State:\s+Z/m }
        glob '/proc/[0-9]*/status';
    my ($stored) = reverse sort glob "$folder/results/*.json";
    $seen{passes} = () = slurp($stored) =~ /"rate":/g if defined $stored;
    $seen{files} = () = (glob("$folder/tmp/*"), glob("$folder/results/*.{part,new}"));
    return \%seen;
}

my $end = time + $minutes * 60;
my @runs;
local $| = 1;
printf "%4s %7s %7s %10s %10s %10s %5s %8s %5s\n",
    qw(run status passes Run/kB clean/kB copy/kB left zombies files);
while (time < $end) {
    my $run = one_run();
    push @runs, $run;
    printf "%4d %7d %7d %10d %10d %10d %5d %8d %5d\n", scalar @runs,
        map { $_ || 0 } @{$run}{qw(status passes run cleaner copy left zombies files)};
}
my $quarter = @runs >= 4 ? int(@runs / 4) : 1;
my $bad = 0;
for my $what (qw(run cleaner copy)) {
    my ($first, $last) = map {
        min(map { $_->{$what} } @{$_})
    } [ @runs[ 0 .. $quarter - 1 ] ], [ @runs[ -$quarter .. -1 ] ];
    printf "%-6s %d kB in the first %d runs, %d kB in the last (the smallest of the largest)\n",
        $what, $first, $quarter, $last;
    $bad = 1 if $last > 1.1 * $first;
}
my %all;
for my $run (@runs) {
    $all{$_} += $run->{$_} || 0 for qw(left zombies files passes);
    $all{failed}++ if $run->{status} != 0;
}
printf "%d runs, %d of them failed, %d passes; left: %d processes, %d zombies, %d files\n",
    scalar @runs, $all{failed} || 0, @all{qw(passes left zombies files)};
exit($bad || $all{failed} || $all{left} || $all{zombies} || $all{files} ? 1 : 0);
