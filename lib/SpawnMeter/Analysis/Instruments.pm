# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Instruments;

# What the counters and the reference loops beside a pass show of a disturbance.  Pure functions.
#
#   reading(pass) -> what its instruments show: { reasons => [those of the instruments
#       that flag by themselves], values => { name of another instrument => value or undef } }
#   of_one_process(reason) -> true where it concerns a process alone: not others that take turns
#       with it
#   RELATIVE: [ { name, reason, least_deviation => standard deviations below it count as this,
#       confirmed_by => name of an instrument or undef, few => true or undef } ] of the others;
#       they flag against the other passes of a cell (Analysis::Disturbance)

use strict;
use warnings;
use Exporter 'import';
use List::Util                      qw(max);
use SpawnMeter::Analysis::Reference qw(FAULTS level);

our @EXPORT_OK = qw(reading of_one_process RELATIVE);

use constant NANOSECOND => 1e-9;    # in seconds

# The instruments that flag by themselves.  value: sub (pass) -> value or undef; limit: the
# largest value that does not flag; alone: concerns this process only, not others that take turns
# with it
my @ABSOLUTE = (
    {
        reason => 'CPU time stolen by the host',
        value  => sub { $_[0]{machine}{steal} },
        limit  => 0.01,
    },
    {
        reason => 'the machine was suspended',
        alone  => 1,
        value  => sub { share_of_time($_[0], 'suspended_ns') },
        limit  => 0,
    },
    {
        reason => 'throttled by a cgroup quota',
        value  => sub { $_[0]{machine}{throttled} },
        limit  => 0,
    },
    {
        reason => 'took far too long',
        alone  => 1,
        value  => sub { $_[0]{machine}{stall} },
        limit  => 0,
    },
    {
        reason => 'copies started apart',
        value  => sub { $_[0]{machine}{gate_spread} },
        limit  => 0.01,
    },
    {
        reason => 'copies hardly ran at once',
        value  => sub { $_[0]{machine}{apart} },
        limit  => 0.5,
    },
    {
        reason => 'usable CPUs changed',
        value  => sub { $_[0]{machine}{cpus_changed} },
        limit  => 0,
    },
    {
        reason => 'CPU quota changed',
        value  => sub { $_[0]{machine}{quota_changed} },
        limit  => 0,
    },
    {
        reason => 'moved to another control group, CPUs or priority',
        alone  => 1,
        value  => sub { most($_[0], 'moved') },
        limit  => 0,
    },
    {
        reason => 'under strace or a debugger',
        alone  => 1,
        value  => \&traced,
        limit  => 0,
    },
    {
        reason => 'stopped by a signal',
        alone  => 1,
        value  => sub { most($_[0], 'stops') },
        limit  => 0,
    },
);

# The instruments that flag against the other passes.  least_deviation: a smaller standard
# deviation is taken for this, so that the resolution of a counter does not flag (ticks of
# 10 ms in a slice of 250 ms are 4 %); confirmed_by: flags only where that one is raised, too;
# few: flags no pass where more of them would make a result disturbed: what so many have is a
# level of the machine, which the line of the reference and the steadied rates are for.
#
# Two need to be confirmed by other work on the machine.  Pressure also rises where parent
# and child of the test itself wait for one CPU, now and then from 0.2 to 0.8 of a pinned
# pass; involuntary switches rise where two processes of a test (context1) share a CPU.
#
# A tracer that detached before the end leaves voluntary switches: some at each call.  The test's
# own are at most one for each wait, and whether there is one depends on where the kernel places
# the child: one more of an iteration does not flag.
my @RELATIVE = (
    {
        name            => 'busy',
        reason          => 'other work on the machine',
        value           => sub { $_[0]{machine}{busy_elsewhere} },
        least_deviation => 0.06,
    },
    {
        name            => 'idle',
        reason          => 'idle CPU',
        value           => \&idle,
        least_deviation => 0.03,
    },
    {
        name            => 'nivcsw',
        reason          => 'involuntary switches',
        value           => sub { per_creation($_[0], 'nivcsw') },
        least_deviation => 0.02,
        confirmed_by    => 'busy',
    },
    {
        name            => 'nvcsw',
        reason          => 'voluntary switches',
        value           => sub { per_creation($_[0], 'nvcsw') },
        least_deviation => 0.25,
    },
    {
        name            => 'pressure',
        reason          => 'CPU pressure',
        value           => sub { $_[0]{machine}{cpu_pressure} },
        least_deviation => 0.03,
        confirmed_by    => 'busy',
    },
    {
        name            => 'rundelay',
        reason          => 'waited for a CPU',
        value           => sub { share_of_time($_[0], 'rundelay_ns') },
        least_deviation => 0.02,
    },
    {
        name            => 'faults',
        reason          => 'the machine was slower',
        value           => \&slowness,
        least_deviation => 0.05,
        few             => 1,
    },
);

# Of the reference loops of page faults: the logarithm of the time that a page takes; undef where
# they are not known
sub slowness {
    my ($pass) = @_;
    my $level = level($pass, FAULTS);
    return defined $level ? -$level : undef;
}

# Run itself, or a copy
sub traced {
    my ($pass) = @_;
    return max(grep { defined } $pass->{machine}{traced}, most($pass, 'traced'));
}

# The largest of the copies: stops are by Ctrl-Z, SIGSTOP or a program that limits its CPU time in
# this way
sub most {
    my ($pass, $key) = @_;
    return max(grep { defined } map { $_->{disturb}{$key} } @{ $pass->{results} || [] });
}

sub idle {
    my ($pass) = @_;
    my $occupancy = $pass->{machine}{occupancy};
    return defined $occupancy ? 1 - $occupancy : undef;
}

# A counter of nanoseconds as a share of the copy's time: the largest of the copies; undef
# where none counted
sub share_of_time {
    my ($pass, $key) = @_;
    my $most;
    for my $copy (@{ $pass->{results} || [] }) {
        my $value = $copy->{disturb}{$key};
        next if !defined $value || !$copy->{time};
        my $share = $value * (NANOSECOND / $copy->{time});
        $most = $share if !defined $most || $share > $most;
    }
    return $most;
}

# A counter for each created process: the largest of the copies; undef where none counted
sub per_creation {
    my ($pass, $key) = @_;
    my $most;
    for my $copy (@{ $pass->{results} || [] }) {
        my $value = $copy->{disturb}{$key};
        my $creations = $copy->{iterations} || $copy->{count};
        next if !defined $value             || !$creations;
        my $each = $value / $creations;
        $most = $each if !defined $most || $each > $most;
    }
    return $most;
}

sub reading {
    my ($pass) = @_;
    my @reasons;
    for my $instrument (@ABSOLUTE) {
        my $value = $instrument->{value}->($pass);
        push @reasons, $instrument->{reason} if defined $value && $value > $instrument->{limit};
    }
    return {
        reasons => \@reasons,
        values  => { map { $_->{name} => scalar $_->{value}->($pass) } @RELATIVE },
    };
}

sub RELATIVE { return \@RELATIVE }

my %ALONE = map { $_->{reason} => 1 } grep { $_->{alone} } @ABSOLUTE;

sub of_one_process { my ($reason) = @_; return $ALONE{$reason} }

1;
