# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Durations;

# How long passes and tests take.  Pure functions; a plan is that of SpawnMeter::Measure::Loop.
#
#   classic_passes(long or short, -i or undef) -> number of passes
#   seconds_of(plan, cell) -> seconds of a pass; pass_seconds(plan, cell) -> with everything
#   time_of(plan, cell) -> seconds of all its passes (not for classic)
#   is_estimate(plan) -> true where a run can take longer than these times

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max);

our @EXPORT_OK = qw(classic_passes is_estimate pass_seconds seconds_of time_of);

use constant {
    CLASSIC_PAUSE      => 3,      # seconds that the classic driver sleeps before every pass
    CLASSIC_ITERATIONS => 10,     # the classic driver's default of -i
    PASS_OVERHEAD      => 0.5,    # of a pass's length, for start and warm-up of all passes
};

# The passes that the classic driver makes of a long or a short test with this -i
sub classic_passes {
    my ($length, $iterations) = @_;
    my $n = defined $iterations ? $iterations : CLASSIC_ITERATIONS;
    return $n if $length eq 'long';
    return max(1, int(($n + 1) / 3));
}

sub seconds_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    return $cell->{classic}{seconds} if $settings->{name} eq 'classic';
    return defined $cell->{slice} && !$settings->{same_slice} ? $cell->{slice} : $settings->{slice};
}

# Seconds of a cell under the other protocols: enough for some passes even of a program that
# decides by itself how long it runs
sub time_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    return $settings->{max_time} if !$settings->{least_passes} || !defined $cell->{slice};
    return max($settings->{max_time}, ($settings->{least_passes} + PASS_OVERHEAD) * $cell->{slice});
}

sub pass_seconds {
    my ($plan, $cell) = @_;
    my $seconds = seconds_of($plan, $cell);
    return $seconds + CLASSIC_PAUSE if $plan->{settings}{name} eq 'classic';
    return (1 + PASS_OVERHEAD) * $seconds;
}

# Whether a run can take longer than its cells' times: to make the passes that a sweep needs
# at least, or passes that end after a number of creations
sub is_estimate {
    my ($plan) = @_;
    my $settings = $plan->{settings};
    return defined $settings->{sweep_least} || $plan->{count} || $settings->{name} eq 'classic';
}

1;
