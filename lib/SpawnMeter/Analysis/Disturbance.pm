# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Disturbance;

# Which passes were disturbed, and by what, and whether the machine was busy all the time, from the
# counters beside the passes.  Pure functions.
#
#   flags([passes of one cell]) -> a list of reasons for each pass, [] for an undisturbed one
#   of_one_process(reason) -> true where it disturbs one process, not one that takes turns with it
#   sound([passes], [true for each that is flagged]) -> [those that count]: the unflagged ones where
#       there are at least SOUND_NEEDS of them, else all
#   disturbs(number of flagged passes, of all passes) -> whether a result is disturbed: over a
#       fifth are flagged, or so few are not that the flagged ones count, too
#   busy([passes that count], number that create at once, CPUs of the machine or undef) -> CPUs that
#       other processes used, where those are too many; else undef
#   crowded(CPUs that others use, number that create at once, CPUs of the machine) -> whether
#       these are too many
#
# Some instruments (docs/measure.md), such as steal, flag by their value alone.  The value of others
# is caused by the test itself, too: they flag where it is more than Z standard deviations above the
# values of the quieter half of the cell's passes.  Work beside all passes raises none above the
# others: busy() has absolute limits for it.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(max min);
use SpawnMeter::Analysis::Quantity qw(FAULTS cpu_seconds creations_of loop_speed);
use SpawnMeter::Stats::Numbers     qw(disturbed_z mean);

our @EXPORT_OK = qw(flags sound disturbs busy crowded DISTURBED of_one_process);

use constant {
    SOUND_NEEDS => 9,       # unflagged passes, to leave the flagged ones out
    DISTURBED   => 0.2,     # share of flagged passes, or pairs, above which a result is disturbed
    Z           => 5,       # standard deviations
    NANOSECOND  => 1e-9,    # in seconds
    CONFIRMED   => 1.5,     # standard deviations of an instrument that only confirms

    # Limits of a busy machine.  The waiting was below 0.01 in all tests with nothing beside them,
    # pinned or not; beside a loop on the same CPU 0.2 to 0.85, but not in shell1 and shell8, whose
    # first process sleeps
    BUSY       => 0.25,    # CPUs in use by others,
    BUSY_SHARE => 0.05,    # or that share of all CPUs, where these are more than five
    NEEDS      => 1.1,     # CPUs of a copy: its parent and child also run at once
    WAITED     => 0.1,     # of its time, in which a copy waited for a CPU
};

# -> sub (pass) -> its value, or undef where it is unknown: a number that Measure stored with it
sub of_machine {
    my ($name) = @_;
    return sub { return $_[0]{machine}{$name} }
}

# -> sub (pass) -> the largest of a counter of its copies, or of value_of (copy, counter)
sub largest {
    my ($key, $value_of) = @_;
    return sub {
        my ($pass) = @_;
        my @copies =
            grep { $_->{disturb} && defined $_->{disturb}{$key} } @{ $pass->{results} || [] };
        my @values =
            map { $value_of ? $value_of->($_, $_->{disturb}{$key}) : $_->{disturb}{$key} } @copies;
        return max(grep { defined } @values);
    };
}

sub share_of_time {
    my ($copy, $ns) = @_;
    return $copy->{time} ? $ns * (NANOSECOND / $copy->{time}) : undef;
}

sub of_creation {
    my ($copy, $value) = @_;
    my $creations = creations_of($copy);
    return $creations ? $value / $creations : undef;
}

# Run itself, or a copy
sub traced {
    my ($pass) = @_;
    return max(grep { defined } map { $_->($pass) } of_machine('traced'), largest('traced'));
}

# Of a value that is lower where a pass is disturbed
sub minus { my ($value) = @_; return defined $value ? -$value : undef }

