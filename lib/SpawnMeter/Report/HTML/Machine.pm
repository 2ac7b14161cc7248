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
use SpawnMeter::Analysis::Names       qw(cpu);
use SpawnMeter::Report::Escape        qw(known);
use SpawnMeter::Report::HTML::Page    qw(details section table);
use SpawnMeter::Report::Text          qw(way_of_measuring);
use SpawnMeter::Util::Format          qw(thousands);

our @EXPORT_OK = qw(machine facts settings);

sub machine {
    my ($run) = @_;
    my ($cpus, $hypervisor) = @{ $run->{system} || {} }{qw(cpus_online hypervisor)};
    my @words = grep { defined } $cpus ? "$cpus-CPU" : undef, cpu($run);
    push @words, 'virtual' if ($hypervisor || 'none') ne 'none';
    return join q{ }, "@words" =~ /\A(?:8|11\b|18\b|[aeioAEIO])/ ? 'an' : 'a', @words, 'machine';
}

sub facts {
    my ($run) = @_;
    return map { $_->[1] =~ s/ [(][^()]*[)]|;.*//gr }
        grep   { $_->[0] !~ /\A(?:Programs|Mitigations)\z/ } known_facts($run);
}

# ([name, value], ...)
sub known_facts {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my ($compiler, @programs) = @{ $run->{build} || [] };
    my ($cpus, $governor) = @{$system}{qw(cpus_online governor)};
    my @facts = (
        [ CPU => $system->{cpu_model}, $cpus && ($cpus == 1 ? '1 CPU' : "$cpus CPUs") ],
        [
            Kernel => join q{ },
            grep { defined } @{$system}{qw(system kernel_release architecture)}
        ],
        [ Distribution => $system->{distribution} ],
        [ Hypervisor   => $system->{hypervisor} && in_words(hypervisor => $system->{hypervisor}) ],
        [ Compiler     => $compiler ],
        [ Programs     => @programs ],
        [ Governor     => $governor && "governor $governor" ],
        [ Mitigations  => mitigations($system) ],
    );
    for my $fact (@facts) {
        my ($name, @values) = @{$fact};
        $fact = [ $name, join ', ', grep { defined && length } @values ];
    }
    return grep { length $_->[1] } @facts;
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
    return known($value) if ($value // q{}) !~ /\A(?:yes|none|[\d. ]+)\z/;
    return $WORDS{$name}[$value] // $value if $WORDS{$name} && $value =~ /\A\d\z/;
    return thousands($value) . " $UNIT{$name}" if $UNIT{$name} && $value =~ /\A\d+\z/;
    return { yes => 'a virtual machine', none => 'no hypervisor' }->{$value}
        if $name eq 'hypervisor';
    return ($value =~ s/ /, /gr) . ' (1, 5, 15 minutes)' if $name eq 'load_average';
    return $value;
}

# -> (against which vulnerabilities, what the command line of the kernel asks for)
sub mitigations {
    my ($system) = @_;
    my ($state, $asked) = @{$system}{qw(vulnerabilities mitigations)};
    my @against = ($state // q{}) =~ /(?:\A|; )([a-z]\w*): (?:KVM: )?Mitigation/g;
    return (@against ? 'against ' . join(q{, }, @against) : undef, $asked);
}

my %SHOWN = map { $_ => 1 }
    qw(cpu_model system kernel_release architecture distribution hypervisor governor);

sub settings {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $title = 'Settings and machine';
    my @more = map { [ Condition => $_ ] } @{ $run->{conditions} || [] };
    push @more, [ Measured => ucfirst way_of_measuring($run->{settings}) ]
        if $run->{settings} && !$run->{printed};
    for my $name (grep { !$SHOWN{$_} } sort keys %{$system}) {
        my $words = ucfirst SpawnMeter::Analysis::Fingerprint::words_of($name);
        push @more, [ $words =~ s/^Cpu/CPU/r, in_words($name, $system->{$name}) ];
    }
    my $html = table($title, undef, [ known_facts($run) ]);
    $html .= details('All settings and facts', table($title, undef, \@more)) if @more;
    return section($title, $html);
}

1;
