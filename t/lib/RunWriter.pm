# SPDX-License-Identifier: GPL-2.0-or-later
package RunWriter;

# Writes a run record of a check as the run file that ./Run would have stored, which is read in a
# tenth of the time that one JSON document takes.
#
#   write_run(path, run record)

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::RunFile qw(lines_of);
use SpawnMeter::Util::File     qw(write_bytes);

our @EXPORT_OK = qw(write_run);

sub write_run {
    my ($path, $run) = @_;
    my %head = %{$run};
    my ($blocks, $passes) = delete @head{qw(blocks passes)};
    my @lines = lines_of(run => \%head);
    my @left = @{$passes};
    for my $block (@{$blocks}) {
        my %begun = %{$block};
        my $ended = delete $begun{ended};
        my @of_block = grep { @{$blocks} == 1 || $_->{copies} == $block->{copies} } @left;
        push @lines, lines_of(block => \%begun),
            map({ lines_of(pass => with_output($_)) } @of_block),
            lines_of(ended => $ended);
    }
    push @lines, lines_of(end => { map { $_ => $run->{$_} } qw(complete reason) });
    write_bytes($path, join q{}, '[', @lines, lines_of(listed => { scores => [] }));
    return;
}

sub with_output {
    my ($pass) = @_;
    return $pass if !$pass->{results};
    my @copies = map {
        join q{,},
            map { qq{"$_"} }
            lines_of_result($_)
    } @{ $pass->{results} };
    return { %{$pass}, output => '[' . join(q{,}, map { "[$_]" } @copies) . ']' };
}

# What a program prints for this result
sub lines_of_result {
    my ($result) = @_;
    my ($start, $within) = ($result->{start} || {}, $result->{within});
    return (
        line('COUNT', @{$result}{qw(count timebase)}, 'lps'),
        map({ line(uc, $result->{$_}) }
            grep { defined $result->{$_} } qw(time timed creating iterations histogram)),
        map({ line(uc, @{ $result->{$_} }) }
            grep { $result->{$_} } qw(cpu latency footprint)),
        map({ line('REFERENCE', rates($_)) } @{ $result->{references} }),
        $result->{stall}       ? line('STALL', @{ $result->{stall} }, $result->{stalls}) : (),
        $result->{page_faults} ? line('MINFLT', @{ $result->{page_faults} }, 'faults')   : (),
        map({ line('START', $_, @{ $start->{$_} }, $result->{starts}{$_}) } sort keys %{$start}),
        $within ? line('PAUSES', @{$result}{qw(paused paused_cpu)}, in_pauses(@{$within})) : (),
    );
}

# Programs print at most twelve decimals
sub line {
    return join q{|}, map { s/[.]\d{9}\K\d+//r } @_;
}

sub rates {
    my ($set) = @_;
    return map { "$_=$set->{$_}" } sort keys %{$set};
}

# Six pauses, whose readings are those of every other pause in turn
sub in_pauses {
    my @rates = map {
        my $set = $_;
        +{ map { $_ => sprintf '%.0f', $set->{$_} } keys %{$set} }
    } @_;
    return map {
        my $loop = $_;
        "$loop=" . join q{,}, (map { $_->{$loop} } @rates) x 3;
    } sort keys %{ $rates[0] };
}

1;
