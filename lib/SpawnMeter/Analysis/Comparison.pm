# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Comparison;

# Two groups of runs -> what differs (Stats::Difference).  Pure functions.
#
#   reduce(run, name, copies or undef for all) -> reduced run { name, head => its fields without its
#       passes, cells => { "copies test" => fields of the result record } }
#   match_each_cpu(reduced runs): where they are of machines with different numbers of CPUs, the
#       results of a copy on each CPU get the keys "each test", so that they are compared with each
#       other; such a run also has each => this number of copies
#   compare([reduced runs], [reduced runs], equals => [further runs, equal to each other], paired =>
#       true where run i of one group belongs to run i of the other, rates => true for rates alone)
#       -> {
#       rows => [row], by copies, then title;
#       means => [ { copies, to_copies, tests, ratio, low, high } ] of all tests together;
#       groups => [ those of Stats::Difference, with copies and tests_of => names ];
#       order => letters of the runs in order of time, undef where it is unknown;
#       reference => { levels => { copies => speed of the reference loops in the second group as a
#       share of the first }, words => which }, or { why => why they are not used };
#       margin => a share, within which results are the same; and without rates:
#       indexes => [ like means, with title, names => those of the tests that all runs have,
#       partial, old, new => index scores over these tests ];
#       blocked => [rows of the microseconds of the creating call], costs => [rows of a creation,
#       with what: CPU time (us) or page faults], where a ratio above 1 means longer or more }
#       row: { test, title, category, copies, to_copies => those of the second group (others where
#       each is a copy on each CPU), unit, old, new => centers of the groups (of posts rates),
#       ratio, low, high, verdict: faster, slower, same, unclear or busy, why => why it is busy,
#       beside => ratio to the other tests where the row is unclear and this is not, needed => runs
#       a side, in turn, that would bring it within the margin: undef beyond 40, 0 of posts }
#   spread_of([equal runs], their length as a share of a usual run's) -> { runs => number,
#       apart => { name, ratio } of one that alone is far from the others, or undef,
#       rows => [ { test, title, copies, unit, rate => center of all runs; shares: plus_minus =>
#       half of its 95 % interval, spread => standard deviation of their centers } ],
#       groups => [ { copies, tests => number, f => degrees of freedom; shares: shared, own =>
#       standard deviations of what all tests of a run share, and of what each has for itself,
#       resolves => { SIDES: usual runs a side => half of the interval of a difference, where
#       these are further equal runs } } ] } of the tests with an estimate in all runs
#   equal_runs(run of kind equals, its name) -> [reduced runs]: itself, or the sides of an `aa` of
#       0.5
#   weighted(means) -> their mean { tests, ratio, low, high }, weighted by their numbers of tests
#   withheld(true where one run a side is known and no equal runs, results or cells of a row) -> why
#       it has no verdict (busy), or undef
#
# A test that is not in all runs has no row.  Of one run a side a result of under 3 passes, which
# has no interval, is unclear; among several it counts like a post.

use strict;
use warnings;
use Exporter 'import';
use List::Util                        qw(max sum);
use SpawnMeter::Analysis::Fingerprint qw(without_loops);
use SpawnMeter::Analysis::Results     qw(in_order results);
use SpawnMeter::Stats::Difference     qw(compare_groups with_verdicts more_runs half_of_runs
    over_runs);
use SpawnMeter::Stats::Numbers qw(adjust around estimates geometric_mean median of_summaries);

our @EXPORT_OK = qw(reduce match_each_cpu compare weighted equal_runs withheld SIDES);

use constant SIDES => (1, 2, 4, 8);
use constant {
    MARGIN    => 0.03,    # within which results are the same
    FAR       => 0.2,     # logarithm: so far is a run from equal ones that was disturbed
    CROWDED   => 'other processes used CPUs that the copies needed',
    DISTURBED => 'most passes of a run were disturbed, and one run a side shows no more',
};

# What is compared besides the rate: the field of a result with the summary of its reciprocal, which
# like a rate is higher where it is better, and the words for the verdicts
my %LESS = (faster => 'less', slower => 'more');
my @COSTS = (
    { field => 'of_blocked', unit => 'us', words  => { faster => 'shorter', slower => 'longer' } },
    { field => 'of_cpu', unit     => 'us', words  => \%LESS, what => 'CPU time' },
    { field => 'of_faults', words => \%LESS, what => 'page faults' },
);

