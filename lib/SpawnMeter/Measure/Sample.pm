# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Measure::Sample;

# What is recorded of a good pass.  Pure functions.
#
#   sample(outcome of SpawnMeter::Measure::Runner, pinned => true where the copies were,
#       cpus => number of CPUs that they share, seconds => length of the pass as asked for,
#       undef with --count, reference => seconds of the loops after it, others => [the cell's
#       earlier passes, without stalls], changed => what SpawnMeter::Machine::Conditions
#       says) -> fields of a pass record
#   iteration(results of the copies) -> seconds of an iteration as each copy sees it, or undef
#   condensed([results]) -> [results]: of many copies a single result stands for all

use strict;
use warnings;
use Exporter 'import';
use List::Util                         qw(max sum);
use SpawnMeter::Analysis::CommonWindow qw(common_window);
use SpawnMeter::Analysis::Histogram    qw(merge_histograms histogram_text);
use SpawnMeter::Analysis::Stats        qw(median mean geometric_mean);
use SpawnMeter::Machine::Counters      qw(between);
use SpawnMeter::Measure::ProgramOutput qw(rate_of);

our @EXPORT_OK = qw(sample iteration condensed);

use constant {
    COPIES_STORED => 64,     # each by itself
    FAR_LONGER    => 2,      # times its length: a pass that takes longer was stopped,
    LEAST_STALL   => 0.5,    # if it is by so many seconds,
    ITERATIONS    => 10,     # and by so many of its iterations
    MUCH_LONGER   => 4,      # times what the others take besides their timed parts,
    MUCH_MORE     => 1,      # and so many seconds more
};

sub sample {
    my ($outcome, %with) = @_;
    my @copies = @{ $outcome->{results} };
    my @cpu = map { @{ $_->{cpu} || [] } } @copies;
    my $own = @cpu && !grep({ !defined } @cpu) ? sum(@cpu) : undef;

    # the counters are read again when the loops after the pass are over
    my $busy = defined $own ? $own + @copies * ($with{reference} || 0) : undef;
    my $window = @copies > 1 ? common_window(\@copies) : undef;
    my $stall = stall($outcome, \%with);
    delete $_->{progress} for @copies;
    return (
        rate    => rate_of(\@copies, $outcome->{wall}, $window),
        unit    => $copies[0]{label},
        results => condensed(\@copies),
        $window ? (window => rounded($window)) : (),
        machine => {
            %{ between($outcome->{before}, $outcome->{after}, $busy) },
            %{ $with{changed} || {} },
            overlap(\@copies, $window, $with{cpus}),
            $stall ? (stall => $stall) : (),

            # share of its CPU that it used; unknown where it was not alone on one CPU
            occupancy => $with{pinned}
                && @copies == 1
                && defined $own
                && $copies[0]{time} ? $own / $copies[0]{time} : undef,
        },
    );
}

sub rounded {
    my ($window) = @_;
    return {
        map  { $_ => sprintf('%.6f', $window->{$_}) + 0 }
        grep { defined $window->{$_} } keys %{$window}
    };
}

# Up to one copy for each CPU all can start at once: the spread of the starts.  Of more, the
# last one starts when it gets a turn: the share of the pass in which not all ran.
sub overlap {
    my ($copies, $window, $cpus) = @_;
    my $time = $window ? mean(map { $_->{time} } @{$copies}) : 0;
    return if !$time;
    return (gate_spread => sprintf('%.4f', $window->{spread} / $time) + 0)
        if @{$copies} <= ($cpus || 1);
    return (apart => sprintf('%.4f', 1 - $window->{length} / $time) + 0);
}

# Seconds by which the pass is too long to be one that ran; 0 where it is not
sub stall {
    my ($outcome, $with) = @_;
    my ($over, $slice) = (0, $with->{seconds});
    for my $copy (grep { defined $slice && defined $_->{gate} && $_->{time} }
        @{ $outcome->{results} }) {
        my $more = $copy->{time} - $slice;
        my $usual = ITERATIONS * ($copy->{latency} ? $copy->{latency}[0] || 0 : 0) * 1e-6;
        $over = max($over, $more)
            if $copy->{time} > FAR_LONGER * $slice && $more > max(LEAST_STALL, $usual);
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

# Sums; the time is the mean.  What disturbed a copy: of waiting and suspension the largest.
sub condensed {
    my ($copies) = @_;
    return $copies if @{$copies} <= COPIES_STORED;
    my %all = (%{ $copies->[0] }, copies => scalar @{$copies});
    delete @all{qw(batches progress gate)};
    $all{$_} = total($_, $copies) for grep { defined $all{$_} } qw(count iterations timed creating);
    $all{time} = mean(map { $_->{time} } @{$copies}) if !grep { !$_->{time} } @{$copies};
    for my $field (qw(cpu latency)) {
        my $how = $field eq 'cpu' ? \&sum : \&max;
        $all{$field} = by_column($how, map { $_->{$field} } @{$copies}) if $all{$field};
    }
    $all{histogram} =
        histogram_text(merge_histograms(grep { defined } map { $_->{histogram} } @{$copies}))
        if defined $all{histogram};
    $all{references} = together(map { $_->{references} } @{$copies}) if $all{references};
    $all{disturb} = {
        map {
            my ($key, $how) = ($_, /_ns\z|traced/ ? \&max : \&sum);
            $key => scalar $how->(grep { defined } map { $_->{disturb}{$key} } @{$copies});
        } keys %{ $all{disturb} }
        }
        if $all{disturb};
    return [ \%all ];
}

# The geometric mean of the copies' rates of each loop, before and after
sub together {
    my (@lists) = @_;
    my @moments;
    for my $i (0 .. $#{ $lists[0] }) {
        my @of = grep { defined } map { $_->[$i] } grep { defined } @lists;
        push @moments, {
            map {
                my $name = $_;
                $name => scalar geometric_mean(grep { defined } map { $_->{$name} } @of)
            } keys %{ $lists[0][$i] }
        };
    }
    return \@moments;
}

sub total {
    my ($field, $copies) = @_;
    return sum(map { $_->{$field} || 0 } @{$copies});
}

# The first of each list together, then the second ...; undef where one is unknown
sub by_column {
    my ($how, @lists) = @_;
    return [
        map {
            my $i = $_;
            my @of = map { $_->[$i] } @lists;
            grep({ !defined } @of) ? undef : $how->(@of);
        } 0 .. $#{ $lists[0] }
    ];
}

1;
