# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::SteadiedRuns;

# The results of a run, and the differences of two, at one level of the reference loops
# (SpawnMeter::Analysis::Steadied).  Pure functions.
#
# Only tests that create processes are steadied.
#
#   steady_results(results, { test => [passes that count] }, [all passes of that number of
#       copies], brief): adds to each result with references `steadied`, { rate, low, high,
#       plus_minus, b }: the median at the median level of the run; for a comparison (brief)
#       `points`, { loop => packed() points of Steadied }
#   steady_rows(rows, old machine, new machine) -> undef without references, or { loops => {
#       copies => loop of most tests }, words => of all loops that are used, or why => none is;
#       changed => [what differs, so that only a loop in user mode is used]; levels => { copies =>
#       new level of the loop of most tests as a share of the old one } }: adds to rows of
#       Analysis::Comparison `steadied`, { ratio, low, high, p, error, degrees, loop, reference =>
#       how the level differs, as a ratio }
#   For SpawnMeter::Analysis::SteadiedEquals:
#   KERNEL: names of loops in the kernel; FEWEST: points that a test needs of each run
#   groups([loop, { name, points => [points of a run, ...], ... } of each test], ...) -> ([loop,
#       tests], ...): which loop steadies which tests, of those that have enough points.  A test
#       with for_others is steadied by another group; it only tells the coefficients of this one
#   adjusted_passes(points, coefficient, level) -> [ { at, rate => steadied } ], as series() and
#       estimate() want passes
#   samples(series of each test of a run) -> ({ values, effective }), as ratio() wants them
#
# The interval of a steadied difference also has the error of taking one run to the level of the
# other in it (error_between() of Steadied).

use strict;
use warnings;
use Exporter 'import';
use List::Util                          qw(min sum);
use SpawnMeter::Analysis::SameReference qw(for_reference);
use SpawnMeter::Analysis::Interval      qw(estimate);
use SpawnMeter::Analysis::Reference     qw(FAULTS WITHIN words_of);
use SpawnMeter::Analysis::Serial        qw(series correlation combined effective);
use SpawnMeter::Analysis::Stats         qw(median);
use SpawnMeter::Analysis::Steadied      qw(covariates points packed unpacked coefficients
    steadied_rates mean_state error_between);
use SpawnMeter::Analysis::TwoSamples qw(ratio apart);

# Tests that create no process do not depend on the loops in the same way
my %UNRELATED = map { $_ => 1 } qw(pipe context1 syscall dhry2reg whetstone-double fstime fstime-r
    fstime-w fsbuffer fsbuffer-r fsbuffer-w fsdisk fsdisk-r fsdisk-w);

our @EXPORT_OK = qw(steady_results steady_rows KERNEL FEWEST groups adjusted_passes samples);

# The loops that creation depends on most, both of them first (one needs more memory and may not
# run everywhere), and one that does not depend on the kernel
use constant KERNEL => (WITHIN, FAULTS, qw(sparse_faults page_faults));
use constant {
    USER      => 'arithmetic',
    FEWEST    => 6,              # points of a test
    MUCH_MORE => 2,              # times as many
};

sub steady_results {
    my ($results, $counting, $passes, $brief) = @_;
    my %points;
    for my $loop (KERNEL, $brief ? USER : ()) {
        my $covariates = covariates($passes, $loop);
        next if !%{$covariates};
        $points{ $_->{test} }{$loop} = points($counting->{ $_->{test} } || [], $covariates)
            for @{$results};
    }
    delete @points{ keys %UNRELATED };
    return if !%points;
    if ($brief) {
        for my $result (grep { $points{ $_->{test} } } @{$results}) {
            my $of = $points{ $result->{test} };
            $result->{points} = { map { $_ => packed($of->{$_}) } keys %{$of} };
        }
        return;
    }
    steady_alone(@{$_}) for groups(map { [ $_, results_with($_, $results, \%points) ] } KERNEL);
    return;
}

# -> ({ name, result, points => [points] })
sub results_with {
    my ($loop, $results, $points) = @_;
    return map { {
        name   => $_->{test},
        result => $_,
        points => [ $points->{ $_->{test} }{$loop} || [] ]
    } }
        grep { $points->{ $_->{test} } } @{$results};
}

