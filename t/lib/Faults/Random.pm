# SPDX-License-Identifier: GPL-2.0-or-later
package Faults::Random;

# Faults at random moments.
#
#   at_random_moments(fault, run => [arguments of Run], inject => sub (running) -> true if
#       the fault could be injected, expect => sub (running, injected, text of ./Run show)
#       -> what is wrong or undef, from, span => seconds that the moment lies in, least => 1, and
#       what Faults::start takes): starts Run until the fault was injected twice, or that often
#       (FAULTS=N for other numbers).  Checks that expect finds nothing wrong, no pass is lost, no
#       process and no file is left, and that the fault was injected at all; adds the row.
#
# The seed is another one each time, and printed: FAULTS_SEED=N repeats its moments.  What was
# wrong is printed again at the end of the file: files are checked side by side, and the
# beginning of their output may be far away.
# FAULTS_TRACE=1 prints each moment.

use strict;
use warnings;
use Exporter 'import';
use Faults;
use List::Util qw(max);
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(at_random_moments);

# A moment may come too late; that is tried again, MISSES times
use constant { TIMES => 2, MISSES => 8, FROM => 0.05, SPAN => 1.4 };

# After Faults has named its folder, which takes random numbers, too
my $seed = $ENV{FAULTS_SEED} || time % 100_000;
srand $seed;
diag "FAULTS_SEED=$seed";

my @wrong;
END { diag "again: $_" for @wrong }

sub at_random_moments {
    my ($fault, %of) = @_;
    my $times = $ENV{FAULTS} || $of{least} || TIMES;
    my %sum = map { $_ => 0 } qw(lost processes files shown injected);
    my @problems;
    my $turns = 0;
    while ($sum{injected} < $times && $turns < $times + MISSES) {
        my $turn = one_moment($fault, \%of);
        $sum{$_} += $turn->{$_} for keys %sum;
        push @problems, @{ $turn->{problems} };
        $turns++;
    }
    push @wrong, @problems;
    subtest $fault => sub {
        is_deeply(\@problems, [], "no problem in $turns turns, $sum{shown} passes can be shown");
        cmp_ok($sum{injected}, '>', 0, 'the fault was injected at least once');
    };
    return tally($fault, $turns, @sum{qw(lost processes files)});
}

sub one_moment {
    my ($fault, $of) = @_;
    my $moment = ($of->{from} || FROM) + rand($of->{span} || SPAN);
    my $run = start($of, @{ $of->{run} });
    sleep $moment;
    my $injected = $of->{inject}->($run) ? 1 : 0;
    finish($run);
    my @left = still_running($run);
    my @files = left_files($run);
    my $passes = eval { passes($run) };
    my @problems = defined $passes ? () : $@;
    $passes = { reported => 0, shown => 0, text => q{} } if !defined $passes;
    my $lost = max(0, $passes->{reported} - $passes->{shown});
    push @problems, "$lost passes are lost" if $lost;
    push @problems, "processes are left: @left" if @left;
    push @problems, "files are left: @files" if @files;
    push @problems, 'Run had to be killed' if $run->{hung};
    trace($fault, $moment, $injected, $run->{status}, @{$passes}{qw(reported shown)});
    my $wrong = $of->{expect}->($run, $injected, $passes->{text});
    push @problems, "$wrong: $run->{err_text}" if defined $wrong;
    return {
        problems  => [ map { sprintf '%s at %.3f s: %s', $fault, $moment, $_ } @problems ],
        lost      => $lost,
        processes => scalar @left,
        files     => scalar @files,
        shown     => $passes->{shown},
        injected  => $injected,
    };
}

sub trace {
    my ($fault, $moment, @figures) = @_;
    diag sprintf '%s at %.3f s: injected %d, status %d, reported %d, shown %d', $fault, $moment,
        @figures
        if $ENV{FAULTS_TRACE};
    return;
}

1;
