# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Durations;

# How long a run takes, as it is told at its start.  Pure functions; a plan is that of
# SpawnMeter::Measure::Loop.
#
#   pass_seconds(plan, cell) -> seconds of a pass with everything
#   is_estimate(plan) -> true where a run can take longer than its cells' times

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Measure::PassSpec qw(seconds_of PASS_OVERHEAD);

our @EXPORT_OK = qw(is_estimate pass_seconds);

use constant CLASSIC_PAUSE => 3;    # seconds that the classic driver sleeps before every pass

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
