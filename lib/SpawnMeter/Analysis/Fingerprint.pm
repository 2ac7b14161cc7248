# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Fingerprint;

# In what the machines, builds and settings of two runs differ.  Pure functions.  A machine is
# that of SpawnMeter::Analysis::Comparison; only the head of its run counts.
#
#   differences(machine, machine) -> { incomparable => [ { fact, old, new } ],
#         notable => [...], unknown => [facts that only one of them has], compared => [facts
#         of machine and build that both have] }
#   named(differences) -> 1 where both runs say enough of machine and build to call them the
#       same if there is no difference, or 0
#   values_of_facts([machines]) -> [ { fact, matters => 1 where results are incomparable if
#       they differ in it, or 0, values => [different values that are known], unknown => number
#       of machines in which it is unknown, of => [number in values, or undef, for each
#       machine] } ] of all facts that are known of one of them
#   identity(machine) -> text that is equal for two runs of one machine, by its name and all
#       facts that matter; undef where it has no name
#   same_machine(machine, machine) -> 1 where equal runs of one are valid for the other, or 0
#   same_work(machine, machine) -> 1 where the programs had the same options, and the passes the
#       same length and protocol, or 0
#   differs(value, value) -> true where they are not equal; undef equals undef only
#   unequal(machine, machine, names of facts of the machine) -> those in which they differ
#   words_of(name of a fact that makes results incomparable) -> for messages
#   build_of(run) -> how all programs were built; pinning(its protocol) -> pinned to which CPUs,
#       or free; options(run) -> those of the programs, or none; undef where unknown

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(differences named values_of_facts identity same_machine same_work
    differs unequal words_of build_of pinning options);

# The facts of SpawnMeter::Machine::Facts that make results incomparable where they differ,
# and those that may explain a difference; words: for messages
my @INCOMPARABLE = (
    { name => 'architecture', words    => 'architecture' },
    { name => 'page_size', words       => 'page size' },
    { name => 'cpu_model', words       => 'CPU' },
    { name => 'microcode', words       => 'microcode' },
    { name => 'hypervisor', words      => 'hypervisor' },
    { name => 'emulation', words       => 'emulation' },
    { name => 'system', words          => 'system' },
    { name => 'kernel_release', words  => 'kernel' },
    { name => 'kernel_version', words  => 'kernel build' },
    { name => 'kernel_config', words   => 'kernel configuration' },
    { name => 'vulnerabilities', words => 'vulnerabilities and mitigations' },
    { name => 'mitigations', words     => 'mitigations asked for' },
    { name => 'hugepages', words       => 'transparent huge pages' },
    { name => 'target_sha256', words   => 'target (true-dynamic)' },
);
my @NOTABLE = (
    { name => 'cpus_online', words        => 'CPUs online' },
    { name => 'cpus_possible', words      => 'CPUs possible' },
    { name => 'cpus_allowed', words       => 'CPUs allowed' },
    { name => 'smt', words                => 'SMT' },
    { name => 'numa_nodes', words         => 'NUMA nodes' },
    { name => 'governor', words           => 'governor' },
    { name => 'turbo', words              => 'turbo' },
    { name => 'large_folios', words       => 'large folios (mTHP)' },
    { name => 'sched_ext', words          => 'sched_ext' },
    { name => 'audit', words              => 'audit' },
    { name => 'clock_source', words       => 'clock source' },
    { name => 'aslr', words               => 'ASLR' },
    { name => 'overcommit', words         => 'overcommit' },
    { name => 'cgroup_version', words     => 'cgroup version' },
    { name => 'cgroup_depth', words       => 'cgroup depth' },
    { name => 'cgroup_cpu_quota', words   => 'cgroup CPU quota' },
    { name => 'cgroup_pids_max', words    => 'cgroup pids.max' },
    { name => 'cgroup_memory_max', words  => 'cgroup memory limit' },
    { name => 'pid_namespaces', words     => 'PID namespaces' },
    { name => 'seccomp', words            => 'seccomp mode' },
    { name => 'security_modules', words   => 'security modules' },
    { name => 'container', words          => 'container' },
    { name => 'scheduling', words         => 'scheduling policy' },
    { name => 'personality', words        => 'personality (setarch)' },
    { name => 'open_files_limit', words   => 'open files limit' },
    { name => 'stack_limit', words        => 'stack limit' },
    { name => 'environment_bytes', words  => 'environment bytes' },
    { name => 'preload', words            => 'LD_PRELOAD' },
    { name => 'loader', words             => 'what changes the loader' },
    { name => 'program_fs', words         => 'file system of the programs' },
    { name => 'file_tests_fs', words      => 'file system of the file tests' },
    { name => 'shell_tests_locale', words => 'locale of the shell tests' },
    { name => 'distribution', words       => 'distribution' },
);

# Properties of a run that also make results incomparable.  only_now: two runs that differ
# in it can still be of one machine
my $BUILD = 'build (compiler, flags, linker, libc)';
my @OF_RUN = (
    { words => $BUILD, value              => \&build_of },
    { words => 'options', value           => sub { options($_[0]) }, only_now => 1 },
    { words => 'pinning', value           => sub { pinning($_[0]{protocol}) } },
    { words => 'seconds of a pass', value => sub { $_[0]{protocol}{slice} }, only_now => 1 },
    { words => 'suite', value             => sub { $_[0]{suite} } },
    { words => 'way of measuring', value => sub { protocol_name($_[0]{protocol}) }, only_now => 1 },
);

