# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Settled;

# Which tests of a run that has ended are settled.  A pure function.
#
#   settled(precision: a share, [good passes of the tests that were measured in the same
#       rounds, in the order in which they ended], { test => [readings of its passes, as
#       Analysis::Instruments has them] } or nothing) -> { test => 1 or 0 }
#
# The answer is that of Analysis::Settling after all passes were added, which looks at a test
# after every third pass and so takes time that grows with the square of their number.  Only
# the last looks at a test decide whether it is settled, so only these are made here, and of
# the looks at the other tests those whose correlations they need: the time grows with the
# number of passes.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Disturbance qw(flags sound);
use SpawnMeter::Analysis::Instruments qw(reading);
use SpawnMeter::Analysis::Interval    qw(estimate median_interval);
use SpawnMeter::Analysis::Serial      qw(series correlation);
use SpawnMeter::Analysis::Settling    qw(is_good FIRST_LOOK LOOK_EVERY LOOKS RELIABLE);
use SpawnMeter::Analysis::Stats       qw(median);

our @EXPORT_OK = qw(settled);

sub settled {
    my ($precision, $passes, $readings) = @_;
    my %test;
    for my $i (0 .. $#{$passes}) {
        my $test = $test{ $passes->[$i]{test} } ||= { passes => [], ended => [], seen => {} };
        push @{ $test->{passes} }, $passes->[$i];
        push @{ $test->{ended} }, $i;
    }
    for my $name (keys %test) {
        $test{$name}{readings} =
            $readings ? $readings->{$name} : [ map { reading($_) } @{ $test{$name}{passes} } ];
    }
    return { map { $_ => is_settled($precision, $test{$_}, \%test) } keys %test };
}

sub is_settled {
    my ($precision, $test, $tests) = @_;
    my $number = @{ $test->{passes} };
    my @looks = grep { $_ } map { look_at($number - $_ * LOOK_EVERY) } 0 .. LOOKS - 1;
    return 0 if @looks < LOOKS || $test->{ended}[ $looks[0] - 1 ] + 1 < RELIABLE;
    for my $look (@looks) {
        return 0 if is_wide($precision, seen_at($test, $look)->{known}{series});
        my $end = $test->{ended}[ $look - 1 ];
        my @correlations =
            grep { defined } map { correlation_at($tests->{$_}, $end) } sort keys %{$tests};
        my ($passes, $sound, $known) = @{ seen_at($test, $look) }{qw(passes sound known)};
        my $estimate = estimate($passes, $sound, \@correlations, $known);
        return 0 if !is_good($precision, $estimate, $sound);
    }
    return 1;
}

# Whether the interval would be too wide even if the passes were independent
sub is_wide {
    my ($precision, $series) = @_;
    my @values = @{ $series->{values} };
    my ($low, $high) = median_interval(scalar @values, @values);
    return 1 if !defined $low;
    my $median = median(@values);
    return max($high - $median, $median - $low) > $precision * abs $median;
}

# The number of passes at the last look at a test that has so many; 0 before the first look
sub look_at {
    my ($number) = @_;
    return $number < FIRST_LOOK ? 0 : $number - ($number - FIRST_LOOK) % LOOK_EVERY;
}

# The passes of a test at a look, those of them that count, their series and correlation
sub seen_at {
    my ($test, $look) = @_;
    return $test->{seen}{$look} ||= do {
        my $passes = [ @{ $test->{passes} }[ 0 .. $look - 1 ] ];
        my $readings = [ @{ $test->{readings} }[ 0 .. $look - 1 ] ];
        my $sound = sound($passes, [ flags($passes, $readings) ]);
        my $series = series($passes, $sound);
        my $known = { series => $series, correlation => scalar correlation($series) };
        { passes => $passes, sound => $sound, known => $known };
    };
}

# Of a test, at its last look up to this pass of all tests
sub correlation_at {
    my ($test, $end) = @_;
    my $look = look_at(number_until($test->{ended}, $end));
    return $look ? seen_at($test, $look)->{known}{correlation} : undef;
}

# How many of the sorted numbers are not above this one
sub number_until {
    my ($numbers, $end) = @_;
    my ($low, $high) = (0, scalar @{$numbers});
    while ($low < $high) {
        my $middle = int(($low + $high) / 2);
        if   ($numbers->[$middle] <= $end) { $low = $middle + 1 }
        else                               { $high = $middle }
    }
    return $low;
}

1;
