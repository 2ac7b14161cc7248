# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Topology;

# Which CPUs are threads of one core, cores of one package, and of which kind, from /sys of
# Linux.
#
#   topology(SpawnMeter::Machine::Facts) -> { CPU => { core, package => texts that are equal
#       for CPUs of the same core or package, kind => performance, middle, efficiency or
#       undef } }; without what is unknown
#   ordered(topology, usable CPUs, placement) -> (CPUs in the order in which copies are pinned
#       to them); dies where the placement is not possible.  A pure function.  Placements:
#           usable     by number
#           cores      one copy to each core, then to its second thread
#           threads    all threads of a core, then those of the next
#           packages   in turn one copy to each package, and there to each core first
#           performance, middle, efficiency
#                      like cores, only these CPUs
#           0,2,4-7    these, in this order
#   list_text(CPUs) -> "0-2,5"
#   kinds_text(topology) -> "performance 0-3, efficiency 4-11", or undef where all CPUs are of
#       one kind
#   summary(topology) -> "1 package, 4 cores, 8 threads", or undef where unknown

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Machine::CPU;

our @EXPORT_OK = qw(topology ordered kinds_text summary list_text);

my $CPUS = 'sys/devices/system/cpu';

# Intel's two kinds have a counter unit each, with a list of their CPUs
my %UNIT = (performance => 'cpu_core', efficiency => 'cpu_atom');
my @KINDS = qw(performance middle efficiency);

sub topology {
    my ($facts) = @_;
    my $kind = kinds($facts);
    my %topology;
    for my $cpu (SpawnMeter::Machine::CPU::cpu_list($facts->file("$CPUS/online"))) {
        my %of = map { $_ => $facts->file("$CPUS/cpu$cpu/topology/$_") }
            qw(core_cpus_list thread_siblings_list core_id physical_package_id);
        my $package = $of{physical_package_id};
        my ($core) = grep { defined } @of{qw(core_cpus_list thread_siblings_list)},
            defined $of{core_id} && defined $package ? "$package/$of{core_id}" : undef;
        my %cpu = (core => $core, package => $package, kind => $kind->{$cpu});
        $topology{$cpu} = { map { $_ => $cpu{$_} } grep { defined $cpu{$_} } keys %cpu };
    }
    return \%topology;
}

# CPU => kind; of ARM's the capacity differs
sub kinds {
    my ($facts) = @_;
    my %kind;
    for my $name (keys %UNIT) {
        my $list = $facts->file("sys/devices/$UNIT{$name}/cpus");
        $kind{$_} = $name for SpawnMeter::Machine::CPU::cpu_list($list);
    }
    return \%kind if %kind;
    my %capacity;
    for my $cpu (SpawnMeter::Machine::CPU::cpu_list($facts->file("$CPUS/online"))) {
        my $capacity = $facts->file("$CPUS/cpu$cpu/cpu_capacity");
        $capacity{$cpu} = $capacity if defined $capacity && $capacity =~ /^\d+\z/a;
    }
    my %level = map { $_ => 1 } values %capacity;
    my @levels = sort { $b <=> $a } keys %level;
    return {} if @levels < 2;
    for my $cpu (keys %capacity) {
        my $level = $capacity{$cpu};
        $kind{$cpu} =
              $level == $levels[0]  ? 'performance'
            : $level == $levels[-1] ? 'efficiency'
            :                         'middle';
    }
    return \%kind;
}

sub ordered {
    my ($topology, $usable, $placement) = @_;
    my @cpus = sort { $a <=> $b } @{$usable};
    return @cpus if $placement eq 'usable';
    return listed(\@cpus, $placement) if $placement =~ /^\d/;
    if (grep { $_ eq $placement } @KINDS) {
        @cpus = of_kind($topology, \@cpus, $placement);
        $placement = 'cores';
    }
    my $field = $placement eq 'packages' ? 'package' : 'core';
    die "--pin $placement: which CPUs belong together is unknown here; name them: --pin 0,2,4\n"
        if grep { !$topology->{$_} || !defined $topology->{$_}{$field} } @cpus;
    my @cores = groups($topology, 'core', @cpus);
    return map { @{$_} } @cores if $placement eq 'threads';
    my @by_core = in_turn(@cores);
    return @by_core if $placement eq 'cores';
    return in_turn(groups($topology, 'package', @by_core));
}

sub listed {
    my ($usable, $placement) = @_;
    my @cpus = SpawnMeter::Machine::CPU::cpu_list($placement);
    my %usable = map { $_ => 1 } @{$usable};
    my @missing = grep { !$usable{$_} } @cpus;
    die "--pin $placement: CPU $missing[0] cannot be used here; usable: "
        . list_text(@{$usable}) . "\n"
        if @missing;
    return @cpus;
}

sub of_kind {
    my ($topology, $cpus, $kind) = @_;
    my @own = grep { ($topology->{$_}{kind} || q{}) eq $kind } @{$cpus};
    return @own if @own;
    my $kinds = kinds_text($topology);
    die "--pin $kind: there are no such CPUs here"
        . (
        defined $kinds ? " (the kinds are $kinds)\n" : "; all are of one kind, or it is unknown\n");
}

# -> [CPUs of the first core or package], [of the next] ..., in the order of the first CPUs
sub groups {
    my ($topology, $field, @cpus) = @_;
    my (%of, @names);
    for my $cpu (@cpus) {
        my $name = $topology->{$cpu}{$field};
        push @names, $name if !$of{$name};
        push @{ $of{$name} }, $cpu;
    }
    return map { $of{$_} } @names;
}

# The first of each list, then the second of each ...
sub in_turn {
    my (@lists) = map { [ @{$_} ] } @_;
    my @all;
    while (@lists) {
        push @all, map { shift @{$_} } @lists;
        @lists = grep { @{$_} } @lists;
    }
    return @all;
}

sub list_text {
    my (@cpus) = @_;
    my @ranges;
    for my $cpu (@cpus) {
        if   (@ranges && $ranges[-1][1] == $cpu - 1) { $ranges[-1][1] = $cpu }
        else                                         { push @ranges, [ $cpu, $cpu ] }
    }
    return join q{,}, map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

sub kinds_text {
    my ($topology) = @_;
    my @texts;
    for my $kind (@KINDS) {
        my @cpus = grep { ($topology->{$_}{kind} || q{}) eq $kind }
            sort { $a <=> $b } keys %{$topology};
        push @texts, "$kind " . list_text(@cpus) if @cpus;
    }
    return @texts ? join q{, }, @texts : undef;
}

sub summary {
    my ($topology) = @_;
    my @cpus = keys %{$topology};
    return if !@cpus || grep { !defined $topology->{$_}{core} } @cpus;
    my %number = (core => 0, package => 0);
    for my $field (keys %number) {
        my %seen = map { $_ => 1 }
            grep { defined } map { $topology->{$_}{$field} } @cpus;
        $number{$field} = keys %seen;
    }
    return join q{, }, map { "$_->[0] $_->[1]" . ($_->[0] == 1 ? q{} : 's') }
        grep               { $_->[0] } [ $number{package}, 'package' ], [ $number{core}, 'core' ],
        [ scalar @cpus, 'thread' ];
}

1;
