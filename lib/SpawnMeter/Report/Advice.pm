# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Advice;

# What will disturb or limit a run here, in plain words, and what to do about it.
# A pure function of facts: it changes nothing on the machine.
#
#   advice(facts of SpawnMeter::Machine::Facts, state => { busy => CPUs in use now,
#       swap_used => kB, tasks_limit => processes of RLIMIT_NPROC,
#       tasks_used, traced => bool, copies => N }) -> list of sentences
#   render(facts, state) -> text: the facts, then the advice

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(folded);

our @EXPORT_OK = qw(advice render);

use constant WIDTH => 78;

# A test needs itself, one child, and what Run itself is
use constant TASKS_PER_COPY => 2;

# What user space reads without a system call
my %FAST_CLOCK = map { $_ => 1 }
    qw(tsc kvm-clock hyperv_clocksource_tsc_page arch_sys_counter timebase tod riscv_clocksource);

my @CHECKS = (
    \&governor, \&quota, \&pids, \&nproc, \&load,
    \&clock, \&swap, \&traced, \&preload, \&virtual,
);

sub render {
    my ($facts, $state) = @_;
    my $text = "What this machine is (goes with every result):\n";
    for my $name (sort keys %{$facts}) {
        my $value = defined $facts->{$name} ? $facts->{$name} : 'unknown';

        # one vulnerability to a line
        my ($first, @more) = $name eq 'vulnerabilities' ? split(/; (?=\w+: )/, $value) : $value;
        $text .= sprintf "  %-18s %s\n", $name, defined $first ? $first : q{};
        $text .= sprintf "  %-18s %s\n", q{}, $_ for @more;
    }
    my @advice = advice($facts, $state);
    $text .= "\nWhat may disturb or limit a run here:\n";
    return $text . join q{},
        map { folded('  - ', $_, WIDTH) } @advice ? @advice : ('No problems found.');
}

sub advice {
    my ($facts, $state) = @_;
    return grep { defined } map { scalar $_->($facts, $state) } @CHECKS;
}

sub governor {
    my ($f) = @_;
    return if !defined $f->{governor} || $f->{governor} eq 'performance';
    return
        "The CPU frequency governor is '$f->{governor}': the clock rises and falls during the tests. "
        . "As root, for the time of the run: cpupower frequency-set -g performance.";
}

sub quota {
    my ($f) = @_;
    my $quota = $f->{cgroup_cpu_quota};
    return if !defined $quota || $quota eq 'none';
    return
        sprintf
        'A control group grants %.4g CPUs (cpu.max or cpu.cfs_quota_us) of %d: passes beyond that are '
        . 'throttled. Run outside of it, or with no more copies than that (-c %d).',
        $quota, $f->{cpus_online}, $quota >= 1 ? int $quota : 1;
}

sub need { my ($s) = @_; return TASKS_PER_COPY * ($s->{copies} || 1) + 8 }

sub pids {
    my ($f, $s) = @_;
    my ($max, $now) = ($f->{cgroup_pids_max}, $s->{pids_current} || 0);
    return if !defined $max || $max eq 'none' || $max - $now >= need($s);
    return
        "A control group allows $max processes (pids.max), of which $now are there; $s->{copies} copies need "
        . need($s)
        . ' more. Raise pids.max, or run fewer copies.';
}

sub nproc {
    my ($f, $s) = @_;
    return if !defined $s->{tasks_limit} || $s->{tasks_limit} - ($s->{tasks_used} || 0) >= need($s);
    return
          "This user may have $s->{tasks_limit} processes (RLIMIT_NPROC) and has "
        . ($s->{tasks_used} || 0)
        . "; $s->{copies} copies need "
        . need($s)
        . ' more. Raise it: ulimit -u.';
}

sub load {
    my ($f, $s) = @_;
    return if !defined $s->{busy} || $s->{busy} < 0.1;
    return sprintf 'Something else uses %.1f CPUs at this moment: wait for it, or end it.',
        $s->{busy};
}

sub clock {
    my ($f) = @_;
    my $source = $f->{clock_source};
    return if !defined $source || $FAST_CLOCK{$source};
    return
        "The clock source is '$source', which is slow to read: the tests will time fewer creations (only "
        . 'the latencies get coarser).';
}

sub swap {
    my ($f, $s) = @_;
    return if !$s->{swap_used};
    return
        sprintf '%.0f MB of swap are in use: what was swapped out may come back during the tests.',
        $s->{swap_used} / 1024;
}

sub traced {
    my ($f, $s) = @_;
    return if !$s->{traced};
    return 'A debugger or tracer is attached to this process: it slows every call. Run without it.';
}

sub preload {
    my ($f) = @_;
    return if ($f->{preload} || 'none') eq 'none';
    return 'LD_PRELOAD is set: the library is loaded into every test and target. Unset it.';
}

sub virtual {
    my ($f) = @_;
    return if !defined $f->{hypervisor} || $f->{hypervisor} eq 'none';
    return
        'This is a virtual machine: neighbours on its host may disturb without being seen here. Look at the +/-, and at ./Run aa.';
}

1;
