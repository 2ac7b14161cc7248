# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Fingerprint;

# In what the machines, builds and settings of runs differ, what they are called for that, and runs
# without what identifies a site.  Pure functions.  The runs are those of Analysis::Comparison, of
# which only the head counts; of a group (members => [runs]) those of all its runs count.
#
#   differing_facts(run, run) -> { incomparable => [ { fact, old, new } ], notable => [...], unknown
#       => [facts that only one of them has], compared => [facts of machine and build that both
#       have] }.  The value of a group whose runs differ is "6.1 (1 of 6 runs); 6.2 (5 of 6 runs)"
#   names_machine(differences) -> 1 where both runs say enough of machine and build to call them the
#       same if there is no difference, or 0
#   same_machine(run, run) -> 1 where equal runs of one are valid for the other, since
#       nothing that affects measurements has changed between the two, or 0
#   without_loops(run, run, ...) -> why their reference loops cannot be compared, or undef
#   names([runs or groups of Analysis::Comparison]) -> a name for each, all different: the label, or
#       where all files have short names these; else the CPU, and where runs have one CPU the first
#       of number of CPUs, kernel and file name in which these differ.  Without a CPU the file name.
#       Of file names only what follows their common beginning and precedes their common end
#   cpu(head of a run) -> "Intel Core i7-6567U", or undef
#   cpus(head) -> "2 CPUs", or undef
#   kernel_of(head) -> "Linux 6.1.0-13-amd64", of which an unknown part is left out
#   distribution(head), libc(head) -> "Debian 12", "glibc 2.36, static", or undef
#   series(head) -> the first two numbers of the kernel's release, "Linux 6.1", or undef
#   is_short(name) -> true where it fits above a column
#   anonymous(run) -> run record: without host name, label, command line and source; its name is
#       "run-" and the time when it started.  In every text of it a path is PATH, what a target is
#       given ARGUMENT, a command COMMAND, and what identifies the site HIDDEN; of a command that
#       failed the output is left out.  Names of tests and measurements stay
#   anonymous_groups([runs], ... of a comparison) -> the same without it: each has the name of
#       its run, "#2" and so on after equal ones; no host is named

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(differing_facts names_machine same_machine without_loops names cpu cpus libc
    kernel_of distribution series is_short anonymous anonymous_groups);

# The facts of SpawnMeter::Machine::Facts that make results incomparable where they differ, and
# those that may explain a difference
my @INCOMPARABLE = qw(architecture page_size cpu_model microcode hypervisor emulation system
    kernel_release kernel_version kernel_config vulnerabilities mitigations hugepages
    target_sha256);
my @NOTABLE = qw(cpus_online cpus_possible cpus_allowed smt numa_nodes governor turbo large_folios
    sched_ext autogroup preemption audit clock_source aslr overcommit cgroup_version cgroup_kind
    cgroup_depth cgroup_cpu_quota cgroup_pids_max cgroup_memory_max pid_namespaces seccomp
    security_modules container scheduling personality open_files_limit stack_limit environment_bytes
    loader program_fs file_tests_fs shell_tests_locale distribution);

# For messages; of the others their names
my %WORDS = (
    cpu_model      => 'CPU',
    kernel_release => 'kernel',
    kernel_version => 'kernel build',
    kernel_config  => 'kernel configuration',
    autogroup      => 'sched_autogroup_enabled',
    hugepages      => 'transparent huge pages',
    target_sha256  => 'target (true-dynamic)',
    sched_ext      => 'sched_ext',
    loader         => 'what changes the loader',
    program_fs     => 'file system of the programs',
    file_tests_fs  => 'file system of the file tests',
);

sub words_of {
    my ($name) = @_;
    my @words = map { /^cpus$/ ? 'CPUs' : /^(?:cpu|smt|numa|aslr|pid)$/ ? uc : $_ } split /_/,
        $name;
    return $WORDS{$name} || "@words";
}

