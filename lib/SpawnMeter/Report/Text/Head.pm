# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Head;

# The head of a text report: what was measured, where and how.
#
#   head(run, brief => true for the first lines only, verbose => true for all that is known) ->
#       text, at most 80 columns wide
#   oddities(run) -> lines: a loader, a surrounding and an emulated CPU, which move the rates of
#       all tests
#   protocol(settings) -> how the run was measured, in words

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Report::Advice qw(inherited);
use SpawnMeter::Report::Escape qw(known);
use SpawnMeter::Util::Format   qw(visible folded);

our @EXPORT_OK = qw(head protocol oddities);

use constant { WIDTH => 80, VIRTUAL => '; a virtual machine' };

sub head {
    my ($run, %with) = @_;
    return layout(imported($run)) if $run->{printed};
    my @lines = machine($run);
    push @lines, details($run, $with{verbose}) if !$with{brief};
    return layout("SpawnMeter (Version $run->{suite})", q{}, @lines);
}

# Long lines continue under their text
sub layout {
    my (@lines) = @_;
    my $text = "\n" . q{=} x 72 . "\n";
    for my $line (@lines) {
        $text .= length($line) ? folded(q{   }, visible($line), WIDTH, q{ } x 7) : "\n";
    }
    return "$text\n";
}

sub machine {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $distribution = known($system->{distribution} || $system->{system});
    my @kernel = map { known($_) } @{$system}{qw(system kernel_release kernel_version)};
    my @cpus = map { known($_) } @{$system}{qw(architecture cpus_online cpus_usable)};
    return (
        'System: ' . known($run->{host}) . ": $distribution",
        'OS: ' . join(' -- ', @kernel),
        sprintf('Machine: %s (%s CPUs, %s usable)', @cpus),
        defined $run->{label} ? "Label: $run->{label}" : (),
        oddities($run),
    );
}

sub oddities {
    my ($run) = @_;
    my $system = $run->{system}                                      || {};
    my @loader = grep { $_ ne 'none' } split q{ }, $system->{loader} || q{};
    my @odd = inherited($system);
    my $emulation = $system->{emulation} || 'none';
    my @lines;
    push @lines, 'LOADER: ' . join(q{, }, @loader) . ' changed the time of each exec' if @loader;
    push @lines, 'INHERITED: ' . join('; ', @odd) . ' changed the rates' if @odd;
    push @lines, "EMULATED: $emulation; the times are those of the emulator"
        if $emulation ne 'none';
    return @lines;
}

sub details {
    my ($run, $verbose) = @_;
    my $system = $run->{system} || {};
    my $virtual = ($system->{hypervisor} || 'none') ne 'none' ? VIRTUAL : q{};
    my @lines = 'CPU: ' . known($system->{cpu_model}) . $virtual;
    my @build = @{ $run->{build} || [] };
    push @lines, resources($system) if $verbose;
    push @lines, 'Build: ' . ($verbose ? join '; ', @build : short(@build)) if @build;
    push @lines, 'Measured: ' . protocol($run->{protocol}) if $verbose && $run->{protocol};
    push @lines, "Command: $run->{command}" if defined $run->{command};
    return @lines;
}

# In one line what moves results most: compiler, flags, libc, and how programs are linked
sub short {
    my ($compiler, @others) = @_;
    my $built = $compiler =~ s/ [(][^()]*[)]|;.*//gr;
    return $built if !@others;
    return "$built; " . $others[-1] =~ s/, position-independent| [(]bound .*//gr;
}

# What the machine has, and what it did when the run began
sub resources {
    my ($system) = @_;
    my ($cpus, $load) = @{$system}{qw(cpu_list load_average)};
    my @memory = grep { defined $system->{"memory_$_"} } qw(total available swap);
    return (
        defined $cpus ? "CPUs $cpus"                                                          : (),
        @memory ? 'Memory: ' . join(q{, }, map { $system->{"memory_$_"} . " MB $_" } @memory) : (),
        defined $load
        ? 'Load when the run began: ' . ($load =~ s/ /, /gr) . ' (1, 5, 15 minutes)'
        : (),
    );
}

sub place {
    my ($p) = @_;
    return 'placed by the kernel' if !$p->{pin};
    return 'copy i pinned to the i-th CPU' if !defined $p->{cpus};
    my $order = ($p->{placement} || q{}) =~ /^[a-z]/ ? " (--pin $p->{placement})" : q{};
    return "copy i pinned to the i-th of the CPUs $p->{cpus}$order";
}

sub protocol {
    my ($p) = @_;
    my $name = $p->{name} || q{};
    my $place = place($p);
    return "classic protocol: long passes, worst third dropped; $place" if $name eq 'classic';
    my $runs = ($p->{fixed} || 0) == 1 ? 'run' : 'runs';
    return "$p->{fixed} $runs of each, shuffled (seed $p->{seed}); $place"
        if defined $p->{fixed} && defined $p->{seed};
    return 'settings unknown'
        if grep { !defined $p->{$_} } qw(precision max_time slice seed);
    my $until =
        $name eq 'quick'
        ? 'QUICK, a small fixed budget'
        : sprintf 'until +/- %g %%, at most %g s', 100 * $p->{precision}, $p->{max_time};
    my $turns = defined $p->{turns} ? sprintf ' in turns of %g s', $p->{turns} : q{};
    return sprintf 'passes of %g s%s, shuffled (seed %s), %s; %s', $p->{slice}, $turns, $p->{seed},
        $place, $until;
}

# What a posted text says of its machine; what it does not say is left out.  Of SpawnMeter's own
# report also what is kept as it was printed
sub imported {
    my ($run) = @_;
    my ($own, $system) = @{$run}{qw(posted system)};
    my $source = defined $run->{source} ? " from $run->{source}" : q{};
    my $title = ($own ? "SpawnMeter (Version $run->{suite})" : $run->{suite}) . ", imported$source";
    my @kernel = grep { defined } @{$system}{qw(system kernel_release kernel_version)};
    my $virtual = $own && $own->{virtual} ? VIRTUAL : q{};
    my @known = (
        [ System  => $run->{host} ],
        [ OS      => defined $system->{system} ? join ' -- ', @kernel : undef ],
        [ Machine => $system->{architecture} ],
        [ CPU     => $system->{cpu_model} && $system->{cpu_model} . $virtual ],
        [ Label   => $run->{label} ],
    );
    @known = $known[3] if $own;
    return (
        $title, q{},
        $own ? machine($run) : (),
        map({ "$_->[0]: $_->[1]" } grep { defined $_->[1] } @known),
        $own ? @{ $own->{head} } : (),
        @{ $run->{conditions} || [] }
    );
}

1;
