#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts a bare loop as ./Run starts the program of a test, so that ./Run ab can measure one
# against the other: bench/cost.pl makes a folder of links to this file, named as the tests.
#
# The options are those of the programs: --gate R,W and --cpu N are obeyed, --warmup S runs the
# loop for so long first, --turns R,W with --pauses S takes turns with another program.  There are
# no reference loops: --reference, and --pauses alone, are not obeyed.
# BARE_TREE=DIR: the program of that name in this folder of a classic tree takes the place of the
# loop.  It knows no turns and whole seconds only, and its execl ends by the clock's seconds.  So
# this process stops and continues the program, on the same CPU, and its time is that between, its
# start included.  Its spawn prints its count when the alarm comes; execl has it in its arguments.

use strict;
use warnings;
use Cwd            ();
use File::Basename qw(basename dirname);
use Getopt::Long   qw(GetOptionsFromArray);
use List::Util     qw(min);
use POSIX          qw(WUNTRACED ceil);
use Time::HiRes    qw(sleep time);

use constant SPARE => 60;    # seconds that the classic program has besides: it is ended before

my $name = basename($0);
my $root = dirname(Cwd::abs_path($0)) . '/..';

my %option;
Getopt::Long::Configure('pass_through');
GetOptionsFromArray(\@ARGV, \%option, map { "$_=s" } qw(gate cpu warmup reference pauses turns));
my ($seconds) = @ARGV;
die "ERROR|$name: expected seconds, found @ARGV\n"
    if @ARGV != 1 || $seconds !~ /^\d*[.]?\d+\z/;
my $tree = $ENV{BARE_TREE};
my $running;
local @SIG{qw(INT TERM HUP)} = (sub { exit 1 }) x 3 if defined $tree;    # END ends it, too
pin() if defined $option{cpu} && (defined $tree || $name eq 'execl');
if ($option{warmup}) { defined $tree ? warm_up_tree() : warm_up($option{warmup}) }
wait_at(split /,/, $option{gate}) if defined $option{gate};
my ($from, $to) = defined $option{turns} ? split /,/, $option{turns} : ();
wait_for_turn($from) if defined $from;
if (defined $tree) { run_tree(); exit }
my @line = bare($seconds);
exec { $line[0] } @line or die "ERROR|$line[0]: $!\n";

sub bare {
    my ($length) = @_;
    $ENV{BARE_CPU} = $option{cpu} if defined $option{cpu};
    @ENV{qw(BARE_TURN BARE_TURNS)} = @option{qw(pauses turns)} if defined $option{turns};
    return ("$root/build/bare-execl", $length) if $name eq 'execl';
    my $program = "$root/build/bare" . ($name eq 'spawn' ? '-classic' : q{});
    return ($program, $name, $length, "$root/pgms/true-dynamic");
}

# This process, and what it executes
sub pin {
    my $own = $$;    # the child that open starts has another one
    open my $said, '-|', qw(taskset -p -c), $option{cpu}, $own or die "ERROR|taskset: $!\n";
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

# The other program has ended its turn, or itself
sub wait_for_turn {
    my ($descriptor) = @_;
    return (POSIX::read($descriptor, my $byte, 1) || 0) == 1;    # "0 but true" at the end
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

sub warm_up_tree {
    start('/dev/null');
    run_for($option{warmup});
    return finish();
}

sub run_tree {
    local $SIG{PIPE} = 'IGNORE';
    my ($begun, $ran) = (start(), 0);
    while (1) {
        my $left = $seconds - $ran;
        $ran += run_for(defined $from ? min($option{pauses}, $left) : $left, $begun);
        last if $ran >= $seconds;
        $begun = undef;
        $from = undef if defined $from && !(POSIX::write($to, 't', 1) && wait_for_turn($from));
    }
    my $count = $name eq 'execl' ? executed() : undef;
    printf {*STDERR} "COUNT|%d|1|lps\n", $count if defined $count;
    finish(defined $count ? () : 'ALRM');
    printf {*STDERR} "TIME|%.6f\n", $ran;
    return;
}

# Starts it in a process group of its own -> the time at which it was executed
sub start {
    my ($errors) = @_;
    pipe my $in, my $out     or die "ERROR|pipe: $!\n";
    defined($running = fork) or die "ERROR|fork: $!\n";
    if ($running == 0) {
        local $ENV{UB_BINDIR} = $tree;
        $SIG{PIPE} = 'DEFAULT';
        setpgrp or die "ERROR|setpgrp: $!\n";
        if (defined $errors) { open STDERR, '>', $errors or die }
        exec {"$tree/$name"} "$tree/$name", ceil(2 * $seconds) + SPARE
            or die "ERROR|$tree/$name: $!\n";
    }
    close $out;
    sysread $in, my $byte, 1;    # its end is closed by exec
    return time;
}

# It has run since then, or is continued now -> the seconds until it is stopped
sub run_for {
    my ($length, $since) = @_;
    my $began = defined $since ? $since : time;
    kill CONT => -$running if !defined $since;
    my $left = $began + $length - time;
    sleep $left if $left > 0;
    kill STOP => -$running;
    waitpid $running, WUNTRACED;
    my $took = time - $began;
    return $took if kill 0 => $running;    # not ended: perl says status 0 of both
    $running = undef;
    die "ERROR|$tree/$name: wait status $?\n";
}

# The images that execl has executed: the last but one of its arguments
sub executed {
    open my $in, '<', "/proc/$running/cmdline" or die "ERROR|/proc/$running/cmdline: $!\n";
    my @words = split /\0/, readline $in;
    die "ERROR|$tree/$name: no count in @words\n" if @words < 5 || $words[-2] !~ /^\d+\z/;
    return $words[-2];
}

# Ends it where it is stopped, or by a signal on which it prints and exits
sub finish {
    my ($signal) = @_;
    if (defined $signal) {
        kill $signal => $running;
        kill CONT    => -$running;
    } else {
        kill KILL => -$running;
    }
    waitpid $running, 0;
    my $status = $?;
    kill KILL => -$running;    # a child that it had begun
    $running = undef;
    die "ERROR|$tree/$name: wait status $status\n" if defined $signal && $status != 0;
    return;
}

END {
    local $? = $?;
    finish() if $running;
}
