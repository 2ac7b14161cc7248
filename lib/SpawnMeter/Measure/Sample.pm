# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Sample;

# What is recorded of a good pass.  Pure functions.
#
#   sample(outcome of SpawnMeter::Measure::Runner, pinned => true where the copies were,
#       cpus => number of CPUs that they share, seconds => length of the pass as asked for,
#       undef with --count, reference => seconds of the loops after it, others => [the cell's
#       earlier passes, without stalls], changed => what SpawnMeter::Machine::State
#       says) -> fields of a pass record
#   iteration(results of the copies) -> seconds of an iteration as each copy sees it, or undef

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(max sum);
use SpawnMeter::Analysis::Copies  qw(together cpu_seconds);
use SpawnMeter::Machine::Counters qw(between);
use SpawnMeter::Stats::Numbers    qw(median mean);

our @EXPORT_OK = qw(sample iteration);

use constant {
    MICROSECOND => 1e-6,    # in seconds
    FAR_LONGER  => 2,       # times its length: a pass that takes longer was stopped,
    LEAST_STALL => 0.5,     # if it is by so many seconds,
    ITERATIONS  => 10,      # and by so many of its iterations
    MUCH_LONGER => 4,       # times what the others take besides their timed parts,
    MUCH_MORE   => 0.5,     # and so many seconds more
    LEAST_STILL => 0.1,     # an iteration in which all stood still: so many seconds,
    STILL_SHARE => 0.2,     # so much of the pass's length,
    STILL       => 100,     # and so many times the median iteration
};

sub sample {
    my ($outcome, %with) = @_;
    my @copies = @{ $outcome->{results} };
    my $together = together(\@copies, $with{cpus}, $outcome->{wall});
    my $own = $together->{cpu_seconds};

    # the counters are read again when the loops after the pass are over
    my $paused = sum(0, map { $_->{paused_cpu} || 0 } @copies);
    my @beside = map { cpu_seconds($_) } @{ $outcome->{beside} || [] };
    my $busy =
        grep({ !defined } $own, @beside)
        ? undef
        : sum($own, $paused, @beside, @copies * ($with{reference} || 0));
    my $stall = stall($outcome, \%with);
    return (
        %{ $together->{pass} },
        machine => {
            %{ between($outcome->{before}, $outcome->{after}, $busy) },
            %{ $with{changed} || {} },
            %{ $together->{overlap} },
            $stall ? (stall => $stall) : (),

            # share of its CPU that it used; unknown where it was not alone on one CPU
            occupancy => $with{pinned}
                && @copies == 1
                && defined $own
                && $copies[0]{time} ? $own / $copies[0]{time} : undef,
        },
    );
}

# Seconds by which the pass is too long to be one that ran, or in which it stood still; 0 where
# neither is the case
sub stall {
    my ($outcome, $with) = @_;
    my ($over, $slice) = (0, $with->{seconds});
    my @copies =
        grep { defined $slice && defined $_->{gate} && $_->{time} } @{ $outcome->{results} };
    my $alone = @copies <= ($with->{cpus} || 0);
    for my $copy (@copies) {
        my $more = $copy->{time} - $slice;
        my ($median, $longest) =
            map { ($_ || 0) * MICROSECOND } @{ $copy->{latency} || [] }[ 0, 4 ];
        $over = max($over, $more)
            if $copy->{time} > FAR_LONGER * $slice
            && $more > max(LEAST_STALL, ITERATIONS * $median);
        $over = max($over, $longest)
            if $alone && $longest > max(LEAST_STILL, STILL_SHARE * $slice, STILL * $median);
    }
    my @others = map { besides($_, $slice) } @{ $with->{others} || [] };
    if (!$over && @others) {
        my ($usual, $own) = (median(@others), besides($outcome, $slice));
        $over = $own - $usual if $own > MUCH_LONGER * $usual + MUCH_MORE;
    }
    return sprintf('%.3f', $over) + 0;
}

# Seconds of a pass besides its timed part; with --count, whose length is not known, all
sub besides {
    my ($pass, $slice) = @_;
    my @times = grep { defined } map { $_->{time} } @{ $pass->{results} };
    return $pass->{wall} - (defined $slice && @times ? mean(@times) : 0);
}

sub iteration {
    my ($results) = @_;
    my @each = map { $_->{time} / ($_->{timebase} ? $_->{count} : $_->{iterations}) }
        grep { $_->{time} && ($_->{timebase} ? $_->{count} : $_->{iterations}) } @{$results};
    return @each ? mean(@each) : undef;
}

1;
