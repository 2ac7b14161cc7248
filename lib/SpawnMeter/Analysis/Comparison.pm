package SpawnMeter::Analysis::Comparison;

# Two or more runs -> what differs.  Pure functions.
#
#   reduce(run, name, copies or undef) -> machine: { name, run => its head, cells =>
#       { "copies test" => { test, title, category, copies, unit, rate, plus_minus,
#       used => [rates] } } }          the run's passes are not kept
#   compare(old machine, new machine, least effect as a share or undef) ->
#       { rows => [ { test, title, copies, unit, old, new, ratio, low, high, p,
#         verdict } ], means => [ { copies, ratio, tests } ] }
#   differences(machine, machine) -> { incomparable => [ [fact, old, new] ],
#         notable => [...], unknown => [facts that only one of them has] }
#
# Verdicts: faster, slower, no difference shown (the interval of the ratio holds 1,
# or ranks do, or the difference is below the least that two runs here can claim),
# cannot be told (no raw samples, or under six passes).

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Results    qw(results);
use SpawnMeter::Analysis::Stats      qw(median geometric_mean);
use SpawnMeter::Analysis::TwoSamples qw(ratio_interval mann_whitney);

our @EXPORT_OK = qw(reduce compare differences same_machine);

use constant SIGNIFICANT => 0.05;

# A run's results, without what its passes hold
sub reduce {
    my ($run, $name, $copies) = @_;
    my %cells;
    for my $r (grep { defined $_->{rate} } @{ results($run, 'rates') }) {

        # a text that does not say how many copies ran is taken at its reader's word
        my $c = $r->{copies} || ($copies || 0);
        next if defined $copies && $c != $copies;
        my %cell = map { $_ => $r->{$_} } qw(test title category unit rate plus_minus);
        $cells{"$c $r->{test}"} = { %cell, copies => $c, used => $r->{sound} || [] };
    }
    my %head = map { $_ => $run->{$_} }
        grep { !/^(?:passes|printed|blocks|results|scores|tests)$/ } keys %{$run};
    return { name => $name, run => \%head, cells => \%cells };
}

sub compare {
    my ($old, $new, $least) = @_;
    my @rows;
    for my $key (grep { $new->{cells}{$_} } keys %{ $old->{cells} }) {
        push @rows, row($old->{cells}{$key}, $new->{cells}{$key}, $least);
    }
    @rows = sort { $a->{copies} <=> $b->{copies} || $a->{title} cmp $b->{title} } @rows;
    my %ratios;
    push @{ $ratios{ $_->{copies} } }, $_->{ratio} for @rows;
    my @means =
        map { {
        copies => $_,
        tests  => scalar @{ $ratios{$_} },
        ratio  => geometric_mean(@{ $ratios{$_} })
        } }
        sort { $a <=> $b } keys %ratios;
    return { rows => \@rows, means => \@means };
}

sub row {
    my ($x, $y, $least) = @_;
    my %row = (
        (map { $_ => $x->{$_} } qw(test title category copies)),
        unit  => defined $x->{unit} ? $x->{unit} : $y->{unit},
        old   => $x->{rate},
        new   => $y->{rate},
        ratio => $y->{rate} / $x->{rate},
    );
    @row{qw(low high)} = ratio_interval($x->{used}, $y->{used}, $x);

    # the classic way's headline is no median, and the interval is that of medians
    $row{ratio} = median(@{ $y->{used} }) / median(@{ $x->{used} }) if defined $row{low};
    if (!defined $row{low}) {
        my @few = grep { @{ $_->{used} } < 6 } $x, $y;
        $row{verdict} = 'cannot be told';
        $row{why} = (grep { !@{ $_->{used} } } @few) ? 'no raw samples' : 'too few passes';
        return \%row;
    }
    $row{p} = mann_whitney($x->{used}, $y->{used});
    my $shown =
           ($row{low} > 1 || $row{high} < 1)
        && $row{p} < SIGNIFICANT
        && (!defined $least || abs($row{ratio} - 1) >= $least);
    $row{verdict} = !$shown ? 'no difference shown' : $row{ratio} > 1 ? 'faster' : 'slower';
    return \%row;
}

