# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::SpawnCall;

# Which call this C library's posix_spawn makes: fork copies the parent's page tables, vfork and
# clone with CLONE_VM do not.
#
#   spawn_call(suite) -> { call => words, where strace can show it; times, of_fork => how many
#       times the CPU time posix_spawn and fork take where the parent has SIZE more memory }; an
#       empty hash where the programs are not built
#   spawn_call_words(the same) -> a sentence, or an empty text
#   call_of(output of strace) -> the call in words, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Stats::Numbers          qw(median);
use SpawnMeter::Util::Process           qw(output_of);
use SpawnMeter::Util::Programs;

our @EXPORT_OK = qw(spawn_call spawn_call_words call_of);

use constant {
    SIZE    => '64M',
    SECONDS => 0.1,     # of a pass
    PASSES  => 3,       # with and without the memory, in turn
    PATIENT => 10,      # seconds without output
    FLAT    => 1.3,     # times as long: the page tables of 64 MB take far longer than that
};

sub spawn_call {
    my ($suite) = @_;
    my $folder = $suite->{binaries};
    return {} if grep { !-x "$folder/$_" } qw(posix_spawn fork true-dynamic);
    local %ENV = (%ENV, LC_ALL => 'C', UB_BINDIR => $folder);
    return {
        call    => scalar traced("$folder/posix_spawn"),
        times   => scalar growth("$folder/posix_spawn"),
        of_fork => scalar growth("$folder/fork"),
    };
}

sub traced {
    my ($program) = @_;
    my $strace = SpawnMeter::Util::Programs::found('strace') or return;
    my ($status, $words) =
        words($strace, '-f', '-qq', '-e', 'trace=clone,clone3,fork,vfork', $program, qw(--count 1));
    return $status == 0 ? call_of($words) : undef;
}

sub words {
    my (@line) = @_;
    return output_of({ line => \@line, seconds => PATIENT, marked => 1 });
}

sub call_of {
    my ($text) = @_;
    my ($call, $arguments) = $text =~ /\b(clone3?|v?fork)[(]([^\n]*)/ or return;
    return $call if $call =~ /fork/;
    my @flags = $arguments =~ /\b(CLONE_(?:VM|VFORK))\b/g;
    return "$call without CLONE_VM, as fork does" if !grep { $_ eq 'CLONE_VM' } @flags;
    return "$call with " . join ' and ', @flags;
}

# Medians of passes in turn, so that drift does not count
sub growth {
    my ($program) = @_;
    my (@small, @large);
    for (1 .. PASSES) {
        push @small, seconds_of($program, 0);
        push @large, seconds_of($program, SIZE);
    }
    return if grep { !defined } @small, @large;
    return median(@large) / median(@small);
}

# CPU time of a creation, which other work on the machine changes least; undef where the program
# fails
sub seconds_of {
    my ($program, $heap) = @_;
    my ($status, $words) = words($program, '--heap', $heap, SECONDS);
    my $result = $status == 0 ? parse($words) : {};
    my @cpu = grep { defined } @{ $result->{cpu} || [] };
    return $result->{count} && @cpu && sum(@cpu) > 0 ? sum(@cpu) / $result->{count} : undef;
}

sub spawn_call_words {
    my ($of) = @_;
    my @parts;
    push @parts, "calls $of->{call} (seen by strace)" if defined $of->{call};
    push @parts, cost($of) if defined $of->{times} && defined $of->{of_fork};
    return q{} if !@parts;
    return "posix_spawn of this C library " . join('; it ', @parts) . q{.};
}

sub cost {
    my ($of) = @_;
    my $text =
        sprintf 'takes %.1f times the CPU time where the parent has 64 MB more (fork: %.1f '
        . 'times)', @{$of}{qw(times of_fork)};
    return "$text, so it shares the parent's memory"
        if $of->{times} < FLAT && $of->{of_fork} > FLAT;
    return "$text, so it copies the parent's page tables, as fork does" if $of->{times} > FLAT;
    return $text;
}

1;
