# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies; and which passes were disturbed, and
# by what, from the counters beside them.  Pure functions; everything is computed again from the raw
# samples.
#
#   results(run, brief => true for comparisons: no CPU times and latencies; chosen => true where all
#       good passes count, since the caller has left out others; correlation => that of all cells
#       that were measured together, where these are more than the tests of the run) -> [result
#       record], by copies, then title
#   cell_of([passes], true where all good passes count) -> what the passes of a cell say, while it
#       is measured and of a stored run: { passes => [good ones], bad => [others], reasons => [those
#       of each good pass], sound => [those that count], summary => of these (Stats::Numbers) }
#   headline_of(cell, true for the classic suite's rule) -> the headline
#   grouped(field, records) -> ([value, records in whose field it is ...], ...), in their order;
#       by_copies(records): by the numbers of copies
#   in_order(results or rows) -> by copies, then title
#   is_of_tests(run) -> true where its results are those of its tests; those of a sweep, an A/B
#       run or an A/A run of 0.5 are of passes that were measured in different ways
#   flags([passes of one cell]) -> a list of reasons for each pass, [] for an undisturbed one
#   of_one_process(reason) -> true where it disturbs one process, not one that takes turns with it
#   sound([passes], [true for each that is flagged]) -> [those that count]: the unflagged ones where
#       there are at least SOUND_NEEDS of them, else all
#   disturbs(number of flagged passes, of all passes) -> whether a result is disturbed: over a
#       fifth are flagged, or so few are not that the flagged ones count, too
#   crowded(CPUs that others use, number that create at once, CPUs of the machine) -> whether
#       these are too many
#   judged_passes(run) -> [ { pass => pass record, counts => 1 where it counts in the result of its
#       cell, else 0; flags => [reasons]; creations => those of all copies, undef where unknown } ],
#       in the order of the run
#
# The headline is the median of the passes, as in the classic suite; its interval is that of
# their center (Stats::Numbers).  A posted report has its printed figures, and no samples.

use strict;
use warnings;
use Exporter 'import';
use List::Util                     qw(first max min sum);
use SpawnMeter::Analysis::Quantity qw(FAULTS WITHIN blocked_us costs cpu_seconds cpu_us creations_of
    creators faults_of loop_speed of_copies seconds series);
use SpawnMeter::Stats::Numbers qw(adjust around disturbed_z estimates geometric_mean half mean
    median of_summaries plus_minus summary two_speeds);

our @EXPORT_OK = qw(results cell_of headline_of grouped by_copies in_order is_of_tests flags sound
    disturbs crowded DISTURBED judged_passes of_one_process);

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

my %US = (lps => 1e6, lpm => 60e6);    # microseconds of what a rate is given for

sub results {
    my ($run, %options) = @_;
    my @results =
        $run->{printed}
        ? map { printed_result($_) } @{ $run->{printed} }
        : map { results_of_block($run, \%options, @{$_}) } by_copies(@{ $run->{passes} });
    return [ in_order(map { with_times($_) } @results) ];
}

sub in_order {
    my (@rows) = @_;
    return sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @rows;
}

# The time of an iteration as each copy or creating thread sees it: with N of them at once it is N
# times the time that the rate of all together gives (Little's law)
sub with_times {
    my ($result) = @_;
    my $us = $US{ $result->{unit} || 'lps' } || 0;
    @{$result}{qw(time_us time_low time_high)} =
        map {
        defined && $_ > 0 && $us ? $us * ($result->{creators} || $result->{copies}) / $_ : undef
        } @{$result}{qw(rate high low)};
    return $result;
}

sub grouped {
    my ($field, @records) = @_;
    my (@order, %records);
    for my $record (@records) {
        my $value = $record->{$field};
        push @order, $value if !$records{$value};
        push @{ $records{$value} }, $record;
    }
    return map { [ $_, @{ $records{$_} } ] } @order;
}

sub by_copies { return grouped(copies => @_) }

sub is_of_tests {
    my ($run) = @_;
    my $kind = $run->{kind}   || q{};
    return 0 if $run->{sweep} || $kind =~ /^(?:ab|kernels)\z/;
    return $kind ne 'equals'  || !grep { defined $_->{side} } @{ $run->{passes} };
}

# SpawnMeter's own posted reports have an interval, by its larger half, and more
sub printed_result {
    my ($printed) = @_;
    my ($rate, $share) = @{$printed}{qw(rate plus_minus)};
    my $passes = $printed->{samples} || 0;
    return {
        status => 'ok',
        passes => $passes,
        used   => grep({ defined } @{$printed}{qw(best plus_minus)}) ? $passes              : 0,
        low    => defined $share                                     ? $rate * (1 - $share) : undef,
        high   => defined $share                                     ? $rate * (1 + $share) : undef,
        flagged   => 0,
        disturbed => 0,
        reasons   => {},
        flags     => [],
        rates     => [],
        %{$printed},
    };
}