# All facts, and properties of a run that also make results incomparable.  value: sub (run);
# names: it says of which machine and build a run is; lasts: two runs of one machine have it alike;
# on_screen: sub (run) of its short form, where a run is a pasted screen, which has no other
my %ON_SCREEN = (cpu_model => \&cpu, distribution => \&distribution);
my %LASTS = map { $_ => 1 } qw(cpus_online cpus_allowed scheduling);
my $BUILD = 'build (compiler, flags, linker, libc)';
my @FACTS = (
    { words => $BUILD, value              => \&build_of, names => 1, lasts     => 1 },
    { words => 'C library', value         => sub { }, names    => 1, on_screen => \&libc },
    { words => 'programs', value          => sub { $_[0]{programs} }, lasts => 1 },
    { words => 'options', value           => \&options },
    { words => 'pinning', value           => sub { pinning($_[0]{settings}) }, lasts => 1 },
    { words => 'seconds of a pass', value => sub { $_[0]{settings}{slice} } },
    { words => 'suite', value             => sub { $_[0]{suite} }, lasts => 1 },
    { words => 'way of measuring', value  => sub { way_of_measuring($_[0]{settings}) } },
    map({ { of_system($_), names   => 1, lasts => 1 } } @INCOMPARABLE),
    map({ { of_system($_), notable => 1, lasts => $LASTS{$_} } } @NOTABLE),
);

sub of_system {
    my ($name) = @_;
    my $value = sub { return ($_[0]{system} || {})->{$name} };
    return (words => words_of($name), value => $value, on_screen => $ON_SCREEN{$name});
}

sub options {
    my ($run) = @_;
    return $run->{options} && (join(q{ }, @{ $run->{options} }) || 'none');
}

