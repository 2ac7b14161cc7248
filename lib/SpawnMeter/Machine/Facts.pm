# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Machine::Facts;

# The facts of the machine that are stored with a run, and that ./Run doctor prints.
#
#   new(root => '/', uname => [5 strings], sysctl => sub (name) -> text, environment => { },
#       binaries => folder, tmp => folder of the file tests, options => [names of options of a
#       kernel's configuration, where * stands for any letters])
#   of(suite) -> those of this machine (a function)
#   facts() -> a flat hash: name => text of one line, number, or undef where it cannot be read
#   file(path below the root) -> text without blanks at its end, or undef
#   field(path, names) -> value of the first of these that has a line "name: value", or undef
#   status_field(name) -> that of /proc/self/status; kilobytes(name) -> that of /proc/meminfo
#
# No fact identifies a person or a network.  All but uname is read below the root, so that
# tests can present the files of other machines.  Where there is no /proc, macOS and the BSDs
# have sysctl(3), whose names are those of macOS, FreeBSD, NetBSD and OpenBSD.

use strict;
use warnings;
use Cwd                      ();
use Digest::SHA              ();
use List::Util               qw(first sum);
use POSIX                    ();
use SpawnMeter::Machine::CPU ();
use parent -norequire, 'SpawnMeter::Machine::CPU';
use SpawnMeter::Machine::Cgroup ();
use SpawnMeter::Util::File      qw(slurp);
use SpawnMeter::Util::Format    qw(make_visible);
use SpawnMeter::Util::Process   ();

use constant KB => 1024;

# Facts that a file has, and which part of it they are
my $ALL = qr/(.*)/s;
my %FILE = (
    cpus_possible    => [ 'sys/devices/system/cpu/possible', $ALL ],
    smt              => [ 'sys/devices/system/cpu/smt/active', $ALL ],
    security_modules => [ 'sys/kernel/security/lsm', $ALL ],
    clock_source     => [ 'sys/devices/system/clocksource/clocksource0/current_clocksource', $ALL ],
    autogroup        => [ 'proc/sys/kernel/sched_autogroup_enabled', $ALL ],
    aslr             => [ 'proc/sys/kernel/randomize_va_space', $ALL ],
    overcommit       => [ 'proc/sys/vm/overcommit_memory', $ALL ],
    microcode        => [ 'proc/cpuinfo', qr/^microcode\s*:[ \t]*(\S[^\n]*)/m ],
    hugepages        => [ 'sys/kernel/mm/transparent_hugepage/enabled', qr/\[(\w+)\]/ ],
    seccomp          => [ 'proc/self/status', qr/^Seccomp:\s*(\S+)/m ],
    open_files_limit => [ 'proc/self/limits', qr/^Max open files\s+(\S+)/m ],
    stack_limit      => [ 'proc/self/limits', qr/^Max stack size\s+(\S+)/m ],
    distribution     => [ 'etc/os-release', qr/^PRETTY_NAME="?([^"\n]+)/m ],
    uptime           => [ 'proc/uptime', qr/^(\d+)/ ],
);

# Facts with a method of that name
my @METHODS = qw(cpu_model hypervisor emulation numa_nodes governor turbo vulnerabilities
    mitigations kernel_config kernel_options preemption large_folios sched_ext audit
    pid_namespaces container scheduling personality environment_bytes loader shell_tests_locale
    load_average);

sub facts {
    my ($self) = @_;
    my $usable = $self->usable_cpus;
    my %facts = (
        $self->memory,
        $self->limits_of_groups,
        cpus_online   => scalar $self->online_cpus,
        cpus_allowed  => join(q{,}, @{ $usable->{cpus} }),
        cpus_usable   => $usable->{count},
        page_size     => $self->{page_size},
        target_sha256 => scalar hash_of(($self->{binaries} || q{}) . '/true-dynamic'),
        program_fs    => scalar $self->file_system($self->{binaries}),
        file_tests_fs => scalar $self->file_system($self->{tmp}),
    );
    @facts{qw(system kernel_release kernel_version architecture)} =
        @{ $self->{uname} }[ 0, 2 .. 4 ];
    $facts{$_} = $self->match(@{ $FILE{$_} }) for keys %FILE;
    $facts{$_} = $self->$_ for @METHODS;
    make_visible(\%facts);
    return \%facts;
}

sub of {
    my ($suite) = @_;
    my $options = slurp("$suite->{root}/pgms/kernel-options.list") || q{};
    my @names = $options =~ /^([A-Z\d_*]+) +[|]/mg;
    return __PACKAGE__->new(options => \@names, map { $_ => $suite->{$_} } qw(binaries tmp));
}

