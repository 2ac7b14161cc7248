# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::PassSpec;

# What one pass of a cell is: which program, with which arguments, where, and how long.  The
# plan is that of SpawnMeter::Measure::Loop.
#
#   spec(plan, cell, seconds) -> what SpawnMeter::Measure::Runner::run takes
#   pinned(plan, cell) -> true where its copies are pinned
#   cpus_for(plan, cell) -> number of CPUs that its copies share
#   seconds_of(plan, cell) -> length of its next pass
#   note_iteration(plan, cell, seconds of an iteration in its last pass, or undef): for that
#   reference_seconds(plan, cell, its length) -> seconds of the reference loops before it, and
#       again after it
#   longer(seconds of a pass, seconds of an iteration as each copy sees it) -> seconds of a
#       pass of copies that share a CPU, in which each makes enough iterations
#   time_of(plan, cell) -> seconds of the cell, all passes together
#   classic_passes(length, -i or undef) -> passes that the classic driver makes of a long or a
#       short test
#   PASS_OVERHEAD: what start and warm-up of a pass add to it, as a share of its length

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(max min);
use SpawnMeter::Measure::Settings qw(pass_seconds cell_seconds warmup_of pauses_of
    reference_of);
use SpawnMeter::Measure::UnixBenchTree;

our @EXPORT_OK = qw(spec pinned cpus_for seconds_of note_iteration reference_seconds longer
    time_of classic_passes PASS_OVERHEAD);

use constant {
    CLASSIC_ITERATIONS => 10,      # the classic driver's default of -i
    COUNT_TIMEOUT      => 3600,    # seconds of a pass with --count
    TIMEOUT_FACTOR     => 2,       # time-out of other passes: so many times their length,
    TIMEOUT_MORE       => 30,      # and so many seconds more,
    TIMEOUT_COPY       => 0.06,    # and these for each further copy, to start it
    PASS_OVERHEAD      => 0.5,

    # Of copies that share a CPU: iterations of each in a pass, which is made longer for them,
    # but not by more than this factor
    SHARED_ITERATIONS => 30,
    SHARED_LONGER     => 5,
};

sub classic_passes {
    my ($length, $iterations) = @_;
    my $n = defined $iterations ? $iterations : CLASSIC_ITERATIONS;
    return $n if $length eq 'long';
    return max(1, int(($n + 1) / 3));
}

# A cell of a sweep decides it itself
sub pinned {
    my ($plan, $cell) = @_;
    return defined $cell->{pinned} ? $cell->{pinned} : $plan->{settings}{pin};
}

sub cpus_for {
    my ($plan, $cell) = @_;
    return pinned($plan, $cell) ? scalar @{ $plan->{cpus} } : $plan->{usable};
}

sub slice_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    return $cell->{classic}{seconds} if $settings->{name} eq 'classic';
    return defined $cell->{slice} && !$settings->{same_slice} ? $cell->{slice} : $settings->{slice};
}

# The same for both sides of an A/B run, and for what stands for them in its schedule
sub key_of {
    my ($cell) = @_;
    return join "\0", map { defined($_) ? $_ : q{} } @{$cell}{qw(copies test series value)};
}

sub note_iteration {
    my ($plan, $cell, $seconds) = @_;
    my $side = defined $cell->{side} ? $cell->{side} : q{};
    $plan->{state}{iteration}{ key_of($cell) }{$side} = $seconds;
    return;
}

# Where copies share a CPU, an iteration can take long: the plan's state knows the time that
# one took in the cell's last pass, on either side
sub seconds_of {
    my ($plan, $cell) = @_;
    my ($settings, $copies, $cpus) = ($plan->{settings}, $cell->{copies}, cpus_for($plan, $cell));
    my $slice = slice_of($plan, $cell);
    my $seconds = pass_seconds($settings, $copies, $cpus, $slice);
    return $seconds
        if $copies <= $cpus || $settings->{slice_given} || $settings->{name} ne 'settle';
    my $iteration = $plan->{state}{iteration}{ key_of($cell) } || {};
    return longer($seconds, max(0, grep { defined } values %{$iteration}));
}

