# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Turns;

# Two passes at the same time, in turns: one program runs while the other waits.
#
#   run_in_turns(SpawnMeter::Measure::Runner, seconds of a turn, two of what its run takes, of
#       one copy each) -> what run returns of each, with half of the time of both as wall, and
#       beside => [results of the other].  The first one begins.  Where one has ended, the other
#       goes on alone; where one cannot start, the other runs alone

use strict;
use warnings;
use Exporter 'import';
use List::Util             qw(sum);
use SpawnMeter::Util::File qw(write_all);

our @EXPORT_OK = qw(run_in_turns);

sub run_in_turns {
    my ($runner, $turn, @specs) = @_;
    my @pipes = pipes();
    return map { { status => 'failed', reason => "pipe: $!", results => [], wall => 0 } } @specs
        if !@pipes;
    my $outcome = $runner->run({
        %{ $specs[0] },
        copies  => scalar @specs,
        timeout => sum(map { $_->{timeout} } @specs),
        each    => [ map { own($specs[$_], $turn, @{ $pipes[$_] }) } 0 .. $#specs ],
    });
    my @all = @{ $outcome->{each} };
    my @of_each = map { of_one($outcome, $_, @all) } 0 .. $#all;
    for my $i (grep { $all[$_]{unstarted} } 0 .. $#all) {
        $of_each[$i] = $runner->run($specs[$i]);
    }
    return @of_each;
}

# The ends that each of the two reads from and writes to; nothing with $!.  The first one may
# begin, as if the other had ended a turn
sub pipes {
    pipe my $first_in, my $to_first   or return;
    pipe my $second_in, my $to_second or return;
    write_all($to_first, 't');
    return ([ $first_in, $to_second ], [ $second_in, $to_first ]);
}

# What this copy has of its own
sub own {
    my ($spec, $turn, @pipes) = @_;
    my @turns = ('--turns', join(q{,}, map { fileno $_ } @pipes), '--pauses', $turn);
    return {
        (map { $_ => $spec->{$_} } qw(program wrap environment)),
        arguments => [ @turns, @{ $spec->{arguments} } ],
        pin       => $spec->{pin} ? [ $spec->{pin}[0] ] : undef,
        keep      => \@pipes,
    };
}

sub of_one {
    my ($outcome, $i, @all) = @_;
    return {
        (map { $_ => $outcome->{$_} } qw(before after paused)),
        %{ $all[$i] },
        wall   => $outcome->{wall} / @all,
        output => [ grep { defined } $outcome->{output}[$i] ],
        beside => [ map { @{ $_->{results} } } @all[ grep { $_ != $i } 0 .. $#all ] ],
    };
}

1;
