# SPDX-License-Identifier: GPL-2.0-or-later
# The statistical model gives the numbers of t/model/model-cases.json, which t/model/model.py
# (the reference implementation) was run on, to four digits.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Stats::Difference qw(compare_groups paired_rows with_verdicts half_width
    drift_factor more_runs half_of_runs);
use SpawnMeter::Stats::Numbers qw(adjust estimate estimates index_of two_speeds);
use SpawnMeter::Util::File;

use constant { CLOSE => 1e-4, MARGIN => log 1.03 };

# What the reference calls otherwise
my %NAME = (within1 => 'within', W => 'passes');

my %case = map { $_->{name} => $_ }
    @{ SpawnMeter::Util::File::decode(slurp_file("$ROOT/t/model/model-cases.json"))->{cases} };

sub close_to {
    my ($got, $expected) = @_;
    return defined $got && abs($got - $expected) <= CLOSE * (abs($expected) + 1e-6);
}

# The names of the expected numbers that are not met
sub unmet {
    my ($got, $expected, @names) = @_;
    return grep { !close_to($got->{ $NAME{$_} || $_ }, $expected->{$_}) } @names;
}

sub stratum_of {
    my ($passes, $copies) = @_;
    my %of;
    push @{ $of{ $_->{test} } }, $_
        for sort { $a->{at} <=> $b->{at} } grep { $_->{copies} == $copies } @{$passes};
    return \%of;
}

# Two groups around -1 and 1: their share of the variance is 1 / (1 + apart ** 2)
for my $case ([ 0.51, 24, 0 ], [ 0.49, 24, 1 ], [ 0.3, 23, 0 ]) {
    my ($apart, $passes, $expected) = @{$case};
    my @y = map { ((-1, 1)[ $_ % 2 ] + (-$apart, $apart)[ $_ / 2 % 2 ]) / 100 } 1 .. $passes;
    is(estimate(\@y)->{two_speeds},
        $expected, "two speeds: groups that are $apart wide, $passes passes");
}
is(estimate([ 1 .. $_ ], 0)->{few}, $_ < 6 ? 1 : 0, "$_ independent passes: few or not") for 5, 6;
for my $name ('nine passes', 'an outlier, correlated', 'two speeds') {
    my ($y, $expected) = @{ $case{$name} }{qw(input expected)};
    my $got = estimate($y);
    is(join(q{ }, unmet($got, $expected, qw(center se df n n_eff spread rho))), q{}, $name);
    my %warned = map { $_ => 1 } @{ $expected->{warnings} };
    is(
        "@{$got}{qw(few two_speeds)}",
        join(q{ }, map { $warned{$_} || 0 } 'few passes', 'two speeds'),
        "$name: warnings"
    );
    ok(close_to((two_speeds($y))[0], $expected->{share}), "$name: share between two groups")
        if defined $expected->{share};
}

{
    my ($passes, $expected) = @{ $case{'one stratum'} }{qw(input expected)};
    my $stratum = stratum_of($passes, 1);
    my $got = estimates($stratum);
    for my $test (sort keys %{ $expected->{estimates} }) {
        my @unmet =
            unmet($got->{$test}, $expected->{estimates}{$test}, qw(center se df n_eff rho));
        is("@unmet", q{}, "one stratum: $test");
    }
    my @unmet = unmet(index_of($stratum), $expected->{index}, qw(center se df n n_eff rho));
    is("@unmet", q{}, 'one stratum: index');
}

{
    my ($orders, $expected) = @{ $case{order} }{qw(input expected)};
    my @wrong = grep { !close_to(drift_factor($orders->[$_]), $expected->[$_]) } 0 .. $#{$orders};
    is("@{$orders}[@wrong]", q{}, 'drift factors of orders');
}

{
    my ($input, $expected) = @{ $case{'half widths'} }{qw(input expected)};
    for my $i (0 .. $#{$input}) {
        my ($strata, $rows) = @{ $input->[$i] }[ 4, 5 ];
        my %row;
        @row{qw(common df_common own df_own)} = @{ $input->[$i] };
        my $got = half_width(\%row, $strata, $rows);
        ok(close_to($got, $expected->[$i]), "half width $i: @{ $input->[$i] }")
            or diag "$got, not $expected->[$i]";
    }
}