sub options {
    my ($run) = @_;
    return $run->{options} && (joined(q{ }, $run->{options}) || 'none');
}

sub joined { my ($by, $list) = @_; return @{ $list || [] } ? join $by, @{$list} : undef }

# How all programs were built: not which of them are linked in another way, which depends on the
# tests that were chosen
sub build_of {
    my ($run) = @_;
    return joined('; ', [ map { s/ [(]bound [a-z ]+: [^()]*[)]//gr } @{ $run->{build} || [] } ]);
}

sub pinning {
    my ($settings) = @_;
    return if !defined $settings->{pin};
    return 'free' if !$settings->{pin};
    return defined $settings->{cpus} ? "pinned to $settings->{cpus}" : 'pinned';
}

sub protocol_name {
    my ($name, $turns) = @{ $_[0] || {} }{qw(name turns)};
    return if !defined $name || $name eq 'imported';
    return defined $turns ? "$name, in turns of $turns s" : $name;
}

sub differs {
    my ($x, $y) = @_;
    return defined $x && defined $y ? $x ne $y : defined $x || defined $y;
}

sub facts_of_machine {
    my ($machine, @facts) = @_;
    my $system = $machine->{run}{system} || {};
    return map { $system->{ $_->{name} } } @facts;
}

sub facts_of_run {
    my ($machine, @facts) = @_;
    return map { scalar $_->{value}->($machine->{run}) } @facts;
}

sub differences {
    my ($x, $y) = @_;
    my %found = (incomparable => [], notable => [], unknown => [], compared => []);
    my %is_named = map { $_ => 1 } $BUILD, map { $_->{words} } @INCOMPARABLE;
    my $note = sub {
        my ($list, $facts, $values_of) = @_;
        my @old = $values_of->($x, @{$facts});
        my @new = $values_of->($y, @{$facts});
        push @{ $found{compared} }, map { $facts->[$_]{words} }
            grep { $is_named{ $facts->[$_]{words} } && defined $old[$_] && defined $new[$_] }
            0 .. $#old;
        for my $i (grep { differs($old[$_], $new[$_]) } 0 .. $#old) {
            my ($fact, $old, $new) = ($facts->[$i]{words}, $old[$i], $new[$i]);
            if (defined $old && defined $new) {
                push @{ $found{$list} }, { fact => $fact, old => $old, new => $new };
            } else {
                push @{ $found{unknown} }, $fact;
            }
        }
    };
    $note->(incomparable => \@OF_RUN, \&facts_of_run);
    $note->(incomparable => \@INCOMPARABLE, \&facts_of_machine);
    $note->(notable      => \@NOTABLE, \&facts_of_machine);
    return \%found;
}

sub named {
    my ($found) = @_;
    my %compared = map { $_ => 1 } @{ $found->{compared} };
    return (grep { !$compared{$_} } 'CPU', 'kernel', $BUILD) ? 0 : 1;
}

sub values_of_facts {
    my ($machines) = @_;
    my @columns = (
        map({ column($_->{words}, 1, facts_of($machines, \&facts_of_run, $_)) } @OF_RUN),
        map({ column($_->{words}, 1, facts_of($machines, \&facts_of_machine, $_)) } @INCOMPARABLE),
        map({ column($_->{words}, 0, facts_of($machines, \&facts_of_machine, $_)) } @NOTABLE),
    );
    return [ grep { @{ $_->{values} } } @columns ];
}

sub facts_of {
    my ($machines, $values_of, $fact) = @_;
    return map { $values_of->($_, $fact) } @{$machines};
}

sub column {
    my ($words, $matters, @values) = @_;
    my (%number, @known);
    for my $value (grep { defined } @values) {
        $number{$value} = push(@known, $value) - 1 if !defined $number{$value};
    }
    return {
        fact    => $words,
        matters => $matters,
        values  => \@known,
        unknown => scalar(grep { !defined } @values),
        of      => [ map { defined($_) ? $number{$_} : undef } @values ],
    };
}

# What affects measurements and stays the same between two runs
sub lasting {
    my ($machine) = @_;
    my @lasting = grep { !$_->{only_now} } @OF_RUN;
    my @facts = (@INCOMPARABLE, map { { name => $_ } } qw(cpus_online cpus_allowed));
    return (facts_of_machine($machine, @facts), facts_of_run($machine, @lasting));
}

sub identity {
    my ($machine) = @_;
    return if !defined $machine->{run}{host};
    return join "\0", $machine->{run}{host}, map { defined($_) ? "=$_" : q{} } lasting($machine);
}

# Nothing that affects measurements has changed between the two runs
sub same_machine {
    my (@two) = @_;
    return equal(map { [ lasting($_) ] } @two);
}

sub same_work {
    my (@two) = @_;
    my @work = grep { $_->{only_now} } @OF_RUN;
    return equal(map { [ facts_of_run($_, @work) ] } @two);
}

sub equal {
    my ($old, $new) = @_;
    return (grep { differs($old->[$_], $new->[$_]) } 0 .. $#{$old}) ? 0 : 1;
}

sub unequal {
    my ($x, $y, @names) = @_;
    my @values = map { $_->{run}{system} || {} } $x, $y;
    return grep { differs($values[0]{$_}, $values[1]{$_}) } @names;
}

{
    my %words = map { $_->{name} => $_->{words} } @INCOMPARABLE;

    sub words_of { my ($name) = @_; return $words{$name} }
}

1;
