# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::HTML::Machine;

# The machine of a run on its page.
#
#   machine(run) -> "a 2-CPU AMD EPYC virtual machine", as far as that is known
#   facts(run) -> (texts): processor, kernel, distribution, hypervisor, compiler and library,
#       governor; only those that are known
#   settings(run) -> HTML: these and the mitigations as a table, all other facts folded away

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Fingerprint ();
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Report::HTML::Page    qw(details section table);
use SpawnMeter::Report::Text          qw(way_of_measuring);
use SpawnMeter::Util::Format          qw(thousands);

our @EXPORT_OK = qw(machine facts settings);

sub machine {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $cpu =
        ($system->{cpu_model} // q{}) =~ s/[(](?:R|TM)[)]|(?<=..) (?:CPU|Processor)\b| ?[@].*//gr;
    my $cpus = $system->{cpus_online};
    my @words = grep { length } $cpus ? "$cpus-CPU" : q{}, $cpu;
    my $kind = is_virtual($system) ? 'virtual machine' : 'machine';
    return join q{ }, "@words" =~ /\A(?:8|11\b|18\b|[aeioAEIO])/ ? 'an' : 'a', @words, $kind;
}

sub is_virtual { my ($system) = @_; return ($system->{hypervisor} || 'none') ne 'none' }

sub facts {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my ($cpu, $cpus, $hypervisor, $governor) =
        @{$system}{qw(cpu_model cpus_online hypervisor governor)};
    $cpu .= $cpus == 1 ? ', 1 CPU' : ", $cpus CPUs" if defined $cpu && $cpus;
    return grep { defined && length } $cpu, kernel($system), $system->{distribution},
        defined $hypervisor ? in_words(hypervisor => $hypervisor) : undef,
        join(', ', map { s/ [(][^()]*[)]|[;,].*//gr } @{ $run->{build} || [] }),
        defined $governor ? "governor $governor" : undef;
}

sub kernel {
    my ($system) = @_;
    return join q{ }, grep { defined } @{$system}{qw(system kernel_release architecture)};
}

# ---- the table ----

my %WORDS = (
    aslr       => [ 'off', 'without the heap', 'full' ],
    overcommit => [qw(heuristic always never)],
    seccomp    => [ 'none', 'strict', 'filter' ],
    map { $_ => [qw(off on)] } qw(autogroup smt),
);
my %UNIT = (
    map({ $_ => 'MB' } qw(memory_total memory_available memory_swap)),
    map({ $_ => 'bytes' } qw(environment_bytes page_size stack_limit)),
    uptime => 's',
);

sub in_words {
    my ($name, $value) = @_;
    return known($value) if !defined $value;
    return $value if $value !~ /\A(?:yes|none|[\d. ]+)\z/;
    return $WORDS{$name}[$value] // $value if $WORDS{$name} && $value =~ /\A\d\z/;
    return thousands($value) . " $UNIT{$name}" if $UNIT{$name} && $value =~ /\A\d+\z/;
    return { yes => 'a virtual machine', none => 'no hypervisor' }->{$value}
        if $name eq 'hypervisor';
    return ($value =~ s/ /, /gr) . ' (1, 5, 15 minutes)' if $name eq 'load_average';
    return $value;
}

sub mitigations {
    my ($system) = @_;
    my ($state, $asked) = @{$system}{qw(vulnerabilities mitigations)};
    return if !defined $state && !defined $asked;
    my @against = ($state // q{}) =~ /(?:\A|; )([a-z]\w*): (?:KVM: )?Mitigation/g;
    return join '; ', @against ? 'against ' . join(q{, }, @against) : 'none known',
        grep { length } $asked // q{};
}

my @SHOWN = qw(cpu_model system kernel_release architecture distribution hypervisor governor);

sub settings {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my ($compiler, @library) = @{ $run->{build} || [] };
    my @rows = grep { defined $_->[1] && length $_->[1] } (
        [ CPU          => $system->{cpu_model} ],
        [ Kernel       => kernel($system) ],
        [ Distribution => $system->{distribution} ],
        [ Hypervisor   => in_words(hypervisor => $system->{hypervisor}) ],
        [ Compiler     => $compiler ],
        [ Programs     => join '; ', @library ],
        [ Governor     => known($system->{governor}) ],
        [ Mitigations  => scalar mitigations($system) ],
    );
    my %shown = map { $_ => 1 } @SHOWN;
    my @more = map { [ Condition => $_ ] } @{ $run->{conditions} || [] };
    push @more, [ Measured => ucfirst way_of_measuring($run->{settings}) ]
        if $run->{settings} && !$run->{printed};
    for my $name (grep { !$shown{$_} } sort keys %{$system}) {
        my $words = ucfirst SpawnMeter::Analysis::Fingerprint::words_of($name);
        push @more, [ $words =~ s/^Cpu/CPU/r, in_words($name, $system->{$name}) ];
    }
    my $title = 'Settings and machine';
    my $html = table($title, undef, \@rows);
    $html .= details('All settings and facts', table($title, undef, \@more)) if @more;
    return section($title, $html);
}

1;
