# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Settings;

# The settings of a run, from the options; what a pass of a cell is by them, and how the test
# programs are started for it.
#
#   settings_of(options, cells => number of cells, sweep => true for a sweep, fixed => passes of
#       each cell or undef, max_time => seconds of a cell without --max-time, or undef for the
#       usual ones, pin => true to pin without --pin, cpus => [those that copies are pinned to],
#       paired => true for passes of two sides in pairs) -> settings record, without --seed with
#       another seed each time
#   copies_of(options, number of CPUs to use) -> numbers of copies, in order
#
# Of a pass, where the plan is a plan record:
#
#   pinned(plan, cell) -> true where its copies are pinned
#   cpus_for(plan, cell) -> number of CPUs that its copies share
#   seconds_of(plan, cell) -> length of its next pass
#   note_pass(plan, cell, seconds of an iteration in its last pass, or undef, seconds between the
#       first and the last start of its copies, or undef): for that
#   warmup_of(plan, cell) -> seconds of the warm-up
#   reference_of(plan, cell, its length) -> seconds of the reference loops before the warm-up, and
#       again after the pass; 0: none
#   time_of(plan, cell) -> seconds of the cell, all passes together; of a classic one without end
#   limit_of(plan, cell) -> passes of the cell at most
#   PASS_OVERHEAD: what start and warm-up of a pass add to it, as a share of its length

use strict;
use warnings;
use Exporter 'import';
use File::Spec                   ();
use List::Util                   qw(first max min sum);
use POSIX                        qw(ceil);
use SpawnMeter::Analysis::Record qw(record);
use SpawnMeter::Machine::Facts   qw(list_text);

our @EXPORT_OK = qw(settings_of copies_of warmup_of reference_of PASS_OVERHEAD
    cpus_for limit_of note_pass pinned seconds_of time_of invocation of_copy options_of);

use constant {
    PRECISION    => '3%',
    OF_PAIRS     => '1%',     # of the difference of two sides
    PAIR_TIME    => 30,       # seconds for each cell, both sides together
    SLICE        => 0.25,     # seconds
    WARMUP       => 0.025,    # seconds
    MAX_TIME     => 10,       # seconds for each cell
    QUICK_TOTAL  => 28,       # seconds of --quick, all cells together
    QUICK_MOST   => 1.75,     # seconds of a cell then
    QUICK_SLICE  => 0.15,     # seconds of a pass then: 9 of them, and still pauses for the loops
    LEAST_PASSES => 3,        # of a test that decides by itself how long it runs
    FOR_LINE     => 3,        # passes of a value that a line is fitted to (Stats::Numbers)
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
    # has pauses, since a shorter one has too few
    PAUSED_EVERY => 0.02,
    PAUSED_LEAST => 0.15,

    SHORTEST => 0.0001,    # seconds; perl writes less as 9e-05, which the programs refuse
};

