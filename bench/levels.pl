#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# How much equal runs of one machine differ beyond what their passes show, raw and at one level
# of the reference loops, by the time between them.
#
# usage: levels.pl FILE-OR-FOLDER ...
#        run files, or folders of them; complete runs count; as of
#            for i in $(seq 12); do ./Run -q -c 1 --output FOLDER process; done
#        now and some hours later
#
# Each run is compared with each later one of the same machine, as ./Run compare does.  Of the
# pairs that are so far apart it prints how many differences of tests there are, the spread of
# their logarithms (root mean square), raw and steadied, and the level: the standard deviation
# of a run's own level, which is what the spread has beyond the errors that compare gives the
# differences, as a variance over two runs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util                        qw(max);
use SpawnMeter::Analysis::Comparison  qw(reduce compare usual);
use SpawnMeter::Analysis::Fingerprint qw(same_machine same_work);
use SpawnMeter::Analysis::Stats       qw(mean);
use SpawnMeter::Store::RunFile;

use constant MINUTE => 60;

my @APART = (
    { words => 'under 3 minutes', below  => 3 * MINUTE },
    { words => '3 to 15 minutes', below  => 15 * MINUTE },
    { words => '15 to 60 minutes', below => 60 * MINUTE },
    { words => 'above an hour', below    => 9**9**9 },
);

die "usage: levels.pl FILE-OR-FOLDER ...\n" if !@ARGV;
my @files = map { -d $_ ? glob "\Q$_\E/*.json" : $_ } @ARGV;
my @runs = sort { $a->{run}{started} <=> $b->{run}{started} }
    map  { reduce($_, $_->{name}) }
    grep { $_->{kind} eq 'run' && $_->{complete} }
    map  { SpawnMeter::Store::RunFile::load($_) } @files;
die "levels.pl: two runs are needed, there are @{[ scalar @runs ]}\n" if @runs < 2;

for my $i (0 .. $#runs) {
    for my $j ($i + 1 .. $#runs) {
        my @two = @runs[ $i, $j ];
        next if !same_machine(@two) || !same_work(@two) || !defined $two[0]{run}{host};
        my $seconds = $two[1]{run}{started} - $two[0]{run}{started};
        my ($apart) = grep { $seconds < $_->{below} } @APART;
        push @{ $apart->{rows} },
            grep { $_->{steadied} } @{ compare(@two, { usual => usual(@two) })->{rows} };
    }
}

printf "%-18s %-16s %6s %7s %9s %9s %9s\n", 'runs apart', 'test', 'n', 'raw', 'steadied', 'error',
    'level';
for my $apart (grep { $_->{rows} } @APART) {
    my %of;
    push @{ $of{ $_->{test} } }, $_ for @{ $apart->{rows} };
    line($apart->{words}, $_, @{ $of{$_} }) for sort keys %of;
    line($apart->{words}, 'all', @{ $apart->{rows} });
}

sub line {
    my ($words, $test, @rows) = @_;
    my ($raw, $steadied) =
        map {
        mean(map { (log $_->{ratio})**2 } @{$_})
        } \@rows, [ map { $_->{steadied} } @rows ];
    my $error = mean(map { $_->{steadied}{error}**2 } @rows);
    my $level = max(0, $steadied - $error) / 2;
    printf "%-18s %-16s %6d %6.1f%% %8.1f%% %8.1f%% %8.1f%%\n", $words, $test, scalar @rows,
        map { 100 * sqrt } $raw, $steadied, $error, $level;
    return;
}
