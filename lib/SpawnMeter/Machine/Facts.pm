# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Facts;

# The facts of the machine that are stored with a run, and that ./Run doctor prints.
#
#   new(root => '/', uname => [5 strings], sysctl => sub (name) -> text, getconf => sub (name)
#       -> text, environment => { }, binaries => folder, tmp => folder of the file tests)
#   facts() -> a flat hash: name => text, number, or undef where the fact cannot be read
#   file(path below the root) -> text without blanks at its end, or undef
#   status_field(name) -> value of a line of /proc/self/status, or undef
#   hash_of(path) -> SHA-256, or undef (a function)
#
# No fact identifies a person or a network.  All but uname is read below the root, so that
# tests can present the files of other machines.

use strict;
use warnings;
use Digest::SHA              ();
use List::Util               qw(first);
use POSIX                    ();
use SpawnMeter::Machine::CPU qw(usable_cpus allowed_cpus online_cpus cpuinfo cpu_model
    hypervisor emulation vulnerabilities mitigations governors
    turbo numa_nodes topology kinds_text summary cpus_as_text);
use SpawnMeter::Machine::Cgroup ();
use SpawnMeter::Machine::Resources
    qw(file_system load_average memory uptime distribution sysctl getconf);
use SpawnMeter::Util::File    qw(slurp);
use SpawnMeter::Util::Process ();

sub new {
    my ($class, %with) = @_;
    my $root = defined $with{root} ? $with{root} : q{/};
    $root =~ s{/+\z}{};
    my $self = bless {
        uname       => [ POSIX::uname() ],
        environment => \%ENV,
        sysctl      => \&sysctl,
        inherited   => \&SpawnMeter::Util::Process::withheld,
        getconf     => length $root ? sub { return } : \&getconf,
        page_size   => eval { POSIX::sysconf(POSIX::_SC_PAGESIZE()) } || undef,
        %with,
        root => $root,
    }, $class;
    return $self;
}

sub file {
    my ($self, $path) = @_;
    my $text = slurp("$self->{root}/$path");
    $text =~ s/[\0\s]+\z// if defined $text;
    return $text;
}

sub hash_of {
    my ($path) = @_;
    return if !-f $path || !-r _;
    return eval { Digest::SHA->new(256)->addfile($path, 'b')->hexdigest };
}

sub kernel_config {
    my ($self) = @_;
    my $release = $self->{uname}[2];
    my $path = first { -r } map { "$self->{root}/$_" } 'proc/config.gz', "boot/config-$release";
    return defined $path ? hash_of($path) : undef;
}

# The word in brackets of a file like "always [madvise] never"
sub chosen {
    my ($self, $path) = @_;
    my $text = $self->file($path);
    return defined $text && $text =~ /\[(\w+)\]/ ? $1 : undef;
}

# The sizes of large folios of anonymous memory (mTHP) that are in use, as "64kB always, ..."
sub large_folios {
    my ($self) = @_;
    my $below = 'sys/kernel/mm/transparent_hugepage';
    my @sizes = map { m{/hugepages-(\d+)kB\z} } glob "\Q$self->{root}/$below\E/hugepages-*kB";
    return if !@sizes;
    my @words;
    for my $size (sort { $a <=> $b } @sizes) {
        my $use = $self->chosen("$below/hugepages-${size}kB/enabled");
        push @words, "${size}kB $use" if defined $use && $use ne 'never';
    }
    return @words ? join q{, }, @words : 'none';
}

# The scheduler in BPF, if one is loaded; undef where the kernel has none
sub sched_ext {
    my ($self) = @_;
    my $state = $self->file('sys/kernel/sched_ext/state');
    return $state if !defined $state                    || $state ne 'enabled';
    return $self->file('sys/kernel/sched_ext/root/ops') || $state;
}

# Whether system calls are audited: rules are for root to read, so only what everyone can see
sub audit {
    my ($self) = @_;
    return 'auditd runs' if -e "$self->{root}/run/auditd.pid";
    my $asked =
        ($self->file('proc/cmdline') || q{}) =~ /(?:^| )audit=(\w{1,8})(?: |\z)/ ? $1 : undef;
    return defined $asked ? "boot option $asked" : $self->status_field('Name') ? 'not seen' : undef;
}

