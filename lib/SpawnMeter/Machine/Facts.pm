# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Facts;

# The facts of the machine that travel with a result.
#
#   new(root => '/', uname => [5 strings], sysctl => sub (name) -> text,
#       environment => { }, binaries => folder, tmp => folder of the file tests)
#   facts() -> a flat hash, name => text or number or undef; what ./Run doctor prints
#
# A fact that cannot be read is undef, never invented.  None of them identifies a
# person or a network.  Everything but uname comes from below the root, so that
# tests can show it the trees of other machines.

use strict;
use warnings;
use Cwd         ();
use Digest::SHA ();
use List::Util  qw(first);
use POSIX       ();
use SpawnMeter::Util::Process;
use SpawnMeter::Machine::Cgroup ();
use SpawnMeter::Util::File      qw(slurp);
use SpawnMeter::Machine::CPU qw(usable_cpus online_cpus cpuinfo cpu_model hypervisor vulnerabilities
    mitigations governors turbo numa_nodes);
use SpawnMeter::Machine::Counters qw(between);
use Time::HiRes                   ();

sub new {
    my ($class, %with) = @_;
    my $root = defined $with{root} ? $with{root} : q{/};
    $root =~ s{/+\z}{};
    my $self = bless {
        uname       => [ POSIX::uname() ],
        environment => \%ENV,
        sysctl      => \&sysctl,
        page_size   => eval { POSIX::sysconf(POSIX::_SC_PAGESIZE()) } || undef,
        %with,
        root => $root,
    }, $class;
    return $self;
}

# The value of a name on systems that have sysctl instead of /proc; undef elsewhere
sub sysctl {
    my ($name) = @_;
    return if $^O eq 'linux';
    my ($program) = grep { -x } qw(/usr/sbin/sysctl /sbin/sysctl);
    return if !defined $program;
    my ($status, $text) = SpawnMeter::Util::Process::output($program, '-n', $name);
    return $status == 0 && $text =~ /^([^\n]+)\n\z/ ? $1 : undef;
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

# The one of several that a file like "always [madvise] never" has in brackets
sub chosen {
    my ($self, $path) = @_;
    my $text = $self->file($path);
    return defined $text && $text =~ /\[(\w+)\]/ ? $1 : undef;
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

sub open_files_limit {
    my ($self) = @_;
    return ($self->file('proc/self/limits') || q{}) =~ /^Max open files\s+(\S+)/m ? $1 : undef;
}

sub environment_bytes {
    my ($self) = @_;
    my $bytes = 0;
    $bytes += 2 + length($_) + length $self->{environment}{$_} for keys %{ $self->{environment} };
    return $bytes;
}

# The shell tests ask for en_US.utf8, which sorts slower than C does
sub shell_tests_locale {
    my $before = POSIX::setlocale(POSIX::LC_ALL());
    my $there = POSIX::setlocale(POSIX::LC_ALL(), 'en_US.utf8')
        || POSIX::setlocale(POSIX::LC_ALL(), 'en_US.UTF-8');
    POSIX::setlocale(POSIX::LC_ALL(), $before);
    return $there ? 'en_US.utf8' : 'C (en_US.utf8 is not installed)';
}

# The file system that a folder is on, from the longest mount point above it
sub file_system {
    my ($self, $folder) = @_;
    my $mounts = $self->file('proc/self/mounts');
    my $path = defined $folder ? Cwd::abs_path($folder) : undef;
    return if !defined $mounts || !defined $path;
    my ($best, $type) = (-1);
    for my $line (split /\n/, $mounts) {
        my (undef, $point, $kind) = split q{ }, $line;
        next if !defined $kind;
        $point =~ s/\\(\d{3})/chr oct $1/ge;
        my $within = $point eq q{/} ? q{} : $point;
        next if index("$path/", "$within/") != 0 || length $within < $best;
        ($best, $type) = (length $within, $kind);
    }
    return $type;
}

# A limit of the control groups: "none" where there are groups and no limit
sub limit {
    my ($group, $name) = @_;
    return $group->{$name} if defined $group->{$name};
    return defined $group->{version} ? 'none' : undef;
}

# What the operating system calls itself, for people
sub distribution {
    my ($self) = @_;
    my $text = $self->file('etc/os-release');
    return defined $text && $text =~ /^PRETTY_NAME="?([^"\n]*)"?$/m ? $1 : undef;
}