# A comparison of the reference -> { rows => { 'copies test' => row }, groups => { copies =>
# group } }
sub compared {
    my ($input) = @_;
    my %with = %{ $input->{options} };
    my (%rows, %groups);
    my %copies = map { $_->{copies} => 1 } @{ $input->{A}[0] };
    for my $copies (sort keys %copies) {
        my @groups = map {
            [ map { stratum_of($_, $copies) } @{$_} ]
        } @{$input}{qw(A B)}, @{ $with{equals} || [] };
        my $adjusted = $with{use_loops} ? adjust(map { @{$_} } @groups) : undef;
        my @runs = $adjusted ? @{ $adjusted->{runs} } : map { @{$_} } @groups;
        my ($in_a, $in_b, @equals) = map {
            [ map { estimates(shift @runs) } @{$_} ]
        } @groups;
        my $found = compare_groups(
            a        => $in_a,
            b        => $in_b,
            equals   => \@equals,
            adjusted => $adjusted,
            (map { $_ => $with{$_} } qw(order paired)),
        );
        $groups{$copies} = $found->{group};
        $rows{"$copies $_"} = $found->{rows}{$_} for keys %{ $found->{rows} };
    }
    with_verdicts([ values %rows ], scalar keys %groups, MARGIN);
    return { rows => \%rows, groups => \%groups };
}

my @ROW = qw(d common df_common own df_own within1 half low high);
for my $case (grep { $_->{call} =~ /^compare/ } values %case) {
    my ($name, $expected) = @{$case}{qw(name expected)};
    my $got = compared($case->{input});
    for my $row (sort keys %{ $expected->{rows} }) {
        my ($is, $should) = ($got->{rows}{$row}, $expected->{rows}{$row});
        is(join(q{ }, unmet($is, $should, @ROW)), q{}, "$name: $row");
        is($is->{verdict}, $should->{verdict}, "$name: verdict of $row");
    }
    for my $copies (sort keys %{ $expected->{infos} }) {
        my ($is, $should) = ($got->{groups}{$copies}, $expected->{infos}{$copies});
        my @names = grep { defined $should->{$_} } qw(f c kappa msb msr);
        is(join(q{ }, unmet($is, $should, @names)), q{}, "$name: $copies copies");
        my @all = $should->{all} ? unmet($is->{all}, $should->{all}, qw(d half)) : ();
        is("@all", q{}, "$name: all tests");
    }
    for my $row (map { /^more_runs of (.+)/ ? $1 : () } keys %{$expected}) {
        my ($copies) = split q{ }, $row;
        my $rows = keys %{ $got->{rows} };
        my $needed = more_runs(
            $got->{groups}{$copies},
            $got->{rows}{$row},
            scalar keys %{ $got->{groups} },
            $rows, MARGIN
        );
        is($needed, $expected->{"more_runs of $row"}, "$name: runs that $row needs");
    }
}

# As many pairs again would show what these do; the model allows for tests that differ more
{
    my $run = sub {
        my ($i, $side) = @_;
        my $center = $side * (0.1 * $i + 0.02 * $i**2);
        my %of = map { $_ => $center + 0.01 * $side * (($_ + $i) % 3) } 1 .. 3;
        return { map { $_ => { center => $of{$_}, se => 0.001, spread => 0.03, df => 20 } }
                1 .. 3 };
    };
    my ($in_a, $in_b) = map {
        my $side = $_;
        [ map { $run->($_, $side) } 1 .. 4 ]
    } 0, 1;
    my ($alone, $found) =
        map { compare_groups(a => $in_a, b => $in_b, paired => 1, equals => $_) } [],
        [$in_a];
    is($found->{group}{passes}, $alone->{group}{passes}, 'further equal runs have no part in it');
    my ($row) =
        sort { $a->{half} <=> $b->{half} } with_verdicts([ values %{ $found->{rows} } ], 1, 0);
    my $half = half_of_runs({ %{ $found->{group} }, within => 2e-6 }, 4, 1, 3, 0);
    ok(close_to($half, $row->{half}), 'what so many pairs show') or diag "$half, $row->{half}";
    cmp_ok(more_runs($found->{group}, $row, 1, 3, 1.001 * $row->{half}), '==', 5,
        'the next number');
}

sub differences_of {
    my ($in_a, $in_b) = @_;
    return [ map { { at => $_, y => $in_b->[$_]{y} - $in_a->[$_]{y} } } 0 .. $#{$in_a} ];
}

{
    my ($passes, $expected) = @{ $case{'A/B in one run'} }{qw(input expected)};
    my %of;
    push @{ $of{ $_->{test} }{ $_->{side} } }, $_ for sort { $a->{at} <=> $b->{at} } @{$passes};
    my $rows = paired_rows({ map { $_ => differences_of(@{ $of{$_} }{qw(A B)}) } keys %of });
    with_verdicts([ values %{$rows} ], 1, MARGIN);
    for my $name (sort keys %{$expected}) {
        my ($test) = $name =~ /(\w+)\z/;
        my @unmet = unmet($rows->{$test}, $expected->{$name}, qw(d own df_own rho half low high));
        is("@unmet", q{}, "A/B in one run: $test");
        is($rows->{$test}{verdict}, $expected->{$name}{verdict}, "A/B: verdict of $test");
    }
}
done_testing;
