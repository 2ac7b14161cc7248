# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Loop;

# Runs the passes that SpawnMeter::Measure::Schedule chooses, and records each.
#
#   measure(plan) -> { wall, measured } seconds: all of the time, and that of warm-ups and
#       slices.  The results go through the plan's record
#
# A plan:
#   blocks => [ { copies, cells => [cell], title } ]: the cells of a block are measured
#       together, interleaved
#   settings => settings record
#   binaries, testdir => folders, tree => classic tree or undef
#   pass_on => options for the programs, target_arguments => lists
#   count => true with --count, cpus => [numbers] to pin to
#   runner => SpawnMeter::Measure::Runner, progress => SpawnMeter::Report::Progress,
#   log => handle or undef
#   oom_kills => sub -> number of processes that the kernel killed for want of memory, or
#       undef
#   record => sub (kind, data), stopped => sub -> true where the run is to end,
#   clock => sub -> seconds

use strict;
use warnings;
use List::Util                     qw(max sum);
use POSIX                          qw(SIGKILL);
use SpawnMeter::Machine::Counters  qw(between);
use SpawnMeter::Measure::Durations qw(classic_passes is_estimate pass_seconds seconds_of time_of);
use SpawnMeter::Measure::ProgramOutput qw(rate_of);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Measure::UnixBenchTree;
use SpawnMeter::Util::Programs;

use constant {
    COUNT_TIMEOUT  => 3600,    # seconds of a pass with --count
    TIMEOUT_FACTOR => 2,       # time-out of other passes: so many times their length,
    TIMEOUT_MORE   => 30,      # and so many seconds more
};

sub measure {
    my ($plan) = @_;
    my $began = $plan->{clock}->();
    my %state = (began => $began, measured => 0, oom_kills => $plan->{oom_kills}->());
    my @schedules = map { schedule($plan, $plan->{blocks}[$_], $_) } 0 .. $#{ $plan->{blocks} };
    $plan->{progress}->start(sum(0, map { $_->time_left } @schedules), is_estimate($plan));
    for my $block (@{ $plan->{blocks} }) {
        last if $plan->{stopped}->();
        my $schedule = shift @schedules;
        my $later = sum(0, map { $_->time_left } @schedules);
        $plan->{record}->(block => { copies => $block->{copies}, started => time });
        $plan->{progress}->begin($block->{copies}, $schedule->{states}, $block->{title});
        block({ %{$plan}, state => \%state, later => $later }, $schedule);
        $plan->{progress}->finish;
        $plan->{record}->(ended => time);
    }
    return { wall => $plan->{clock}->() - $began, measured => $state{measured} };
}

sub schedule {
    my ($plan, $block, $number) = @_;
    my $settings = $plan->{settings};
    return SpawnMeter::Measure::Schedule->new(
        cells     => $block->{cells},
        protocol  => $settings->{name},
        precision => $settings->{precision},
        max_time  => sub { return time_of($plan, $_[0]) },
        limit     => $settings->{iterations},
        fixed     => $settings->{fixed},
        least     => $settings->{sweep_least},
        seed      => $settings->{seed} + $number,
        passes    => sub { return classic_passes($_[0]{classic}{length}, $settings->{iterations}) },
        pass_seconds => sub { return pass_seconds($plan, $_[0]) },
    );
}

sub block {
    my ($plan, $schedule) = @_;
    while (my $state = $schedule->next_pass) {
        settle_down() if $plan->{settings}{name} eq 'classic';
        last if $plan->{stopped}->();
        my $pass = pass($plan, $schedule, $state);
        last if $pass->{status} eq 'stopped';
        if ($pass->{paused}) { $schedule->again($state); next }
        $schedule->record($state, $pass);
        $plan->{record}->(pass => $pass);
        $plan->{progress}->update($state, $schedule->time_left + $plan->{later});
    }
    return;
}

# As the classic driver does before every pass
sub settle_down {
    my $sync = SpawnMeter::Util::Programs::found('sync');
    system {$sync} $sync if $sync;
    sleep 1;
    system {$sync} $sync if $sync;
    sleep 2;
    return;
}

