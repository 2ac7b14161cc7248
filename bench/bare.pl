#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts a bare loop as ./Run starts the program of a test, so that ./Run ab can measure one
# against the other: bench/cost.pl makes a folder of links to this file, named as the tests.
#
# The options are those of the programs: --gate R,W and --cpu N are obeyed, --warmup S runs the
# loop for so long first, --by names the loop together with the test, --turns R,W with --pauses S
# takes turns with another program.  There are no reference loops: --reference, and --pauses
# alone, are not obeyed.
# BARE_TREE=DIR: the program of that name in this folder of a classic tree takes the place of the
# loop; it prints no time, so that it counts as the one that it was given.  execl there ends when
# the clock's seconds are so many more than when it began, so it begins just after a second has,
# and its time is what it took.

use strict;
use warnings;
use Cwd            ();
use File::Basename qw(basename dirname);
use Getopt::Long   qw(GetOptionsFromArray);
use POSIX          qw(ceil);
use Time::HiRes    qw(time);

use constant LATER => 0.02;    # seconds: the clock that it reads can be some ms late

my $name = basename($0);
my $root = dirname(Cwd::abs_path($0)) . '/..';

my %option;
Getopt::Long::Configure('pass_through');
GetOptionsFromArray(\@ARGV, \%option, map { "$_=s" } qw(gate cpu by warmup reference pauses turns));
my ($seconds) = @ARGV;
die "ERROR|$name: expected seconds, found @ARGV\n"
    if @ARGV != 1 || $seconds !~ /^\d*[.]?\d+\z/;
my $tree = $ENV{BARE_TREE};
pin() if defined $option{cpu} && (defined $tree || $name eq 'execl');
my @line = defined $tree ? classic($tree) : bare($seconds);
warm_up($option{warmup}) if $option{warmup} && !defined $tree;
wait_at(split /,/, $option{gate}) if defined $option{gate};
wait_for_turn(split /,/, $option{turns}) if defined $option{turns};
if (!defined $tree) { exec { $line[0] } @line or die "ERROR|$line[0]: $!\n" }
wait_for_second() if $name eq 'execl';
my $began = time;
system { $line[0] } @line;
$seconds = sprintf '%.6f', time - $began if $name eq 'execl';
die "ERROR|$line[0]: wait status $?\n" if $?;
print {*STDERR} "TIME|$seconds\n";

sub bare {
    my ($length) = @_;
    my $loop = join '_', $name, grep { defined } $option{by};
    $ENV{BARE_CPU} = $option{cpu} if defined $option{cpu};
    @ENV{qw(BARE_TURN BARE_TURNS)} = @option{qw(pauses turns)} if defined $option{turns};
    return ("$root/build/bare-execl", $length) if $loop eq 'execl';
    my $program = "$root/build/bare" . ($loop eq 'spawn' ? '-classic' : q{});
    return ($program, $loop, $length, "$root/pgms/true-dynamic");
}

sub classic {
    my ($folder) = @_;
    $ENV{UB_BINDIR} = $folder;
    return ("$folder/$name", $seconds);
}

# This process, and what it executes
sub pin {
    open my $said, '-|', qw(taskset -p -c), $option{cpu}, $$ or die "ERROR|taskset: $!\n";
    1 while <$said>;
    close $said or die "ERROR|taskset: status $?\n";
    return;
}

sub warm_up {
    my ($how_long) = @_;
    my ($program, @arguments) = bare($how_long);
    my $pid = fork;
    die "ERROR|fork: $!\n" if !defined $pid;
    if ($pid == 0) {
        delete @ENV{qw(BARE_TURN BARE_TURNS)};
        open STDERR, '>', '/dev/null'        or die;
        exec {$program} $program, @arguments or die;
    }
    waitpid $pid, 0;
    return;
}

# Not asleep: the program of the other side begins on a CPU that is busy, too
sub wait_for_second {
    my $until = ceil(time) + LATER;
    1 while time < $until;
    return;
}

# The other program has ended its turn, or itself
sub wait_for_turn {
    my ($from) = @_;
    return POSIX::read($from, my $byte, 1);
}

# Says that it is ready, and returns when it may start
sub wait_at {
    my ($start, $ready) = @_;
    open my $out, '>&=', $ready or die "ERROR|$ready: $!\n";
    syswrite $out, 'r';
    close $out or die "ERROR|$ready: $!\n";
    my $bits = q{};
    vec($bits, $start, 1) = 1;
    1 while select(my $ready_bits = $bits, undef, undef, undef) < 0;
    return;
}
