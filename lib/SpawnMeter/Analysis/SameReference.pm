# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::SameReference;

# Whether the reference loops of two runs can be compared.  A pure function.
#
#   for_reference(machine of Analysis::Comparison, machine) -> { never => why no loop can be
#       compared, or undef; changed => [ what differs that loops in the kernel depend on ] }

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Fingerprint qw(differs unequal words_of build_of pinning);

our @EXPORT_OK = qw(for_reference);

# What a loop in user mode depends on besides the compiler, and what others depend on besides
my @OF_CPU = qw(architecture cpu_model page_size cpus_online cpus_allowed);
my @OF_KERNEL = qw(hypervisor system kernel_release kernel_version kernel_config vulnerabilities
    mitigations hugepages microcode);

sub for_reference {
    my ($x, $y) = @_;
    my @hosts = map { $_->{run}{host} } $x, $y;
    my @pinned = map { scalar pinning($_->{run}{protocol}) } $x, $y;
    my @builds = map { $_->{run}{build} || [] } $x, $y;    # the first line: compiler, linker
    my $never =
          grep({ is_posted($_) } $x, $y)                     ? 'a posted report has none'
        : grep({ !defined } @hosts)                          ? 'machine unknown'
        : $hosts[0] ne $hosts[1] || unequal($x, $y, @OF_CPU) ? 'different machines'
        : differs(@pinned)                                   ? 'pinning differs'
        : differs(map { $_->[0] } @builds)                   ? 'compiler or its options differ'
        : differs(map { $_->{run}{suite} } $x, $y)           ? 'version of the suite differs'
        :                                                      undef;
    my @changed = map { words_of($_) } unequal($x, $y, @OF_KERNEL);
    push @changed, 'libc'
        if differs(map { scalar build_of({ build => [ @{$_}[ 1 .. $#{$_} ] ] }) } @builds);
    return { never => $never, changed => \@changed };
}

sub is_posted {
    my ($machine) = @_;
    return ($machine->{run}{kind} || q{}) eq 'imported';
}

1;
