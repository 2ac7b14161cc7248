# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Stats::Difference;

# How far apart two groups of runs are.  Runs are the replicates: all tests of a run share its
# level, and each has one of its own (a split plot: Cochran and Cox, Experimental Designs,
# 1957, chapter 7; Kalibera and Jones, ISMM 2013).  Pure functions.
#
#   A run is { test => estimate } at one number of copies (estimates() of Stats::Numbers; of a
#   post, which has no passes, { center, se => 0, spread => 0, df => 1 }).  All differences are of
#   logarithms: exp(d) - 1 is what reports print.
#
#   compare_groups(a => [runs], b => [runs], order => letters of the runs in order of time like
#       'ABBA' (in turn if undef), paired => true where run i of a and of b belong together,
#       equals => [[runs], ...] further groups of equal runs, adjusted => what adjust() of
#       Stats::Numbers returned for all these runs, posted => true where a run is a post) ->
#       { rows => { test => row }, group => group, moved => how far the loops of the groups are
#       apart, or undef }; undef where no test is in all runs
#   row: { old, new => centers of the groups, d, common => standard error of what all tests share,
#       df_common, own => of what the test has for itself, df_own, within => variance of a run's
#       center from its passes, beside => { d, half }: from the median of all tests, or undef }
#   group: { runs => [a, b], paired, f => degrees of freedom between runs, msb, msr => mean squares
#       (undef for f = 0), passes => variance of a run's center from its passes, kappa => drift
#       factor, b => coefficient of the loops or undef, tests => number, c, level => [variance of
#       the shared, of the own level], all => { d, half }: all tests together }
#   between(estimate, estimate) -> (difference, half of its 95 % interval) of two results of one run
#   paired_rows(stratum, whose passes are the differences of pairs) -> { test => row } of an A/B run
#   with_verdicts(rows, number of strata, margin: a logarithm, number of rows of the table or undef
#       for these) -> rows with half, low, high, verdict: faster, slower, same (within the margin)
#       or unclear, read off low and high; the rows of a table hold together in 95 %
#   half_width(row, numbers of strata and rows of the table) -> half of its interval
#   drift_factor(order of the runs) -> factor by which drift raises the variance of d, at least 1
#   more_runs(group, row, strata, rows, margin) -> runs a side, in turn, that bring the row within
#       the margin; undef beyond MOST_RUNS
#   half_of_runs({ tests, level, within, paired }, runs a side, strata, rows, degrees of freedom of
#       further equal runs) -> half of the interval of a row
#   over_runs([centers of equal runs], ...) -> for each list { center => their mean, sd => standard
#       deviation of the runs of all lists from it, half => of the 95 % interval of the center }; sd
#       and half are undef where no list has two
#
# t/model/model.py is the reference implementation.

use strict;
use warnings;
use Exporter 'import';
use List::Util                 qw(max min sum);
use SpawnMeter::Stats::Numbers qw(ERROR estimates mean median t_quantile);

our @EXPORT_OK = qw(compare_groups between paired_rows with_verdicts half_width drift_factor
    more_runs half_of_runs over_runs);

use constant {
    OWN         => 0.01,     # of ERROR: what each test has for itself; the rest is what all share
    PRIOR_SHARE => 0.35,     # a run's level where no runs show it, of the spread of a pass
    PRIOR_DF    => 5,        # degrees of freedom of that
    PRIOR_LEAST => 0.025,    # and at least this
    PRIOR_LOOPS => 0.018,    # the same at one level of the loops
    PRIOR_POSTS => 1.3,      # factor within which 95 % of posts of one machine type differ
    LOOP_APART  => 0.15,     # standard deviation of the tests' coefficients of the loops
    LIKE        => 4,        # degrees of freedom of the pooled variance in a test's own
    BESIDE      => 3,        # tests, above which one is compared with the others
    MOST_RUNS   => 40,       # a side
};

