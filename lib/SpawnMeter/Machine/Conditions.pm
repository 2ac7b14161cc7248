# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Conditions;

# What a run takes for granted on its machine and what can change while it runs: the CPUs that
# it may use, the quota of its control groups, and whether a debugger or strace is attached.
#
#   new(SpawnMeter::Machine::Facts) -> object
#   read_all() -> { cpus => [numbers], quota => CPUs or undef, traced => 1 or 0 }
#   changed(reading at the beginning of the run, reading now) -> {}, or those of { cpus_changed
#       => number of CPUs that came or went, quota_changed => 1, traced => 1 } that hold.  A
#       pure function

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Machine::Cgroup ();

our @EXPORT_OK = qw(changed);

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
