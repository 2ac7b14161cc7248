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
use List::Util                          qw(max sum);
use SpawnMeter::Analysis::CommonWindow  qw(common_window);
use SpawnMeter::Analysis::Histogram     qw(merge_histograms histogram_text);
use SpawnMeter::Analysis::ProgramOutput qw(rate_of);
use SpawnMeter::Analysis::Stats         qw(mean geometric_mean);

our @EXPORT_OK = qw(together condensed cpu_seconds);

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
    for my $field (qw(cpu latency stall fault)) {
        my $how = { cpu => \&sum, fault => \&mean }->{$field} || \&max;
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

1;
