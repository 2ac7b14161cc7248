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
use SpawnMeter::Util::Format qw(signed_duration visible);

use constant {
    RARE => 0.005,    # calls of a creation; fewer would be printed as 0.00
};

sub render {
    my ($method, $phases, $how) = @_;
    my $place = defined $how->{cpu} ? "pinned to CPU $how->{cpu}" : 'placed by the kernel';
    my @with = (@{ $how->{with} || [] }, defined $how->{exec} ? ('--exec', $how->{exec}) : ());
    my %p50 = map { $_->{name} => $_->{p50} } @{$phases};
    my $text = "Time of one $method by phase ($how->{count} processes, $place)\n";
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
        . "before the point that it is counted from.\n";
}

# A phase that ended before its beginning has none
sub share {
    my ($us, $total) = @_;
    return $us < 0 || !$total ? q{-} : sprintf '%.0f%%', 100 * $us / $total;
}

sub syscalls {
    my ($each, $all, $creations) = @_;
    my $text = "\nSystem calls of one process, parent and child together (strace, $creations "
        . "processes)\n\n";
    for my $name (sort { $all->{$b} <=> $all->{$a} || $a cmp $b } keys %{$each}) {
        $text .= sprintf "  %-24s %7.2f\n", $name, $each->{$name} if $each->{$name} >= RARE;
    }
    return $text;
}

1;
