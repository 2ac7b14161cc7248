# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Memory;

# Memory that is available to this process, read below a root that tests can set.
#
#   available(root) -> bytes that can be used without swapping and within the limits of the
#       control groups, or undef where unknown

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(min);
use SpawnMeter::Machine::Cgroup qw(groups);
use SpawnMeter::Util::File      qw(slurp);

our @EXPORT_OK = qw(available);

sub available {
    my ($root) = @_;
    my $text = slurp("$root/proc/meminfo");
    my ($kilobytes) = defined $text ? $text =~ /^MemAvailable:\s+(\d+)/m : ();
    return min(grep { defined } defined $kilobytes ? $kilobytes * 1024 : undef,
        map { left_in($_) } groups($root, 'memory'));
}

# In a group, whose files' pages can be freed; undef without a limit
sub left_in {
    my ($folder) = @_;
    my ($most) = grep { defined } map { number("$folder/$_") } qw(memory.max memory.limit_in_bytes);
    my ($used) =
        grep { defined } map { number("$folder/$_") } qw(memory.current memory.usage_in_bytes);
    return if !defined $most || !defined $used;
    my $text = slurp("$folder/memory.stat");
    my ($files) = defined $text ? $text =~ /^(?:total_)?inactive_file (\d+)$/m : ();
    my $left = $most - $used + ($files || 0);
    return $left > 0 ? $left : 0;
}

# "max", and the 19 digits of version 1, are no limit
sub number {
    my ($path) = @_;
    my $text = slurp($path);
    return defined $text && $text =~ /^(\d{1,18})$/a ? $1 + 0 : undef;
}

1;
