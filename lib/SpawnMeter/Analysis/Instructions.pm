# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Instructions;

# A run of kernels: instructions of one creation, by boots in QEMU.  Pure functions.
#
#   pass(test of Measure::Boot::counted) -> { rate => instructions of its median creation, the lower
#       of two, counts => { kernel, user, elements, creation => its number, of that one; mean,
#       creations => of all } }
#   middle(passes of a test on a side) -> that of the lower median
#   changed({ function => instructions } of the first side, of another or {}, [ [family, pattern of
#       names] ]) -> { functions => [ { name, old, new } ], the largest change first; families =>
#       likewise }
#   summary(run of kind kernels) -> { rows => [ { test, title, values => [of each side: { median,
#       low, high => over the seeds, kernel, user, elements, mean, high_mean => true where the mean
#       is far above the median }, or undef where it was not counted], others => [of each side but
#       the first: { ratio, low, high => undef for one seed, verdict: more, fewer, same, unclear }
#       or undef] } ], sides => [side] }
#
# Boots of one image with other seeds are its replicates (Stats::Difference).

use strict;
use warnings;
use Exporter 'import';
use List::Util                    qw(sum);
use SpawnMeter::Stats::Difference qw(compare_groups with_verdicts over_runs);

our @EXPORT_OK = qw(changed middle pass summary);

use constant {
    MARGIN => 0.01,    # what is within it is the same
    FAR    => 1.2,     # mean over median, above which something else ran
    ALIKE  => 0.5,     # of the words of two names, which are of one function if its instructions
    WITHIN => 2,       # differ by less than this factor, too
};
my %VERDICT = (faster => 'more', slower => 'fewer');    # of Stats::Difference

sub pass {
    my ($counts_of_boot) = @_;
    my @all = map { $_->[0] + $_->[1] } @{ $counts_of_boot->{creations} };
    my $number = lower_median(sort { $all[$a] <=> $all[$b] || $a <=> $b } 0 .. $#all);
    my %counts = (creation => $number, mean => sum(@all) / @all, creations => scalar @all);
    @counts{qw(kernel user elements)} = @{ $counts_of_boot->{creations}[$number] };
    return { rate => $all[$number], counts => \%counts };
}

sub lower_median { my (@sorted) = @_; return $sorted[ $#sorted / 2 ] }

sub middle {
    return lower_median(sort { $a->{rate} <=> $b->{rate} } @_);
}

sub summary {
    my ($run) = @_;
    my @sides = @{ $run->{sides} };
    my (%passes, %boots);
    for my $pass (grep { $_->{status} eq 'ok' } @{ $run->{passes} }) {
        my ($side, $test, $seed, $rate) = @{$pass}{qw(side test round rate)};
        push @{ $passes{$side}{$test} }, $pass;
        $boots{$side}{$seed}{$test} = { center => log $rate, se => 0, spread => 0, df => 1 };
    }
    my @tests = @{ $run->{tests} };
    my @rows = map {
        my $test = $_;
        my @values = map { value($passes{ $_->{name} }{ $test->{name} }) } @sides;
        { test => $test->{name}, title => $test->{title}, values => \@values }
    } @tests;
    my ($first, @others) = map { $boots{ $_->{name} } } @sides;
    compare(\@rows, $_, $first, $others[$_]) for 0 .. $#others;
    hold_together(\@rows);
    return { rows => \@rows, sides => \@sides };
}

# Over the seeds
sub value {
    my ($passes) = @_;
    return if !$passes;
    my $middle = middle(@{$passes});
    my ($over) = over_runs([ map { log $_->{rate} } @{$passes} ]);
    my %value = (median => $middle->{rate}, %{ $middle->{counts} || {} });
    @value{qw(low high)} = map { $middle->{rate} * exp } -$over->{half}, $over->{half}
        if defined $over->{half};
    $value{high_mean} = ($value{mean} || 0) > FAR * $value{median};
    return \%value;
}

# A run of Stats::Difference is a boot of all tests
sub compare {
    my ($rows, $number, @boots) = @_;
    my ($in_a, $in_b) = map { [ @{$_}{ sort { $a <=> $b } keys %{$_} } ] } grep { $_ } @boots;
    my $found = $in_b && compare_groups(a => $in_a, b => $in_b) or return;
    for my $row (@{$rows}) {
        my $of = $found->{rows}{ $row->{test} } or next;
        my ($old, $new) = map { $_->{median} } @{ $row->{values} }[ 0, 1 + $number ];
        $of->{replicated} = @{$in_a} > 1 && @{$in_b} > 1;
        $row->{others}[$number] = { %{$of}, ratio => $new / $old };
    }
    return;
}

# One boot a side shows nothing of how much boots differ
sub hold_together {
    my ($rows) = @_;
    my @all = grep { $_ } map { @{ $_->{others} || [] } } @{$rows};
    my ($sides) = sort { $b <=> $a } map { scalar @{ $_->{others} || [] } } @{$rows};
    with_verdicts(\@all, $sides, log(1 + MARGIN), scalar @all) if @all;
    for my $difference (@all) {
        $difference->{verdict} = $VERDICT{ $difference->{verdict} } || $difference->{verdict};
        @{$difference}{qw(low high)} = map { exp } @{$difference}{qw(low high)};
        @{$difference}{qw(low high verdict)} = (undef, undef, 'unclear')
            if !$difference->{replicated};
    }
    return;
}

# ---- functions ----

sub changed {
    my ($old, $new, $families) = @_;
    my %row = map { $_ => { name => $_, old => $old->{$_} || 0, new => $new->{$_} || 0 } }
        keys %{$old}, keys %{$new};
    renamed(\%row);
    my %family;
    for my $row (values %row) {
        my ($in) = grep { $row->{name} =~ /$_->[1]/ } @{$families};
        my $of = $family{ $in ? $in->[0] : 'other' } ||= { name => $in ? $in->[0] : 'other' };
        $of->{$_} += $row->{$_} for qw(old new);
    }
    return {
        functions => [ by_change(values %row) ],
        families  => [ by_change(values %family) ],
    };
}

sub by_change {
    my (@rows) = @_;
    my %change = map { $_->{name} => abs $_->{new} - $_->{old} } @rows;
    return sort {
               $change{ $b->{name} } <=> $change{ $a->{name} }
            || $b->{old} <=> $a->{old}
            || $a->{name} cmp $b->{name}
    } @rows;
}

# Each that one side alone has, with that of the other side whose name is most alike
sub renamed {
    my ($row) = @_;
    my ($gone, $come) = map {
        my $none = $_;
        [ sort grep { !$row->{$_}{$none} } keys %{$row} ]
    } qw(new old);
    my @pairs;
    for my $from (@{$gone}) {
        push @pairs, map { [ alike($from, $_), $from, $_ ] } @{$come};
    }
    for (sort { $b->[0] <=> $a->[0] } grep { $_->[0] >= ALIKE } @pairs) {
        my (undef, $from, $to) = @{$_};
        my ($old, $new) = map { $row->{$_} || next } $from, $to;
        next if $old->{old} > WITHIN * $new->{new} || $new->{new} > WITHIN * $old->{old};
        delete @{$row}{ $from, $to };
        $row->{$to} = { name => "$from -> $to", old => $old->{old}, new => $new->{new} };
    }
    return;
}

sub alike {
    my %in;
    $in{$_}++ for map {
        my %once = map { $_ => 1 } split /_+/;
        keys %once
    } @_;
    return grep({ $_ > 1 } values %in) / keys %in;
}

1;
