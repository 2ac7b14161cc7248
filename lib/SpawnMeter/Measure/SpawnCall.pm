# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::SpawnCall;

# Whether this C library's posix_spawn copies the parent's page tables, as fork does, or shares its
# memory, as vfork and clone with CLONE_VM do: by how much longer both take in a large parent.
#
#   spawn_call(suite) -> { posix_spawn, fork => how many times the CPU time they take where the
#       parent has SIZE more memory }; an empty hash where the programs are not built, or fail
#   spawn_call_words(the same) -> a sentence, or an empty text

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(sum);
use SpawnMeter::Analysis::ProgramOutput qw(parse);
use SpawnMeter::Stats::Numbers          qw(median);
use SpawnMeter::Util::Process           qw(output_of);

our @EXPORT_OK = qw(spawn_call spawn_call_words);

use constant {
    SIZE    => '64M',
    SECONDS => 0.1,     # of a pass
    PASSES  => 3,       # with and without the memory, in turn, so that drift does not count
    PATIENT => 10,      # seconds without output
    FLAT    => 1.3,     # times as long: the page tables of 64 MB take far longer than that
};

sub spawn_call {
    my ($suite) = @_;
    my $folder = $suite->{binaries};
    return {} if grep { !-x "$folder/$_" } qw(posix_spawn fork true-dynamic);
    local %ENV = (%ENV, LC_ALL => 'C', UB_BINDIR => $folder);
    my %times;
    for my $test (qw(posix_spawn fork)) {
        my (@small, @large);
        for (1 .. PASSES) {
            push @small, seconds_of("$folder/$test", 0);
            push @large, seconds_of("$folder/$test", SIZE);
        }
        return {} if grep { !defined } @small, @large;
        $times{$test} = median(@large) / median(@small);
    }
    return \%times;
}

# CPU time of a creation, which other work on the machine changes least; undef where the program
# fails
sub seconds_of {
    my ($program, $heap) = @_;
    my ($status, $words) = output_of(
        { line => [ $program, '--heap', $heap, SECONDS ], seconds => PATIENT, marked => 1 });
    my $result = $status == 0 ? parse($words) : {};
    my @cpu = grep { defined } @{ $result->{cpu} || [] };
    return $result->{count} && @cpu && sum(@cpu) > 0 ? sum(@cpu) / $result->{count} : undef;
}

sub spawn_call_words {
    my ($times) = @_;
    return q{} if !%{$times};
    my ($spawn, $fork) = @{$times}{qw(posix_spawn fork)};
    my $so =
          $spawn > FLAT ? q{, so it copies the parent's page tables, as fork does}
        : $fork > FLAT  ? q{, so it shares the parent's memory}
        :                 q{};
    return
        sprintf 'posix_spawn of this C library takes %.1f times the CPU time where the parent '
        . 'has 64 MB more (fork: %.1f times)%s.', $spawn, $fork, $so;
}

1;
