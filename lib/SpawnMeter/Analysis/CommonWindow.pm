# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::CommonWindow;

# What several copies of a test made together: only the time in which all of them ran counts,
# from the start of the last one to the end of the first one.  While some have not started or
# have already ended, the others are faster, so rates of the copies' own times must not be
# added up.  Pure functions.
#
#   common_window([results of the copies of a pass]) -> { length => seconds in which all ran,
#       negative where there is no such time; made => iterations in it (for a test whose count
#       is an amount per second: the amount), undef where there is no such time; outer =>
#       seconds from the first start to the last end; total => what was made in these; spread
#       => seconds from the first start to the last one }, or undef where a copy does not say
#       when it started
#
# A share of the iteration that a copy is in at the start and at the end counts, so a count of
# iterations that have begun, such as the kernel's of new processes, can differ by up to one for
# each copy.
#
# A result is that of SpawnMeter::Analysis::ProgramOutput.  Between two points of its progress
# a copy is taken to be steady; a copy without progress, from its start to its end.

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum);

our @EXPORT_OK = qw(common_window);

use constant MICROSECOND => 1e-6;    # in seconds

sub common_window {
    my ($results) = @_;
    return if grep { !defined $_->{gate} || !$_->{time} } @{$results};
    my @starts = map { $_->{gate} } @{$results};
    my @ends = map { $_->{gate} + $_->{time} } @{$results};
    my ($from, $to) = (max(@starts), min(@ends));
    return {
        length => $to - $from,
        made   => $to > $from ? sum(map { made_between($_, $from, $to) } @{$results}) : undef,
        outer  => max(@ends) - min(@starts),
        total  => sum(map { amount($_) * iterations($_) } @{$results}),
        spread => $from - min(@starts),
    };
}

sub made_between {
    my ($copy, $from, $to) = @_;
    return amount($copy) * (iterations_at($copy, $to) - iterations_at($copy, $from));
}

# With timebase 0 the count is an amount per second
sub iterations {
    my ($copy) = @_;
    return $copy->{timebase} || !$copy->{iterations} ? $copy->{count} : $copy->{iterations};
}

# Of one iteration
sub amount {
    my ($copy) = @_;
    return 1 if $copy->{timebase};
    return $copy->{count} * $copy->{time} / iterations($copy);
}

# Iterations of a copy until this reading of the clock
sub iterations_at {
    my ($copy, $clock) = @_;
    my ($at, $made) = ($copy->{gate}, 0);
    for my $step (steps($copy)) {
        my ($seconds, $more) = @{$step};
        return $made + $more * ($clock - $at) / $seconds if $clock < $at + $seconds;
        $at   += $seconds;
        $made += $more;
    }
    return $made;
}

# -> [seconds, iterations made in these], one after the other
sub steps {
    my ($copy) = @_;
    return [ $copy->{time}, iterations($copy) ] if !defined $copy->{progress};
    my @steps = map { [ split /:/ ] } split /,/, $copy->{progress};
    return map { [ $_->[0] * MICROSECOND, $_->[1] ] } @steps;
}

1;
