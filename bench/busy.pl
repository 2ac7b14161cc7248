#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside busy loops: what the rates lose, and which results are called busy
# (Analysis/Results.pm).  A loop of 0.25 runs for a quarter of the time.  What else the
# machine does counts as other work, as in any run.
#
# usage: busy.pl [LOOPS ...] [-- RUN OPTION ...]

use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Beside                            qw(beside end_beside computing);
use List::Util                        qw(max min);
use SpawnMeter::Analysis::Disturbance ();
use SpawnMeter::Analysis::Results     qw(results);
use SpawnMeter::Stats::Numbers        qw(mean);
use SpawnMeter::Store::RunFile;

use constant PERIOD => 20;    # ms

my ($end) = grep { $ARGV[$_] eq '--' } 0 .. $#ARGV;
my @options = defined $end ? splice @ARGV, $end : qw(-- --max-time 5 fork posix_spawn);
shift @options;
my @loops = @ARGV ? @ARGV : (0, 0.25, 0.5, 1, 2, 4);
die "usage: busy.pl [LOOPS ...] [-- RUN OPTION ...]\n" if grep { !/^\d+(?:[.]\d+)?\z/a } @loops;

sub run_beside {
    my ($loops) = @_;
    my $folder = File::Temp->newdir;
    my @pids = map { beside(computing(PERIOD * min(1, $loops - $_), PERIOD)) }
        grep { $_ < $loops } 0 .. $loops;
    my $status = system $^X, "$FindBin::Bin/../Run", '-qq', @options, '--output', "$folder";
    end_beside($_) for @pids;
    my ($file) = glob "\Q$folder\E/*.json";
    die "busy.pl: ./Run beside $loops loops measured nothing\n" if $status || !defined $file;
    return SpawnMeter::Store::RunFile::load($file);
}

# -> (CPUs that others used, share of its time for which a copy waited): means of the passes
sub beside_result {
    my ($run, $result) = @_;
    my @passes =
        grep { $_->{test} eq $result->{test} && $_->{copies} == $result->{copies} }
        @{ $run->{passes} };
    my @other = map { $_->{machine}{busy_elsewhere} } @passes;
    my @waited = map { waited_in($_) } @passes;
    return map {
        mean(grep { defined } @{$_})
            || 0
    } \@other, \@waited;
}

# Of the copy that waited longest; undef where that is not known
sub waited_in {
    my ($pass) = @_;
    my @waits = grep { defined $_->{disturb}{rundelay_ns} } @{ $pass->{results} };
    return max(
        grep    { defined }
            map { SpawnMeter::Analysis::Disturbance::waited($_, $_->{disturb}{rundelay_ns}) }
            @waits
    );
}

my %alone;
printf "%-6s %-12s %6s %10s %7s %6s %6s %9s\n",
    qw(loops test copies rate change other waited flagged);
for my $loops (@loops) {
    my $run = run_beside($loops);
    for my $result (grep { defined $_->{rate} } @{ results($run) }) {
        my ($test, $copies, $rate) = @{$result}{qw(test copies rate)};
        my $first = $alone{"$copies $test"} ||= $rate;
        printf "%-6s %-12s %6d %10.1f %+6.1f%% %6.2f %6.3f %9s %s\n", $loops, $test, $copies, $rate,
            100 * ($rate / $first - 1), beside_result($run, $result),
            "$result->{flagged} of $result->{passes}", defined $result->{busy} ? 'BUSY' : q{};
    }
}