sub reduce {
    my ($run, $name, $copies) = @_;
    my %cells;
    for my $result (grep { defined $_->{rate} } @{ results($run, brief => 1) }) {

        # a posted text that does not say has 0: then the number that the user asks for is taken
        my $own = $result->{copies} || $copies || 0;
        next if defined $copies && $own != $copies;

        # execl with whole images is another test than with short ones
        $result->{test} .= " ($result->{images} images)" if defined $result->{images};
        $cells{"$own $result->{test}"} = { %{$result}, copies => $own };
    }
    my %head = map { $_ => $run->{$_} }
        grep { !/^(?:passes|printed|blocks|results|scores|tests)$/ } keys %{$run};
    return { name => $name, head => \%head, cells => \%cells };
}

sub match_each_cpu {
    my (@runs) = @_;
    my @each = map { copies_on_each_cpu($_) } @runs;
    my %different = map { $_ => 1 } grep { $_ } @each;
    return if keys %different < 2;
    for my $run (@runs) {
        my $copies = shift @each or next;
        my $cells = $run->{cells};
        $run->{each} = $copies;
        $cells->{"each $_->{test}"} = $_
            for map { delete $cells->{$_} } grep { /^$copies / } keys %{$cells};
        $_->{is_each} = $_->{copies} == $copies for @{ $run->{scores} || [] };
    }
    return;
}

# -> their number; 0 where there is one CPU, or no result with a copy on each
sub copies_on_each_cpu {
    my ($run) = @_;
    my $system = $run->{head}{system} || {};
    my $cpus = $system->{cpus_usable} || $system->{cpus_online} || 0;
    return $cpus > 1 && (grep { /^$cpus / } keys %{ $run->{cells} }) ? $cpus : 0;
}

sub compare {
    my ($old, $new, %options) = @_;
    my $why = without_loops(@{$old}, @{$new});
    my ($order, $known) = order($old, $new);
    $options{order} = $order;
    my @compared = ($old, $new, { %options, loops => !defined $why });
    my ($strata, @rows) = judged_rows(@compared);
    return {
        rows      => \@rows,
        means     => [ map { mean_of($_->{group}) } @{$strata} ],
        groups    => [ map { $_->{group} } @{$strata} ],
        order     => $known ? $order : undef,
        reference => reference($why, @{$strata}),
        margin    => MARGIN,
        $options{rates} ? () : (costs(@compared), indexes(@compared)),
    };
}

# -> ([strata], their rows with verdicts, by copies, then title)
sub judged_rows {
    my ($old, $new, $options) = @_;
    my $cost = $options->{cost};
    my @strata = strata($old, $new, $options);
    my @rows = map { @{ $_->{rows} } } @strata;
    my @table = (scalar @strata, scalar @rows, log(1 + MARGIN));
    with_verdicts(\@rows, @table[ 0, 2 ]);
    for my $row (@rows) {
        my @cells = map { $_->{cells}{ $row->{key} } } @{$old}, @{$new};
        my $busy = withheld(!$row->{group}{f}, @cells);
        my $is_open = $row->{verdict} eq 'unclear' && !$cost;
        my %more = $is_open ? of_unclear($row, @table) : ();
        in_units($row, $cost ? -1 : 1, @cells[ 0, -1 ], %more);
        $row->{$_} = $cost->{$_} for $cost ? qw(unit what) : ();
        $row->{verdict} = $cost->{words}{ $row->{verdict} } // $row->{verdict} if $cost;
        @{$row}{qw(verdict why)} = ('busy', $busy) if $busy;
    }
    return (\@strata, in_order(@rows));
}

# -> (letters of the runs in order of time, true where it is known): where it is not, the worst one,
# with one group after the other
sub order {
    my ($old, $new) = @_;
    my @runs = ((map { [ 'A', $_ ] } @{$old}), map { [ 'B', $_ ] } @{$new});
    my $known = !grep { !$_->[1]{head}{started} } @runs;
    @runs = sort { $a->[1]{head}{started} <=> $b->[1]{head}{started} } @runs if $known;
    return (join(q{}, map { $_->[0] } @runs), $known);
}

