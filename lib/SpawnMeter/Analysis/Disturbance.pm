# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Disturbance;

# Which passes were disturbed, and by what, and whether the machine was busy all the time, from
# the counters beside the passes.  Pure functions.
#
#   flags(passes of one cell, [reading of each, by Analysis::Instruments] or nothing) -> a list
#       of reasons for each pass, [] for an undisturbed one.  Who asks again after each pass
#       keeps the readings
#   sound(passes, reasons or nothing) -> [the passes to judge by]: the unflagged ones where
#       there are at least SOUND_NEEDS of them, else all.  The reasons are what flags()
#       returned for these passes; it is called where they are not given
#   disturbs(number of flagged passes, of all passes) -> whether a result is disturbed: over a
#       fifth are flagged, or so few are not that the flagged ones count, too
#   sound_rates(result record of one cell, not of a posted text) -> [rates of those]
#   busy([passes that count], number that create at once, CPUs of the machine or undef) -> CPUs
#       that other processes used, where those are too many; else undef
#   crowded(CPUs that others use, number that create at once, CPUs of the machine) -> whether
#       these are too many
#
# There are two kinds of instruments (docs/measure.md).  Steal, throttling and
# suspension flag by themselves.  The others have a level that the test itself causes, so
# they flag only against the other passes of the cell: where the value is more than Z
# standard deviations above the level of the quieter half of them.  What is there in all passes
# does not flag, so work beside the whole run has absolute limits of its own: the mean over the
# passes, when the copies need the CPUs that it takes, or one of them waits for its CPU.
#
# Which passes of a run count in its results.  Pure functions.
#
#   judged(run) -> [ { pass => pass record, counts => 1 where the pass is one of those that
#       the result of its cell is computed from, else 0; flags => [reasons why it was
#       disturbed]; creations => iterations of all copies together, undef where unknown } ],
#       in the order of the run.  A cell is a test at a number of copies, and in a sweep or
#       an A/A run of 0.5 at a value or on a side

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max min sum);
use SpawnMeter::Analysis::Copies      qw(cpu_seconds);
use SpawnMeter::Analysis::Instruments qw(RELATIVE reading);
use SpawnMeter::Stats::Numbers        qw(disturbed_z mean);

our @EXPORT_OK = qw(flags sound sound_rates disturbs busy crowded SOUND_NEEDS DISTURBED judged);

use constant {
    SOUND_NEEDS  => 9,       # unflagged passes, to leave the flagged ones out
    DISTURBED    => 0.2,     # share of flagged passes, or pairs, above which a result is disturbed
    FEWEST_KNOWN => 3,       # values, to compare a pass with the others
    Z            => 5,       # standard deviations
    NANOSECOND   => 1e-9,    # in seconds
    CONFIRMED    => 1.5,     # standard deviations of an instrument that only confirms

    # Limits of a busy machine: CPUs in use by others, on machines with more than five the share
    # of all CPUs that these are; CPUs that a copy needs, as parent and child also run at once
    # (most tests 1.0 to 1.2); and the share of its time in which a copy waited.  That was below
    # 0.01 in all tests with nothing beside them, pinned or not, with one and two copies; beside a
    # loop on the same CPU 0.2 to 0.85, but not in shell1 and shell8, whose first process sleeps.
    BUSY       => 0.25,
    BUSY_SHARE => 0.05,
    NEEDS      => 1.1,
    WAITED     => 0.1,
};

sub flags {
    my ($passes, $known) = @_;
    my @readings = $known ? @{$known} : map { reading($_) } @{$passes};
    my @reasons = map { [ @{ $_->{reasons} } ] } @readings;
    my %distances = map { $_->{name} => distances($_, @readings) } @{ +RELATIVE };
    for my $instrument (@{ +RELATIVE }) {
        push @{ $reasons[$_] }, $instrument->{reason} for far_above(\%distances, $instrument);
    }
    return @reasons;
}

