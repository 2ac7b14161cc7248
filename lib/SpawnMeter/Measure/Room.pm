# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Room;

# What must be there before the first pass: room for so many copies (memory and open files), the
# target that the user names, and free CPUs.
#
#   skip_without_room([cells], [options for all programs], sub (text), true where both sides of
#       ab run at the same time): marks the cells that have no room to be skipped, with the
#       reason, of which the sub is told the first of each kind; of ab, also the cell of the
#       other side
#   problem(copies, bytes of heap of each, threads of each that create, bytes of memory that are
#       available: found out if not given) -> undef, or why they cannot run, and what to do
#   check_target(suite, what --exec names): dies where that cannot be run
#   say_busy(plan): says so where other processes use the CPUs
#   cpus_of_others(facts, numbers of copies) -> how many CPUs others use where those are too many,
#       or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max);
use SpawnMeter::Analysis::Disturbance qw(crowded);
use SpawnMeter::Machine::Counters     qw(cpus_in_use);
use SpawnMeter::Machine::Cgroup       qw(available);
use SpawnMeter::Util::File            qw(slurp);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(check_target say_busy skip_without_room);

use constant {
    FILES_OF_RUN => 16,           # besides the one by which Run reads what a copy prints
    COPY_BYTES   => 1_000_000,    # of a copy and its child, what they share left out
    MEGABYTE     => 1024**2,
    HEAPS        => 3 / 4,        # of the memory that is available
};

sub skip_without_room {
    my ($cells, $options, $say, $turns) = @_;
    my (%said, %other, %of_both);
    my $left = available(q{});    # once: it changes, and what is said is the same of all cells
    for my $cell (grep { !defined $_->{skip} && ($_->{copies} > 1 || $turns) } @{$cells}) {
        my @of_side = @{ ($cell->{of_side} || {})->{options} || [] };
        my ($heap, $spawners) = needs(@of_side, @{ $cell->{options} }, @{$options});
        my $copies = $turns ? 2 : $cell->{copies};
        $heap = ($of_both{ $cell->{test} } += $heap) / 2 if $turns;
        $cell->{skip} = problem($copies, $heap, $spawners, $left);
        next if !defined $cell->{skip};
        $other{"$cell->{copies} $cell->{test}"} = $cell->{skip} if $cell->{of_side};
        $say->("$cell->{skip}\n") if !$said{ $cell->{skip} =~ s/\d+//gr }++;
    }
    $_->{skip} = $other{"$_->{copies} $_->{test}"}
        for grep { $_->{of_side} && !defined $_->{skip} } @{$cells};
    return;
}

# -> (bytes of heap, threads that create) by the options of a program.  The memory of --touch is
# there twice, and so are its copies.
sub needs {
    my (@options) = @_;
    my %bytes = (heap => 0, touch => 0);
    for my $name (qw(heap touch)) {
        my @words = map { split /[,+]/ } "@options" =~ /--$name (\S+)/g or next;
        require SpawnMeter::Catalog::Sweeps;
        ($bytes{$name}) = grep { defined } map { SpawnMeter::Catalog::Sweeps::size($_) } @words;
    }
    my ($spawners) = "@options" =~ /--spawners (\d+)/;
    return ($bytes{heap} + 4 * $bytes{touch}, $spawners);
}

sub problem {
    my ($copies, $heap, $spawners, $left) = @_;
    my $words = $copies == 1 ? '1 copy needs' : "$copies copies need";
    my ($most) = (slurp('/proc/self/limits') || q{}) =~ /^Max open files\s+(\d+)/m;
    my $files = $copies + FILES_OF_RUN;
    return "$words $files open files, and the limit is $most; raise it (ulimit -n $files), or run"
        . ' fewer copies'
        if defined $most && $most < $files;
    return if $copies == 1;    # the programs look for the room of their heap themselves
    $left = available(q{}) if @_ < 4;
    my $bytes = $copies * (COPY_BYTES * ($spawners || 1) + ($heap || 0));
    return if !defined $left || $bytes <= ($heap ? HEAPS * $left : $left);
    return sprintf '%s about %.0f MB of memory, and %.0f MB are available%s; run fewer copies',
        $words, $bytes / MEGABYTE, $left / MEGABYTE,
        $heap ? ', of which heaps may take three quarters' : q{};
}

# Names of the targets that make builds, where the system has them
use constant TARGET => qr/\A(?:(?:true|start|sh)-[a-z\d-]+M?|write-output|script|helper)\z/;

# A name without a slash is a program in the folder of programs, as in src/harness/target.c.
# Targets that only some systems have (true-static) are left to the tests, which are skipped without
# them.
sub check_target {
    my ($suite, $named) = @_;
    my $path = $named =~ m{/} ? $named : "$suite->{binaries}/$named";
    return if -f $path && -x _ || $named =~ TARGET;
    my ($program, @arguments) = split q{ }, $named, 2;
    my $found = SpawnMeter::Util::Programs::found($program);
    my $meant = join q{ }, $found // (), map { "-- $_" } @arguments;
    die "--exec $named: there is no such program",
        defined $found ? "; did you mean --exec $meant?\n" : "\n";
}

# Warns before measuring; which results were disturbed by other work is known only afterwards.
sub say_busy {
    my ($plan) = @_;
    my $option = $plan->{suite}{option};
    my $other =
        $option->{quiet} ? undef : cpus_of_others($plan->{facts}, @{ $plan->{copies} || [] });
    return if !defined $other;
    $plan->{progress}{busy} = 1;
    my $short = $plan->{sweep} && !$option->{quick} ? ' (less with --quick)' : q{};
    $plan->{say}->(
        sprintf "Other processes use %.1f CPUs: stop them, or the results are those of a busy "
            . "machine, and measuring takes longer$short.\n",
        $other
    );
    return;
}

sub cpus_of_others {
    my ($facts, @copies) = @_;
    my $other = cpus_in_use($facts->{root});
    return defined $other && crowded($other, max(1, @copies), scalar $facts->online_cpus)
        ? $other
        : undef;
}

1;
