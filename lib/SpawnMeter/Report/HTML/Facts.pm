# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Facts;

# facts(run) -> HTML: a table of the build, the settings and the facts of the machine

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Escape     qw(html);
use SpawnMeter::Report::Text::Head qw(protocol);

our @EXPORT_OK = qw(facts facts_in_words);

sub facts {
    my ($run) = @_;
    my ($system, $settings) = map { $_ || {} } @{$run}{qw(system protocol)};
    my @rows = (
        map({ row('Build', $_) } @{ $run->{build}          || [] }),
        map({ row('Condition', $_) } @{ $run->{conditions} || [] }),
        $run->{printed} || !$run->{protocol} ? () : row('Measured', ucfirst protocol($settings)),
        map({ row(@{$_}) } facts_in_words($system)),
    );
    my $table = join q{}, qq{<table class="fact"><tbody>\n}, @rows, "</tbody></table>\n";
    return "<h2>Settings and machine</h2>\n$table";
}

sub row {
    my ($name, $value) = @_;
    return '<tr><td>' . html($name) . '</td><td>' . html($value) . "</td></tr>\n";
}

# ---- facts ----
#
# The facts of a machine (SpawnMeter::Machine::Facts) in words.
#
#   facts_in_words({ fact => value }) -> [ [ words, value ] ], in the order of WORDS; a fact
#       that is not listed there follows with its own name.  Facts that are unknown are last

my @WORDS = (
    [ cpu_model          => 'CPU' ],
    [ cpu_list           => 'Single CPUs' ],
    [ architecture       => 'Architecture' ],
    [ cpus_online        => 'CPUs online' ],
    [ cpus_usable        => 'CPUs usable' ],
    [ cpus_allowed       => 'CPUs allowed' ],
    [ numa_nodes         => 'NUMA nodes' ],
    [ smt                => 'SMT' ],
    [ governor           => 'Frequency governor' ],
    [ turbo              => 'Turbo' ],
    [ microcode          => 'Microcode' ],
    [ hypervisor         => 'Virtual machine' ],
    [ emulation          => 'Emulation' ],
    [ container          => 'Container' ],
    [ memory_total       => 'Memory, MB' ],
    [ memory_available   => 'Memory available, MB' ],
    [ memory_swap        => 'Swap, MB' ],
    [ page_size          => 'Page size, bytes' ],
    [ hugepages          => 'Transparent huge pages' ],
    [ overcommit         => 'Overcommit of memory' ],
    [ load_average       => 'Load over 1, 5 and 15 minutes' ],
    [ uptime             => 'Up, seconds' ],
    [ distribution       => 'Distribution' ],
    [ system             => 'System' ],
    [ kernel_release     => 'Kernel' ],
    [ kernel_version     => 'Kernel build' ],
    [ kernel_config      => 'Kernel configuration (SHA-256)' ],
    [ clock_source       => 'Clock source' ],
    [ aslr               => 'Address space randomization' ],
    [ mitigations        => 'Mitigations asked for' ],
    [ vulnerabilities    => 'Vulnerabilities and mitigations' ],
    [ security_modules   => 'Security modules' ],
    [ seccomp            => 'Seccomp mode' ],
    [ cgroup_version     => 'Control groups, version' ],
    [ cgroup_depth       => 'Control groups, depth' ],
    [ cgroup_cpu_quota   => 'Control group, CPUs' ],
    [ cgroup_pids_max    => 'Control group, processes' ],
    [ cgroup_memory_max  => 'Control group, memory' ],
    [ pid_namespaces     => 'PID namespaces' ],
    [ open_files_limit   => 'Limit of open files' ],
    [ stack_limit        => 'Limit of the stack, bytes' ],
    [ environment_bytes  => 'Environment, bytes' ],
    [ preload            => 'LD_PRELOAD' ],
    [ loader             => 'What changes the loader' ],
    [ program_fs         => 'File system of the programs' ],
    [ file_tests_fs      => 'File system of the file tests' ],
    [ shell_tests_locale => 'Locale of the shell tests' ],
    [ target_sha256      => 'Target true-dynamic (SHA-256)' ],
);

sub facts_in_words {
    my ($facts) = @_;
    my %words = map { @{$_} } @WORDS;
    my @names = map { $_->[0] } @WORDS;
    push @names, grep { !defined $words{$_} } sort keys %{$facts};
    my @rows = map { [ defined $words{$_} ? $words{$_} : ucfirst tr/_/ /r, $facts->{$_} ] }
        grep { exists $facts->{$_} } @names;
    return ((grep { defined $_->[1] } @rows), grep { !defined $_->[1] } @rows);
}

1;
