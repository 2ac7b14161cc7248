# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Report::Text::Head;

# The head of a text report: what was measured, where and how.
#
#   head(run, brief: true for the first lines only) -> text, at most 80 columns wide
#   wrong_clock(run) -> a sentence where the wall clock cannot have been right, or undef

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Util::Format qw(visible folded);

our @EXPORT_OK = qw(head wrong_clock);

use constant WIDTH => 80;

# Seconds since 1970 between which a wall clock is believed, 2005 to 2099: without a battery
# it begins in 1970, 1980 or 2000
use constant {
    EARLIEST => 1_104_537_600,
    LATEST   => 4_102_444_800,
};

sub head {
    my ($run, $brief) = @_;
    return layout(imported($run)) if $run->{printed};
    my @lines = machine($run);
    push @lines, details($run) if !$brief;
    return layout("SpawnMeter (Version $run->{suite})", q{}, @lines);
}

sub known { my ($value) = @_; return defined $value && length $value ? $value : 'unknown' }

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
    my $clock = wrong_clock($run);
    return (
        'System: ' . known($run->{host}) . ": $distribution",
        'OS: ' . join(' -- ', @kernel),
        sprintf('Machine: %s (%s CPUs, %s usable)', @cpus),
        defined $clock ? "CLOCK: $clock" : (),
    );
}

sub wrong_clock {
    my ($run) = @_;
    my $started = $run->{started};
    return if !defined $started || $started >= EARLIEST && $started < LATEST;
    my ($day, $month, $year) = (gmtime $started)[ 3 .. 5 ];
    return sprintf 'the wall clock said %d-%02d-%02d; the dates of this run are wrong',
        $year + 1900, $month + 1, $day;
}

sub details {
    my ($run) = @_;
    my $system = $run->{system} || {};
    my $virtual = ($system->{hypervisor} || 'none') ne 'none' ? '; a virtual machine' : q{};
    my @lines = 'CPU: ' . known($system->{cpu_model}) . $virtual;
    push @lines, map { "Build: $_" } map { split /; / } @{ $run->{build} || [] };
    push @lines, 'Measured: ' . protocol($run->{protocol} || {});
    push @lines, "Command: $run->{command}" if defined $run->{command};
    return @lines;
}

sub protocol {
    my ($p) = @_;
    my $name = $p->{name} || q{};
    my $place = $p->{pin} ? 'copy i pinned to the i-th CPU' : 'placed by the kernel';
    return "classic protocol: long passes, worst third dropped; $place" if $name eq 'classic';
    return "$p->{fixed} runs of each, shuffled (seed $p->{seed}); $place"
        if defined $p->{fixed} && defined $p->{seed};
    return 'settings unknown'
        if grep { !defined $p->{$_} } qw(precision max_time slice seed);
    my $until =
        $name eq 'quick'
        ? 'QUICK, a small fixed budget'
        : sprintf 'until +/- %g %%, at most %g s', 100 * $p->{precision}, $p->{max_time};
    return sprintf 'passes of %g s, shuffled (seed %s), %s; %s', $p->{slice}, $p->{seed}, $place,
        $until;
}

# What a posted text says of its machine; what it does not say is left out
sub imported {
    my ($run) = @_;
    my $system = $run->{system};
    my $source = defined $run->{source} ? " from $run->{source}" : q{};
    my @kernel = grep { defined } @{$system}{qw(system kernel_release kernel_version)};
    my @lines = ("$run->{suite}, imported$source", q{});
    push @lines, "System: $run->{host}" if defined $run->{host};
    push @lines, 'OS: ' . join(' -- ', @kernel) if defined $system->{system};
    push @lines, "Machine: $system->{architecture}" if defined $system->{architecture};
    push @lines, "CPU: $system->{cpu_model}" if defined $system->{cpu_model};
    return (@lines, @{ $run->{conditions} || [] });
}

1;