sub settings_of {
    my ($option, %details) = @_;
    my $name = $option->{classic} ? 'classic' : $option->{quick} ? 'quick' : 'settle';
    my $precision = $option->{precision} // ($details{paired} ? OF_PAIRS : PRECISION);
    my %numbers = (
        slice       => $option->{slice}      // ($name eq 'quick' ? QUICK_SLICE : SLICE),
        max_time    => $option->{'max-time'} // default_time($option, $name, %details),
        seed        => $option->{seed}       // (time ^ $$) % 1_000_000,
        counted     => $option->{count} || undef,
        max_total   => $option->{'max-total'},
        turns       => $option->{turns},
        iterations  => $option->{iterations},
        precision   => ($precision =~ s/%//r) / 100,
        warmup      => $name eq 'classic' || $option->{count}         ? 0     : WARMUP,
        reference   => grep({ $option->{$_} } qw(no-reference turns)) ? undef : REFERENCE,
        slice_given => defined $option->{slice}                       ? 1     : undef,
        time_given  => defined $option->{'max-time'}                  ? 1     : undef,
        sweep_least => !$details{sweep} ? undef : $name eq 'quick' ? FOR_LINE : FOR_INTERVAL,
        map { $_ => $details{$_} } qw(fixed paired),
    );
    my %given = map { $_ => $numbers{$_} + 0 } grep { defined $numbers{$_} } keys %numbers;
    my $placement = $option->{pin} || ($details{pin} ? 'usable' : undef);
    return record(settings => name => $name, %given, placed($placement, $details{cpus}));
}

# -> the fields of the settings that say how copies are pinned
sub placed {
    my ($placement, $cpus) = @_;
    return (pin => 0) if !defined $placement;
    my %fields = (pin => 1, $cpus ? (cpus => list_text(@{$cpus})) : ());
    return $placement eq 'usable' ? %fields : (%fields, placement => $placement);
}

# In ab with a limit for the whole run a test can use the time that others leave.  A long --slice
# needs more than the usual time.
sub default_time {
    my ($option, $name, %details) = @_;
    my $sides = $details{paired} ? 2 : 1;
    return $option->{'max-total'} // PAIR_TIME if $details{paired} && $name ne 'quick';
    return max($details{max_time} || MAX_TIME, LEAST_PASSES * STARTED * ($option->{slice} || 0))
        if $details{max_time} || $name ne 'quick';
    return sprintf('%.2f', $sides * min(QUICK_MOST, QUICK_TOTAL / $details{cells})) + 0;
}

# Each number counts once, in the order in which it is given.
sub copies_of {
    my ($option, $cpus) = @_;
    return $cpus > 1 && !defined $option->{turns} ? (1, $cpus) : (1) if !$option->{copies};
    my %word = (cpus => $cpus, half => max(1, int($cpus / 2)));
    my %seen;
    return grep { !$seen{$_}++ }
        map     { $word{$_} ? $word{$_} : /^(\d+)-(\d+)\z/a ? ($1 + 0 .. $2 + 0) : $_ + 0 }
        map     { split /,/ } @{ $option->{copies} };
}

# ---- a pass ----

use constant {
    CLASSIC_ITERATIONS => 10,    # the classic driver's default of -i
    PASS_OVERHEAD      => 0.5,

    # Of copies that share a CPU: iterations of each in a pass, which is made longer for them,
    # and times that a pass is as long as the spread of their starts, but longer by this factor
    # at most
    SHARED_ITERATIONS => 30,
    SHARED_SPREADS    => 10,
    SHARED_LONGER     => 5,
};

# The classic driver makes fewer passes of a short test.
sub limit_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    my $is_classic = $settings->{name} eq 'classic';
    my $n = $settings->{iterations} // ($is_classic ? CLASSIC_ITERATIONS : 9**9**9);
    return $n if !$is_classic;
    return $cell->{classic}{length} eq 'long' ? $n : max(1, int(($n + 1) / 3));
}

# A cell of a sweep says itself whether it is pinned.
sub pinned {
    my ($plan, $cell) = @_;
    return $cell->{pinned} // $plan->{settings}{pin};
}

sub cpus_for {
    my ($plan, $cell) = @_;
    return pinned($plan, $cell) ? scalar @{ $plan->{cpus} } : $plan->{usable};
}

# The key is the same for both sides of an A/B run, and for the cell that stands for both in the
# schedule.
sub key_of {
    my ($cell) = @_;
    return join "\0", map { defined($_) ? $_ : q{} } @{$cell}{qw(copies test series value)};
}

