#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts a bare loop as ./Run starts the program of a test, so that ./Run ab can measure one
# against the other: bench/cost.pl makes a folder of links to this file, named as the tests.
#
# The options are those of the programs: --gate R,W and --cpu N are obeyed, --by names the loop
# together with the test, the others have no meaning for a bare loop.  BARE_TREE=DIR: the program
# of that name in this folder of a classic tree takes the place of the loop; it prints no time,
# so that it counts as the one that it was given.

use strict;
use warnings;
use Cwd            ();
use File::Basename qw(basename dirname);
use Getopt::Long   qw(GetOptionsFromArray);

my $name = basename($0);
my $root = dirname(Cwd::abs_path($0)) . '/..';

my %option;
Getopt::Long::Configure('pass_through');
GetOptionsFromArray(\@ARGV, \%option, map { "$_=s" } qw(gate cpu by warmup reference pauses));
my ($seconds) = @ARGV;
die "ERROR|$name: expected seconds, found @ARGV\n"
    if @ARGV != 1 || $seconds !~ /^\d*[.]?\d+\z/;
wait_at(split /,/, $option{gate}) if defined $option{gate};
classic("$ENV{BARE_TREE}/$name") if defined $ENV{BARE_TREE};
bare(join '_', $name, grep { defined } $option{by});

# Says that it is ready, and returns when it may start
sub wait_at {
    my ($start, $ready) = @_;
    open my $out, '>&=', $ready or die "ERROR|$ready: $!\n";
    syswrite $out, 'r';
    close $out or die "ERROR|$ready: $!\n";
    my $bits = q{};
    vec($bits, $start, 1) = 1;
    select $bits, undef, undef, undef;
    return;
}

sub bare {
    my ($loop) = @_;
    local $ENV{BARE_CPU} = $option{cpu} if defined $option{cpu};
    my $program = "$root/build/bare" . ($loop =~ /^(?:spawn|execl)\z/ ? '-classic' : q{});
    my $target = $loop eq 'execl' ? $program : "$root/pgms/true-dynamic";
    exec {$program} $program, $loop, $seconds, $target or die "ERROR|$program: $!\n";
}

sub classic {
    my ($program) = @_;
    local $ENV{UB_BINDIR} = $ENV{BARE_TREE};
    my @pinned = defined $option{cpu} ? ('taskset', '-c', $option{cpu}) : ();
    my @line = (@pinned, $program, $seconds);
    system { $line[0] } @line;
    die "ERROR|$program: wait status $?\n" if $?;
    print {*STDERR} "TIME|$seconds\n";
    exit;
}
