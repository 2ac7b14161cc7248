# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Loop;

# Runs the passes that SpawnMeter::Measure::Schedule chooses, and records each.
#
#   measure(plan) -> { wall, measured } seconds: all of the time, and that of warm-ups and
#       slices.  Each pass goes through the plan's record, and its progress is told

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(max sum min);
use SpawnMeter::Analysis::ProgramOutput qw(stored together);
use SpawnMeter::Analysis::Quantity      qw(cpu_seconds iterations);
use SpawnMeter::Machine::Counters       qw(between changed);
use SpawnMeter::Measure::Schedule;
use SpawnMeter::Measure::Settings
    qw(PASS_OVERHEAD cpus_for invocation limit_of note_pass pinned reference_of seconds_of
    time_of);
use SpawnMeter::Stats::Numbers qw(mean);
use SpawnMeter::Util::File     qw(encode write_all);
use SpawnMeter::Util::Format   qw(copies);
use SpawnMeter::Util::Process  qw(output run_shell);

our @EXPORT_OK = qw(run_in_turns seconds_of_iteration sample);

# -> the seconds that these schedules, or the whole run, have left
sub seconds_left {
    my ($plan, @schedules) = @_;
    my $seconds = sum(0, map { $_->time_left } @schedules);
    return max(0, min(time_for_block($plan, $#{ $plan->{blocks} }), $seconds));
}

sub measure {
    my ($plan) = @_;
    my $settings = $plan->{settings};
    my $began = $plan->{clock}->();
    my %so_far = (began => $began, measured => 0, conditions => $plan->{conditions}->());
    $plan->{so_far} = \%so_far;
    my @schedules = map { schedule($plan, $_) } 0 .. $#{ $plan->{blocks} };

    # a sweep makes its least passes, and --count and --classic their number, however long they take
    my $can_take_longer =
        defined $settings->{sweep_least} || $settings->{counted} || $settings->{name} eq 'classic';
    $plan->{progress}->start(seconds_left($plan, @schedules), $can_take_longer);
    for my $block (@{ $plan->{blocks} }) {
        last if $plan->{stopped}->();
        $plan->{record}->(block => { copies => $block->{copies}, started => time });
        $plan->{progress}->begin($block->{copies}, $schedules[0]{states}, $block->{title});
        measure_block($plan, @schedules);
        shift @schedules;
        $plan->{progress}->finish;
        $plan->{record}->(ended => time);
    }
    return { wall => $plan->{clock}->() - $began, measured => $so_far{measured} };
}

sub schedule {
    my ($plan, $number) = @_;
    my ($settings, $block) = ($plan->{settings}, $plan->{blocks}[$number]);
    return SpawnMeter::Measure::Schedule->new(
        cells        => $block->{cells},
        settings     => $settings,
        max_time     => sub { return time_of($plan, $_[0]) },
        limit        => sub { return limit_of($plan, $_[0]) },
        seed         => $settings->{seed} + $number,
        pass_seconds => sub { return pass_seconds($plan, $_[0]) },
        time_for_all => sub { return time_for_block($plan, $number) },
        rows => $settings->{paired} && sum(map { @{ $_->{cells} } / 2 } @{ $plan->{blocks} }),
        sets => defined $plan->{transition},
    );
}

# -> the seconds that this block can have; the blocks after it keep their share
sub time_for_block {
    my ($plan, $number) = @_;
    my $total = $plan->{settings}{max_total};
    return 9**9**9 if !defined $total;
    my $blocks = @{ $plan->{blocks} };
    return $total * ($number + 1) / $blocks - ($plan->{clock}->() - $plan->{so_far}{began});
}

# later: the schedules of the blocks after this one
sub measure_block {
    my ($plan, $schedule, @later) = @_;
    while (my $turn = $schedule->next_pass) {
        settle_down($plan->{stopped}) if $plan->{settings}{name} eq 'classic';
        last if $plan->{stopped}->();
        my @turns = ($turn, $plan->{settings}{turns} ? $schedule->next_pass : ());
        my @passes = passes_of_turn($plan, $schedule->{round}, map { $_->{cell} } @turns);
        last if grep { $_->{status} eq 'stopped' } @passes;
        $schedule->record(map { $turns[$_] => $passes[$_] } 0 .. $#turns);
        $plan->{record}->(pass => $_) for @passes;
        $plan->{progress}->update($turn->{test}, seconds_left($plan, $schedule, @later));
    }
    return;
}

# -> the pass records of these cells, which are one or the two sides of a test: these run in turns,
# unless one is skipped
sub passes_of_turn {
    my ($plan, $round, @cells) = @_;
    my @seconds = map { seconds_of($plan, $_) } @cells;
    $plan->{transition}->enter($cells[0]{of_side}) if $plan->{transition};
    my $in_turns = @cells == 2 && !grep { defined $_->{skip} } @cells;
    my @outcomes =
        $in_turns
        ? run_in_turns($plan, map { invocation($plan, $cells[$_], $seconds[$_]) } 0, 1)
        : map { outcome($plan, $cells[$_], $seconds[$_]) } 0 .. $#cells;
    write_log($plan->{log}, $cells[$_], $outcomes[$_]) for 0 .. $#cells;
    return map { pass_record($plan, $round, $cells[$_], $outcomes[$_], $seconds[$_]) } 0 .. $#cells;
}

# The classic driver waits so before every pass.  Not by system(), during which perl ignores SIGINT
# and SIGQUIT.
sub settle_down {
    my ($stopped) = @_;
    for my $seconds (1, 2) {
        output('sync');
        return if $stopped->();
        sleep $seconds;
    }
    return;
}

# The pass as it is stored, with its length as it was asked for
sub pass_record {
    my ($plan, $round, $cell, $outcome, $seconds) = @_;
    my %pass = (
        test   => $cell->{test},
        copies => $cell->{copies} + 0,    # a number in JSON, also of perl 5.14
        (map { $_ => $cell->{$_} } grep { defined $cell->{$_} } qw(side value)),
        round  => $round,
        at     => sprintf('%.3f', $plan->{clock}->() - $plan->{so_far}{began}) + 0,
        wall   => sprintf('%.6f', $outcome->{wall}) + 0,
        status => $outcome->{status},
        $outcome->{beside} ? (turns => 1) : (),
    );
    return { %pass, reason => $outcome->{reason} } if $outcome->{status} ne 'ok';
    my $longest = max(0, map { $_->{time} || 0 } @{ $outcome->{results} });
    $plan->{so_far}{measured} += $plan->{settings}{warmup} + $longest;
    my %sample = sample($plan, $cell, $outcome, $seconds);
    my $spread = ($sample{window} || {})->{spread};
    note_pass($plan, $cell, scalar seconds_of_iteration($outcome->{results}), $spread);
    my @texts = grep { defined } @{ $outcome->{output} }[ 0 .. $#{ $sample{results} } ];
    return { %pass, %sample, output => encode([ map { stored($_) } @texts ]) };
}

sub outcome {
    my ($plan, $cell, $seconds) = @_;
    return { status => 'skipped', reason => $cell->{skip}, wall => 0 } if defined $cell->{skip};
    my $outcome = $plan->{runner}->run(invocation($plan, $cell, $seconds));

    # ends what --wrap-a has started and Run cannot end; that it fails where nothing runs is ignored
    my $stop = $outcome->{status} ne 'ok' && ($cell->{of_side} || {})->{stop};
    run_shell({ command => $stop, folder => q{/} }) if $stop;
    return $outcome;
}

# Seconds: what the classic driver sleeps before every pass; to create and to end a child of
# --siblings (pgms/vfork --siblings 10000 --count 1 takes 2.6 to 3.9 s on a virtual machine)
use constant { CLASSIC_PAUSE => 3, SIBLING => 0.0003 };

# -> the seconds of a pass with everything
sub pass_seconds {
    my ($plan, $cell) = @_;
    my $seconds = seconds_of($plan, $cell);
    return $seconds + CLASSIC_PAUSE if $plan->{settings}{name} eq 'classic';
    my ($siblings) = "@{ $cell->{options} || [] }" =~ /--siblings (\d+)/;
    return (1 + PASS_OVERHEAD) * $seconds + SIBLING * ($siblings || 0);
}

# Notes in the log what was measured, and what the programs printed.
sub write_log {
    my ($log, $cell, $outcome) = @_;
    my $text = "## $cell->{test}, " . copies($cell->{copies}) . ": $outcome->{status}";
    $text .= ": $outcome->{reason}" if defined $outcome->{reason};
    write_all($log, join q{}, "$text\n", @{ $outcome->{output} || [] }, "\n");
    return;
}

# ---- two passes at the same time, in turns: one program runs while the other waits ----
#
#   run_in_turns(plan, two invocations of one copy each) -> what Measure::Runner's run() returns of
#       each, with half of the time of both as wall, and beside => [results of the other].  The
#       first one begins.  Where one fails, both do

sub run_in_turns {
    my ($plan, @invocations) = @_;
    my @of_turns = ('--pauses', $plan->{settings}{turns});
    my (@in, @out);
    pipe $in[$_], $out[ 1 - $_ ] or die "pipe: $!\n" for 0, 1;
    write_all($out[1], 't');    # the first one may begin, as if the other had ended a turn
    my @each = map {
        my $own = $invocations[$_];
        my $handles = join q{,}, fileno $in[$_], fileno $out[$_];
        +{
            %{$own},
            arguments => [ @of_turns, '--turns', $handles, @{ $own->{arguments} } ],
            pin       => $own->{pin} ? [ $own->{pin}[0] ] : undef,
            keep      => [ $in[$_], $out[$_] ],
        }
    } 0, 1;
    my %both = (copies => 2, timeout => sum(map { $_->{timeout} } @invocations), each => \@each);
    my $outcome = $plan->{runner}->run({ %{ $invocations[0] }, %both });
    return map {
        +{
            %{$outcome},
            wall    => $outcome->{wall} / 2,
            output  => [ $outcome->{output}[$_]        // () ],
            results => [ $outcome->{results}[$_]       // () ],
            beside  => [ $outcome->{results}[ 1 - $_ ] // () ],
        }
    } 0, 1;
}

# ---- what is recorded of a good pass ----
#
#   sample(plan, cell, outcome of SpawnMeter::Measure::Runner, length of the pass as asked for) ->
#       fields of a pass record
#   seconds_of_iteration([results of the copies]) -> mean over the copies, or undef

sub sample {
    my ($plan, $cell, $outcome, $seconds) = @_;
    my @copies = @{ $outcome->{results} };
    my $cpus = cpus_for($plan, $cell);
    my $own = cpu_seconds(@copies);

    # the counters are read before the warm-up, and again when the loops after the pass are over
    my $loops = @copies * reference_of($plan, $cell, $seconds) +
        sum(0, map { ($_->{paused_cpu} || 0) + ($_->{warmed} || 0) } @copies);
    my @used = ($own, map { cpu_seconds($_) } @{ $outcome->{beside} || [] });
    my $busy = grep({ !defined } @used) ? undef : sum(@used, $loops);
    my $stall = stall($plan, $cell, $outcome, $seconds);
    my $together = together(\@copies, $cpus, $outcome->{wall});
    return (
        %{$together},
        machine => {
            %{ between($outcome->{before}, $outcome->{after}, $busy) },
            %{ changed($plan->{so_far}{conditions}, $plan->{conditions}->()) },
            %{ $together->{machine} },
            $stall ? (stall => sprintf('%.3f', $stall) + 0) : (),

            # the program's share of its CPU; undefined where it was not alone on one
            occupancy => pinned($plan, $cell)
                && @copies == 1
                && defined $own
                && $copies[0]{time} ? $own / $copies[0]{time} : undef,
        },
    );
}

use constant MICROSECOND => 1e-6;    # in seconds

# A copy was stopped if it took over FAR_LONGER times the length of the pass, and LEAST_STALL
# seconds more than that; without a signal that says so also ITERATIONS iterations more
use constant { FAR_LONGER => 2, LEAST_STALL => 0.5, ITERATIONS => 10 };

# A copy with a CPU of its own stood still in an iteration of over LEAST_STILL seconds, STILL_SHARE
# of the pass's length and STILL times the median iteration
use constant { LEAST_STILL => 0.1, STILL_SHARE => 0.2, STILL => 100 };

# -> the seconds for which a copy was stopped or stood still; none where it was not
sub stall_of_copy {
    my ($copy, $slice, $has_cpu) = @_;
    my ($time, @latency) = ($copy->{time}, @{ $copy->{latency} || [] });
    return if !defined $copy->{gate} || !$time;
    my ($median, $longest) = map { ($_ || 0) * MICROSECOND } @latency[ 0, 4 ];
    my $more = $time - $slice;
    my $slow = ($copy->{disturb} || {})->{stops} ? 0 : ITERATIONS * $median;
    my $stopped = $time > FAR_LONGER * $slice && $more > max(LEAST_STALL, $slow);
    my $still = $has_cpu && $longest > max(LEAST_STILL, STILL_SHARE * $slice, STILL * $median);
    return ($stopped ? $more : (), $still ? $longest : ());
}

# A pass was stopped outside its timed part if that took over MUCH_LONGER times the least of the
# cell's passes, and LEAST_STALL seconds more
use constant MUCH_LONGER => 4;

# -> the seconds for which a pass was stopped or stood still, or 0
sub stall {
    my ($plan, $cell, $outcome, $seconds) = @_;
    my @copies = @{ $outcome->{results} };
    my $has_cpu = @copies <= cpus_for($plan, $cell);
    my @timed = $plan->{settings}{counted} || $cell->{count} || $cell->{tree} ? () : @copies;
    my $besides = $outcome->{wall} - max(0, map { $_->{time} || 0 } @timed);
    my $least = min($besides, $plan->{so_far}{besides}{$cell} // $besides);
    $plan->{so_far}{besides}{$cell} = $least;
    return max($besides > MUCH_LONGER * $least + LEAST_STALL ? $besides - $least : 0,
        map { stall_of_copy($_, $seconds, $has_cpu) } @timed);
}

sub seconds_of_iteration {
    my ($results) = @_;
    my @timed = grep { $_->{time} && iterations($_) } @{$results};
    return mean(map { $_->{time} / iterations($_) } @timed);
}

1;
