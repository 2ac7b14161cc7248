# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Copies;

# What the copies of a good pass say together.  Pure functions.
#
#   together([results of SpawnMeter::Analysis::ProgramOutput], number of CPUs that the copies
#       share, seconds of the pass) -> { pass => { rate, unit, results, window } of a pass
#       record, cpu_seconds => CPU time of all copies or undef, overlap => { gate_spread or
#       apart } of the pass's machine }.  Removes the progress from the results
#   cpu_seconds(results) -> their CPU time, with children; undef where it is not known
#   condensed([results]) -> [results]: of many copies a single result stands for all

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(max min sum);
use SpawnMeter::Analysis::Histogram     qw(histogram_text merge_histograms);
use SpawnMeter::Analysis::ProgramOutput qw(rate_of);
use SpawnMeter::Stats::Numbers          qw(geometric_mean mean);

our @EXPORT_OK = qw(together condensed cpu_seconds common_window);

use constant COPIES_STORED => 64;    # each by itself

sub together {
    my ($copies, $cpus, $wall) = @_;
    my $window = @{$copies} > 1 ? common_window($copies) : undef;
    delete $_->{progress} for @{$copies};
    return {
        cpu_seconds => cpu_seconds(@{$copies}),
        overlap     => { overlap($copies, $window, $cpus) },
        pass        => {
            rate    => rate_of($copies, $wall, $window),
            unit    => $copies->[0]{label},
            results => condensed($copies),
            $window ? (window => rounded($window)) : (),
        },
    };
}

sub cpu_seconds {
    my (@copies) = @_;
    my @cpu = map { @{ $_->{cpu} || [] } } @copies;
    return @cpu && !grep({ !defined } @cpu) ? sum(@cpu) : undef;
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

# Sums; the time is the mean.  What disturbed a copy: of waiting and suspension the largest.
sub condensed {
    my ($copies) = @_;
    return $copies if @{$copies} <= COPIES_STORED;
    my %all = (%{ $copies->[0] }, copies => scalar @{$copies});
    delete @all{qw(batches progress gate)};
    $all{$_} = total($_, $copies) for grep { defined $all{$_} } qw(count iterations timed creating);
    $all{time} = mean(map { $_->{time} } @{$copies}) if !grep { !$_->{time} } @{$copies};
    for my $field (qw(cpu latency stall fault page_faults)) {
        my $how = { cpu => \&sum, fault => \&mean, page_faults => \&mean }->{$field} || \&max;
        $all{$field} = by_column($how, map { $_->{$field} } @{$copies}) if $all{$field};
    }
    for my $field (grep { defined $all{$_} } qw(histogram stalls)) {
        $all{$field} =
            histogram_text(merge_histograms(grep { defined } map { $_->{$field} } @{$copies}));
    }
    $all{$_} = by_period($_, $copies) for grep { $all{$_} } qw(start starts);
    $all{references} = reference_rates(map { $_->{references} } @{$copies})
        if $all{references};
    $all{disturb} = {
        map {
            my ($key, $how) = ($_, /_ns\z|traced/ ? \&max : \&sum);
            $key => scalar $how->(grep { defined } map { $_->{disturb}{$key} } @{$copies});
        } keys %{ $all{disturb} }
        }
        if $all{disturb};
    return [ \%all ];
}

# Of each period of the start-up: the largest percentiles, or the merged histogram
sub by_period {
    my ($field, $copies) = @_;
    my %of;
    for my $copy (grep { $_->{$field} } @{$copies}) {
        push @{ $of{$_} }, $copy->{$field}{$_} for keys %{ $copy->{$field} };
    }
    return {
        map {
            $_ => $field eq 'start'
                ? scalar by_column(\&max, @{ $of{$_} })
                : scalar histogram_text(merge_histograms(@{ $of{$_} }))
        } keys %of
    };
}

# The geometric mean of the copies' rates of each loop, before and after
sub reference_rates {
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

# ---- the time that all copies share ----
#
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
