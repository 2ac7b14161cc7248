package SpawnMeter::Analysis::Line;

# A straight line through the times of a sweep.  Pure functions.
#
#   line(x => [numbers], passes => [ [times of the passes at this x], ... ]) ->
#       { slope, intercept, low, high (95 % interval of the slope), r2 }; undef where
#       there are under three values
#
# The slope is Theil and Sen's: the median of the slopes of all pairs of points, so
# that one disturbed point does not move it (Sen, JASA 63, 1968).  A point is the
# median of its passes.  The pairs are weighted by their distance, since the far ones
# know the slope best (Jaeckel, Annals of Mathematical Statistics 43, 1972).  The
# interval is that of lines through resampled passes (seeded, so that the same run
# always gives the same).

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Stats qw(median mean quantile);
use List::Util                  qw(sum);
use SpawnMeter::Util::Random;

our @EXPORT_OK = qw(line);

use constant {
    RESAMPLES => 200,
    SEED      => 1,     # the same run always gives the same interval
};

sub weighted_median {
    my (@pairs) = sort { $a->[0] <=> $b->[0] } @_;
    my $half = sum(map { $_->[1] } @pairs) / 2;
    for my $p (@pairs) {
        $half -= $p->[1];
        return $p->[0] if $half <= 0;
    }
    return $pairs[-1][0];
}

sub slope_of {
    my ($x, $y) = @_;
    my @pairs;
    for my $i (0 .. $#{$x}) {
        for my $j ($i + 1 .. $#{$x}) {
            my $d = $x->[$j] - $x->[$i];
            push @pairs, [ ($y->[$j] - $y->[$i]) / $d, abs $d ] if $d != 0;
        }
    }
    return @pairs ? weighted_median(@pairs) : undef;
}

sub line {
    my (%with) = @_;
    my ($x, $passes) = @with{qw(x passes)};
    return if @{$x} < 3;
    my @y = map { median(@{$_}) } @{$passes};
    my $slope = slope_of($x, \@y);
    return if !defined $slope;
    my $intercept = median(map { $y[$_] - $slope * $x->[$_] } 0 .. $#y);
    my $mean = mean(@y);
    my $random = SpawnMeter::Util::Random->new(SEED);
    my $spread = sum(map { ($_ - $mean)**2 } @y);
    my $rest = sum(map { ($y[$_] - $intercept - $slope * $x->[$_])**2 } 0 .. $#y);
    my @slopes = map {
        slope_of($x, [ map { median($random->resampled($_)) } @{$passes} ])
    } 1 .. RESAMPLES;
    return {
        slope     => $slope,
        intercept => $intercept,
        r2        => $spread > 0 ? 1 - $rest / $spread : undef,
        low       => scalar quantile(0.025, @slopes),
        high      => scalar quantile(0.975, @slopes),
    };
}

1;