# Splits the tests into strata, each compared with one model -> (what compare_stratum returns, ...).
# Separate strata: another number of copies; tests without reference loops, where these are used;
# tests with other equal runs; of one run a side, tests without passes.
# options: those of compare(), loops => true where these can be used, cost => the one of @COSTS that
# is compared in place of the rate, only => { key => 1 } of the tests, or undef for all
sub strata {
    my ($old, $new, $options) = @_;
    my $cost = $options->{cost};
    my @runs = (@{$old}, @{$new});
    my %stratum;
    for my $key (sort keys %{ $old->[0]{cells} }) {
        next if $options->{only} && !$options->{only}{$key};
        my $has = sub {
            my ($cell) = map { $_->{cells}{$key} } @_;
            return $cell && (!$cost || $cell->{ $cost->{field} });
        };
        next if grep { !$has->($_) } @runs;
        my $few = @runs == 2 && grep({ !$_->{cells}{$key}{summary} } @runs) ? 1 : 0;
        my @equals = $few ? () : grep { $has->($_) } @{ $options->{equals} || [] };
        @equals = () if @equals < 2;
        my %where = map { ($_->{cells}{$key}{where} || q{}) => 1 } @runs, @equals;
        my $with_loops = $options->{loops} && keys %where == 1 && !$where{q{}} ? 1 : 0;
        my ($copies) = $key =~ /^(\w+)/;
        my $stratum = $stratum{ join q{ }, $copies, $with_loops, $few, @equals } ||=
            { groups => [ $old, $new, @equals ? \@equals : () ], loops => $with_loops };
        @{$stratum}{qw(copies to_copies)} = map { $_->[0]{cells}{$key}{copies} } $old, $new;
        push @{ $stratum->{keys} }, $key;
    }
    return map { compare_stratum($options, $_) } sort {
               $a->{copies} <=> $b->{copies}
            || $b->{loops}  <=> $a->{loops}
            || $a->{keys}[0] cmp $b->{keys}[0]
    } values %stratum;
}

# Compares the two groups in the tests of a stratum -> { rows, group, moved }, or nothing where no
# test is in all runs
sub compare_stratum {
    my ($options, $stratum) = @_;
    my ($groups, $keys) = @{$stratum}{qw(groups keys)};
    my $field = $options->{cost} ? $options->{cost}{field} : 'summary';
    my @cells_of_runs = map { $_->{cells} } map { @{$_} } @{$groups};
    my $posted = grep { !$_->{summary} } map { @{$_}{ @{$keys} } } @cells_of_runs;
    my $adjusted =
        $stratum->{loops} && !$posted && adjust(map { with_loops($_, @{$keys}) } @cells_of_runs);
    my @runs =
        $adjusted
        ? map { estimates($_) } @{ $adjusted->{runs} }
        : map { estimates_of($_, @cells_of_runs == 2, $field, @{$keys}) } @cells_of_runs;
    my ($in_a, $in_b, @equals) = map { [ splice @runs, 0, scalar @{$_} ] } @{$groups};
    my %runs = (a => $in_a, b => $in_b, equals => \@equals, adjusted => $adjusted);
    $runs{$_} = $options->{$_} for qw(order paired);
    my $difference = compare_groups(%runs, posted => $posted) or return ();
    my ($rows, $group) = @{$difference}{qw(rows group)};
    my @names = sort keys %{$rows};
    @{ $rows->{$_} }{qw(key group posted)} = ($_, $group, $posted) for @names;
    my @tests = map { $_->{test} } @{ $cells_of_runs[0] }{@names};
    $group->{$_} = $stratum->{$_} for qw(copies to_copies);
    @{$group}{qw(tests_of equals)} = (\@tests, scalar @equals);
    return { rows => [ @{$rows}{@names} ], group => $group, moved => $difference->{moved} };
}

# -> { key => the passes that have the loops beside them }
sub with_loops {
    my ($cells, @keys) = @_;
    return {
        map {
            $_ => [ grep { defined $_->{x} } @{ $cells->{$_}{series} } ]
        } @keys
    };
}

# The estimates of a result without enough passes: of a post, whose spread the prior of
# Stats::Difference has; and of a run that is alone on its side, a factor of e, so that its verdict
# is unclear
my %POST = (se => 0, spread => 0, df => 1);
my %FEW = (se => 1, spread => 0, df => 5);

