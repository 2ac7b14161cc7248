# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Trace;

# The phases of a creation, and its system calls.
#
#   render(method, [ { name, p50, p90, p99 => microseconds; below 0: before the point that
#       it is counted from } ], { count, cpu => number or undef, with => [options of the
#       parent], exec => target or undef }) -> text
#   syscalls({ call => times in one creation }, { call => times in all }, creations) -> text

use strict;
use warnings;
use SpawnMeter::Util::Format qw(duration folded signed_duration visible);

use constant {
    WIDTH => 79,
    RARE  => 0.005,    # calls of a creation; fewer would be printed as 0.00
};

sub render {
    my ($method, $phases, $how) = @_;
    my $place = defined $how->{cpu} ? "pinned to CPU $how->{cpu}" : 'placed by the kernel';
    my @with = (@{ $how->{with} || [] }, defined $how->{exec} ? ('--exec', $how->{exec}) : ());
    my %p50 = map { $_->{name} => $_->{p50} } @{$phases};
    my $text = "Time of one $method by phase ($how->{count} creations, $place)\n";
    $text .= 'With ' . visible("@with") . "\n" if @with;
    $text .= "\n";
    $text .= sprintf "  %-40s %8s %8s %8s %7s\n", q{}, qw(median p90 p99 share);

    for my $phase (@{$phases}) {
        my @us = @{$phase}{qw(p50 p90 p99)};
        $text .= sprintf "  %-40s %8s %8s %8s %7s\n", $phase->{name},
            map({ signed_duration($_) } @us), share($us[0], $p50{total});
    }
    return
          $text
        . "\nThe phases overlap where parent and child run in parallel, and each has its own\n"
        . "median, so they do not add up to the total.  A negative time: the phase ended\n"
        . "before the point that it is counted from.\n"
        . answer_of_2008($method, \%p50);
}

# A phase that ended before its beginning has none
sub share {
    my ($us, $total) = @_;
    return $us < 0 || !$total ? q{-} : sprintf '%.0f%%', 100 * $us / $total;
}

# The post of 2008 timed one fork of Mac OS X by ktrace: 0.119 ms in fork(), then
# 3.081 ms until wait4() returned; its author asked what takes the 3 ms
sub answer_of_2008 {
    my ($method, $p50) = @_;
    return q{} if $method !~ /^fork/;
    my $call = $p50->{'call to return in the parent'};
    my $rest = $method eq 'fork' ? rest_of_fork($p50) : rest_of_forkexec($p50);
    my $text =
        sprintf 'A post of 2008 measured 0.119 ms in fork() and then 3.081 ms until wait4() '
        . 'returned (Mac OS X 10.4), and asked what takes that time.  Here it is %s and then %s:',
        duration($call), duration($p50->{total} - $call);
    return "\n" . folded(q{}, $text, WIDTH) . folded(q{}, "$rest.", WIDTH);
}

sub rest_of_fork {
    my ($p50) = @_;
    return sprintf 'the child reaches its first instruction %s after the call, and wait returns '
        . '%s after its exit',
        map { duration($p50->{$_}) } 'call to first instruction in the child',
        "exit to wait's return";
}

sub rest_of_forkexec {
    my ($p50) = @_;
    my $until_exec =
        $p50->{'call to first instruction in the child'} +
        $p50->{"the child's own time"} +
        $p50->{'exec to its success'};
    return sprintf 'exec succeeds in the child %s after the call, and the program starts, runs '
        . 'and exits in %s',
        map { duration($_) } $until_exec, $p50->{"success of exec to wait's return"};
}

sub syscalls {
    my ($each, $all, $creations) = @_;
    my $text = "\nSystem calls of one creation, parent and child together (strace, $creations "
        . "creations)\n\n";
    for my $name (sort { $all->{$b} <=> $all->{$a} || $a cmp $b } keys %{$each}) {
        $text .= sprintf "  %-24s %7.2f\n", $name, $each->{$name} if $each->{$name} >= RARE;
    }
    return $text;
}

1;
