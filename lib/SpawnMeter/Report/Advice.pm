# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Advice;

# What may disturb or limit a run on a machine, and what the user can do about it.
#
#   advice(facts of SpawnMeter::Machine::Facts, state) -> list of lines
#   verdict(facts, state) -> text: whether anything disturbs or limits a run, and what
#   facts_text(facts) -> text;  fact_in_words(name, facts) -> one of them, with its unit
#   inherited(facts) -> list of words: what the tests inherit that moves the rates of all
#
#   state: { busy => CPUs in use now, by => [names of processes that use most], swap_used => kB,
#       traced => true: under a tracer, room => why so many copies cannot run }
#
# A fact that is unknown gives no advice.

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape qw(known);
use SpawnMeter::Util::Format   qw(folded thousands visible);

our @EXPORT_OK = qw(advice verdict facts_text fact_in_words inherited);

use constant {
    WIDTH       => 78,
    ENVIRONMENT => 32_768,    # bytes, which each exec copies: above that 5 % of its time
    BUSY        => 0.1,       # CPUs in use by others from which on there is advice
};

# Values of facts that give no advice: of the clock source those that user space reads without a
# system call
my $USUAL = qr/\A(?:none|0||performance
    |tsc|kvm-clock|hyperv_clocksource_tsc_page|arch_sys_counter|timebase|tod|riscv_clocksource)\z/x;

# Facts, or what advice() makes of them, and the advice for each, in the order of the text
my @CHECKS = (
    governor => q{The CPU frequency governor is '%s': the clock frequency changes during the }
        . 'tests. To avoid this during a run, as root: cpupower frequency-set -g performance.',
    quota => 'A control group grants %s: passes that use more are throttled. Run outside of the '
        . 'control group, or with at most that many copies (-c).',
    room         => '%s.',
    busy         => 'Other processes use %s now. Wait until they exit, or stop them.',
    clock_source => q{The clock source is '%s', which is slow to read: the tests time fewer }
        . 'processes, so latencies are coarser. Rates do not change.',
    swap   => '%s MB of swap are in use: pages may be read back during the tests.',
    traced => 'A debugger or tracer is attached to this process and slows each system call. Run '
        . 'without it.',
    inherited =>
        'The tests inherit from this shell: %s. Rates are not those of a run without them.',
    loader =>
        'Set here: %s. This changes what the loader or malloc does in each program that a test '
        . 'executes; unset it.',
    emulation => 'The programs are emulated (%s): all times are those of the emulator. Measure on '
        . 'a machine of this architecture.',
    hypervisor => 'This is a virtual machine: other guests on its host can disturb a run without '
        . 'leaving a trace here. See the +/- of the results, and ./Run noise.',
);

sub verdict {
    my ($facts, $state) = @_;
    my @advice = advice($facts, $state);
    push @advice, 'Whether other processes are running is unknown: /proc/stat cannot be read.'
        if !defined $state->{busy};
    return "Nothing here disturbs or limits a run.\n" if !@advice;
    return join q{}, "What here can disturb or limit a run:\n",
        map { folded('  - ', $_, WIDTH) } @advice;
}

# The facts as a list
sub facts_text {
    my ($facts) = @_;
    return join q{}, "This machine (stored with each result):\n",
        map { folded(sprintf('  %-18s ', $_), fact_in_words($_, $facts), WIDTH, q{ } x 23) }
        sort keys %{$facts};
}

my %WORDS = (
    aslr       => [ 'off', 'without the heap', 'full' ],
    overcommit => [qw(heuristic always never)],
    seccomp    => [ 'none', 'strict', 'filter' ],
    map { $_ => [qw(off on)] } qw(autogroup smt),
);
my %UNIT = (
    map({ $_ => 'MB' } qw(memory_total memory_available memory_swap)),
    map({ $_ => 'bytes' } qw(cgroup_memory_max environment_bytes page_size stack_limit)),
    uptime => 's',
);

# A SHA-256 sum is cut after its first digits
sub fact_in_words {
    my ($name, $facts) = @_;
    my $value = known($facts->{$name});
    return $WORDS{$name}[$value] // $value if $WORDS{$name} && $value =~ /\A\d\z/;
    return thousands($value) . " $UNIT{$name}" if $UNIT{$name} && $value =~ /\A\d+\z/;
    return $value =~ s/\b([\da-f]{12})[\da-f]{52}\b/$1.../gr;
}

sub advice {
    my ($facts, $state) = @_;
    my %values = (%{$facts}, %{$state}, inherited => join '; ', inherited($facts));
    my ($quota, $busy, $swap) = @values{qw(cgroup_cpu_quota busy swap_used)};
    my $by = join ', ', map { visible($_) } @{ $values{by} || [] };
    $values{busy} = ($busy || 0) < BUSY ? 'none' : sprintf '%.1f CPUs%s', $busy,
        length $by ? " ($by)" : q{};
    $values{swap} = sprintf '%.0f', $swap / 1024 if $swap;
    $values{loader} = join ', ', split q{ }, $values{loader} || q{};
    $values{quota} = sprintf '%.4g CPUs (cpu.max or cpu.cfs_quota_us) of %d', $quota,
        $values{cpus_online}
        if defined $quota && $quota ne 'none';
    my @advice;

    for my $i (grep { !($_ % 2) } 0 .. $#CHECKS) {
        my ($value, $words) = ($values{ $CHECKS[$i] }, $CHECKS[ $i + 1 ]);
        push @advice, $words =~ s/%s/$value/r if defined $value && $value !~ $USUAL;
    }
    return @advice;
}

sub inherited {
    my ($f) = @_;
    my ($class, $personality, $bytes) = @{$f}{qw(scheduling personality environment_bytes)};
    return (
        ($class       // 'SCHED_OTHER') ne 'SCHED_OTHER' ? $class                         : (),
        ($personality // 'default') ne 'default'         ? "personality $personality"     : (),
        ($bytes // 0) > ENVIRONMENT ? sprintf('an environment of %.0f kB', $bytes / 1024) : (),
    );
}

1;