# The reason and the value of each instrument.
#
# limit: a value above it, or above 0, flags by itself.  alone: it is of_one_process().
#
# least: it flags against the other passes, whose standard deviation is at least this, so that
# the resolution of a counter does not flag (ticks of 10 ms in a slice of 250 ms are 4 %).
# confirmed: it flags only where other work is raised, too: pressure also rises where parent and
# child of a pinned test wait for one CPU, and involuntary switches where two processes of a test
# share one.  few: it flags no pass where so many are flagged that the result would be disturbed:
# that is a state of the machine, which the drift-corrected rates are for.
#
# A tracer that detached before the end leaves voluntary switches at each call.  The test's own are
# at most one for each wait, by where the kernel places the child: one more does not flag.
my $WORK = 'other work on the machine';
my @INSTRUMENTS = map {
    my ($reason, $value, %how) = @{$_};
    { reason => $reason, value => $value, %how }
} (
    [ 'CPU time stolen by the host', of_machine('steal'), limit   => 0.01 ],
    [ 'the machine was suspended', largest('suspended_ns'), alone => 1 ],
    [ 'throttled by a cgroup quota', of_machine('throttled') ],
    [ 'took far too long', of_machine('stall'), alone          => 1 ],
    [ 'copies started apart', of_machine('gate_spread'), limit => 0.01 ],
    [ 'copies hardly ran at once', of_machine('apart'), limit  => 0.3 ],
    [ 'usable CPUs changed', of_machine('cpus_changed') ],
    [ 'CPU quota changed', of_machine('quota_changed') ],
    [ 'moved to another control group, CPUs or priority', largest('moved'), alone => 1 ],
    [ 'under strace or a debugger', \&traced, alone                               => 1 ],

    # by SIGSTOP, or a program that limits its CPU time in this way
    [ 'stopped by a signal', largest('stops'), alone => 1 ],

    [ $WORK, of_machine('busy_elsewhere'), least                         => 0.06 ],
    [ 'idle CPU', sub { minus($_[0]{machine}{occupancy}) }, least        => 0.03 ],
    [ 'involuntary switches', largest(nivcsw => \&of_creation), least    => 0.02, confirmed => 1 ],
    [ 'voluntary switches', largest(nvcsw => \&of_creation), least       => 0.25 ],
    [ 'CPU pressure', of_machine('cpu_pressure'), least                  => 0.03, confirmed => 1 ],
    [ 'waited for a CPU', largest(rundelay_ns => \&share_of_time), least => 0.02 ],
    [ 'the machine was slower', sub { minus(loop_speed($_[0], FAULTS)) }, least => 0.05, few => 1 ],
);

my %ALONE = map { $_->{reason} => 1 } grep { $_->{alone} } @INSTRUMENTS;

sub of_one_process { my ($reason) = @_; return $ALONE{$reason} }

sub flags {
    my ($passes) = @_;
    my @reasons = map { [] } @{$passes};
    my @work;    # the distances of the instrument that confirms others
    for my $instrument (@INSTRUMENTS) {
        my ($reason, $least) = @{$instrument}{qw(reason least)};
        my @values = map { scalar $instrument->{value}->($_) } @{$passes};
        @values = disturbed_z($least, @values) if defined $least;
        @work = @values if $reason eq $WORK;
        my $most = defined $least ? Z : $instrument->{limit} || 0;
        my @far = grep { defined $values[$_] && $values[$_] > $most } 0 .. $#values;
        @far = grep { $work[$_] > CONFIRMED } @far if $instrument->{confirmed};
        next if $instrument->{few} && disturbs(scalar @far, scalar @values);
        push @{ $reasons[$_] }, $reason for @far;
    }
    return @reasons;
}

sub disturbs {
    my ($flagged, $passes) = @_;
    return $flagged > DISTURBED * $passes || $flagged && $passes - $flagged < SOUND_NEEDS;
}

sub sound {
    my ($passes, $is_flagged) = @_;
    my @unflagged = map { $passes->[$_] } grep { !$is_flagged->[$_] } 0 .. $#{$passes};
    return @unflagged >= SOUND_NEEDS ? \@unflagged : $passes;
}

sub busy {
    my ($passes, $copies, $cpus) = @_;
    my $other = mean(grep { defined } map { $_->{machine}{busy_elsewhere} } @{$passes});
    return if !defined $other || $other <= BUSY;
    return $other if defined $cpus && crowded($other, $copies, $cpus);
    my $waited_in = largest(rundelay_ns => \&waited);
    my $waited = mean(grep { defined } map { $waited_in->($_) } @{$passes});
    return defined $waited && $waited > WAITED ? $other : undef;
}

# The share of its time in which a copy could have run, and neither it nor its children did; undef
# where it is not known.  A parent also waits for a CPU while its own child has it (of a pinned
# posix_spawn 0.8 of the time)
sub waited {
    my ($copy, $waits) = @_;
    my $used = cpu_seconds($copy);
    return if !$copy->{time} || !defined $used;
    $used /= $copy->{copies} || 1;                # one result can stand for all
    return min($waits * NANOSECOND, $copy->{time} - $used) / $copy->{time};
}

sub crowded {
    my ($other, $copies, $cpus) = @_;
    return $other > max(BUSY, BUSY_SHARE * $cpus) && NEEDS * $copies + $other > $cpus;
}

1;