# What makes two results those of two different things, and what is worth a look;
# the facts of SpawnMeter::Machine::Facts, with words for people
my @INCOMPARABLE = (
    [ architecture    => 'architecture' ],
    [ page_size       => 'page size' ],
    [ cpu_model       => 'CPU' ],
    [ microcode       => 'microcode' ],
    [ hypervisor      => 'hypervisor' ],
    [ system          => 'system' ],
    [ kernel_release  => 'kernel' ],
    [ kernel_version  => 'kernel build' ],
    [ kernel_config   => 'kernel configuration' ],
    [ vulnerabilities => 'vulnerabilities and mitigations' ],
    [ mitigations     => 'mitigations asked for' ],
    [ hugepages       => 'transparent huge pages' ],
    [ target_sha256   => 'target (true-dynamic)' ],
);
my @NOTABLE = (
    [ cpus_online        => 'CPUs online' ],
    [ cpus_allowed       => 'CPUs allowed' ],
    [ smt                => 'SMT' ],
    [ numa_nodes         => 'NUMA nodes' ],
    [ governor           => 'governor' ],
    [ turbo              => 'turbo' ],
    [ clock_source       => 'clock source' ],
    [ aslr               => 'ASLR' ],
    [ overcommit         => 'overcommit' ],
    [ cgroup_version     => 'cgroup version' ],
    [ cgroup_depth       => 'cgroup depth' ],
    [ cgroup_cpu_quota   => 'cgroup CPU quota' ],
    [ cgroup_pids_max    => 'cgroup pids.max' ],
    [ cgroup_memory_max  => 'cgroup memory limit' ],
    [ pid_namespaces     => 'PID namespaces' ],
    [ seccomp            => 'seccomp mode' ],
    [ security_modules   => 'security modules' ],
    [ container          => 'container' ],
    [ open_files_limit   => 'open files limit' ],
    [ environment_bytes  => 'environment bytes' ],
    [ preload            => 'LD_PRELOAD' ],
    [ program_fs         => 'file system of the programs' ],
    [ file_tests_fs      => 'file system of the file tests' ],
    [ shell_tests_locale => 'locale of the shell tests' ],
    [ distribution       => 'distribution' ],
);

# What is not a fact of the machine, but as good as one
sub own_facts {
    my ($machine) = @_;
    my $run = $machine->{run};
    my $p = $run->{protocol} || {};
    return {
        'suite'                                 => $run->{suite},
        'build (compiler, flags, linker, libc)' => $run->{build}
        ? join('; ', @{ $run->{build} })
        : undef,
        'options'               => $run->{options}   ? join(q{ }, @{ $run->{options} }) : undef,
        'pinning'               => defined $p->{pin} ? $p->{pin} ? 'pinned' : 'free' : undef,
            'way of measuring'  => ($p->{name} || 'imported') eq 'imported' ? undef : $p->{name},
            'seconds of a pass' => $p->{slice},
    };
}

sub differs {
    my ($x, $y) = @_;
    return defined $x && defined $y ? $x ne $y : defined $x || defined $y;
}

sub differences {
    my ($x, $y) = @_;
    my %found = (incomparable => [], notable => [], unknown => []);
    my ($ours, $theirs) = map { own_facts($_) } $x, $y;
    my ($s, $t) = map { $_->{run}{system} || {} } $x, $y;
    my @facts = (
        (map { [ incomparable => $_, $ours->{$_}, $theirs->{$_} ] } sort keys %{$ours}),
        (map { [ incomparable => $_->[1], $s->{ $_->[0] }, $t->{ $_->[0] } ] } @INCOMPARABLE),
        (map { [ notable      => $_->[1], $s->{ $_->[0] }, $t->{ $_->[0] } ] } @NOTABLE),
    );
    for my $fact (@facts) {
        my ($list, $name, $old, $new) = @{$fact};
        next if !differs($old, $new);
        if   (defined $old && defined $new) { push @{ $found{$list} }, [ $name, $old, $new ] }
        else                                { push @{ $found{unknown} }, $name }
    }
    return \%found;
}

# Are these two runs of one machine as it stands, so that an A/A run of one tells
# what runs of the other can claim?
sub same_machine {
    my ($x, $y) = @_;
    my ($s, $t) = map { $_->{run}{system} || {} } $x, $y;
    my @facts = (map({ $_->[0] } @INCOMPARABLE), qw(cpus_online cpus_allowed));
    return 0 if grep { differs($s->{$_}, $t->{$_}) } @facts;
    my ($ours, $theirs) = map { own_facts($_) } $x, $y;
    return (
        grep { differs($ours->{$_}, $theirs->{$_}) }
        grep { !/^(?:way of|options|seconds)/ } keys %{$ours}
    ) ? 0 : 1;
}

1;
