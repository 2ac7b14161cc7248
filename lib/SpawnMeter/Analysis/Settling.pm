# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Settling;

# Whether a test has been measured well enough.  Pure functions.
#
#   is_look(number of passes) -> true where a test with so many passes is looked at
#   look(passes, precision) -> { rate, plus_minus, settled }: the median of the passes that
#       count, the larger half of its interval as a share of it (undef under 6 passes), and
#       1 or 0: settled at the last look that these passes contain
#   FIRST_LOOK: number of passes at the first look
#
# A test is looked at after 9 passes and after every 3 further ones.  It is settled when the
# interval is within the precision (a share of the median) at two looks in a row.  Schedule,
# the live display and the report use this one definition.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Disturbance qw(sound SOUND_NEEDS);
use SpawnMeter::Analysis::Stats       qw(median plus_minus);

our @EXPORT_OK = qw(is_look look FIRST_LOOK);

use constant {
    FIRST_LOOK => SOUND_NEEDS,
    LOOK_EVERY => 3,
    LOOKS      => 2,             # in a row that must be good
};

sub is_look {
    my ($n) = @_;
    return $n >= FIRST_LOOK && ($n - FIRST_LOOK) % LOOK_EVERY == 0;
}

sub look {
    my ($passes, $precision) = @_;
    my @rates = map { $_->{rate} } @{ sound($passes) };
    my %look = (
        rate       => scalar median(@rates),
        plus_minus => scalar plus_minus(@rates),
        settled    => 1,
    );
    my $last = @{$passes} - (@{$passes} - FIRST_LOOK) % LOOK_EVERY;
    for my $n (map { $last - LOOK_EVERY * $_ } 0 .. LOOKS - 1) {
        next if $n >= FIRST_LOOK && is_good([ @{$passes}[ 0 .. $n - 1 ] ], $precision);
        $look{settled} = 0;
        last;
    }
    return \%look;
}

sub is_good {
    my ($passes, $precision) = @_;
    my @rates = map { $_->{rate} } @{ sound($passes) };
    my $plus_minus = plus_minus(@rates);
    return @rates >= FIRST_LOOK && defined $plus_minus && $plus_minus <= $precision;
}

1;
