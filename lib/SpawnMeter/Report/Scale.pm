# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Scale;

# The axes of pictures.
#
#   scale(low, high, ticks => [ [value, label] ], log => true, zero => value of no difference, 0
#       if not given) -> a scale; of a logarithmic one low must be above 0
#   number_scale(low, high, sub (value) -> label, number of ticks at most, or undef) -> a linear
#       scale
#   time_scale([microseconds], true for a logarithmic one, ticks at most or undef) -> a scale
#       around these times, from 0 where it is linear
#   place(scale, value) -> thousandths (FULL) of the axis, from its low end
#   log_range(numbers...) -> [low, high] of a logarithmic axis around them
#
# The ticks of an axis: [ [ position, label ] ].  All labels of an axis have one notation.
#
#   logarithmic(low, high, number at most, or undef): of times in microseconds, at 1, 2 and 5
#       times powers of ten, or where these are more at the powers
#   linear(high, number at most, or undef): of times from 0, in one unit
#   of_bytes(high, words of the axis): of what is varied from 0; in MB or KB where the words
#       contain "bytes"

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);
use POSIX      ();

our @EXPORT_OK = qw(scale place number_scale time_scale logarithmic linear of_bytes log_range FULL);

use constant {
    FULL   => 1000,    # the length of an axis, whatever it is in pixels
    ROOM   => 1.3,     # beside what is drawn, on a logarithmic axis
    MARGIN => 0.06,    # the same on a linear one, as a share
    MANY   => 7,       # ticks of a logarithmic one
    SOME   => 5,       # ticks of a linear axis, about
};

sub scale {
    my ($low, $high, %with) = @_;
    return { zero => 0, ticks => [], %with, low => $low, high => $high };
}

sub place {
    my ($scale, $value) = @_;
    my ($low, $high) = @{$scale}{qw(low high)};
    $value = max($low, min($high, $value));
    ($low, $high, $value) = map { log } $low, $high, $value if $scale->{log};
    return $high > $low ? sprintf '%.0f', FULL * ($value - $low) / ($high - $low) : 0;
}

sub number_scale {
    my ($low, $high, $label, $some) = @_;
    my $room = ($high - $low) || abs $high || 1;
    my $step = step($room, $some);
    my @ticks = map { $_ * $step } POSIX::ceil($low / $step - 1e-9) .. $high / $step + 1e-9;
    return scale($low, $low + $room, ticks => [ map { [ $_, $label->($_) ] } @ticks ]);
}

sub time_scale {
    my ($times, $is_log, $some) = @_;
    my @known = grep { defined && $_ > 0 } @{$times};
    @known = (1) if !@known;
    my ($low, $high) = (min(@known), max(@known));
    return scale(0, $high * (1 + MARGIN), ticks => linear($high, $some)) if !$is_log;
    my @ends = @{ log_range($low, $high) };
    return scale(@ends, log => 1, ticks => logarithmic(@ends, $some));
}

sub log_range { my (@x) = @_; return [ min(@x) / ROOM, max(@x) * ROOM ] }

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
    my ($low, $high, $some) = @_;
    my @all;
    for my $power (POSIX::floor(log($low) / log 10) .. POSIX::ceil(log($high) / log 10)) {
        push @all, grep { $_ >= $low && $_ <= $high } map { $_ * 10**$power } 1, 2, 5;
    }
    my @powers = grep { sprintf('%e', $_) =~ /^1[.]0+e/ } @all;
    my @some = @all > ($some || MANY) && @powers > 1 ? @powers : @all;
    return [ map { [ $_, time_label($_) ] } @some ];
}

# The smallest of 1, 2 and 5 times a power of ten that makes no more than SOME steps, or so many
sub step {
    my ($high, $some) = @_;
    $some ||= SOME;
    my $power = 10**POSIX::floor(log($high / $some) / log 10);
    my ($step) = grep { $_ * $some >= $high } map { $_ * $power } 1, 2, 5, 10;
    return $step;
}

sub multiples {
    my ($high, $some) = @_;
    my $step = step($high, $some);
    return map { $_ * $step } 0 .. POSIX::floor($high / $step + 1e-9);
}

sub linear {
    my ($high, $some) = @_;
    my $unit = unit($high, @TIMES);
    my ($amount) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? time_label($_ * $amount, $unit) : 0 ] }
            multiples($high / $amount, $some) ];
}

sub of_bytes {
    my ($high, $words) = @_;
    return [ [ 0, 0 ] ] if $high <= 0;
    my $unit = $words =~ /bytes/ ? unit($high, [ 1024**2, ' MB' ], [ 1024, ' KB' ]) : [ 1, q{} ];
    my ($amount, $name) = @{$unit};
    return [ map { [ $_ * $amount, $_ ? sprintf('%.6g%s', $_, $name) : 0 ] }
            multiples($high / $amount) ];
}

1;