# The first pass at a number of copies decides how far apart they start, so that the passes of all
# tests are equally long
sub note_pass {
    my ($plan, $cell, $iteration, $spread) = @_;
    $plan->{so_far}{iteration}{ key_of($cell) }{ $cell->{side} // q{} } = $iteration;
    $plan->{so_far}{spread}{ $cell->{copies} } //= $spread;
    return;
}

# How many copies share a CPU: 1 where there are no more copies than CPUs.
sub sharing {
    my ($plan, $cell) = @_;
    return ceil($cell->{copies} / max(1, cpus_for($plan, $cell)));
}

# A pass takes the slice.  Where several copies share a CPU it is longer, so that all of them run at
# once for most of it and each makes enough iterations: an iteration can take long there.  The plan
# knows how long one took in the last pass of the cell, on either side, and how far apart its copies
# start.
sub seconds_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    my $slice = $settings->{slice};
    my $sharing = sharing($plan, $cell);
    $slice = $cell->{slice} // $slice if !$settings->{slice_given} && $settings->{name} ne 'quick';
    $slice = $cell->{classic}{seconds} if $settings->{name} eq 'classic';
    return $slice if $settings->{slice_given} || $sharing == 1;
    my $seconds = max($slice, SHARED * $sharing);
    return $seconds if $settings->{name} ne 'settle';
    my $iterations = $plan->{so_far}{iteration}{ key_of($cell) } || {};
    my $longest = max(0, grep { defined } values %{$iterations});
    my $spread = $plan->{so_far}{spread}{ $cell->{copies} } || 0;
    my $wanted =
        min(SHARED_LONGER * $seconds, max(SHARED_ITERATIONS * $longest, SHARED_SPREADS * $spread));
    return max($seconds, sprintf '%.2f', $wanted) + 0;
}