sub longer {
    my ($seconds, $iteration) = @_;
    my $wanted = min(SHARED_LONGER * $seconds, SHARED_ITERATIONS * ($iteration || 0));
    return max($seconds, sprintf '%.2f', $wanted) + 0;
}

# Enough for some passes even of a program that decides by itself how long it runs, and of
# many copies
sub time_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    my $time =
        cell_seconds($settings, $cell->{copies}, cpus_for($plan, $cell), seconds_of($plan, $cell));
    return $time if !$settings->{least_passes} || !defined $cell->{slice};
    return max($time, ($settings->{least_passes} + PASS_OVERHEAD) * $cell->{slice});
}

sub spec {
    my ($plan, $cell, $seconds) = @_;
    my $further = TIMEOUT_COPY * ($cell->{copies} - 1);
    my %of = (
        copies  => $cell->{copies},
        timeout => $plan->{count}
        ? COUNT_TIMEOUT
        : $seconds * TIMEOUT_FACTOR + TIMEOUT_MORE + $further,
        log => $plan->{log},
    );
    return { %{ SpawnMeter::Measure::UnixBenchTree::spec($plan->{tree}, $cell, $seconds) }, %of }
        if $cell->{tree};
    my $side = $cell->{of_side} || {};
    my $folder = defined $side->{programs} ? $side->{programs} : $plan->{binaries};
    $folder .= '/static' if $cell->{static};    # execl executes what is in UB_BINDIR
    return {
        %of,
        wrap        => $side->{wrap},
        program     => "$folder/$cell->{program}",
        arguments   => [ arguments($plan, $cell, $seconds) ],
        gate        => defined $side->{gated} ? $side->{gated} : 1,
        pin         => pinned($plan, $cell)   ? $plan->{cpus}  : undef,
        folder      => $plan->{testdir},
        environment => $cell->{static} || defined $side->{programs}
        ? { %{ $cell->{environment} || {} }, UB_BINDIR => $folder }
        : $cell->{environment},
    };
}

sub reference_seconds {
    my ($plan, $cell, $seconds) = @_;
    return 0 if $cell->{tree};
    return reference_of($plan->{settings}, $cell->{copies}, cpus_for($plan, $cell), $seconds);
}

sub arguments {
    my ($plan, $cell, $seconds) = @_;
    my $settings = $plan->{settings};
    my ($own, @of_side) = options_of_side($cell->{of_side});
    my @list = (@{ $cell->{options} }, @{ $plan->{pass_on} }, @{$own});
    push @list, @{ $cell->{classic}{options} } if $settings->{name} eq 'classic';

    # without seconds, --count alone ends a pass
    push @list, '--count', $cell->{count} if $cell->{count};
    push @list, '--warmup', warmup_of($settings, $cell->{copies}, cpus_for($plan, $cell)),
        $plan->{count} || $cell->{count} ? () : $seconds;
    my $reference = reference_seconds($plan, $cell, $seconds);
    push @list, '--reference', $reference if $reference;
    my $pauses = pauses_of($settings, $cell->{copies}, $seconds);
    push @list, '--pauses', $pauses if $reference && $pauses && !$plan->{count} && !$cell->{count};
    my ($given) = grep { @{$_} } \@of_side, $plan->{target_arguments}, $cell->{arguments};
    push @list, q{--}, @{$given} if $given;
    return @list;
}

# -> ([options], arguments of its target)
sub options_of_side {
    my ($side) = @_;
    my @words = @{ ($side || {})->{options} || [] };
    my ($end) = grep { $words[$_] eq q{--} } 0 .. $#words;
    return (\@words) if !defined $end;
    return ([ @words[ 0 .. $end - 1 ] ], @words[ $end + 1 .. $#words ]);
}

1;
