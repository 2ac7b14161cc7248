# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Pairs;

# Passes of two sides, A and B, that were measured in turn: pairs of neighbours in time.  Pure
# functions.
#
#   paired([passes of A], [passes of B], of one test at one number of copies) -> [ { at =>
#       seconds since the run began, rate => that of B as a share of that of A, flags => number
#       of reasons why one of the two was disturbed (where they took turns: by what concerns one
#       process alone), passes => [of A, of B] } ]: of each round in which both are good
#   sound([pairs]) -> [those that count]: the unflagged ones, where there are 9 of them
#   differences({ test => [pairs] } of tests that were measured in the same rounds, number of
#       rows that are to hold together, margin: a share) -> { test => { ratio => of the rates,
#       B / A; low, high => its interval; plus_minus => half of it as a share; verdict; pairs,
#       used, effective => number of pairs, of those that count, and how many independent ones
#       these are worth; correlation => of neighbouring pairs } }; only pairs and used where
#       fewer than FEWEST count
#
# What drifts slower than a pair takes changes both of its passes by the same factor, so the
# ratio of the two does not have it.  An interval is that of the center of the logarithms
# (Stats::Estimate).

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Disturbance qw(flags SOUND_NEEDS);
use SpawnMeter::Analysis::Instruments qw(of_one_process);
use SpawnMeter::Stats::Difference     qw(paired_rows judged);

our @EXPORT_OK = qw(paired sound differences FEWEST);

use constant FEWEST => 6;    # pairs

sub paired {
    my (@sides) = @_;
    my @of_round = map { of_round($_) } @sides;
    my ($x, $y) = @of_round;
    return [
        map { {
            at     => ($x->{$_}{at} + $y->{$_}{at}) / 2,
            rate   => $y->{$_}{rate} / $x->{$_}{rate},
            flags  => $x->{$_}{flags} + $y->{$_}{flags},
            passes => [ map { $_->{pass} } $x->{$_}, $y->{$_} ],
        } }
            sort { $a <=> $b } grep { $y->{$_} } keys %{$x}
    ];
}

# { round => its last good pass }: one that was made again counts no more
sub of_round {
    my ($passes) = @_;
    my @good = grep { $_->{status} eq 'ok' && $_->{rate} > 0 } @{$passes};
    my @reasons = flags(\@good);
    my %of;
    for my $i (0 .. $#good) {
        my $pass = $good[$i];
        my $flags = grep { !$pass->{turns} || of_one_process($_) } @{ $reasons[$i] };
        $of{ $pass->{round} } =
            { at => $pass->{at}, rate => $pass->{rate}, flags => $flags, pass => $pass };
    }
    return \%of;
}

sub sound {
    my ($pairs) = @_;
    my @sound = grep { !$_->{flags} } @{$pairs};
    return @sound >= SOUND_NEEDS ? \@sound : $pairs;
}

sub differences {
    my ($pairs, $rows, $margin) = @_;
    my %known = map { $_ => sound($pairs->{$_}) } keys %{$pairs};
    my %stratum =
        map {
        $_ => [ map { { at => $_->{at}, y => log $_->{rate} } } @{ $known{$_} } ]
        }
        grep { @{ $known{$_} } >= FEWEST } keys %known;
    my $found = found(paired_rows(\%stratum), $rows, $margin);
    return {
        map {
            $_ => {
                pairs => scalar @{ $pairs->{$_} },
                used  => scalar @{ $known{$_} },
                %{ $found->{$_} || {} }
            }
        } keys %known
    };
}

# Rows of Stats::Difference as shares of A
sub found {
    my ($of, $rows, $margin) = @_;
    judged([ values %{$of} ], 1, log(1 + $margin), $rows);
    return {
        map {
            my $row = $of->{$_};
            (
                $_ => {
                    ratio       => exp $row->{d},
                    low         => exp $row->{low},
                    high        => exp $row->{high},
                    plus_minus  => exp($row->{half}) - 1,
                    verdict     => $row->{verdict},
                    effective   => $row->{n_eff},
                    correlation => $row->{rho},
                }
            )
        } keys %{$of}
    };
}

1;
