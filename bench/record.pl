#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures runs in a row on an unchanged machine and prints their passes as CSV, in the form of
# bench/recorded, which recorded.pl reads.
#
# usage: record.pl [--busy MS] RUNS [RUN OPTION ...]
#        --busy MS   beside a process that computes for so much of each 20 ms (1 to 20)
#        RUN OPTION  without any: --precision 0.5% --max-time 10, so that all tests use the same
#                    time

use strict;
use warnings;
use Cwd        ();
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/../lib", $FindBin::Bin;
use Beside qw(beside end_beside computing);
use SpawnMeter::Store::RunFile;

use constant PERIOD => 20;    # ms

my $busy = @ARGV > 1 && $ARGV[0] eq '--busy' ? (splice @ARGV, 0, 2)[1] : undef;
my ($runs, @options) = @ARGV;
@options = qw(--precision 0.5% --max-time 10) if !@options;
die "usage: record.pl [--busy MS] RUNS [RUN OPTION ...]\n"
    if !defined $runs || $runs !~ /^[1-9]\d{0,2}\z/;
die "record.pl: --busy: expected 1 to @{[ PERIOD ]} ms, found $busy\n"
    if defined $busy && ($busy !~ /^\d{1,2}\z/ || $busy < 1 || $busy > PERIOD);

my $folder = File::Temp->newdir;
my $root = Cwd::abs_path("$FindBin::Bin/..");
my $other = defined $busy ? beside(computing($busy, PERIOD)) : undef;
my @measured;
for my $number (1 .. $runs) {
    last if system $^X, "$root/Run", '-qq', @options, '--output', "$folder/$number";
    push @measured, glob "\Q$folder/$number\E/*.json";
}
end_beside($other);
die "record.pl: only @{[ scalar @measured ]} of $runs runs were measured\n" if @measured < $runs;

print "# Passes of $runs runs in a row (./Run @options) on an unchanged machine",
    defined $busy
    ? ",\n# beside a process that was busy for $busy of @{[ PERIOD ]} ms"
    : q{},
    ".\n# at: seconds from the start of the run; rate: per second.\nrun,copies,test,at,rate\n";
for my $number (1 .. $runs) {
    my $run = SpawnMeter::Store::RunFile::load($measured[ $number - 1 ]);
    for my $pass (grep { $_->{status} eq 'ok' } @{ $run->{passes} }) {
        printf "%d,%d,%s,%.2f,%.1f\n", $number, @{$pass}{qw(copies test at rate)};
    }
}