# The time is enough for some passes of a program that decides by itself how long it runs, and of
# many copies.
sub time_of {
    my ($plan, $cell) = @_;
    my ($settings, $time) = ($plan->{settings}, $plan->{settings}{max_time});
    return 9**9**9 if $settings->{name} eq 'classic';
    return $time if $settings->{time_given} || $settings->{name} eq 'quick';
    my $pass = seconds_of($plan, $cell) + SHARED_START * $cell->{copies};
    $time = max($time, ceil(SHARED_LEAST * $pass)) if sharing($plan, $cell) > 1;
    return $time if $settings->{sweep_least};
    return max($time, (LEAST_PASSES + PASS_OVERHEAD) * ($cell->{slice} // 0));
}

# All copies of a CPU together warm up as long as one copy would: until the last one has started its
# timed part the others go on warming up.
sub warmup_of {
    my ($plan, $cell) = @_;
    my $seconds = $plan->{settings}{warmup} or return 0;
    return max(SHORTEST, sprintf('%.4f', $seconds / sharing($plan, $cell)) + 0);
}

# Copies that share a CPU wait for each other, so they run no reference loops.
sub reference_of {
    my ($plan, $cell, $seconds) = @_;
    my $share = $plan->{settings}{reference};
    return 0 if $cell->{tree} || !$share || $cell->{copies} > cpus_for($plan, $cell);
    my $length = min(REFERENCE_MOST, $share * $seconds);
    return $length < REFERENCE_LEAST ? 0 : sprintf('%.4f', $length) + 0;
}

# ---- how programs are started ----
#
# Their command lines are made here alone: the options that the user gives, those of the pass, and
# those of each copy.
#
#   options_of([name, value; undef where it has none], ...) -> words of the command line.  Programs
#       run in another folder, so that a path becomes absolute
#   invocation(plan, cell, seconds of the pass) -> what SpawnMeter::Measure::Runner::run takes
#   of_copy(invocation, number of the copy from 0, handles of the gate or none) -> what
#       SpawnMeter::Util::Process::start takes

use constant {
    COUNT_TIMEOUT  => 3600,    # seconds of a pass with --count
    TIMEOUT_FACTOR => 2,       # time-out of other passes: so many times their length,
    TIMEOUT_MORE   => 30,      # and so many seconds more,
    TIMEOUT_COPY   => 0.06,    # and these for each further copy, to start it
};

sub options_of {
    my (@given) = @_;
    my @words;
    for my $option (@given) {
        my ($name, $value) = @{$option};
        $value = File::Spec->rel2abs($value) if $name eq 'exec' && $value =~ m{/};
        $value =~ s{([^,+]*[^\d,+][^,+]*)}{File::Spec->rel2abs($1)}ge if $name eq 'seccomp';
        $value =~ s{(,file=)([^,]+)}{$1 . File::Spec->rel2abs($2)}e if $name eq 'heap';
        push @words, "--$name", $value // ();
    }
    return @words;
}

sub invocation {
    my ($plan, $cell, $seconds) = @_;
    my $counted = $plan->{settings}{counted};
    my $timeout = $seconds * TIMEOUT_FACTOR + TIMEOUT_MORE + TIMEOUT_COPY * ($cell->{copies} - 1);
    return {
        copies  => $cell->{copies},
        timeout => $counted ? COUNT_TIMEOUT : $timeout,
        log     => $plan->{log},
        $cell->{tree} ? of_tree(@_) : of_program(@_),
    };
}

sub of_program {
    my ($plan, $cell, $seconds) = @_;
    my $suite = $plan->{suite};
    my $side = $cell->{of_side} || {};
    my $folder = $side->{programs} // $suite->{binaries};
    $folder .= '/static' if $cell->{static};    # execl executes what is in UB_BINDIR
    return (
        wrap        => $side->{wrap},
        program     => "$folder/$cell->{program}",
        arguments   => [ arguments($plan, $cell, $seconds) ],
        gate        => $side->{gated} // 1,
        pin         => pinned($plan, $cell) ? $plan->{cpus} : undef,
        folder      => $suite->{testdir},
        environment => { %{ $cell->{environment} || {} }, UB_BINDIR => $folder },
    );
}

# The programs of a classic tree take whole seconds and have no gate
sub of_tree {
    my ($plan, $cell, $seconds) = @_;
    my $tree = $plan->{tree};
    my $whole = int($seconds + 0.999) || 1;
    my %folders = (UB_BINDIR => "$tree/pgms", UB_TESTDIR => "$tree/testdir");
    return (
        program     => "$tree/pgms/$cell->{program}",
        arguments   => [ map { $_ eq 'SECONDS' ? $whole : $_ } @{ $cell->{options} } ],
        gate        => 0,
        folder      => "$tree/testdir",
        environment => { %folders, %{ $cell->{environment} } },
        input       => defined $cell->{input} ? "$tree/testdir/$cell->{input}" : undef,
    );
}

sub arguments {
    my ($plan, $cell, $seconds) = @_;
    my ($settings, $option) = ($plan->{settings}, $plan->{suite}{option});
    my @of_side = @{ ($cell->{of_side} || {})->{options} || [] };
    my $end = first { $of_side[$_] eq q{--} } 0 .. $#of_side;
    my (undef, @of_target) = splice @of_side, $end // @of_side;
    my @words = (@{ $cell->{options} }, @{ $option->{pass_on} }, @of_side);
    push @words, @{ $cell->{classic}{options} } if $settings->{name} eq 'classic';
    push @words, '--count', $cell->{count} if $cell->{count};

    # without seconds, --count alone ends a pass
    my $is_timed = !$settings->{counted} && !$cell->{count};
    push @words, '--warmup', warmup_of($plan, $cell), $is_timed ? $seconds : ();
    my $reference = reference_of($plan, $cell, $seconds);
    push @words, '--reference', $reference if $reference;

    # of several copies the pauses of one would be in the time of the others
    my $has_pauses = $reference && $is_timed && $cell->{copies} == 1 && $seconds >= PAUSED_LEAST;
    push @words, '--pauses', PAUSED_EVERY if $has_pauses;
    my ($target) = grep { @{$_} } \@of_target, $option->{target_arguments}, $cell->{arguments};
    push @words, q{--}, @{$target} if $target;
    return @words;
}

sub of_copy {
    my ($of_all, $i, @gate) = @_;
    my $own = $of_all->{each} ? $of_all->{each}[$i] : $of_all;
    my @options;
    push @options, '--gate', join q{,}, map { fileno $_ } @gate if @gate;
    push @options, '--cpu', $own->{pin}[ $i % @{ $own->{pin} } ] if $own->{pin};
    return {
        (map { $_ => $own->{$_} } qw(folder log environment input)),
        line => [ @{ $own->{wrap} || [] }, $own->{program}, @options, @{ $own->{arguments} } ],
        keep => [ @gate, @{ $own->{keep} || [] } ],
    };
}

1;
