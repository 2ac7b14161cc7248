# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Settings;

# The settings of a run, from the options.  Pure functions.
#
#   settings_of(options, cells => number of cells, seed => whole number that is used without
#       --seed, sweep => true for a sweep, fixed => passes of each cell or undef, max_time =>
#       seconds of a cell without --max-time, or undef for the usual ones, pin => true to pin
#       without --pin, cpus => [those that copies are pinned to], paired => true for passes of
#       two sides in pairs) -> settings record
#   new_seed(time, process id) -> a seed that differs from that of other runs
#   copies_of(options, number of CPUs to use) -> numbers of copies, in order
#   check_time(options, settings, numbers of copies, tests): dies where --max-time or --max-total
#       is too short for the passes that an interval needs
#   pass_seconds(settings, copies, CPUs for them, slice) -> seconds of a pass: the slice, or
#       where several copies share a CPU so many that all of them run at once for most of it
#   cell_seconds(settings, copies, CPUs, seconds of a pass) -> seconds of a test with so many
#       copies
#   warmup_of(settings, copies, CPUs) -> seconds of the warm-up
#   pauses_of(settings, copies, seconds of a pass) -> seconds between two pauses for the
#       reference loops; 0: none
#   reference_of(settings, copies, CPUs, seconds of a pass) -> seconds of the reference loops
#       before the warm-up and again after the pass; 0: none

use strict;
use warnings;
use Exporter 'import';
use List::Util                   qw(max min sum);
use POSIX                        qw(ceil);
use SpawnMeter::Analysis::Record qw(settings);
use SpawnMeter::Machine::CPU     qw(list_text);

our @EXPORT_OK = qw(settings_of check_time copies_of new_seed pass_seconds cell_seconds warmup_of
    pauses_of reference_of);

use constant {
    PRECISION    => '3%',
    OF_PAIRS     => '1%',     # of the difference of two sides
    PAIR_TIME    => 30,       # seconds for each cell, both sides together
    SLICE        => 0.25,     # seconds
    WARMUP       => 0.025,    # seconds
    MAX_TIME     => 10,       # seconds for each cell
    QUICK_TOTAL  => 28,       # seconds of --quick, all cells together
    QUICK_MOST   => 1.75,     # seconds of a cell then
    LEAST_PASSES => 3,        # of a test that decides by itself how long it runs
    FOR_INTERVAL => 6,        # passes: under six there is no interval
    STARTED      => 1.1,      # times its length a pass takes at least with its start

    # Seconds of a pass for each copy that shares a CPU: after the start the last one waits for
    # its turn, of some milliseconds, until all others had theirs (bench/copies.pl)
    SHARED       => 0.01,
    SHARED_LEAST => 6.5,      # such passes that fit into the time of a test, start included
    SHARED_START => 0.006,    # seconds to start one of these copies

    # The reference loops: share of a pass on either side, and their seconds
    REFERENCE       => 0.035,
    REFERENCE_MOST  => 0.1,
    REFERENCE_LEAST => 0.0017,

    # Seconds between two pauses in which some of them run, too, each about 0.9 ms long (PAUSES of
    # pgms/fork --pauses 0.02 1), so that all take less than 10 % of the time; and of a pass that
    # has pauses, at least
    PAUSED_EVERY => 0.02,
    PAUSED_LEAST => 0.15,

    SHORTEST => 0.0001,    # seconds; perl writes less as 9e-05, which the programs refuse
};

sub new_seed { my ($time, $process) = @_; return ($time ^ $process) % 1_000_000 }

sub given {
    my ($option, $name, $default) = @_;
    return defined $option->{$name} ? $option->{$name} + 0 : $default;
}

