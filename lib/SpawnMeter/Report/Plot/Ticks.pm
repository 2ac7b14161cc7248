# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Plot::Ticks;

# The ticks of an axis: [ [ position, label ] ].  All labels of an axis have one notation.
#
#   logarithmic(low, high): of times in microseconds, at 1, 2 and 5 times powers of ten
#   linear(high): of times from 0, in one unit
#   of_bytes(high, words of the axis): of what is varied from 0; in MB or KB where the words
#       contain "bytes"
#   of_values({ label => position }, labels in order): at these labels

use strict;
use warnings;
use Exporter 'import';
use POSIX ();

our @EXPORT_OK = qw(logarithmic linear of_bytes of_values);

use constant {
    MANY => 7,    # ticks; with more only powers of ten are labelled
    SOME => 5,    # ticks of a linear axis, about
};

my @TIMES = ([ 1e6, 's' ], [ 1e3, 'ms' ], [ 1, 'us' ]);

# [ amount, words ] of the largest unit that is not above the number
sub unit {
    my ($number, @units) = @_;
    my ($unit) = grep { $_->[0] <= $number } @units;
    return $unit || $units[-1];
}

sub time_label {
    my ($us, $unit) = @_;
    $unit ||= unit($us, @TIMES);
    return sprintf '%.3g%s', $us / $unit->[0], $unit->[1];
}

sub logarithmic {
    my ($low, $high) = @_;
    my @all;
    for my $power (POSIX::floor(log($low) / log 10) .. POSIX::ceil(log($high) / log 10)) {
        push @all, grep { $_ >= $low && $_ <= $high } map { $_ * 10**$power } 1, 2, 5;
    }
    my @powers = grep { sprintf('%e', $_) =~ /^1[.]0+e/ } @all;
    my @some = @all > MANY && @powers > 1 ? @powers : @all;
    return [ map { [ $_, time_label($_) ] } @some ];
}

# The smallest of 1, 2 and 5 times a power of ten that makes no more than SOME steps
sub step {
    my ($high) = @_;
    my $power = 10**POSIX::floor(log($high / SOME) / log 10);
    my ($step) = grep { $_ * SOME >= $high } map { $_ * $power } 1, 2, 5, 10;
    return $step;
}

sub multiples {
    my ($high) = @_;
    my $step = step($high);
    return map { $_ * $step } 0 .. POSIX::floor($high / $step + 1e-9);
}

sub linear {
    my ($high) = @_;
    my $unit = unit($high, @TIMES);
    my ($amount) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? time_label($_ * $amount, $unit) : 0 ] }
            multiples($high / $amount) ];
}

sub of_bytes {
    my ($high, $words) = @_;
    return [ [ 0, 0 ] ] if $high <= 0;
    my $unit = $words =~ /bytes/ ? unit($high, [ 1024**2, ' MB' ], [ 1024, ' KB' ]) : [ 1, q{} ];
    my ($amount, $name) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? sprintf('%.6g%s', $_, $name) : 0 ] }
            multiples($high / $amount) ];
}

sub of_values {
    my ($at, @labels) = @_;
    return [ map { [ $at->{$_}, $_ ] } grep { defined $at->{$_} } @labels ];
}

1;