# Tests with pauses in most passes by the loops in these, the others by those around the passes
sub groups {
    my (@loops) = @_;
    my ($around, @known) = by_most(grep { $_->[0] ne WITHIN } @loops);
    my %count = map { $_->{name} => count_of($_) } @known;
    my @within =
        grep { MUCH_MORE * count_of($_) > ($count{ $_->{name} } || 0) }
        map { enough(@{$_}[ 1 .. $#{$_} ]) } grep { $_->[0] eq WITHIN } @loops;
    my %is_within = map { $_->{name} => 1 } @within;
    @known = map { $is_within{ $_->{name} } ? { %{$_}, for_others => 1 } : $_ } @known;
    return grep { own($_) } [ $around, @known ], [ WITHIN, @within ];
}

# The number of tests that a group steadies
sub own {
    my ($group) = @_;
    return scalar grep { ref && !$_->{for_others} } @{$group};
}

sub count_of {
    my ($test) = @_;
    return sum(0, map { scalar @{$_} } @{ $test->{points} });
}

sub enough {
    my (@tests) = @_;
    return grep {
        FEWEST <= min(map { scalar @{$_} } @{ $_->{points} })
    } @tests;
}

# The first loop with its tests, or one with more than twice its points
sub by_most {
    my (@loops) = @_;
    my ($best, $most) = ([], 0);
    for my $of (@loops) {
        my ($loop, @tests) = @{$of};
        my @enough = enough(@tests);
        my $count = sum(0, map { count_of($_) } @enough);
        ($best, $most) = ([ $loop, @enough ], $count) if $count > MUCH_MORE * $most;
    }
    return @{$best};
}

sub steady_alone {
    my ($loop, @tests) = @_;
    my @points = map { $_->{points}[0] } @tests;
    my $level = median(map { $_->{x} } map { @{$_} } @points);
    my $coefficients = coefficients([ map { [$_] } @points ], $loop);
    my @adjusted = map { adjusted_passes($points[$_], $coefficients->[$_], $level) } 0 .. $#tests;
    my @correlations = grep { defined } map { scalar correlation(series($_, $_)) } @adjusted;
    for my $i (grep { !$tests[$_]{for_others} } 0 .. $#tests) {
        my $found = estimate($adjusted[$i], $adjusted[$i], \@correlations);
        $tests[$i]{result}{steadied} = {
            (map { $_ => $found->{$_} } qw(low high plus_minus)),
            rate => $found->{median},
            b    => $coefficients->[$i]{b},
        };
    }
    return;
}

# As series() and estimate() want passes
sub adjusted_passes {
    my ($points, $coefficient, $level) = @_;
    my $rates = steadied_rates($points, $coefficient->{b}, $level);
    return [ map { { at => $points->[$_]{at}, rate => $rates->[$_] } } 0 .. $#{$rates} ];
}

sub steady_rows {
    my ($rows, $old, $new) = @_;
    return if !grep { $_->{points} } map { values %{ $_->{cells} } } $old, $new;
    my $found = for_reference($old, $new);
    return { why => $found->{never} } if defined $found->{never};
    my @changed = @{ $found->{changed} };
    my (%of, %loops, %levels, %words);
    push @{ $of{ $_->{copies} } }, $_ for @{$rows};
    for my $copies (keys %of) {
        my @groups =
            groups(map { [ $_, rows_with($_, $of{$copies}, $old, $new) ] }
                @changed ? USER : KERNEL);
        my @levels = map { scalar steady_copies(@{$_}) } @groups;
        $words{ words_of($_->[0]) } = 1 for @groups;
        my ($most) = sort { own($groups[$b]) <=> own($groups[$a]) } 0 .. $#groups;
        next if !defined $most;
        ($loops{$copies}, $levels{$copies}) = ($groups[$most][0], $levels[$most]);
    }
    return { why => 'too few passes with them' } if !%loops;
    my $words = join ' and ', sort keys %words;
    return { loops => \%loops, words => $words, changed => \@changed, levels => \%levels };
}

# -> ({ name, row, points => [points of the old run, of the new one] })
sub rows_with {
    my ($loop, $rows, @machines) = @_;
    my @found;
    for my $row (@{$rows}) {
        my @packed = grep { defined }
            map { ($_->{cells}{"$row->{copies} $row->{test}"}{points} || {})->{$loop} } @machines;
        push @found,
            { name => $row->{test}, row => $row, points => [ map { unpacked($_) } @packed ] }
            if @packed == @machines;
    }
    return @found;
}

# -> how the level differs, as a ratio
sub steady_copies {
    my ($loop, @of) = @_;
    my $coefficients = coefficients([ map { $_->{points} } @of ], $loop);
    my (@states, @series);
    for my $i (0 .. $#of) {
        my ($points, $by) = ($of[$i]{points}, $coefficients->[$i]);
        push @states, [ map { mean_state($_) } @{$points} ];
        for my $run (0, 1) {
            my $passes = adjusted_passes($points->[$run], $by, $states[$i][0]{x});
            push @{ $series[$run] }, series($passes, $passes);
        }
    }
    my @samples = map { [ samples(@{$_}) ] } @series;
    my @own = grep { !$of[$_]{for_others} } 0 .. $#of;
    for my $i (@own) {
        my ($row, $by) = ($of[$i]{row}, $coefficients->[$i]);
        my $difference = ratio(map { $_->[$i] } @samples) or next;
        my $error = sqrt $difference->{error}**2 + error_between($by, @{ $states[$i] })**2;
        $row->{steadied} = {
            %{$difference},
            %{ apart($difference->{ratio}, $error, $difference->{degrees}) },
            loop      => $loop,
            error     => $error,
            reference => exp moved(@{ $states[$i] }),
        };
    }
    return exp median(map { scalar moved(@{ $states[$_] }) } @own);
}

sub moved { my ($old, $new) = @_; return $new->{x} - $old->{x} }

# Of the tests of a run, whose correlations belong together
sub samples {
    my (@series) = @_;
    my @own = map { scalar correlation($_) } @series;
    my @known = grep { defined } @own;
    return map { {
        values    => $series[$_]{values},
        effective => effective($series[$_], scalar combined($own[$_], \@known), 0),
    } } 0 .. $#series;
}

1;
