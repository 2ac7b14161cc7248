# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Reference;

# The reference loops beside the passes: how the machine moved.  Pure functions.
#
#   LOOPS: their names, that which creation depends on most first
#   words_of(name) -> for reports: "page faults"
#   level(pass, name) -> logarithm of the loop's rate in this pass, undef where unknown: the
#       mean of those before and after the timed part, of all copies
#   level_of(pass, name, moment) -> the same at one moment: 0 for the first one, -1 for the last
#   movement([passes]) -> { name, words, rate => median per second, moved => largest level of
#       a part of the run over the smallest, less 1; undef under 2 parts } of the loop that
#       creation depends on most among those beside most passes, or undef without references
#
# A program runs the loops before its warm-up and after its timed part (src/harness/
# reference.c).  The level of a part of the run is the median of its passes.

use strict;
use warnings;
use Exporter 'import';
use List::Util                  qw(first max min sum);
use SpawnMeter::Analysis::Stats qw(median);

our @EXPORT_OK = qw(LOOPS words_of level level_of movement);

use constant LOOPS => qw(sparse_faults page_faults system_calls loads arithmetic);

use constant {
    PARTS => 8,    # of a run, at most
    LEAST => 8,    # passes of a part
};

my %WORDS = (
    sparse_faults => 'sparse page faults',
    page_faults   => 'page faults',
    system_calls  => 'system calls',
    loads         => 'dependent loads',
    arithmetic    => 'arithmetic steps',
);

sub words_of { my ($name) = @_; return $WORDS{$name} }

sub level {
    my ($pass, $name) = @_;
    my @rates = grep { defined && $_ > 0 }
        map { $_->{$name} } map { @{ $_->{references} || [] } } @{ $pass->{results} || [] };
    return @rates ? sum(map { log } @rates) / @rates : undef;
}

sub level_of {
    my ($pass, $name, $moment) = @_;
    my @rates = grep { defined && $_ > 0 } map { $_->[$moment]{$name} }
        grep { @{$_} } map { $_->{references} || [] } @{ $pass->{results} || [] };
    return @rates ? sum(map { log } @rates) / @rates : undef;
}

sub movement {
    my ($passes) = @_;
    my @ok = grep { $_->{status} eq 'ok' } @{$passes};
    my %levels = map {
        my $name = $_;
        $name => [ grep { defined } map { scalar level($_, $name) } @ok ]
    } LOOPS;
    my $most = max(map { scalar @{$_} } values %levels) or return;
    my $name = first { @{ $levels{$_} } == $most } LOOPS;
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