# The distance of each pass above the level of the quieter ones, in standard deviations;
# undef where the value is not known, or too few are
sub distances {
    my ($instrument, @readings) = @_;
    my @values = map { $_->{values}{ $instrument->{name} } } @readings;
    my @known = grep { defined $values[$_] } 0 .. $#values;
    my @distances = (undef) x @values;
    return \@distances if @known < FEWEST_KNOWN;
    @distances[@known] = disturbed_z($instrument->{least_deviation}, @values[@known]);
    return \@distances;
}

# The numbers of the passes that an instrument flags against the others
sub far_above {
    my ($distances, $instrument) = @_;
    my ($name, $confirmed_by) = @{$instrument}{qw(name confirmed_by)};
    my $own = $distances->{$name};
    my @far = grep { defined $own->[$_] && $own->[$_] > Z } 0 .. $#{$own};
    return if $instrument->{few} && disturbs(scalar @far, scalar @{$own});
    return @far if !defined $confirmed_by;
    my $other = $distances->{$confirmed_by};
    return grep { defined $other->[$_] && $other->[$_] > CONFIRMED } @far;
}

sub disturbs {
    my ($flagged, $passes) = @_;
    return $flagged > DISTURBED * $passes || $flagged && $passes - $flagged < SOUND_NEEDS;
}

sub sound {
    my ($passes, $known) = @_;
    my @reasons = $known ? @{$known} : flags($passes);
    my @unflagged = map { $passes->[$_] } grep { !@{ $reasons[$_] } } 0 .. $#reasons;
    return @unflagged >= SOUND_NEEDS ? \@unflagged : $passes;
}

sub busy {
    my ($passes, $copies, $cpus) = @_;
    my $other = mean(grep { defined } map { $_->{machine}{busy_elsewhere} } @{$passes});
    return if !defined $other || $other <= BUSY;
    return $other if defined $cpus && crowded($other, $copies, $cpus);
    my $waited = mean(grep { defined } map { waited($_) } @{$passes});
    return defined $waited && $waited > WAITED ? $other : undef;
}

# The share of its time in which a copy could have run, and neither it nor its children did: the
# largest of the copies; undef where it is not known.  A parent also waits for a CPU while its own
# child has it (of a pinned posix_spawn 0.8 of the time)
sub waited {
    my ($pass) = @_;
    my @shares;
    for my $copy (@{ $pass->{results} || [] }) {
        my ($waits, $used) = ($copy->{disturb}{rundelay_ns}, cpu_seconds($copy));
        next if !$copy->{time}   || grep { !defined } $waits, $used;
        $used /= $copy->{copies} || 1;                                # one result can stand for all
        push @shares, min($waits * NANOSECOND, $copy->{time} - $used) / $copy->{time};
    }
    return max(@shares);
}

sub crowded {
    my ($other, $copies, $cpus) = @_;
    return $other > max(BUSY, BUSY_SHARE * $cpus) && NEEDS * $copies + $other > $cpus;
}

# The record has the number of reasons for each pass
sub sound_rates {
    my ($result) = @_;
    return sound($result->{rates}, [ map { [ (1) x $_ ] } @{ $result->{flags} } ]);
}

sub judged {
    my ($run) = @_;
    my @judged = map { { pass => $_, counts => 0, flags => [], creations => creations($_) } }
        @{ $run->{passes} };
    my %cell;
    for my $one (grep { $_->{pass}{status} eq 'ok' } @judged) {
        my @key = map { defined $_ ? $_ : q{} } @{ $one->{pass} }{qw(copies test value side)};
        push @{ $cell{ join "\0", @key } }, $one;
    }
    judge(@{$_}) for values %cell;
    return \@judged;
}

sub judge {
    my (@of_cell) = @_;
    my @passes = map { $_->{pass} } @of_cell;
    my @reasons = flags(\@passes);
    my %counts = map { $_ => 1 } @{ sound(\@passes, \@reasons) };
    for my $i (0 .. $#of_cell) {
        $of_cell[$i]{flags} = $reasons[$i];
        $of_cell[$i]{counts} = $counts{ $passes[$i] } ? 1 : 0;
    }
    return;
}

sub creations {
    my ($pass) = @_;
    my @counts =
        map { defined $_->{iterations} ? $_->{iterations} : $_->{count} } @{ $pass->{results} };
    return @counts ? sum(@counts) : undef;
}

1;