# -> pass record, or { status => 'ok', paused => 1 }: it is to be made again
sub pass {
    my ($plan, $schedule, $state) = @_;
    my $cell = $state->{cell};
    my $outcome = outcome($plan, $cell);
    write_log($plan->{log}, $cell, $outcome);
    return { status => 'ok', paused => 1 } if $outcome->{paused} && $outcome->{status} eq 'ok';
    my %pass = (
        test   => $cell->{test},
        copies => $cell->{copies},
        (map { $_ => $cell->{$_} } grep { defined $cell->{$_} } qw(side value)),
        round  => $schedule->{round},
        at     => sprintf('%.3f', $plan->{clock}->() - $plan->{state}{began}) + 0,
        wall   => sprintf('%.6f', $outcome->{wall}) + 0,
        status => $outcome->{status},
    );
    return { %pass, reason => $outcome->{reason} . memory_note($plan, $outcome) }
        if $outcome->{status} ne 'ok';
    $plan->{state}{measured} += $plan->{settings}{warmup} + seconds_measured($outcome);
    return { %pass, sample($outcome, pinned($plan, $cell)) };
}

sub outcome {
    my ($plan, $cell) = @_;
    return { status => 'skipped', reason => $cell->{skip}, wall => 0 } if defined $cell->{skip};
    my $seconds = seconds_of($plan, $cell);
    my $timeout = $plan->{count} ? COUNT_TIMEOUT : $seconds * TIMEOUT_FACTOR + TIMEOUT_MORE;
    return $plan->{runner}->run({
        %{ spec($plan, $cell, $seconds) },
        copies  => $cell->{copies},
        timeout => $timeout,
        log     => $plan->{log},
    });
}

# Added to the reason of a test that was killed, if the kernel counts a kill meanwhile
sub memory_note {
    my ($plan, $outcome) = @_;
    return q{} if ($outcome->{signal} || 0) != SIGKILL;
    my ($before, $now) = ($plan->{state}{oom_kills}, $plan->{oom_kills}->());
    $plan->{state}{oom_kills} = $now;
    return q{} if !defined $now || !defined $before || $now <= $before;
    return ' (the machine or its control group is out of memory)';
}

# The longest of the copies' own times
sub seconds_measured {
    my ($outcome) = @_;
    return max(0, map { $_->{time} || 0 } @{ $outcome->{results} });
}

# All that the programs printed, unchanged
sub write_log {
    my ($log, $cell, $outcome) = @_;
    return if !$log;
    my $copies = $cell->{copies} . ($cell->{copies} == 1 ? ' copy' : ' copies');
    my $text = "## $cell->{test}, $copies: $outcome->{status}";
    $text .= ": $outcome->{reason}" if defined $outcome->{reason};
    $text .= ', to be repeated, since Run was stopped meanwhile' if $outcome->{paused};
    syswrite $log, join q{}, "$text\n", @{ $outcome->{output} || [] }, "\n";
    return;
}

# For Runner: which program, how, and where
sub spec {
    my ($plan, $cell, $seconds) = @_;
    return SpawnMeter::Measure::UnixBenchTree::spec($plan->{tree}, $cell, $seconds)
        if $cell->{tree};
    return {
        program   => "$plan->{binaries}/" . ($cell->{static} ? 'static/' : q{}) . $cell->{program},
        arguments => [ arguments($plan, $cell, $seconds) ],
        gate      => 1,
        pin       => pinned($plan, $cell) ? $plan->{cpus} : undef,
        folder    => $plan->{testdir},
        environment => $cell->{environment},
    };
}

# A cell of a sweep decides it itself
sub pinned {
    my ($plan, $cell) = @_;
    return defined $cell->{pinned} ? $cell->{pinned} : $plan->{settings}{pin};
}

sub arguments {
    my ($plan, $cell, $seconds) = @_;
    my @list = (@{ $cell->{options} }, @{ $plan->{pass_on} });
    push @list, @{ $cell->{classic}{options} } if $plan->{settings}{name} eq 'classic';

    # without seconds, --count alone ends a pass
    push @list, '--count', $cell->{count} if $cell->{count};
    push @list, '--warmup', $plan->{settings}{warmup},
        $plan->{count} || $cell->{count} ? () : $seconds;
    my @given =
        @{ $plan->{target_arguments} } ? @{ $plan->{target_arguments} } : @{ $cell->{arguments} };
    push @list, q{--}, @given if @given;
    return @list;
}

sub sample {
    my ($outcome, $pinned) = @_;
    my @copies = @{ $outcome->{results} };
    my @cpu = map { @{ $_->{cpu} || [] } } @copies;
    my $own = @cpu && !grep({ !defined } @cpu) ? sum(@cpu) : undef;
    return (
        rate    => rate_of(\@copies, $outcome->{wall}),
        unit    => $copies[0]{label},
        results => \@copies,
        machine => {
            %{ between($outcome->{before}, $outcome->{after}, $own) },

            # share of its CPU that it used; unknown where it was not alone on one CPU
            occupancy => $pinned
                && @copies == 1
                && defined $own
                && $copies[0]{time} ? $own / $copies[0]{time} : undef,
        },
    );
}

1;
