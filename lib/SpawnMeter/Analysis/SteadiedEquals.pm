# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::SteadiedEquals;

# Equal runs of one machine at one level of the reference loops.  A pure function.
#
#   steadied_cells([runs of SpawnMeter::Analysis::AA]) -> [runs] in the same order: their cells
#       of tests that are steadied, with log and error of the steadied rates, loop => name of
#       the loop, and shift => standard error of being taken to one level.  A run without
#       reference loops has none
#
# As in SpawnMeter::Analysis::SteadiedRuns, with the coefficients of all these runs together: a
# test is taken to the mean of the levels beside it, and the error of that counts (error_between()
# of SpawnMeter::Analysis::Steadied).

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Analysis::Serial       qw(series);
use SpawnMeter::Analysis::Steadied     qw(unpacked coefficients mean_state error_between);
use SpawnMeter::Analysis::SteadiedRuns qw(KERNEL FEWEST groups adjusted_passes samples);
use SpawnMeter::Analysis::TwoSamples   qw(center);

our @EXPORT_OK = qw(steadied_cells);

sub steadied_cells {
    my ($runs) = @_;
    my %is_key = map { $_ => 1 } map { keys %{$_} } @{$runs};
    my %of;
    push @{ $of{ (split / /)[0] } }, $_ for sort keys %is_key;
    my @steadied = map { {} } @{$runs};
    for my $copies (sort keys %of) {
        my @groups = groups(map { [ $_, tests_with($_, $runs, @{ $of{$copies} }) ] } KERNEL);
        steady($runs, \@steadied, @{$_}) for @groups;
    }
    return \@steadied;
}

# -> ({ key and name, runs => [numbers of the runs that have enough points], points => [points of
# these] }), of tests that two runs have
sub tests_with {
    my ($loop, $runs, @keys) = @_;
    my @tests;
    for my $key (@keys) {
        my %test = (key => $key, name => $key, runs => [], points => []);
        for my $number (0 .. $#{$runs}) {
            my $packed = (($runs->[$number]{$key} || {})->{points} || {})->{$loop};
            my $points = unpacked(defined $packed ? $packed : q{});
            next if @{$points} < FEWEST;
            push @{ $test{runs} }, $number;
            push @{ $test{points} }, $points;
        }
        push @tests, \%test if @{ $test{runs} } > 1;
    }
    return @tests;
}

sub steady {
    my ($runs, $steadied, $loop, @tests) = @_;
    my $coefficients = coefficients([ map { $_->{points} } @tests ], $loop);
    my @of = map { [] } @{$runs};
    for my $i (0 .. $#tests) {
        my ($points, $by) = ($tests[$i]{points}, $coefficients->[$i]);
        my @states = map { mean_state($_) } @{$points};
        my $middle = mean_state(\@states);
        for my $j (0 .. $#states) {
            my $passes = adjusted_passes($points->[$j], $by, $middle->{x});
            push @{ $of[ $tests[$i]{runs}[$j] ] },
                {
                key        => $tests[$i]{key},
                series     => series($passes, $passes),
                loop       => $loop,
                shift      => error_between($by, $middle, $states[$j]),
                for_others => $tests[$i]{for_others},
                };
        }
    }
    $steadied->[$_] = { %{ $steadied->[$_] }, cells_of($runs->[$_], @{ $of[$_] }) } for 0 .. $#of;
    return;
}

sub cells_of {
    my ($run, @tests) = @_;
    my @samples = samples(map { $_->{series} } @tests);
    my %cells;
    for my $i (grep { !$tests[$_]{for_others} } 0 .. $#tests) {
        my $key = $tests[$i]{key};
        my $center = center(@{ $samples[$i] }{qw(values effective)}) or next;
        $cells{$key} = {
            %{ $run->{$key} },
            (map { $_ => $tests[$i]{$_} } qw(loop shift)),
            (map { $_ => $center->{$_} } qw(log error)),
        };
    }
    return %cells;
}

1;