sub new {
    my ($class, %with) = @_;
    my $root = ($with{root} // q{/}) =~ s{/+\z}{}r;
    return bless {
        uname       => [ POSIX::uname() ],
        environment => \%ENV,
        sysctl      => \&sysctl,
        page_size   => eval { POSIX::sysconf(POSIX::_SC_PAGESIZE()) } || undef,
        %with,
        root => $root,
    }, $class;
}

sub file {
    my ($self, $path) = @_;
    my $text = slurp("$self->{root}/$path");
    $text =~ s/[\0\s]+\z// if defined $text;
    return $text;
}

# What the parentheses of the pattern match in a file, or undef
sub match {
    my ($self, $path, $pattern) = @_;
    my $text = $self->file($path);
    return defined $text && $text =~ $pattern ? $1 : undef;
}

sub field {
    my ($self, $path, @names) = @_;
    my $text = $self->file($path) || q{};
    return (map { $text =~ /^\Q$_\E\s*:[ \t]*(\S[^\n]*)$/mi } @names)[0];
}

sub status_field { my ($self, $name) = @_; return $self->field('proc/self/status', $name) }

sub kilobytes {
    my ($self, $name) = @_;
    return $self->match('proc/meminfo', qr/^$name:\s*(\d+)/m);
}

sub hash_of {
    my ($path) = @_;
    return if !defined $path || !-f $path || !-r _;
    return eval { Digest::SHA->new(256)->addfile($path, 'b')->hexdigest };
}

sub kernel_config { my ($self) = @_; return hash_of($self->config_file) }

sub config_file {
    my ($self) = @_;
    my $release = $self->{uname}[2];
    return first { -r } map { "$self->{root}/$_" } 'proc/config.gz', "boot/config-$release";
}

# Those of the options that the configuration sets, as "HZ=250 SLUB=y"
sub kernel_options {
    my ($self) = @_;
    my $path = $self->config_file;
    my @names = map { quotemeta =~ s/\\[*]/\\w*/r } @{ $self->{options} || [] };
    return if !defined $path || !@names;
    my $text = slurp($path);
    if ($path =~ /[.]gz\z/) {
        require IO::Uncompress::Gunzip;
        IO::Uncompress::Gunzip::gunzip(\slurp($path), \$text) or return;
    }
    my $any = join q{|}, @names;
    my @set = $text =~ /^CONFIG_((?:$any)=[^\n]{1,40})$/mg;
    return join q{ }, sort @set;
}

# How the kernel preempts itself, which a kernel of PREEMPT_DYNAMIC decides when it starts; only
# root sees that, unless it was asked for
sub preemption {
    my ($self) = @_;
    my $version = $self->{uname}[3] // q{};
    return $self->match('sys/kernel/debug/sched/preempt', qr/[(](\w+)[)]/)
        // $self->match('proc/cmdline', qr/(?:^| )preempt=(\w+)/)
        // ($version =~ /PREEMPT_RT/ ? 'rt' : undef);
}

# The sizes of large folios of anonymous memory (mTHP) that are in use, as "64kB always, ..."
sub large_folios {
    my ($self) = @_;
    my $below = 'sys/kernel/mm/transparent_hugepage';
    my @sizes = map { m{/hugepages-(\d+)kB\z} } glob "\Q$self->{root}/$below\E/hugepages-*kB"
        or return;
    my %use =
        map { $_ => $self->match("$below/hugepages-${_}kB/enabled", qr/\[(\w+)\]/) || 'never' }
        @sizes;
    my @used = grep { $use{$_} ne 'never' } sort { $a <=> $b } @sizes;
    return @used ? join q{, }, map { "${_}kB $use{$_}" } @used : 'none';
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
    return "boot option $1"
        if ($self->file('proc/cmdline') || q{}) =~ /(?:^| )audit=(\w{1,8})(?: |\z)/;
    return $self->status_field('Name') ? 'not seen' : undef;
}

sub pid_namespaces {
    my ($self) = @_;
    my $ids = $self->status_field('NSpid');
    return defined $ids ? scalar(split q{ }, $ids) : undef;
}

sub container {
    my ($self) = @_;
    my $root = $self->{root};
    return 'docker' if -e "$root/.dockerenv";
    return 'podman' if -e "$root/run/.containerenv";
    return $1 if (slurp("$root/proc/1/environ") || q{}) =~ /(?:^|\0)container=([\w-]+)/;
    my $group = $self->file('proc/1/cgroup');
    return if !defined $group;
    return $group =~ m{/(docker|lxc|kubepods|machine[.]slice)} ? $1 : 'none seen';
}

my @POLICIES = map { "SCHED_$_" } qw(OTHER FIFO RR BATCH 4 IDLE DEADLINE EXT);

# The policy of scheduling, with its priority or niceness where that is not the usual one: the
# 41st, 40th and 19th field of the file, see proc(5)
sub scheduling {
    my ($self) = @_;
    my ($text) = ($self->file('proc/self/stat') || q{}) =~ /.*[)] (.*)/s or return;
    my ($nice, $priority, $policy) = (split q{ }, $text)[ 16, 37, 38 ];
    return if !defined $policy    || "$nice $priority $policy" !~ /\A-?\d+ \d+ \d+\z/a;
    my $name = $POLICIES[$policy] || "policy $policy";
    return $priority ? "$name, priority $priority" : $nice ? "$name, nice $nice" : $name;
}

