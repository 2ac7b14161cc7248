# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::Needs;

# Whether a machine has what a published experiment or a claim needs.  A pure function.
#
#   unmet([needs of SpawnMeter::Catalog::Published], { fact => value } of
#       SpawnMeter::Machine::Facts) -> why not, or undef; a fact that is unknown is no reason

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(unmet);

use constant MB => 1024**2;

my %NAME = (darwin => 'macOS', linux => 'Linux', freebsd => 'FreeBSD', netbsd => 'NetBSD');

# kind => sub (amount, facts) -> why it is not met, or undef
my %UNMET = (
    cpus => sub {
        my ($wanted, $facts) = @_;
        my $has = $facts->{cpus_usable};
        return if !defined $has || $has >= $wanted;
        return "needs $wanted CPUs, and " . ($has == 1 ? '1 is' : "$has are") . ' usable';
    },
    memory => sub {
        my ($wanted, $facts) = @_;
        my $has = $facts->{memory_available};
        return if !defined $has || $has * MB >= $wanted;
        return sprintf 'needs %.0f MB of memory, and %.0f MB are available', $wanted / MB, $has;
    },
    system => sub {
        my ($wanted, $facts) = @_;
        my $has = $facts->{system};
        return if !defined $has || lc $has eq $wanted;
        return "needs $NAME{$wanted}, and this is $has";
    },
);

sub unmet {
    my ($needs, $facts) = @_;
    for my $need (@{$needs}) {
        my $why = $UNMET{ $need->{kind} }->($need->{amount}, $facts);
        return $why if defined $why;
    }
    return;
}

1;