# How all programs were built: not which of them are linked in another way, which depends on the
# tests that were chosen
sub build_of {
    my ($run) = @_;
    my $build = join '; ', map { s/ [(]bound [a-z ]+: [^()]*[)]//gr } @{ $run->{build} || [] };
    return length $build ? $build : undef;
}

# Pinned to which CPUs, or free; undef where that is unknown
sub pinning {
    my ($settings) = @_;
    return if !defined $settings->{pin};
    return 'free' if !$settings->{pin};
    return defined $settings->{cpus} ? "pinned to $settings->{cpus}" : 'pinned';
}

sub way_of_measuring {
    my ($name, $turns) = @{ $_[0] || {} }{qw(name turns)};
    return if !defined $name || $name eq 'imported';
    return defined $turns ? "$name, in turns of $turns s" : $name;
}

sub differs {
    my ($x, $y) = @_;
    return defined $x && defined $y ? $x ne $y : defined $x || defined $y;
}

# The heads of runs, and of those of groups
sub heads {
    return map { $_->{head} } map { @{ $_->{members} || [$_] } } @_;
}

# The options of the kernel's configuration that differ, where all runs have them
sub facts_of_options {
    my @sets = map { ($_->{system} || {})->{kernel_options} } heads(@_);
    return if grep { !defined } @sets;
    my %runs_with;
    $runs_with{$_}++ for map { split / / } @sets;
    my %differs = map { /^(\w+)/ ? ($1 => 1) : () } grep { $runs_with{$_} < @sets } keys %runs_with;
    return map {
        my $set = qr/(?:^| )$_=(\S+)/;
        my $value = sub { return $_[0]{system}{kernel_options} =~ $set ? $1 : 'not set' };
        +{ words => "CONFIG_$_", value => $value, notable => 1 };
    } sort keys %differs;
}

# -> (value, 1 where the runs of a group differ in it): then parts ("a; b") that some of them have
# are followed by how many
sub value_of {
    my ($fact, $run) = @_;
    my ($first, @others) = map { scalar $fact->{value}->($_) } heads($run);
    return $first if !grep { differs($first, $_) } @others;
    my (%count, @parts);
    for my $value ($first, @others) {
        my %own = map { $_ => 1 } my @own = split /; /, $value // 'unknown';
        push @parts, grep { delete $own{$_} && !$count{$_}++ } @own;
    }
    my $of_all = 'of ' . (1 + @others) . ' runs';
    return (join('; ', map { $count{$_} > @others ? $_ : "$_ ($count{$_} $of_all)" } @parts), 1);
}

# -> (true where they differ, the two values, undef where one is unknown)
sub compared {
    my ($fact, @two) = @_;
    my $has_screen = grep { $_->{posted} && !defined build_of($_) } heads(@two);
    $fact = { %{$fact}, value => $fact->{on_screen} } if $has_screen && $fact->{on_screen};
    my @values_of_runs = map { [ value_of($fact, $_) ] } @two;
    my ($old, $new) =
        map { ($_->[0] // 'unknown') eq 'unknown' ? undef : $_->[0] } @values_of_runs;
    my $is_mixed = grep { $_->[1] } @values_of_runs;
    return ($is_mixed || defined $old && defined $new && $old ne $new, $old, $new);
}

sub differing_facts {
    my (@two) = @_;
    my %facts = map { $_ => [] } qw(incomparable notable unknown compared);
    for my $fact (@FACTS, facts_of_options(@two)) {
        my ($differs, @values) = compared($fact, @two);
        my $known = grep { defined } @values or next;
        my ($old, $new) = map { $_ // 'unknown' } @values;
        my $words = $fact->{words};
        push @{ $facts{unknown} }, $words if $known == 1;
        push @{ $facts{compared} }, $words if $known == 2 && $fact->{names};
        push @{ $facts{ $fact->{notable} ? 'notable' : 'incomparable' } },
            { fact => $words, old => $old, new => $new }
            if $differs;
    }
    return \%facts;
}

sub names_machine {
    my ($facts) = @_;
    my %compared = map { $_ => 1 } @{ $facts->{compared} };
    return (grep { !$compared{$_} } 'CPU', 'kernel', $BUILD) ? 0 : 1;
}

sub same_machine {
    my (@two) = @_;
    for my $fact (grep { $_->{lasts} } @FACTS) {
        my ($differs, @values) = compared($fact, @two);
        return 0 if $differs || 1 == grep { defined } @values;
    }
    return 1;
}

# ---- reference loops ----

# What a loop in user mode depends on besides the compiler, and what others depend on besides
my @OF_CPU = qw(architecture cpu_model page_size cpus_online cpus_allowed);
my @OF_KERNEL = qw(hypervisor system kernel_release kernel_version kernel_config vulnerabilities
    mitigations hugepages microcode);

sub without_loops {
    my ($first, @others) = map { $_->{head} } @_;
    my ($why) = grep { defined } map { scalar without_loops_of($first, $_) } @others;
    return $why;
}

sub without_loops_of {
    my (@runs) = @_;
    return 'a posted report has none' if grep { ($_->{kind} || q{}) eq 'imported' } @runs;
    my @hosts = map { $_->{host} } @runs;
    return 'machine unknown' if grep { !defined } @hosts;
    return 'different machines' if $hosts[0] ne $hosts[1] || unequal(\@OF_CPU, @runs);
    return 'pinning differs' if differs(map { scalar pinning($_->{settings}) } @runs);
    my @builds = map { $_->{build} || [] } @runs;    # the first line: compiler, linker
    return 'compiler or its options differ' if differs(map { $_->[0] } @builds);
    return 'version of the suite differs' if differs(map { $_->{suite} } @runs);
    my @changed = map { words_of($_) } unequal(\@OF_KERNEL, @runs);
    push @changed, 'libc'
        if differs(map { scalar build_of({ build => [ @{$_}[ 1 .. $#{$_} ] ] }) } @builds);
    return @changed ? 'they can have changed with ' . join(q{, }, @changed) : undef;
}

sub unequal {
    my ($names, @runs) = @_;
    my ($old, $new) = map { $_->{system} || {} } @runs;
    return grep { differs($old->{$_}, $new->{$_}) } @{$names};
}

# ---- names of machines ----

sub is_short { my ($name) = @_; return $name =~ /\A[\w.+-]{1,9}\z/a }

sub names {
    my ($runs) = @_;
    my @labels = map { $_->{members} ? $_->{name} : $_->{head}{label} } @{$runs};
    my @files = map { $_->{name} =~ s/[.](?:txt|md|html?|log)\z//r } @{$runs};
    my @long = grep { !defined $labels[$_] && !is_short($files[$_]) } 0 .. $#files;
    my @names = @long ? apart($runs, @files) : @files;
    @names = map { $labels[$_] // $names[$_] } 0 .. $#names;
    my %alike;    # by one label, but of several hosts
    push @{ $alike{ $names[$_] } }, $_ for grep { defined $runs->[$_]{head}{host} } 0 .. $#names;

    for my $same (values %alike) {
        my %host = map { $_ => $runs->[$_]{head}{host} } @{$same};
        next if keys %{ { reverse %host } } == 1;
        $names[$_] .= ", $host{$_}" for @{$same};
    }
    my %times;
    $_ .= ++$times{$_} > 1 ? " ($times{$_})" : q{} for @names;
    return @names;
}

# The facts in which runs differ, each only of those that are alike in the facts before it; at last
# the file name
sub apart {
    my ($runs, @files) = @_;
    my @names = (q{}) x @files;
    for my $fact (\&cpu, \&cpus, \&series, \&release, undef) {
        my %alike;
        push @{ $alike{ $names[$_] } }, $_ for 0 .. $#names;
        for my $same (grep { @{$_} > 1 } values %alike) {
            my @heads = map { $_->{head} } @{$runs}[ @{$same} ];
            my @values =
                $fact
                ? map { defined cpu($_) && $fact->($_) || q{} } @heads
                : own_parts(@files[ @{$same} ]);
            my %different = map { $_ => 1 } @values;
            next if keys %different == 1;
            $names[$_] = join ', ', grep { length } $names[$_], shift @values for @{$same};
        }
    }
    return map { length $names[$_] ? $names[$_] : $files[$_] } 0 .. $#names;
}

# Without the words at the beginning and the end that all names have, if letters are left
sub own_parts {
    my (@names) = @_;
    my @words = map { [ split /(?<=[-_ ])|(?=[-_ ])/ ] } @names;
    for my $end (0, -1) {
        while (!grep { @{$_} < 2 || $_->[$end] ne $words[0][$end] } @words) {
            splice @{$_}, $end, 1 for @words;
        }
    }
    my @own = map { join(q{}, @{$_}) =~ s/\A[-_ ]+|[-_ ]+\z//gr } @words;
    return (grep { !/[[:alpha:]]/ } @own) ? @names : @own;
}

sub cpu {
    my ($head) = @_;
    my $model = ($head->{system} || {})->{cpu_model};
    return if !defined $model || $model !~ /\w/;
    $model =~ s/[(](?:R|TM)[)]|(?: CPU)? [@].*| CPU(?= )| (?:\d+-Core )?Processor\b//gi;
    return $model =~ s/ {2,}/ /gr;
}

sub distribution {
    my ($head) = @_;
    my $name = ($head->{system} || {})->{distribution};
    return defined $name ? $name =~ s{ GNU/Linux| [(].*}{}gr : undef;
}

# Of a post that its head prints
sub libc {
    my ($head) = @_;
    my @posted = map { /^Build: (?:.*; )?(.*)/ } @{ ($head->{posted} || {})->{head} || [] };
    my ($libc) = grep { /^(?:glibc|musl)\b/ } @{ $head->{build} || [] }, @posted or return;
    return $libc =~ s/,(?! static).*?(?=, static|\z)//r;
}

sub cpus {
    my ($head) = @_;
    my $cpus = ($head->{system} || {})->{cpus_online} or return;
    return $cpus == 1 ? '1 CPU' : "$cpus CPUs";
}

sub kernel_of {
    my ($head) = @_;
    return join q{ }, grep { defined } @{ $head->{system} || {} }{qw(system kernel_release)};
}

sub series {
    my ($head) = @_;
    my ($name, $release) = @{ $head->{system} || {} }{qw(system kernel_release)};
    my ($version) = ($release // q{}) =~ /\A(\d+(?:[.]\d+)?)/a or return;
    return join q{ }, map { s{\AGNU/}{}r } grep { defined } $name, $version;
}

sub release { my ($head) = @_; return ($head->{system} || {})->{kernel_release} }

# ---- runs without what identifies a site ----

my @IDENTIFY = qw(host command source remarks label);

# Texts that others are found by, and numbers as text
my %KEPT = map { $_ => 1 } qw(name title test tests category groups series side value values axis
    quantity unit kind format suite status label batches histogram stalls cells cpus);

# Options of the programs, their numbers, and targets of pgms
my $HARMLESS = qr/\A(?:--[a-z-]+|[\d.]+[kKmMgG]?|(?:true|sh)-[a-z\d-]+M?)\z/;

# A path; one in quotes can have blanks.  "1/2", "9/s", "/s" and "./Run" are not paths
my $NAME = qr{[^\s/:;,'"()=|]+};
my $PATH = qr{(?<=")(?:~|[.]{1,2})?/[^"]*(?=")|(?<![\w.])(?:
    (?:~|[.]{1,2})?(?:/$NAME){2,}/? | (?:~|[.][.])/$NAME | (?<![^\s'"=:(])/[\w.+-]{3,} )}x;
my $FAILED = qr/(--set-(?:a|b|back)) '.*/s;

sub anonymous {
    my ($run) = @_;
    my %copy = %{ hidden($run) };
    delete @copy{@IDENTIFY};
    my @sides = @{ $run->{sides} || [] };
    $copy{sides} = [ map { hidden($_) } @sides ] if @sides;
    my ($first) = split /[.]/, $run->{host} // q{};
    my @told = ($first, @{$run}{qw(host name label set_back programs)});
    for my $part ($run, @sides) {
        push @told, @{$part}{qw(set stop programs)}, @{ $part->{wrap} || [] };
        push @told, grep { $_ !~ $HARMLESS } @{ $part->{options} || [] };
    }
    my @words = grep { defined && /[[:alpha:]]/ && length > 1 } @told;
    my $told = join q{|}, map { quotemeta } sort { length $b <=> length $a } @words;
    my $started = $run->{started};
    return {
        %{ cleaned(\%copy, @words ? qr/(?<!\w)(?:$told)(?!\w)/ : qr/(?!)/) },
        name => defined $started ? sprintf('run-%.0f', $started) : 'run'
    };
}

# Hides the commands and folders of a run, or of a side of an A/B run
sub hidden {
    my ($part) = @_;
    my %copy = %{$part};
    $copy{options} = [ map { $_ =~ $HARMLESS ? $_ : 'ARGUMENT' } @{ $copy{options} } ]
        if $copy{options};
    $copy{wrap} = ['COMMAND'] if $copy{wrap};
    $copy{programs} = 'PATH' if defined $copy{programs};
    $copy{$_} = 'COMMAND' for grep { defined $copy{$_} } qw(set stop set_back);
    return \%copy;
}

# The data with each of their texts so, except those that are kept
sub cleaned {
    my ($data, $told, $kept) = @_;
    return { map { $_ => cleaned($data->{$_}, $told, $KEPT{$_}) } keys %{$data} }
        if ref $data eq 'HASH';
    return [ map { cleaned($_, $told, $kept) } @{$data} ] if ref $data eq 'ARRAY';
    my $text = $data;    # a number stays one
    return $data if $kept || ref $data || !defined $data || $text !~ m{[[:alpha:]/]};
    $text                                                         =~ s/$FAILED/$1 COMMAND: failed/;
    return without_paths($text)                                   =~ s/$told/HIDDEN/gr;
}

sub anonymous_groups {
    my (@groups) = map { [ map { { %{$_} } } @{$_} ] } @_;
    my %times;
    for my $run (map { @{$_} } @groups) {
        $run->{head} = anonymous($run->{head});
        my $name = $run->{head}{name};
        my $time = ++$times{$name};
        $run->{name} = $time > 1 ? "$name#$time" : $name;
    }
    return @groups;
}

sub without_paths { my ($text) = @_; return $text =~ s/$PATH/PATH/gr }

1;
