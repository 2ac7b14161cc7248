# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Disturbance;

# Which passes were disturbed, and by what, from the counters beside them.  Pure functions.
#
#   flags(passes of one cell, [reading of each, by Analysis::Instruments] or nothing) -> a list
#       of reasons for each pass, [] for an undisturbed one.  Who asks again after each pass
#       keeps the readings
#   sound(passes, reasons or nothing) -> [the passes to judge by]: the unflagged ones where
#       there are at least SOUND_NEEDS of them, else all.  The reasons are what flags()
#       returned for these passes; it is called where they are not given
#   disturbs(number of flagged passes, of all passes) -> whether a result is disturbed: over a
#       fifth are flagged, or so few are not that the flagged ones count, too
#   sound_rates(result record of one cell, not of a posted text) -> [rates of those]
#
# There are two kinds of instruments (MEASURING in the manual).  Steal, throttling and
# suspension flag by themselves.  The others have a level that the test itself causes, so
# they flag only against the other passes of the cell: where the value is more than Z
# standard deviations above the level of the quieter half of them.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Instruments qw(reading RELATIVE);
use SpawnMeter::Analysis::Stats       qw(disturbed_z);

our @EXPORT_OK = qw(flags sound sound_rates disturbs SOUND_NEEDS DISTURBED);

use constant {
    SOUND_NEEDS  => 9,      # unflagged passes, to leave the flagged ones out
    DISTURBED    => 0.2,    # share of flagged passes, or pairs, above which a result is disturbed
    FEWEST_KNOWN => 3,      # values, to compare a pass with the others
    Z            => 5,      # standard deviations
    CONFIRMED    => 1.5,    # standard deviations of an instrument that only confirms
};

sub flags {
    my ($passes, $known) = @_;
    my @readings = $known ? @{$known} : map { reading($_) } @{$passes};
    my @reasons = map { [ @{ $_->{reasons} } ] } @readings;
    my %distances = map { $_->{name} => distances($_, @readings) } @{ +RELATIVE };
    for my $instrument (@{ +RELATIVE }) {
        push @{ $reasons[$_] }, $instrument->{reason} for far_above(\%distances, $instrument);
    }
    return @reasons;
}

# The distance of each pass above the level of the quieter ones, in standard deviations;
# undef where the value is not known, or too few are
sub distances {
    my ($instrument, @readings) = @_;
    my @values = map { $_->{values}{ $instrument->{name} } } @readings;
    my @known = grep { defined $values[$_] } 0 .. $#values;
    my @distances = (undef) x @values;
    return \@distances if @known < FEWEST_KNOWN;
    @distances[@known] = disturbed_z($instrument->{least_deviation}, @values[@known]);
    return \@distances;
}

# The numbers of the passes that an instrument flags against the others
sub far_above {
    my ($distances, $instrument) = @_;
    my ($name, $confirmed_by) = @{$instrument}{qw(name confirmed_by)};
    my $own = $distances->{$name};
    my @far = grep { defined $own->[$_] && $own->[$_] > Z } 0 .. $#{$own};
    return if $instrument->{few} && disturbs(scalar @far, scalar @{$own});
    return @far if !defined $confirmed_by;
    my $other = $distances->{$confirmed_by};
    return grep { defined $other->[$_] && $other->[$_] > CONFIRMED } @far;
}

sub disturbs {
    my ($flagged, $passes) = @_;
    return $flagged > DISTURBED * $passes || $flagged && $passes - $flagged < SOUND_NEEDS;
}

sub sound {
    my ($passes, $known) = @_;
    my @reasons = $known ? @{$known} : flags($passes);
    my @unflagged = map { $passes->[$_] } grep { !@{ $reasons[$_] } } 0 .. $#reasons;
    return @unflagged >= SOUND_NEEDS ? \@unflagged : $passes;
}

# The record has the number of reasons for each pass
sub sound_rates {
    my ($result) = @_;
    return sound($result->{rates}, [ map { [ (1) x $_ ] } @{ $result->{flags} } ]);
}

1;
