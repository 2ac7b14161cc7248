# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::State;

# What holds on the machine at this moment and may disturb or limit a run.
#
#   state(SpawnMeter::Machine::Facts, number of copies) -> { copies, busy => CPUs in use over
#       half a second, swap_used => kB, tasks_limit => RLIMIT_NPROC or undef, tasks_used =>
#       processes and threads of this user, pids_current => of the control group, traced =>
#       true where a tracer is attached }; undef: unknown
#   busy(root) -> CPUs in use over half a second, or undef
#   tasks_of(root, user number) -> number of processes and threads

use strict;
use warnings;
use Exporter 'import';
use Time::HiRes                   ();
use SpawnMeter::Machine::Cgroup   ();
use SpawnMeter::Machine::Counters qw(between);
use SpawnMeter::Util::File        qw(slurp);

our @EXPORT_OK = qw(state busy tasks_of changed);

use constant BUSY_TIME => 0.5;    # seconds over which the use of the CPUs is counted

sub state {
    my ($facts, $copies) = @_;
    my $limits = $facts->file('proc/self/limits') || q{};
    my ($tasks_limit) = $limits =~ /^Max processes\s+(\d+)/m;
    return {
        copies       => $copies,
        busy         => busy($facts->{root}),
        swap_used    => swap_used($facts),
        tasks_limit  => $> == 0 ? undef : $tasks_limit,    # does not bind root
        tasks_used   => tasks_of($facts->{root}, $<),
        pids_current => SpawnMeter::Machine::Cgroup::facts($facts->{root})->{pids_current},
        traced       => ($facts->status_field('TracerPid') || 0) > 0 ? 1 : 0,
    };
}

sub busy {
    my ($root) = @_;
    my $counters = SpawnMeter::Machine::Counters->new($root);
    my $before = $counters->read_all;
    Time::HiRes::sleep(BUSY_TIME);
    return between($before, $counters->read_all, 0)->{busy_elsewhere};
}

sub swap_used {
    my ($facts) = @_;
    my $memory = $facts->file('proc/meminfo') || q{};
    my ($total, $free) = map { $memory =~ /^$_:\s+(\d+)/m ? $1 : undef } qw(SwapTotal SwapFree);
    return defined $total && defined $free ? $total - $free : undef;
}

sub tasks_of {
    my ($root, $user) = @_;
    my $tasks = 0;
    for my $path (glob "\Q$root\E/proc/[0-9]*/status") {
        my $text = slurp($path);
        next if !defined $text || $text !~ /^Uid:\s+(\d+)/m || $1 != $user;
        $tasks += $text =~ /^Threads:\s+(\d+)/m ? $1 : 1;
    }
    return $tasks;
}

# ---- conditions ----
#
# What a run takes for granted on its machine and what can change while it runs: the CPUs that
# it may use, the quota of its control groups, and whether a debugger or strace is attached.
#
#   new(SpawnMeter::Machine::Facts) -> object
#   read_all() -> { cpus => [numbers], quota => CPUs or undef, traced => 1 or 0 }
#   changed(reading at the beginning of the run, reading now) -> {}, or those of { cpus_changed
#       => number of CPUs that came or went, quota_changed => 1, traced => 1 } that hold.  A
#       pure function

sub new { my ($class, $facts) = @_; return bless { facts => $facts }, $class }

sub read_all {
    my ($self) = @_;
    my $facts = $self->{facts};
    return {
        cpus   => $facts->allowed_cpus,
        quota  => scalar SpawnMeter::Machine::Cgroup::cpu_quota($facts->{root}),
        traced => ($facts->status_field('TracerPid') || 0) > 0 ? 1 : 0,
    };
}

sub changed {
    my ($before, $now) = @_;
    my %seen;
    $seen{$_}++ for @{ $before->{cpus} }, @{ $now->{cpus} };
    my $moved = grep { $_ == 1 } values %seen;
    my @quota = map { defined $_->{quota} ? $_->{quota} : 0 } $before, $now;
    return {
        $moved                 ? (cpus_changed  => $moved) : (),
        $quota[0] != $quota[1] ? (quota_changed => 1)      : (),
        $now->{traced}         ? (traced        => 1)      : (),
    };
}

1;