# What is so at this moment, for ./Run doctor: { busy => CPUs in use over half a
# second, swap_used => kB, tasks_limit, tasks_used, pids_current, traced, copies }
sub state {
    my ($self, $copies) = @_;
    my $memory = $self->file('proc/meminfo') || q{};
    my ($total, $free) = map { $memory =~ /^$_:\s+(\d+)/m ? $1 : undef } qw(SwapTotal SwapFree);
    my $limit = ($self->file('proc/self/limits') || q{}) =~ /^Max processes\s+(\d+)/m ? $1 : undef;
    my $instruments = SpawnMeter::Machine::Counters->new($self->{root});
    my $before = $instruments->read_all;
    Time::HiRes::sleep(0.5);
    return {
        copies    => $copies,
        busy      => between($before, $instruments->read_all, 0)->{busy_elsewhere},
        swap_used => defined $total && defined $free ? $total - $free : undef,

        # root is not bound by it
        tasks_limit  => $> == 0 ? undef : $limit,
        tasks_used   => $self->own_tasks,
        pids_current => SpawnMeter::Machine::Cgroup::facts($self->{root})->{pids_current},
        traced       => ($self->status_field('TracerPid') || 0) > 0 ? 1 : 0,
    };
}

# Processes and threads of this user
sub own_tasks { my ($self) = @_; return $self->tasks_of($<) }

sub tasks_of {
    my ($self, $user) = @_;
    my $tasks = 0;
    for my $path (glob "\Q$self->{root}\E/proc/[0-9]*/status") {
        my $text = slurp($path);
        next if !defined $text || $text !~ /^Uid:\s+(\d+)/m || $1 != $user;
        $tasks += $text =~ /^Threads:\s+(\d+)/m ? $1 : 1;
    }
    return $tasks;
}

sub facts {
    my ($self) = @_;
    my $group = SpawnMeter::Machine::Cgroup::facts($self->{root});
    my ($name, undef, $release, $version, $machine) = @{ $self->{uname} };
    my $preload = $self->{environment}{LD_PRELOAD} || $self->{environment}{DYLD_INSERT_LIBRARIES};
    my $usable = $self->usable_cpus;
    my %facts = (
        system          => $name,
        architecture    => $machine,
        page_size       => scalar $self->{page_size},
        cpu_model       => scalar $self->cpu_model,
        microcode       => scalar $self->cpuinfo('microcode'),
        hypervisor      => scalar $self->hypervisor,
        kernel_release  => $release,
        kernel_version  => $version,
        kernel_config   => scalar $self->kernel_config,
        vulnerabilities => scalar $self->vulnerabilities,
        mitigations     => scalar $self->mitigations,
        hugepages       => scalar $self->chosen('sys/kernel/mm/transparent_hugepage/enabled'),
        distribution    => scalar $self->distribution,
        cpus_online     => scalar $self->online_cpus,
        cpus_allowed    => join(q{,}, @{ $usable->{cpus} }),
        cpus_usable     => $usable->{count},
        smt             => scalar $self->file('sys/devices/system/cpu/smt/active'),
        numa_nodes      => scalar $self->numa_nodes,
        governor        => scalar $self->governors,
        turbo           => scalar $self->turbo,
        clock_source    =>
            scalar $self->file('sys/devices/system/clocksource/clocksource0/current_clocksource'),
        aslr       => scalar $self->file('proc/sys/kernel/randomize_va_space'),
        overcommit => scalar $self->file('proc/sys/vm/overcommit_memory'),
        (map { ("cgroup_$_" => $group->{$_}) } qw(version depth)),
        (map { ("cgroup_$_" => scalar limit($group, $_)) } qw(cpu_quota pids_max memory_max)),
        pid_namespaces     => scalar $self->pid_depth,
        seccomp            => scalar $self->status_field('Seccomp'),
        security_modules   => scalar $self->file('sys/kernel/security/lsm'),
        container          => scalar $self->container,
        open_files_limit   => scalar $self->open_files_limit,
        environment_bytes  => scalar $self->environment_bytes,
        preload            => defined $preload && length $preload ? 'set' : 'none',
        program_fs         => scalar $self->file_system($self->{binaries}),
        file_tests_fs      => scalar $self->file_system($self->{tmp}),
        shell_tests_locale => scalar shell_tests_locale(),
    );
    return \%facts;
}

1;
