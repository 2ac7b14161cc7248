# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Reference;

# The reference loops beside the passes: how the machine moved.  Pure functions.
#
#   LOOPS: their names, that which creation depends on most first
#   FAULTS: a name for both loops of page faults together, whose rate is the geometric mean of
#       theirs; known where both are
#   WITHIN: a name for the same in pauses of the timed part, whose readings are two: that of every
#       other pause, and that of those between
#   words_of(name) -> for reports: "page faults"
#   level(pass, name, moment) -> logarithm of the loop's rate in this pass, undef where unknown: the
#       mean of those before and after the timed part, or of WITHIN, of all copies; with a moment
#       that of one reading: 0 for the first one, -1 for the last
#   beside([passes of a test]) -> (WITHIN or FAULTS, [ { at, y => logarithm of the rate, x => level,
#       x2 => [two readings of it] } ] of the passes that have it), as adjust() of Stats::Estimate
#       wants passes: WITHIN where half of them have it
#   movement([passes]) -> { name, words, rate => median per second, moved => largest level of
#       a part of the run over the smallest, less 1; undef under 2 parts } of FAULTS, or of a
#       loop that is known of more than twice as many passes; or undef without references
#
# A program runs the loops before its warm-up and after its timed part, and those of page
# faults also within it (src/harness/reference.c, pass_pause()).  The level of a part of the run is
# the median of its passes.

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(first max min sum);
use SpawnMeter::Stats::Numbers qw(median);

our @EXPORT_OK = qw(LOOPS FAULTS WITHIN words_of level beside movement);

use constant LOOPS => qw(sparse_faults page_faults arithmetic);

use constant {
    FAULTS    => 'faults',
    WITHIN    => 'within',
    PARTS     => 8,          # of a run, at most
    LEAST     => 8,          # passes of a part
    MUCH_MORE => 2,          # times as many
};

my %TOGETHER = map { $_ => [qw(sparse_faults page_faults)] } FAULTS, WITHIN;

my %WORDS = (
    FAULTS, 'page faults of both kinds',
    WITHIN, 'page faults of both kinds',
    sparse_faults => 'sparse page faults',
    page_faults   => 'page faults',
    arithmetic    => 'arithmetic steps',
);

sub words_of { my ($name) = @_; return $WORDS{$name} }

sub level {
    my ($pass, $name, $moment) = @_;
    my $field = $name eq WITHIN ? 'within' : 'references';
    my @readings;    # { loop => rate }
    for my $of_copy (grep { $_ && @{$_} } map { $_->{$field} } @{ $pass->{results} || [] }) {
        push @readings, defined $moment ? $of_copy->[$moment] : @{$of_copy};
    }
    my @levels;
    for my $loop (@{ $TOGETHER{$name} || [$name] }) {
        my @rates = grep { defined && $_ > 0 } map { $_->{$loop} } @readings or return;
        push @levels, sum(map { log } @rates) / @rates;
    }
    return sum(@levels) / @levels;
}

sub beside {
    my ($passes) = @_;
    for my $name (WITHIN, FAULTS) {
        my @points = map { scalar point($_, $name) } @{$passes};
        my @known = grep { defined } @points;
        return ($name, \@known) if @known && 2 * @known >= @points;
    }
    return;
}

sub point {
    my ($pass, $name) = @_;
    my @readings = map { scalar level($pass, $name, $_) } 0, -1;
    return if grep({ !defined } @readings) || $pass->{rate} <= 0 || !defined $pass->{at};
    return { at => $pass->{at}, y => log $pass->{rate}, x => sum(@readings) / 2, x2 => \@readings };
}

sub movement {
    my ($passes) = @_;
    my @ok = grep { $_->{status} eq 'ok' } @{$passes};
    my %levels = map {
        my $name = $_;
        $name => [ grep { defined } map { level($_, $name) } @ok ]
    } FAULTS, LOOPS;
    my $most = max(map { scalar @{$_} } values %levels) or return;
    my $name = first { MUCH_MORE * @{ $levels{$_} } >= $most } FAULTS, LOOPS;
    return {
        name  => $name,
        words => $WORDS{$name},
        rate  => exp median(@{ $levels{$name} }),
        moved => scalar moved(@{ $levels{$name} }),
    };
}

sub moved {
    my (@levels) = @_;
    my $parts = min(PARTS, int @levels / LEAST);
    return if $parts < 2;
    my @medians = map {
        my ($from, $to) = map { int $_ * @levels / $parts } $_, $_ + 1;
        scalar median(@levels[ $from .. $to - 1 ]);
    } 0 .. $parts - 1;
    return exp(max(@medians) - min(@medians)) - 1;
}

1;