sub status_field {
    my ($self, $name) = @_;
    return ($self->file('proc/self/status') || q{}) =~ /^\Q$name\E:\s*(\S[^\n]*)$/m ? $1 : undef;
}

sub pid_depth {
    my ($self) = @_;
    my $ids = $self->status_field('NSpid');
    return defined $ids ? scalar(split q{ }, $ids) : undef;
}

sub container {
    my ($self) = @_;
    my $root = $self->{root};
    return 'docker' if -e "$root/.dockerenv";
    return 'podman' if -e "$root/run/.containerenv";
    my $init = slurp("$root/proc/1/environ");
    return $1 if defined $init && $init =~ /(?:^|\0)container=([\w-]+)/;
    my $group = $self->file('proc/1/cgroup');
    return $1 if defined $group && $group =~ m{/(docker|lxc|kubepods|machine[.]slice)};
    return defined $group ? 'none seen' : undef;
}

sub soft_limit {
    my ($self, $what) = @_;
    return ($self->file('proc/self/limits') || q{}) =~ /^Max $what\s+(\S+)/m ? $1 : undef;
}

# The policy of scheduling, with its priority or niceness where that is not the usual one: the
# 41st, 40th and 19th field of the file, see proc(5)
sub scheduling {
    my ($self) = @_;
    my ($text) = ($self->file('proc/self/stat') || q{}) =~ /.*[)] (.*)/s or return;
    my ($nice, $priority, $policy) = (split q{ }, $text)[ 16, 37, 38 ];
    return if !defined $policy || "$nice $priority $policy" !~ /\A-?\d+ \d+ \d+\z/a;
    my $name = (
        qw(SCHED_OTHER SCHED_FIFO SCHED_RR SCHED_BATCH),
        undef, qw(SCHED_IDLE SCHED_DEADLINE SCHED_EXT)
    )[$policy]
        || "policy $policy";
    return
          $priority  ? "$name, priority $priority"
        : $nice != 0 ? "$name, nice $nice"
        :              $name;
}

# Flags that a process hands on to its programs, see personality(2); their names where they
# change the layout of memory
sub personality {
    my ($self) = @_;
    my $flags = $self->file('proc/self/personality');
    return if !defined $flags || $flags !~ /\A[\da-f]{1,8}\z/i;
    my %names = (
        ADDR_NO_RANDOMIZE  => 0x0040000,
        ADDR_COMPAT_LAYOUT => 0x0200000,
        READ_IMPLIES_EXEC  => 0x0400000,
    );
    my $left = hex $flags;
    my @names = grep { $left & $names{$_} } sort keys %names;
    $left &= ~$names{$_} for @names;
    push @names, sprintf '0x%x', $left if $left;
    return @names ? join(q{ }, @names) : 'default';
}

sub environment_bytes {
    my ($self) = @_;
    my $bytes = 0;
    $bytes += 2 + length($_) + length $self->{environment}{$_} for keys %{ $self->{environment} };
    return $bytes;
}

# The shell tests set en_US.utf8, in which sorting is slower than in C
sub shell_tests_locale {
    my $before = POSIX::setlocale(POSIX::LC_ALL());
    my $there = POSIX::setlocale(POSIX::LC_ALL(), 'en_US.utf8')
        || POSIX::setlocale(POSIX::LC_ALL(), 'en_US.UTF-8');
    POSIX::setlocale(POSIX::LC_ALL(), $before);
    return $there ? 'en_US.utf8' : 'C (en_US.utf8 is not installed)';
}

# A limit of the control groups; "none" where there are groups but no limit
sub limit {
    my ($group, $name) = @_;
    return $group->{$name} if defined $group->{$name};
    return defined $group->{version} ? 'none' : undef;
}

sub facts {
    my ($self) = @_;
    return {
        $self->facts_of_processor, $self->facts_of_kernel, $self->facts_of_groups,
        $self->facts_of_process, $self->facts_of_files, $self->facts_of_resources,
    };
}

# In these lists `scalar` keeps a fact that is unknown as undef