# ---- a cell: the passes of a test at a number of copies, or at a value of a sweep ----

sub cell_of {
    my ($passes, $is_chosen) = @_;
    my @good = grep { $_->{status} eq 'ok' } @{$passes};
    my @reasons = flags(\@good);
    my $sound = $is_chosen ? \@good : sound(\@good, [ map { scalar @{$_} } @reasons ]);
    return {
        passes  => \@good,
        bad     => [ grep { $_->{status} ne 'ok' } @{$passes} ],
        reasons => \@reasons,
        sound   => $sound,
        summary => scalar summary([ map { log $_->{rate} } grep { $_->{rate} > 0 } @{$sound} ]),
    };
}

# The median of the passes that count.  The classic suite's is the geometric mean of all without the
# worst third (by rate: its driver drops by count)
sub headline_of {
    my ($cell, $is_classic) = @_;
    return median(map { $_->{rate} } @{ $cell->{sound} }) if !$is_classic;
    my @s = sort { $b <=> $a } map { $_->{rate} } @{ $cell->{passes} };
    splice @s, @s - int(@s / 3);
    return geometric_mean(@s);
}

sub judged_passes {
    my ($run) = @_;
    my (%passes_of_cell, %flags, %counts);
    for my $pass (@{ $run->{passes} }) {
        my @key = map { $_ // q{} } @{$pass}{qw(copies test value side)};
        push @{ $passes_of_cell{"@key"} }, $pass;
    }
    for my $cell (map { cell_of($_) } values %passes_of_cell) {
        @flags{ @{ $cell->{passes} } } = @{ $cell->{reasons} };
        $counts{$_} = 1 for @{ $cell->{sound} };
    }
    return [
        map { {
            pass      => $_,
            counts    => $counts{$_} || 0,
            flags     => $flags{$_}  || [],
            creations => scalar sum(map { creations_of($_) } @{ $_->{results} || [] }),
        } } @{ $run->{passes} }
    ];
}

# ---- the results of a block: tests that were measured in the same rounds ----

use constant FEWEST => 6;    # passes, for a drift-corrected rate

# Tests that create no process, in runs before 1.0, which do not have their mark
my $NO_PROCESS = qr/^(?:pipe|context1|syscall|dhry2reg|whetstone-double
    |fs(?:time|buffer|disk)(?:-[rw])?)\z/x;

sub results_of_block {
    my ($run, $options, $copies, @passes) = @_;
    my %test = map { $_->{name} => $_ } @{ $run->{tests} };
    my %passes_of_test;
    push @{ $passes_of_test{ $_->{test} } }, $_ for @passes;
    my %cell;
    for my $test (keys %passes_of_test) {
        my $cell = $cell{$test} = cell_of($passes_of_test{$test}, $options->{chosen});
        my $no_process = ($test{$test} || {})->{no_process} // $test =~ $NO_PROCESS;
        my @rated = grep { $_->{rate} > 0 } @{ $cell->{sound} };
        @{$cell}{qw(where series)} = series(\@rated, $no_process ? () : (WITHIN, FAULTS));
    }
    my %summary = map { $_ => $cell{$_}{summary} } keys %cell;
    my $estimates = of_summaries(\%summary, $options->{correlation});
    my $corrected = $options->{brief} ? {} : drift_corrected(\%cell);
    return map {
        my ($cell, $estimate) = ($cell{$_}, $estimates->{$_});
        my $bad = $cell->{bad}[0] || { status => 'ok' };
        my ($title, $category) = @{ $test{$_} || {} }{qw(title category)};
        my @measured = @{ $cell->{passes} } ? measured($run, $cell, $estimate, $options) : ();
        +{
            test            => $_,
            title           => defined $title && length $title ? $title : $_,
            category        => $category,
            copies          => $copies,
            precise         => scalar is_precise($run, $estimate),
            drift_corrected => $corrected->{$_},
            (map { $_ => $bad->{$_} } qw(status reason)),
            (map { $_ => $cell->{$_} } qw(summary where series)),
            @measured,
        };
    } sort keys %cell;
}

# -> { test => { rate, low, high, plus_minus, b } } at the mean speed of the reference loops: those
# in the pauses of a pass, or for tests that have none those around it
sub drift_corrected {
    my ($cells) = @_;
    my %strata;
    for my $test (grep { defined $cells->{$_}{where} } keys %{$cells}) {
        my @points = grep { defined $_->{x} } @{ $cells->{$test}{series} };
        $strata{ $cells->{$test}{where} }{$test} = \@points if @points >= FEWEST;
    }
    my %corrected;
    for my $stratum (values %strata) {
        my $adjusted = adjust($stratum) or next;
        my $estimates = estimates($adjusted->{runs}[0]);
        for (keys %{$estimates}) {
            my %interval = interval($estimates->{$_});
            $corrected{$_} = { %interval, rate => $interval{center}, b => $adjusted->{b} };
        }
    }
    return \%corrected;
}

sub interval {
    my ($estimate) = @_;
    return if !$estimate;
    my ($center, $low, $high) = around($estimate->{center}, half($estimate));
    return (
        low         => $low,
        high        => $high,
        plus_minus  => plus_minus($estimate),
        effective   => $estimate->{n_eff},
        center      => $center,
        correlation => $estimate->{rho},
        few         => $estimate->{few},
    );
}

# Whether the interval is within the precision; undef where the settings do not ask for it
sub is_precise {
    my ($run, $estimate) = @_;
    my ($name, $precision, $fixed) = @{ $run->{settings} }{qw(name precision fixed)};
    return if $run->{sweep} || ($name || q{}) ne 'settle' || !defined $precision || defined $fixed;
    return $estimate && plus_minus($estimate) <= $precision ? 1 : 0;
}

sub measured {
    my ($run, $cell, $estimate, $options) = @_;
    my ($passes, $sound) = @{$cell}{qw(passes sound)};
    my @rates = map { $_->{rate} } @{$passes};
    my $is_classic = ($run->{settings}{name} || q{}) eq 'classic';
    my $creators = creators($passes->[0]);
    my $busy = busy($sound, $creators, $run->{system}{cpus_online});
    my %brief = (
        unit     => $passes->[0]{unit} || 'lps',
        creators => $creators,
        rate     => scalar headline_of($cell, $is_classic),
        interval($estimate),
        passes => scalar @rates,
        used   => scalar @{$sound},
        images => scalar(first { $_ eq 'whole' } of_copies(images => @{$sound})),
        disturbance($busy, @{ $cell->{reasons} }),
    );
    return (%brief, summaries_of_costs($sound)) if $options->{brief};
    return (
        %brief,
        speeds  => $estimate && scalar speeds($estimate, @{$sound}),
        best    => max(@rates),
        rates   => \@rates,
        seconds => mean(map { seconds($_) } @{$passes}) || undef,      # 0 of raw values
        costs($sound),
    );
}

# What a comparison compares besides the rate: like rates, as their reciprocals are
sub summaries_of_costs {
    my ($sound) = @_;
    my %cost = (of_blocked => \&blocked_us, of_cpu => \&cpu_us, of_faults => \&faults_of);
    for my $summary (values %cost) {
        my @known = grep { defined && $_ > 0 } map { scalar $summary->($_) } @{$sound};
        $summary = summary([ map { -log } @known ]);
    }
    return %cost;
}

# -> [ speed, speed ] where passes have two speeds, the lower one first (Analysis::Record)
sub speeds {
    my ($estimate, @passes) = @_;
    return if !$estimate->{two_speeds};
    my @rates = sort { $a <=> $b } map { $_->{rate} } @passes;
    my (undef, $lower) = two_speeds([ map { log } @rates ]);
    my @groups = ([ @rates[ 0 .. $lower - 1 ] ], [ @rates[ $lower .. $#rates ] ]);
    return [ map { { rate => scalar median(@{$_}), share => @{$_} / @rates } } @groups ];
}

sub disturbance {
    my ($busy, @reasons) = @_;
    my $flagged = grep { @{$_} } @reasons;
    my %passes_of_reason;
    $passes_of_reason{$_}++ for map { @{$_} } @reasons;
    return (
        flagged   => $flagged,
        flags     => [ map { scalar @{$_} } @reasons ],
        reasons   => \%passes_of_reason,
        busy      => $busy,
        disturbed => defined $busy || disturbs($flagged, scalar @reasons) ? 1 : 0,
    );
}

# ---- disturbance ----
#
# Some instruments (docs/measure.md), such as steal, flag by their value alone.  The value of others
# is caused by the test itself, too: they flag where it is more than Z standard deviations above the
# values of the quieter half of the cell's passes.  Work beside all passes raises none above the
# others: busy() has absolute limits for it.

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

# [passes that count], number that create at once, CPUs of the machine or undef -> CPUs that other
# processes used, where those are too many; else undef
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
