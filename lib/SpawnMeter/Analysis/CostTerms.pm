# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CostTerms;

# The points and the slopes of several sweeps, for the cost model.  Pure functions; `of` is
# what SpawnMeter::Analysis::CostModel::model takes.
#
#   point(of, sweep, series, label) -> a measured point, or undef; time_at: its microseconds
#   labels(of, sweep) -> (its labels)
#   low(point), high(point) -> ends of its interval: 0 and infinity where it has too few passes
#   sloping() -> names of the sweeps with a slope
#   term(of, sweep, method) -> term of the cost model, or undef
#   grows(term) -> true where its interval lies above 0, and a line describes it
#   negligible_beside(term, another) -> 1 or 0, by the interval
#   same(points) -> true where the ends of their intervals lie close together

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);

our @EXPORT_OK = qw(point time_at labels low high sloping term grows negligible_beside same);

use constant {
    STRAIGHT   => 0.9,       # R2 above which a line describes the points
    SURELY     => 1.35,      # largest over smallest end of the intervals of the same time
    NEGLIGIBLE => 0.05,      # a slope below this share of another one, or of the base
    INFINITY   => 9**9**9,
};

# The sweeps with a slope, and the amount that it is given for
my @TERMS = (
    { sweep => 'memory', words      => 'per MB touched', amount           => 1024**2 },
    { sweep => 'files', words       => 'per 100 files', amount            => 100 },
    { sweep => 'mappings', words    => 'per 1000 mappings', amount        => 1000 },
    { sweep => 'threads', words     => 'per 10 threads', amount           => 10 },
    { sweep => 'environment', words => 'per 64 KB of environment', amount => 65_536 },
);
my %TERM = map { $_->{sweep} => $_ } @TERMS;

sub sloping {
    return map { $_->{sweep} } @TERMS;
}

# A measured point of a sweep, or undef
sub point {
    my ($of, $sweep, $series, $label) = @_;
    my $p = $of->{$sweep} && $of->{$sweep}{analysis}{points}{$series}{$label};
    return $p && defined $p->{time_us} ? $p : undef;
}

sub time_at {
    my ($of, @place) = @_;
    my $p = point($of, @place);
    return $p ? $p->{time_us} : undef;
}

sub labels {
    my ($of, $sweep) = @_;
    return $of->{$sweep} ? @{ $of->{$sweep}{run}{sweep}{values} } : ();
}

sub term {
    my ($of, $sweep, $method) = @_;
    my $line = $of->{$sweep} && $of->{$sweep}{analysis}{lines}{$method} or return;
    my ($words, $amount) = @{ $TERM{$sweep} }{qw(words amount)};
    my %term = (words => $words, r2 => $line->{r2});
    $term{$_} = defined $line->{$_} ? $line->{$_} * $amount : undef for qw(slope low high);
    $term{verdict} = verdict(\%term, time_at($of, $sweep, $method, '0'));
    return \%term;
}

sub verdict {
    my ($term, $base) = @_;
    return 'inconclusive' if !defined $term->{low};
    return 'adds' if $term->{low} > 0;
    return defined $base && $term->{high} <= NEGLIGIBLE * $base ? 'none' : 'inconclusive';
}

# The interval shows that it is small beside another one
sub negligible_beside {
    my ($term, $other) = @_;
    return 0 if !$term || !defined $term->{high};
    return $term->{high} < NEGLIGIBLE * $other->{slope} ? 1 : 0;
}

# The interval lies above 0, and a line describes it
sub grows {
    my ($term) = @_;
    return if !$term || !defined $term->{low};
    return $term->{low} > 0 && defined $term->{r2} && $term->{r2} > STRAIGHT;
}

# Without an interval nothing is shown
sub low  { my ($p) = @_; return defined $p->{time_low}  ? $p->{time_low}  : 0 }
sub high { my ($p) = @_; return defined $p->{time_high} ? $p->{time_high} : INFINITY }

sub same {
    my (@points) = @_;
    return 0 if grep { !low($_) } @points;
    return max(map { high($_) } @points) / min(map { low($_) } @points) < SURELY;
}

1;
