# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Settling;

# Whether tests that are measured in the same rounds have been measured well enough.
#
#   new(precision: a share)
#   add(name of a test, pass) -> undef, or where the test is looked at after this pass
#       { rate, plus_minus, settled }: the median of the passes that count, the larger half
#       of its interval as a share of it, and 1 or 0
#   now(name) -> the same of all passes so far, whether it is looked at or not
#   is_good(precision, estimate by Analysis::Interval, [passes that count]) -> true where the
#       interval of a test is within the precision at a look, and the passes hardly can lie at
#       two levels
#   FIRST_LOOK: number of passes at the first look; LOOK_EVERY: passes between looks; LOOKS: that
#       must be good, in a row; RELIABLE: passes of all tests, to know their correlation
#   settled(name) -> 1 or 0, at the last look at this test
#   is_doubtful(name) -> true where some more passes would decide whether they lie at two levels
#
# A test is looked at after 12 passes and after every 3 further ones.  It is settled when its
# interval (SpawnMeter::Analysis::Interval) is within the precision at two looks in a row,
# the passes hardly can lie at two levels, and all tests together have 24 passes.  Passes are
# added in the order in which they end, and the correlations of all tests at their last looks
# count, so Schedule, the live display and the report, which adds the stored passes, agree.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max sum);
use SpawnMeter::Analysis::Disturbance qw(flags sound);
use SpawnMeter::Analysis::Instruments qw(reading);
use SpawnMeter::Stats::Distribution   qw(beta_share);
use SpawnMeter::Analysis::Interval    qw(estimate);
use SpawnMeter::Analysis::Levels      qw(possible doubtful);
use SpawnMeter::Analysis::Serial      qw(series correlation);
use SpawnMeter::Analysis::Stats       qw(mad);

our @EXPORT_OK = qw(is_good FIRST_LOOK LOOK_EVERY LOOKS RELIABLE);

use constant {
    FIRST_LOOK     => 12,
    LOOK_EVERY     => 3,
    LOOKS          => 2,        # in a row that must be good
    RELIABLE       => 24,       # passes of all tests, to know their correlation
    STRAY          => 2.5,      # standard deviations from the median
    PER_MAD        => 1.4826,   # standard deviation of normal values
    HALF_BY_CHANCE => 1e-5,     # probability that so few of the passes are of a level that has half
};

sub new {
    my ($class, $precision) = @_;
    return bless { precision => $precision, tests => {} }, $class;
}

sub add {
    my ($self, $name, $pass) = @_;
    my $test = $self->{tests}{$name} ||= { passes => [], readings => [], good => 0 };
    push @{ $test->{passes} }, $pass;
    push @{ $test->{readings} }, reading($pass);
    my $n = @{ $test->{passes} };
    return if $n < FIRST_LOOK || ($n - FIRST_LOOK) % LOOK_EVERY;
    my $sound = sound_passes($test);
    my $series = series($test->{passes}, $sound);
    $test->{correlation} = correlation($series);
    my @all = $self->correlations;
    my $known = { series => $series, correlation => $test->{correlation} };
    my $estimate = estimate($test->{passes}, $sound, \@all, $known);
    my $good = is_good($self->{precision}, $estimate, $sound);
    $test->{good} = $good ? $test->{good} + 1 : 0;
    my $passes = sum(map { scalar @{ $_->{passes} } } values %{ $self->{tests} });
    $test->{settled} = $test->{good} >= LOOKS && $passes >= RELIABLE ? 1 : 0;
    return {
        rate       => $estimate->{median},
        plus_minus => $estimate->{plus_minus},
        settled    => $self->settled($name),
    };
}

sub now {
    my ($self, $name) = @_;
    my $test = $self->{tests}{$name};
    my @all = $self->correlations;
    my $estimate = estimate($test->{passes}, sound_passes($test), \@all);
    return {
        rate       => $estimate->{median},
        plus_minus => $estimate->{plus_minus},
        settled    => $self->settled($name),
    };
}

sub sound_passes {
    my ($test) = @_;
    my ($passes, $readings) = @{$test}{qw(passes readings)};
    return sound($passes, [ flags($passes, $readings) ]);
}

# In one order, so that a sum of them has the same last digit each time
sub correlations {
    my ($self) = @_;
    my $tests = $self->{tests};
    return grep { defined } map { $tests->{$_}{correlation} } sort keys %{$tests};
}

sub settled {
    my ($self, $name) = @_;
    my $test = $self->{tests}{$name};
    return $test && $test->{settled} ? 1 : 0;
}

sub is_doubtful {
    my ($self, $name) = @_;
    my $test = $self->{tests}{$name} or return;
    return doubtful(map { $_->{rate} } @{ sound_passes($test) });
}

sub is_good {
    my ($precision, $estimate, $sound) = @_;
    my $plus_minus = $estimate->{plus_minus};
    return if @{$sound} < FIRST_LOOK || !defined $plus_minus || $plus_minus > $precision;
    my @rates = map { $_->{rate} } @{$sound};
    return !can_be_half($precision, $estimate->{median}, @rates) && !possible(@rates);
}

# Whether so many passes lie far to one side of the median that half of all passes may lie
# there, by chance of the passes so far: with two levels of equal frequency the median can
# be at either
sub can_be_half {
    my ($precision, $median, @rates) = @_;
    my $far = max($precision * $median, STRAY * PER_MAD * mad(@rates));
    my $below = grep { $_ < $median - $far } @rates;
    my $above = grep { $_ > $median + $far } @rates;
    my $strays = max($below, $above) or return 0;
    my $n = @rates;

    # P(B <= strays), B binomial (n, 1/2)
    return beta_share(0.5, $n - $strays, $strays + 1) > HALF_BY_CHANCE;
}

1;