# -> { key => estimate } of a run, by the summaries in this field of its cells
sub estimates_of {
    my ($cells, $alone, $field, @keys) = @_;
    my %summary = map { $_ => $cells->{$_}{$field} } @keys;
    my %estimate = %{ of_summaries(\%summary) };
    for my $key (grep { !$estimate{$_} } @keys) {
        my $unknown = $alone && defined $cells->{$key}{series} ? \%FEW : \%POST;
        $estimate{$key} = { %{$unknown}, center => log $cells->{$key}{rate} };
    }
    return \%estimate;
}

# -> needed and beside of an unclear row; table: numbers of strata and rows, margin (a logarithm)
sub of_unclear {
    my ($row, @table) = @_;
    my ($group, $beside) = @{$row}{qw(group beside)};
    my %more = (needed => $row->{posted} ? 0 : scalar more_runs($group, $row, @table));
    $more{beside} = exp $beside->{d} if $beside && abs $beside->{d} > $beside->{half};
    return %more;
}

# Turns the logarithms of a row into rates and ratios, or with the sign -1 into costs; cells: one of
# either group
sub in_units {
    my ($row, $sign, $of_old, $of_new, %more) = @_;
    my %new = map { $_ => $of_old->{$_} } qw(test title category copies);
    @new{qw(to_copies unit)} = ($of_new->{copies}, $of_old->{unit} // $of_new->{unit});
    @new{qw(verdict old new ratio)} =
        ($row->{verdict}, map { exp $sign * $_ } @{$row}{qw(old new d)});
    @new{qw(low high)} = sort { $a <=> $b } map { exp $sign * $_ } @{$row}{qw(low high)};
    %{$row} = (needed => undef, beside => undef, %new, %more);
    return;
}

sub withheld {
    my ($alone, @results) = @_;
    for my $result (@results) {
        return CROWDED if defined $result->{busy};
        return DISTURBED if $alone && 2 * ($result->{flagged} || 0) > ($result->{passes} || 0);
    }
    return;
}

sub reference {
    my ($why, @strata) = @_;
    my @moved = grep { defined $_->{moved} } @strata;
    return { why => $why // 'too few passes with them' } if !@moved;
    my %speeds = map { $_->{group}{copies} => exp $_->{moved} } @moved;
    return { levels => \%speeds, words => 'page faults of both kinds' };
}

sub mean_of {
    my ($group) = @_;
    my %mean = map { $_ => $group->{$_} } qw(copies to_copies tests);
    @mean{qw(ratio low high)} = around(@{ $group->{all} }{qw(d half)});
    return \%mean;
}

# The index scores, over the tests that all runs have
sub indexes {
    my ($old, $new, $options) = @_;
    my @rows;
    my @runs = (@{$old}, @{$new});
    for my $score (@{ $old->[0]{scores} || [] }) {
        my $name = name_of_score($score);
        my @scores = grep { $name eq name_of_score($_) } map { @{ $_->{scores} } } @runs;
        next if @scores < @runs;
        my @names = grep {
            my $test = $_;
            !grep { !$_->{index}{$test} } @scores
        } @{ $score->{tests} };
        my ($block) = split q{ }, $name;
        my %only = map { ("$block $_" => 1) } @names;
        my @strata = strata($old, $new, { %{$options}, only => \%only }) or next;
        my @of_tests = map { @{ $_->{rows} } } @strata;
        my %row = map { $_ => $strata[0]{group}{$_} } qw(copies to_copies);
        $row{old} = score_of_centers('old', $old->[0], $scores[0], @of_tests);
        $row{new} = score_of_centers('new', $new->[0], $scores[ @{$old} ], @of_tests);
        $row{partial} = (grep { $_->{partial} || @{ $_->{tests} } > @names } @scores) ? 1 : 0;
        my %mean = %{ weighted(map { mean_of($_->{group}) } @strata) };
        push @rows, { %mean, %row, title => $score->{title}, names => \@names };
    }
    return (indexes => \@rows);
}

sub name_of_score {
    my ($score) = @_;
    return join q{ }, $score->{is_each} ? 'each' : $score->{copies}, $score->{title} // q{};
}

# The score of the centers that are compared, from that of the rates of this run, so that it agrees
# with their difference
sub score_of_centers {
    my ($side, $run, $score, @rows) = @_;
    my $is_all = @rows == @{ $score->{tests} };
    my @cells = map { $run->{cells}{ $_->{key} } } @rows;
    my @indexes = map { $score->{index}{ $_->{test} } } @cells;
    my $of_rates = $is_all ? $score->{score} : geometric_mean(@indexes);
    return $of_rates * geometric_mean(map { exp($rows[$_]{$side}) / $cells[$_]{rate} } 0 .. $#rows);
}

sub weighted {
    my (@means) = @_;
    my $tests = sum(map { $_->{tests} } @means);
    my %one = (tests => $tests, map { $_ => 1 } qw(ratio low high));
    for my $mean (@means) {
        $one{$_} *= $mean->{$_}**($mean->{tests} / $tests) for qw(ratio low high);
    }
    return \%one;
}

# Without equal runs and loops: how much costs of equal runs differ is not modelled
sub costs {
    my ($old, $new, $options) = @_;
    my ($blocked, @others) = map {
        my %options = (%{$options}, cost => $_, equals => [], loops => 0);
        my (undef, @rows) = judged_rows($old, $new, \%options);
        \@rows
    } @COSTS;
    return (blocked => $blocked, costs => [ map { @{$_} } @others ]);
}

# ---- equal runs ----

sub equal_runs {
    my ($run, $name) = @_;
    my %passes;
    push @{ $passes{ defined $_->{side} ? " $_->{side}" : q{} } }, $_ for @{ $run->{passes} };
    return [ map { reduce({ %{$run}, passes => $passes{$_} }, "$name$_") } sort keys %passes ];
}

# All runs are equal ones of a comparison of the first two, in the tests that all of them have
sub spread_of {
    my ($all, $shorter) = @_;
    my ($first, $second) = my @runs = @{$all};
    return { runs => scalar @runs, rows => [], groups => [] } if @runs < 2;
    my %only = map { $_ => 1 } grep {
        my $key = $_;
        !grep { !($_->{cells}{$key} || {})->{summary} } @runs
    } keys %{ $first->{cells} };
    my %options = (equals => $all, loops => !defined without_loops(@runs), only => \%only);
    my @groups = map { $_->{group} } strata([$first], [$second], \%options);
    my @rows = map { rows_of_group($_, @runs) } @groups;
    return {
        runs   => scalar @runs,
        apart  => scalar far_from_others([ keys %only ], @runs),
        rows   => [ in_order(@rows) ],
        groups => [ map { resolving($_, scalar @groups, scalar @rows, $shorter) } @groups ],
    };
}

# -> { name, ratio } of a run whose median test is far from that of the others, or nothing
sub far_from_others {
    my ($keys, @runs) = @_;
    return if @runs < 3 || !@{$keys};
    my %middle = map {
        my $key = $_;
        $key => scalar median(map { log $_->{cells}{$key}{center} } @runs);
    } @{$keys};
    my %away = map {
        my $cells = $_->{cells};
        $_->{head}{name} => scalar median(map { log($cells->{$_}{center}) - $middle{$_} } @{$keys});
    } @runs;
    my ($first, $second) = sort { abs $away{$b} <=> abs $away{$a} } keys %away;
    return if !defined $second || abs $away{$first} < max(FAR, 3 * abs $away{$second});
    return { name => $first, ratio => exp $away{$first} };
}

sub rows_of_group {
    my ($group, @runs) = @_;
    return map {
        my $key = "$group->{copies} $_";
        my @cells = map { $_->{cells}{$key} } @runs;
        my ($over) = over_runs([ map { log $_->{center} } @cells ]);
        +{
            (map { $_ => $cells[0]{$_} } qw(test title copies unit)),
            rate       => exp $over->{center},
            spread     => share($over->{sd}),
            plus_minus => share($over->{half}),
        };
    } @{ $group->{tests_of} };
}

sub resolving {
    my ($group, $strata, $rows, $shorter) = @_;
    my ($shared, $own) = map { share(sqrt) } @{ $group->{level} };
    my %usual = (%{$group}, within => $group->{passes} * $shorter);
    my %halves = map { $_ => share(half_of_runs(\%usual, $_, $strata, $rows, $group->{f})) } SIDES;
    return {
        (map { $_ => $group->{$_} } qw(copies tests f)),
        shared   => $shared,
        own      => $own,
        resolves => \%halves
    };
}

sub share { my ($log) = @_; return exp($log) - 1 }

1;
