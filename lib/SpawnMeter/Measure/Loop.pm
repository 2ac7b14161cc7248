# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Loop;

# Runs the passes that Schedule names by Runner, and hands each to the journal.
#
#   measure({ blocks => [ { copies, cells => [ { test, copies, side, and what the
#                 Catalogue says of the test; skip => reason why it cannot run; of a
#                 sweep value, pinned, static, count } ] } ],
#             protocol => { name, slice, same_slice (for all tests), warmup, precision,
#                           max_time, least_passes, seed, pin, iterations },
#             binaries, testdir => folders, tree => classic tree or undef,
#             pass_on, target_arguments => lists,
#             count => bool, cpus => list, runner, progress, log => handle,
#             oom_kills => sub -> number of them so far or undef,
#             record => sub (kind, data), stopped => sub, clock => sub }) ->
#       { wall, measured } seconds: all of the time, and that of warm-ups and
#       slices; all results go through record
#
# The cells of a block are measured together, interleaved.  side: one of several
# equal cells, for comparisons.

use strict;
use warnings;
use SpawnMeter::Measure::UnixBenchTree;
use SpawnMeter::Machine::Counters      qw(between);
use SpawnMeter::Measure::ProgramOutput qw(rate_of);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Util::Programs;
use List::Util qw(max sum);

use constant CLASSIC_PAUSE => 3;    # seconds before every pass, as there

# How many passes the classic driver makes, with its -i; "-i 10" is its default
sub classic_passes {
    my ($length, $iterations) = @_;
    my $n = defined $iterations ? $iterations : 10;
    return $n if $length eq 'long';
    return max(1, int(($n + 1) / 3));
}

sub measure {
    my ($plan) = @_;
    my $began = $plan->{clock}->();
    my %state = (began => $began, measured => 0, oom_kills => $plan->{oom_kills}->());
    my @schedules = map { schedule($plan, $plan->{blocks}[$_], $_) } 0 .. $#{ $plan->{blocks} };
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
        pass_seconds => sub { return seconds_of($plan, $_[0]) + CLASSIC_PAUSE },
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

sub seconds_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    return $cell->{classic}{seconds} if $settings->{name} eq 'classic';
    return defined $cell->{slice} && !$settings->{same_slice} ? $cell->{slice} : $settings->{slice};
}

# The time of a cell under the other protocols: that of some passes at least, for
# a program that decides by itself how long it runs
sub time_of {
    my ($plan, $cell) = @_;
    my $settings = $plan->{settings};
    my $least = $settings->{least_passes}
        && defined $cell->{slice} ? ($settings->{least_passes} + 0.5) * $cell->{slice} : 0;
    return max($settings->{max_time}, $least);
}

sub pass {
    my ($plan, $schedule, $state) = @_;
    my $cell = $state->{cell};
    my $seconds = seconds_of($plan, $cell);
    my $outcome =
        defined $cell->{skip}
        ? { status => 'skipped', reason => $cell->{skip}, wall => 0 }
        : $plan->{runner}->run({
        %{ spec($plan, $cell, $seconds) },
        copies  => $cell->{copies},
        timeout => $plan->{count} ? 3600 : $seconds * 2 + 30,
        log     => $plan->{log},
        });
    write_log($plan->{log}, $cell, $outcome);

    # it has measured the pause; it is made again
    return { status => 'ok', paused => 1 } if $outcome->{paused} && $outcome->{status} eq 'ok';
    my %pass = (
        test => $cell->{test},
        defined $cell->{side}  ? (side  => $cell->{side})  : (),
        defined $cell->{value} ? (value => $cell->{value}) : (),
        copies => $cell->{copies},
        round  => $schedule->{round},
        at     => sprintf('%.3f', $plan->{clock}->() - $plan->{state}{began}) + 0,
        wall   => sprintf('%.6f', $outcome->{wall}) + 0,
        status => $outcome->{status},
    );
    return { %pass, reason => $outcome->{reason} . for_want_of_memory($plan, $outcome) }
        if $outcome->{status} ne 'ok';
    $plan->{state}{measured} += $plan->{settings}{warmup} + seconds_measured($outcome);
    return { %pass, sample($outcome, pinned($plan, $cell)) };
}

# What is added to the reason of a copy that was killed, where the kernel says so
sub for_want_of_memory {
    my ($plan, $outcome) = @_;
    return q{} if $outcome->{status} ne 'failed' || $outcome->{reason} !~ /killed by signal 9\b/;
    my $now = $plan->{oom_kills}->();
    my $before = $plan->{state}{oom_kills};
    $plan->{state}{oom_kills} = $now;
    return
           defined $now
        && defined $before
        && $now > $before ? ' (the machine or its control group is out of memory)' : q{};
}

# The longest of the copies' own times
sub seconds_measured {
    my ($outcome) = @_;
    return max(0, map { $_->{time} || 0 } @{ $outcome->{results} });
}

# Everything that the programs printed, as it came
sub write_log {
    my ($log, $cell, $outcome) = @_;
    my $text =
          "## $cell->{test}, $cell->{copies} copies: $outcome->{status}"
        . (defined $outcome->{reason} ? ": $outcome->{reason}"                       : q{})
        . ($outcome->{paused} ? ', and made again, since it was stopped for a while' : q{}) . "\n";
    $text .= $_ for @{ $outcome->{output} || [] };
    $text .= "\n";
    syswrite $log, $text if $log;
    return;
}

# What is run, how, and where
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

# A sweep's cells say it themselves
sub pinned {
    my ($plan, $cell) = @_;
    return defined $cell->{pinned} ? $cell->{pinned} : $plan->{settings}{pin};
}

sub arguments {
    my ($plan, $cell, $seconds) = @_;
    my @list = (@{ $cell->{options} }, @{ $plan->{pass_on} });
    push @list, @{ $cell->{classic}{options} } if $plan->{settings}{name} eq 'classic';

    # --count alone ends a pass: the book's 100,000
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

            # what fills its CPU; parallel or free, the sum can be anything
            occupancy => $pinned
                && @copies == 1
                && defined $own
                && $copies[0]{time} ? $own / $copies[0]{time} : undef,
        },
    );
}

1;