sub facts_of_processor {
    my ($self) = @_;
    my $usable = $self->usable_cpus;
    my $topology = topology($self);
    return (
        architecture  => $self->{uname}[4],
        page_size     => scalar $self->{page_size},
        cpu_model     => scalar $self->cpu_model,
        microcode     => scalar $self->cpuinfo('microcode'),
        hypervisor    => scalar $self->hypervisor,
        emulation     => scalar $self->emulation,
        cpus_online   => scalar $self->online_cpus,
        cpus_possible => scalar $self->file('sys/devices/system/cpu/possible'),
        cpus_allowed  => join(q{,}, @{ $usable->{cpus} }),
        cpus_usable   => $usable->{count},
        smt           => scalar $self->file('sys/devices/system/cpu/smt/active'),
        numa_nodes    => scalar $self->numa_nodes,
        cpu_topology  => scalar summary($topology),
        cpu_kinds     => scalar kinds_text($topology),
        governor      => scalar $self->governors,
        turbo         => scalar $self->turbo,
    );
}

sub facts_of_kernel {
    my ($self) = @_;
    my $clock = 'sys/devices/system/clocksource/clocksource0/current_clocksource';
    return (
        system           => $self->{uname}[0],
        kernel_release   => $self->{uname}[2],
        kernel_version   => $self->{uname}[3],
        kernel_config    => scalar $self->kernel_config,
        distribution     => scalar $self->distribution,
        vulnerabilities  => scalar $self->vulnerabilities,
        mitigations      => scalar $self->mitigations,
        security_modules => scalar $self->file('sys/kernel/security/lsm'),
        hugepages        => scalar $self->chosen('sys/kernel/mm/transparent_hugepage/enabled'),
        large_folios     => scalar $self->large_folios,
        sched_ext        => scalar $self->sched_ext,
        audit            => scalar $self->audit,
        clock_source     => scalar $self->file($clock),
        aslr             => scalar $self->file('proc/sys/kernel/randomize_va_space'),
        overcommit       => scalar $self->file('proc/sys/vm/overcommit_memory'),
    );
}

sub facts_of_groups {
    my ($self) = @_;
    my $group = SpawnMeter::Machine::Cgroup::facts($self->{root});
    return (
        (map { ("cgroup_$_" => $group->{$_}) } qw(version depth)),
        (map { ("cgroup_$_" => scalar limit($group, $_)) } qw(cpu_quota pids_max memory_max)),
        pid_namespaces => scalar $self->pid_depth,
        container      => scalar $self->container,
    );
}

# What the test programs inherit
sub facts_of_process {
    my ($self) = @_;
    my $environment = $self->{environment};
    my $preload = $environment->{LD_PRELOAD} || $environment->{DYLD_INSERT_LIBRARIES};
    return (
        seccomp            => scalar $self->status_field('Seccomp'),
        scheduling         => scalar $self->scheduling,
        personality        => scalar $self->personality,
        inherited_files    => scalar $self->{inherited}->(),
        open_files_limit   => scalar $self->soft_limit('open files'),
        stack_limit        => scalar $self->soft_limit('stack size'),
        environment_bytes  => scalar $self->environment_bytes,
        preload            => defined $preload && length $preload ? 'set' : 'none',
        loader             => scalar $self->loader,
        shell_tests_locale => scalar shell_tests_locale(),
    );
}

# What changes the work of the loader and of malloc, and so the time of each exec: the names of
# variables, and the file of libraries that are loaded into all programs
sub loader {
    my ($self) = @_;
    my $environment = $self->{environment};
    my @names =
        grep { /^(?:LD|DYLD|MALLOC)_(?!RUN_PATH\z)[A-Z\d_]{1,40}\z/ || $_ eq 'GLIBC_TUNABLES' }
        grep { length $environment->{$_} } sort keys %{$environment};
    push @names, '/etc/ld.so.preload' if length($self->file('etc/ld.so.preload') || q{});
    return @names ? join(q{ }, @names) : 'none';
}

sub facts_of_resources {
    my ($self) = @_;
    my $memory = $self->memory;
    return (
        (map { ("memory_$_" => $memory->{$_}) } sort keys %{$memory}),
        load_average => scalar $self->load_average,
        uptime       => scalar $self->uptime,
        cpu_list     => scalar $self->cpus_as_text,
    );
}

sub facts_of_files {
    my ($self) = @_;
    return (
        program_fs    => scalar $self->file_system($self->{binaries}),
        file_tests_fs => scalar $self->file_system($self->{tmp}),
    );
}

1;
