# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Results;

# The results of a run: one for each test and number of copies.  Pure functions; everything is
# computed again from the raw samples.
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
#   judged_passes(run) -> [ { pass => pass record, counts => 1 where it counts in the result of its
#       cell, else 0; flags => [reasons]; creations => those of all copies, undef where unknown } ],
#       in the order of the run
#
# The headline is the median of the passes, as in the classic suite; its interval is that of
# their center (Stats::Numbers).  A posted report has its printed figures, and no samples.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(first max sum);
use SpawnMeter::Analysis::Disturbance qw(busy disturbs flags sound);
use SpawnMeter::Analysis::Quantity    qw(FAULTS WITHIN blocked_us costs cpu_us creations_of
    creators faults_of of_copies seconds series);
use SpawnMeter::Stats::Numbers qw(adjust around estimates geometric_mean half mean median
    of_summaries plus_minus summary two_speeds);

our @EXPORT_OK =
    qw(results cell_of headline_of grouped by_copies in_order is_of_tests judged_passes);

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

1;
