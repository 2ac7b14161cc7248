# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Util::Random;

# Random numbers that depend on the seed alone, and not on the version of perl.
#
#   new(seed) -> generator;  below(n) -> whole number from 0 to n - 1
#   shuffled(list) -> the list in another order
#
# The 32-bit linear congruential generator of Numerical Recipes (Press et al., second edition,
# section 7.1: 1664525 x + 1013904223), whose high bits are used.

use strict;
use warnings;

use constant RANGE => 4_294_967_296;    # 2^32

sub new { my ($class, $seed) = @_; return bless { state => $seed || 1 }, $class }

sub below {
    my ($self, $n) = @_;
    $self->{state} = ($self->{state} * 1_664_525 + 1_013_904_223) % RANGE;
    return int($self->{state} / RANGE * $n);
}

sub shuffled {
    my ($self, @list) = @_;
    for my $i (reverse 1 .. $#list) {
        my $j = $self->below($i + 1);
        @list[ $i, $j ] = @list[ $j, $i ];
    }
    return @list;
}

1;