sub compare_groups {
    my (%runs_of) = @_;
    my @groups = ($runs_of{a}, $runs_of{b}, $runs_of{paired} ? () : @{ $runs_of{equals} || [] });
    my @runs = map { @{$_} } @groups;
    my @tests = grep {
        my $test = $_;
        !grep { !$_->{$test} } @runs
    } sort keys %{ $runs[0] };
    return if !@tests;
    my %row = map { $_ => row_of($_, \@runs, @groups[ 0, 1 ]) } @tests;
    my %units = (
        units(\@tests, $runs_of{paired}, $runs_of{order}, @groups),
        $runs_of{adjusted} ? loops($runs_of{adjusted}, @groups[ 0, 1 ]) : (extra => 0),
    );
    my %between =
        $units{f}
        ? between_runs(\%row, \%units)
        : by_prior(\%row, \%units, $runs_of{posted}, @runs);
    beside(\%row, $units{f}) if $units{f} && @tests > BESIDE;
    my %group = (
        %between,
        runs   => [ map { scalar @{$_} } @groups[ 0, 1 ] ],
        tests  => scalar @tests,
        passes => mean(@{ $units{by_passes} }{@tests}),
        all    => together($units{f}, @row{@tests}),
        (map { $_ => $units{$_} } qw(f c kappa b), $runs_of{paired} ? 'paired' : ()),
    );
    return { rows => \%row, group => \%group, moved => $units{moved} };
}

# The difference of all tests together.  An assumed level does not include the error of the passes
sub together {
    my ($f, @rows) = @_;
    my @halves = $rows[0]{common} * t_quantile(ERROR, $rows[0]{df_common});    # of what all share
    push @halves, map { $_->{own} * t_quantile(ERROR, max(1, $_->{df_own})) / @rows } @rows if !$f;
    return { d => mean(map { $_->{d} } @rows), half => sqrt sum(map { $_**2 } @halves) };
}

# -> the mean of the squared standard errors of this test in the runs
sub squared_error {
    my ($test, @runs) = @_;
    return mean(map { $_->{$test}{se}**2 } @runs);
}

# error: the variance of d by the passes alone
sub row_of {
    my ($test, $runs, @sides) = @_;
    my ($old, $new) = map({ scalar mean(map { $_->{$test}{center} } @{$_}) } @sides);
    return {
        old    => $old,
        new    => $new,
        d      => $new - $old,
        error  => sum(map { squared_error($test, @{$_}) / @{$_} } @sides),
        within => scalar squared_error($test, @{$runs}),
        spread => scalar mean(map { $_->{$test}{spread} } @{$runs}),
    };
}

# -> (b, moved, extra => variance that all differences share by how far the loops are apart)
sub loops {
    my ($adjusted, $in_a, $in_b) = @_;
    my @x = @{ $adjusted->{x} };
    my ($of_a, $of_b) = map { mean(splice @x, 0, scalar @{$_}) } $in_a, $in_b;
    my $moved = $of_b - $of_a;
    my $extra = ($adjusted->{se}**2 + LOOP_APART**2) * $moved**2;
    return (b => $adjusted->{b}, moved => $moved, extra => $extra);
}

