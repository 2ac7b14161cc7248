# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Advice;

# What may disturb or limit a run on a machine, and what the user can do about it.
#
#   advice(facts of SpawnMeter::Machine::Facts, state) -> list of lines
#   verdict(facts, state) -> text: whether anything disturbs or limits a run, and what
#   facts_text(facts) -> text
#   inherited(facts) -> list of words: what the tests inherit that moves the rates of all
#
#   state: { busy => CPUs in use now, swap_used => kB, traced => true: under a tracer, room => why
#       so many copies cannot run }
#
# A fact that is unknown gives no advice.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(folded visible);

our @EXPORT_OK = qw(advice verdict facts_text inherited);

use constant {
    WIDTH       => 78,
    ENVIRONMENT => 32_768,    # bytes, which each exec copies: above that 5 % of its time
    BUSY        => 0.1,       # CPUs in use by others from which on there is advice
};

# What user space reads without a system call
my %FAST_CLOCK = map { $_ => 1 }
    qw(tsc kvm-clock hyperv_clocksource_tsc_page arch_sys_counter timebase tod riscv_clocksource);

# Each returns a line or nothing
my @CHECKS = (
    \&governor, \&quota, \&room, \&load, \&clock, \&swap,
    \&traced, \&odd, \&preload, \&loader, \&emulated, \&virtual,
);

sub verdict {
    my ($facts, $state) = @_;
    my @advice = advice($facts, $state);
    return "Nothing here disturbs or limits a run.\n" if !@advice;
    my $text = @advice == 1 ? 'One thing' : @advice . ' things';
    return join q{}, "$text here can disturb or limit a run:\n",
        map { folded('  - ', $_, WIDTH) } @advice;
}

sub facts_text {
    my ($facts) = @_;
    return join q{}, "This machine (stored with each result):\n",
        map { fact($_, $facts->{$_}) } sort keys %{$facts};
}

sub fact {
    my ($name, $value) = @_;
    $value = 'unknown' if !defined $value;

    # one vulnerability to a line; their names have no capital letters, the parts of one do
    # (spectre_v2: ...; STIBP: disabled)
    my @values = $name eq 'vulnerabilities' ? split(/; (?=[a-z\d_]+: )/, $value) : $value;
    @values = (q{}) if !@values;
    my @names = ($name, map { q{} } 1 .. $#values);
    return join q{}, map {
        my $mark = sprintf '  %-18s ', $names[$_];
        my $indent = q{ } x (2 + length $mark);
        my $long = $values[$_] =~ /^\S{60}/ ? "\n" . q{ } x 4 : q{};    # a checksum
        length $values[$_] ? folded("$mark$long", visible($values[$_]), WIDTH, $indent) : "$mark\n";
    } 0 .. $#values;
}

sub advice {
    my ($facts, $state) = @_;
    return map { visible($_) } grep { defined } map { scalar $_->($facts, $state) } @CHECKS;
}

sub governor {
    my ($f) = @_;
    return if !defined $f->{governor} || $f->{governor} eq 'performance';
    return "The CPU frequency governor is '$f->{governor}': the clock frequency changes during "
        . 'the tests. To avoid this during a run, as root: cpupower frequency-set -g performance.';
}

sub quota {
    my ($f) = @_;
    my $quota = $f->{cgroup_cpu_quota};
    return if !defined $quota || $quota eq 'none';
    return
          sprintf 'A control group grants %.4g CPUs (cpu.max or cpu.cfs_quota_us) of %d: passes '
        . 'that use more are throttled. Run outside of the control group, or with at most that '
        . 'many copies (-c %d).', $quota, $f->{cpus_online}, $quota >= 1 ? int $quota : 1;
}

# For the files and the memory of so many copies
sub room {
    my ($f, $s) = @_;
    return defined $s->{room} ? "$s->{room}." : ();
}

sub load {
    my ($f, $s) = @_;
    return if !defined $s->{busy} || $s->{busy} < BUSY;
    return sprintf 'Other processes use %.1f CPUs now. Wait until they exit, or stop them.',
        $s->{busy};
}

sub clock {
    my ($f) = @_;
    my $source = $f->{clock_source};
    return if !defined $source || $FAST_CLOCK{$source};
    return "The clock source is '$source', which is slow to read: the tests time fewer processes, "
        . 'so latencies are coarser. Rates do not change.';
}

sub swap {
    my ($f, $s) = @_;
    return if !$s->{swap_used};
    return sprintf '%.0f MB of swap are in use: pages may be read back during the tests.',
        $s->{swap_used} / 1024;
}

sub traced {
    my ($f, $s) = @_;
    return if !$s->{traced};
    return 'A debugger or tracer is attached to this process and slows each system call. '
        . 'Run without it.';
}

# fact => [what it usually is, what precedes it in the words]
my @INHERITED =
    ([ scheduling => 'SCHED_OTHER', q{} ], [ personality => 'default', 'personality ' ]);

sub inherited {
    my ($f) = @_;
    my $bytes = $f->{environment_bytes};
    my @odd = map {
        my ($name, $usual, $mark) = @{$_};
        defined $f->{$name} && $f->{$name} ne $usual ? $mark . $f->{$name} : ()
    } @INHERITED;
    push @odd, sprintf 'an environment of %.0f kB', $bytes / 1024
        if defined $bytes && $bytes > ENVIRONMENT;
    return @odd;
}

sub odd {
    my ($f) = @_;
    my @odd = inherited($f) or return;
    return
          'The tests inherit from this shell: '
        . join('; ', @odd)
        . '. Rates are not those of a run without '
        . (@odd == 1 ? 'it.' : 'them.');
}

sub preload {
    my ($f) = @_;
    return if ($f->{preload} || 'none') eq 'none';
    return 'LD_PRELOAD is set: its library is loaded into each test and target. Unset it.';
}

sub loader {
    my ($f) = @_;
    my @others = grep { $_ ne 'LD_PRELOAD' } split q{ }, $f->{loader} || 'none';
    return if !@others                                                || $others[0] eq 'none';
    return
          join(q{, }, @others)
        . (@others == 1 ? ' changes' : ' change')
        . ' what the loader or malloc does in each program that a test executes. Measure without '
        . (@others == 1 ? 'it.' : 'them.');
}

sub emulated {
    my ($f) = @_;
    return if !defined $f->{emulation} || $f->{emulation} eq 'none';
    return "The programs are emulated ($f->{emulation}): all times are those of the emulator. "
        . 'Measure on a machine of this architecture.';
}

sub virtual {
    my ($f) = @_;
    return if !defined $f->{hypervisor} || $f->{hypervisor} eq 'none';
    return 'This is a virtual machine: other guests on its host can disturb a run without '
        . 'leaving a trace here. See the +/- of the results, and ./Run noise.';
}

1;