# Flags that a process hands on to its programs, see personality(2)
sub personality {
    my ($self) = @_;
    my $flags = $self->match('proc/self/personality', qr/\A0*([\da-f]{1,8})\z/i);
    my %names = (0 => 'default', 40_000 => 'ADDR_NO_RANDOMIZE');
    return defined $flags ? $names{$flags} || "0x$flags" : undef;
}

sub environment_bytes {
    my ($self) = @_;
    return sum(0, map { 1 + length } %{ $self->{environment} });    # = and the end of each
}

# The shell tests set en_US.utf8, in which sorting is slower than in C
sub shell_tests_locale {
    my $before = POSIX::setlocale(POSIX::LC_ALL());
    my $there = first { POSIX::setlocale(POSIX::LC_ALL(), "en_US.$_") } qw(utf8 UTF-8);
    POSIX::setlocale(POSIX::LC_ALL(), $before);
    return $there ? 'en_US.utf8' : 'C (en_US.utf8 is not installed)';
}

# "none" where there are control groups but no limit
sub limits_of_groups {
    my ($self) = @_;
    my $group = SpawnMeter::Machine::Cgroup::facts($self->{root});
    $group->{$_} //= 'none'
        for grep { defined $group->{version} } qw(cpu_quota pids_max memory_max);
    return map { ("cgroup_$_" => $group->{$_}) } keys %{$group};
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

# The memory of the machine, in MB
sub memory {
    my ($self) = @_;
    my %name = (total => 'MemTotal', available => 'MemAvailable', swap => 'SwapTotal');
    my %kb = map { $_ => $self->kilobytes($name{$_}) } keys %name;
    for my $name (qw(hw.memsize hw.physmem64 hw.physmem)) {
        last if defined $kb{total};
        $kb{total} = $1 / KB if ($self->{sysctl}->($name) || q{}) =~ /^(\d+)\z/;
    }
    return map { ("memory_$_" => defined $kb{$_} ? int($kb{$_} / KB) : undef) } keys %kb;
}

# The load of the last 1, 5 and 15 minutes
sub load_average {
    my ($self) = @_;
    my $text = $self->file('proc/loadavg') || $self->{sysctl}->('vm.loadavg') || q{};
    return $text =~ /(\d+[.]\d+) (\d+[.]\d+) (\d+[.]\d+)/ ? "$1 $2 $3" : undef;
}

# The type of the file system of a folder: that of the longest mount point above it
sub file_system {
    my ($self, $folder) = @_;
    my $path = defined $folder ? Cwd::abs_path($folder) : undef;
    return if !defined $path;
    my %type;
    for my $line (split /\n/, $self->file('proc/self/mounts') || q{}) {
        my (undef, $point, $type) = split q{ }, $line;
        next if !defined $type;
        $point =~ s/\\(\d{3})/chr oct $1/ge;
        $type{ $point =~ s{/\z}{}r } = $type;
    }
    my ($nearest) = sort { length $b <=> length $a } grep { !index "$path/", "$_/" } keys %type;
    return defined $nearest ? $type{$nearest} : undef;
}

# ---- other systems ----

sub sysctl {
    my ($name) = @_;
    return if $^O eq 'linux';
    my ($program) = grep { -x } qw(/usr/sbin/sysctl /sbin/sysctl) or return;
    my ($status, $text) = SpawnMeter::Util::Process::output($program, '-n', $name);
    return $status == 0 && $text =~ /^([^\n]+)\n\z/ ? $1 : undef;
}

1;