# "3%" -> 0.03
sub share { my ($percentage) = @_; return ($percentage =~ s/%//r) / 100 }

sub settings_of {
    my ($option, %with) = @_;
    my $name = $option->{classic} ? 'classic' : $option->{quick} ? 'quick' : 'settle';
    my $precision =
        defined $option->{precision} ? $option->{precision} : $with{paired} ? OF_PAIRS : PRECISION;
    my $max_time =
        $with{paired} ? pair_time($option) : $with{max_time} || default_time($name, $with{cells});
    return settings(
        name      => $name,
        slice     => given ($option, 'slice', SLICE),
        warmup    => $name eq 'classic' || $option->{count} ? 0 : WARMUP,
        precision => share($precision),
        max_time  => given ($option, 'max-time', $max_time),
        seed      => given ($option, 'seed', $with{seed}),
        $option->{steadied}                            ? (steadied => 1)                 : (),
        defined $option->{turns}                       ? (turns => $option->{turns} + 0) : (),
        grep({ $option->{$_} } qw(no-reference turns)) ? () : (reference => REFERENCE),
        place($option, %with),
        limits($option, $name, %with),
    );
}

# With a limit for the whole run a test can use what others leave
sub pair_time {
    my ($option) = @_;
    return defined $option->{'max-total'} ? $option->{'max-total'} + 0 : PAIR_TIME;
}

sub place {
    my ($option, %with) = @_;
    return (pin => 0) if !$option->{pin} && !$with{pin};
    my $placement = $option->{pin} || 'usable';
    return (
        pin => 1,
        $placement ne 'usable' ? (placement => $placement)                  : (),
        $with{cpus}            ? (cpus      => list_text(@{ $with{cpus} })) : (),
    );
}

# How many passes and creations, and what else does not follow from the protocol
sub limits {
    my ($option, $name, %with) = @_;
    my $slice_given = defined $option->{slice};
    my $time_given = defined $option->{'max-time'};
    my $usual_time = $name eq 'settle' && !$time_given && !$with{max_time};
    my %limit = (
        counted      => $option->{count}                 ? $option->{count} + 0      : undef,
        iterations   => defined $option->{iterations}    ? $option->{iterations} + 0 : undef,
        slice_given  => $slice_given                     ? 1                         : undef,
        time_given   => $time_given                      ? 1                         : undef,
        same_slice   => $name eq 'quick' || $slice_given ? 1                         : undef,
        sweep_least  => $with{sweep}                     ? FOR_INTERVAL              : undef,
        fixed        => $with{fixed},
        paired       => $with{paired}                  ? 1                          : undef,
        max_total    => defined $option->{'max-total'} ? $option->{'max-total'} + 0 : undef,
        least_passes => $usual_time                    ? LEAST_PASSES               : undef,
    );
    return map { $_ => $limit{$_} } grep { defined $limit{$_} } keys %limit;
}

sub default_time {
    my ($name, $cells) = @_;
    return MAX_TIME if $name ne 'quick';
    return sprintf('%.2f', min(QUICK_MOST, QUICK_TOTAL / $cells)) + 0;
}

sub check_time {
    my ($option, $settings, $copies, @tests) = @_;
    return if $settings->{name} eq 'classic' || $option->{count} || $option->{resume};
    my $passes = FOR_INTERVAL * ($settings->{paired} ? 2 : 1);
    my %needs;
    for my $test (@tests) {
        my $slice = !$settings->{same_slice} && $test->{slice} || $settings->{slice};
        $needs{ $test->{name} } = $passes * (STARTED * $slice + $settings->{warmup});
    }
    my ($longest) = sort { $needs{$b} <=> $needs{$a} || $a cmp $b } keys %needs;
    my %least = ('max-time' => $needs{$longest}, 'max-total' => $copies * sum(values %needs));
    for my $name (grep { defined $option->{$_} } sort keys %least) {
        next if $option->{$name} >= $least{$name};
        die sprintf "--%s %s: no interval, for which %s needs %d passes: give --%s %.1f or more, or"
            . " a shorter --slice\n",
            $name, $option->{$name}, $longest, $passes, $name, $least{$name} + 0.05;
    }
    return;
}

# Copies that share a CPU; up to one for each CPU none do
sub sharing { my ($copies, $cpus) = @_; return ceil($copies / max(1, $cpus)) }

sub pass_seconds {
    my ($settings, $copies, $cpus, $slice) = @_;
    my $sharing = sharing($copies, $cpus);
    return $slice if $settings->{slice_given} || $sharing == 1;
    return max($slice, SHARED * $sharing);
}

sub cell_seconds {
    my ($settings, $copies, $cpus, $pass) = @_;
    my $time = $settings->{max_time};
    return $time if $settings->{time_given} || $settings->{name} eq 'quick';
    return $time if sharing($copies, $cpus) == 1;
    return max($time, ceil(SHARED_LEAST * ($pass + SHARED_START * $copies)));
}

# All copies together warm up as long as one: until the last one has started its timed part
# the others go on warming up
sub warmup_of {
    my ($settings, $copies, $cpus) = @_;
    my $seconds = $settings->{warmup} / sharing($copies, $cpus);
    return $settings->{warmup} ? max(SHORTEST, sprintf('%.4f', $seconds) + 0) : 0;
}

# Of copies that share a CPU each waits for the others, so they get no reference
sub reference_of {
    my ($settings, $copies, $cpus, $seconds) = @_;
    return 0 if !$settings->{reference} || $copies > $cpus;
    my $length = min(REFERENCE_MOST, $settings->{reference} * $seconds);
    return $length < REFERENCE_LEAST ? 0 : sprintf('%.4f', $length) + 0;
}

# The pauses of one copy would be in the time of the others; a short pass has too few of them
sub pauses_of {
    my ($settings, $copies, $seconds) = @_;
    return $settings->{reference} && $copies == 1 && $seconds >= PAUSED_LEAST ? PAUSED_EVERY : 0;
}

# Each number once, in the order given
sub copies_of {
    my ($option, $cpus) = @_;
    return $cpus > 1 && !defined $option->{turns} ? (1, $cpus) : (1) if !$option->{copies};
    my %word = (cpus => $cpus, half => max(1, int($cpus / 2)));
    my %seen;
    return grep { !$seen{$_}++ }
        map     { $word{$_} ? $word{$_} : /^(\d+)-(\d+)\z/a ? ($1 + 0 .. $2 + 0) : $_ + 0 }
        map     { split /,/ } @{ $option->{copies} };
}

1;