# The units that are replicated: runs, or pairs of them -> (c => variance of d, of a unit's; kappa;
# f; away => { test => [distance of each unit from the mean of its group] }, by_passes => { test =>
# what the passes explain of their mean square })
sub units {
    my ($tests, $paired, $order, @groups) = @_;
    my ($n, $m) = my @sizes = map { scalar @{$_} } @groups;
    my $all = sum(@sizes);
    my $f = $paired ? $n - 1 : $all - @groups;
    my @shares = map { $paired ? $_ / $n : $f ? ($_ - 1) / $f : $_ / $all } @sizes;
    my (%away, %by_passes);
    for my $test (@{$tests}) {
        my @values = map { [ map { $_->{$test}{center} } @{$_} ] } @groups;
        @values = [ map { $values[1][$_] - $values[0][$_] } 0 .. $n - 1 ] if $paired;
        for my $of_group (@values) {
            my $mean = mean(@{$of_group});
            push @{ $away{$test} }, map { $_ - $mean } @{$of_group};
        }
        $by_passes{$test} =
            sum(map { $shares[$_] * squared_error($test, @{ $groups[$_] }) } 0 .. $#groups);
    }
    my %units = (f => $f, away => \%away, by_passes => \%by_passes);
    return (%units, c => 1 / $n, kappa => 1, paired => 1) if $paired;
    $order = $n == $m ? 'AB' x $n : 'A' x $n . 'B' x $m if !defined $order;
    return (%units, c => 1 / $n + 1 / $m, kappa => drift_factor($order));
}

# Sets the errors of rows of one run a side without equal runs, whose level is assumed -> (level)
sub by_prior {
    my ($rows, $units, $posted, @runs) = @_;
    my $least =
          $posted             ? log(PRIOR_POSTS) / t_quantile(ERROR, PRIOR_DF) / sqrt 2
        : defined $units->{b} ? PRIOR_LOOPS
        :                       PRIOR_LEAST;
    my $level = max($least, PRIOR_SHARE * median(map { $_->{spread} } values %{$rows}));
    for my $test (keys %{$rows}) {
        my $row = $rows->{$test};
        @{$row}{qw(common df_common)} = (sqrt(2 * $level**2 + $units->{extra}), PRIOR_DF);
        @{$row}{qw(own df_own)} = (sqrt $row->{error}, welch(map { $_->{$test} } @runs[ 0, 1 ]));
    }
    return (level => [ $level**2, 0 ]);
}

# Sets the errors of rows by how much runs of a group differ -> (msb, msr, level).  The variance of
# a test's own level is that of all tests, and above it for one that differs more, moderated
# (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004)
sub between_runs {
    my ($rows, $units) = @_;
    my @tests = sort keys %{$rows};
    my ($f, $c, $away, $by_passes) = @{$units}{qw(f c away by_passes)};
    my ($msb, $apart) = (0, {});    # mean squares of the runs, and of the tests in the runs
    for my $i (0 .. $#{ $away->{ $tests[0] } }) {
        my $shared = mean(map { $_->[$i] } @{$away}{@tests});
        $msb += @tests * $shared**2 / $f;
        $apart->{$_} += ($away->{$_}[$i] - $shared)**2 / $f / max(1, $#tests) for @tests;
    }
    my $msr = sum(@{$apart}{@tests});
    my $passes = mean(@{$by_passes}{@tests});
    my $own_passes = mean(map { $rows->{$_}{error} } @tests) / $c;
    my $between = $own_passes + max(0, $msb - $passes);
    my $common = sqrt($c * $units->{kappa} * $between / @tests + $units->{extra});
    my $all = max(0, $msr - $passes);

    for my $test (@tests) {
        my $row = $rows->{$test};
        my $one = @tests * $apart->{$test} - $by_passes->{$test};
        my $level = max($all, (LIKE * $all + $f * $one) / (LIKE + $f));
        @{$row}{qw(common df_common df_own)} = ($common, $f, $#tests * $f);
        $row->{own} = sqrt((1 - 1 / @tests) * ($row->{error} + $c * $level));
    }
    my @level = (max(0, $msb - max($msr, $passes)) / @tests, $all);
    return (msb => $msb, msr => $msr, level => \@level);
}

# Sets `beside` of the rows; the variance of a median is pi / 2 times that of a mean
sub beside {
    my ($rows, $f) = @_;
    my $count = keys %{$rows};
    my $middle = median(map { $_->{d} } values %{$rows});
    my $pi = 4 * atan2 1, 1;
    for my $row (values %{$rows}) {
        my $error = $row->{own} * sqrt(1 + $pi / 2 / $count);
        $row->{beside} = {
            d    => $row->{d} - $middle,
            half => $error * t_quantile(ERROR / $count, ($count - 1) * $f)
        };
    }
    return;
}

# Under a random walk over the order of the runs, as a multiple of what their spread lets expect
sub drift_factor {
    my ($order) = @_;
    my @letters = split //, $order;
    my %count;
    $count{$_}++ for @letters;
    my ($first, $second) = sort keys %count;
    my $f = @letters - keys %count;
    return 1 if !defined $second || $f < 1;
    my ($across, $within) = (0, 0);

    for my $i (0 .. $#letters) {
        for my $j (0 .. $i - 1) {
            my ($one, $two) = @letters[ $i, $j ];
            my $sign = $one eq $two ? -1 : 1;
            $across += $sign * ($i - $j) / $count{$one} / $count{$two};
            $within += ($i - $j) / $count{$one} if $one eq $two;
        }
    }
    return 1 if !$within;
    return max(1, $across / ($within / $f * (1 / $count{$first} + 1 / $count{$second})));
}

# Degrees of freedom of the difference of two estimates (Biometrika 34, 1947)
sub welch {
    my (@two) = @_;
    my $parts = sum(map { $_->{se}**4 / max(1, $_->{df}) } @two);
    return $parts > 0 ? max(1, sum(map { $_->{se}**2 } @two)**2 / $parts) : 1;
}

sub between {
    my ($x, $y) = @_;
    my $error = sqrt($x->{se}**2 + $y->{se}**2);
    return ($y->{center} - $x->{center}, $error * t_quantile(ERROR, welch($x, $y)));
}

sub paired_rows {
    my ($stratum) = @_;
    my %rows = %{ estimates($stratum) };
    for my $row (values %rows) {
        my %parts = (common => 0, df_common => 1, own => $row->{se}, df_own => $row->{df});
        $row = { %{$row}, %parts, d => $row->{center} };
    }
    return \%rows;
}

# Half of the interval of two independent parts, whose squared halves add (Howe, JASA 69, 1974;
# Graybill and Wang, JASA 75, 1980).  What all tests share is drawn once a stratum, the own part
# of each test once a row (Bonferroni); where only one of the two exists, it has the whole error
sub half_width {
    my ($row, $strata, $rows) = @_;
    my ($common, $own) = @{$row}{qw(common own)};
    my $shared = $common * t_quantile(($own ? ERROR - OWN : ERROR) / $strata, $row->{df_common});
    my $single = $own * t_quantile(($common ? OWN : ERROR) / $rows, max(1, $row->{df_own}));
    return sqrt $shared**2 + $single**2;
}

sub with_verdicts {
    my ($rows, $strata, $margin, $number) = @_;
    my @rows = @{$rows};
    for my $row (@rows) {
        my $half = half_width($row, $strata, $number || scalar @rows);
        @{$row}{qw(half low high)} = ($half, $row->{d} - $half, $row->{d} + $half);
        $row->{verdict} =
              $row->{low} > 0                                    ? 'faster'
            : $row->{high} < 0                                   ? 'slower'
            : -$margin <= $row->{low} && $row->{high} <= $margin ? 'same'
            :                                                      'unclear';
    }
    return @rows;
}

sub over_runs {
    my (@lists) = @_;
    my ($squares, $f) = (0, 0);
    for my $centers (grep { @{$_} } @lists) {
        my $mean = mean(@{$centers});
        $squares += ($_ - $mean)**2 for @{$centers};
        $f       += $#{$centers};
    }
    my $sd = $f ? sqrt $squares / $f : undef;
    return map { {
        center => scalar mean(@{$_}),
        sd     => $sd,
        half   => $f && @{$_} ? $sd * t_quantile(ERROR, $f) / sqrt @{$_} : undef,
    } } @lists;
}

sub more_runs {
    my ($group, $row, $strata, $rows, $margin) = @_;
    my %usual = (%{$group}, within => $row->{within} * ($group->{paired} ? 2 : 1));
    for my $k (max(2, 1 + min(@{ $group->{runs} })) .. MOST_RUNS) {
        return $k if half_of_runs(\%usual, $k, $strata, $rows, 0) <= $margin;
    }
    return;
}

sub half_of_runs {
    my ($group, $k, $strata, $rows, $further) = @_;
    my ($tests, $within) = @{$group}{qw(tests within)};
    my ($common, $own) = @{ $group->{level} };
    my $units = $group->{paired} ? 1 : 2;    # pairs, or runs on two sides
    my ($f, $c) = ($units * ($k - 1) + $further, $units / $k);
    my %row = (
        common    => sqrt($c * ($common + ($own + $within) / $tests)),
        df_common => $f,
        own       => sqrt($c * (1 - 1 / $tests) * ($own + $within)),
        df_own    => ($tests - 1) * $f,
    );
    return half_width(\%row, $strata, $rows);
}

1;
