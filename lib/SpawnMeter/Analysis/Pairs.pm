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
#   correlation_of([pairs]) -> as by Analysis::Serial
#   difference([pairs], [correlations of all tests that were measured in the same rounds] or
#       undef, a further standard error of the logarithm, that more pairs do not make smaller, or
#       undef) -> { ratio => of the rates, B / A; low, high => its 95 % interval; plus_minus =>
#       the larger half of that as a share; p => probability of such a ratio between equals;
#       error => standard error of its logarithm, degrees => of freedom;
#       pairs, used, effective => number of pairs, of those that count, and how many
#       independent ones these are worth; correlation, gap => of neighbouring pairs, seconds };
#       without ratio, low, high, p, plus_minus, error and degrees where less than 6 count
#
# What drifts slower than a pair takes changes both of its passes by the same factor, so the
# ratio of the two does not have it.  What remains can still be correlated from pair to pair;
# the effective number of pairs accounts for it (Analysis::Serial, whose correlation is taken
# higher by its MARGIN, as in Analysis::Interval).  The estimate is the trimmed mean of the
# logarithms, its error that of Yuen (Analysis::TwoSamples), here of one sample: the pairs.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Disturbance qw(flags SOUND_NEEDS);
use SpawnMeter::Analysis::Instruments qw(of_one_process);
use SpawnMeter::Analysis::Serial      qw(series correlation combined effective MARGIN);
use SpawnMeter::Analysis::TwoSamples  qw(center apart);

our @EXPORT_OK = qw(paired sound correlation_of difference);

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

sub correlation_of {
    my ($pairs) = @_;
    return scalar correlation(series($pairs, sound($pairs)));
}

sub difference {
    my ($pairs, $companions, $further) = @_;
    my $series = series($pairs, sound($pairs));
    my $own = correlation($series);
    my $correlation = combined($own, $companions || []);
    my %known = (
        pairs       => scalar @{$pairs},
        used        => scalar @{ $series->{values} },
        effective   => scalar effective($series, $correlation, 0),
        correlation => $correlation ? $correlation->{r}   : undef,
        gap         => $correlation ? $correlation->{gap} : undef,
    );
    my $center = center($series->{values}, effective($series, $correlation, MARGIN))
        or return \%known;
    my $ratio = exp $center->{log};
    my $error = sqrt $center->{error}**2 + ($further || 0)**2;
    my $apart = apart($ratio, $error, $center->{degrees});
    my $half = max($apart->{high} / $ratio, $ratio / $apart->{low}) - 1;
    return {
        %known, %{$apart},
        ratio      => $ratio,
        plus_minus => $half,
        error      => $error,
        degrees    => $center->{degrees},
    };
}

1;
