# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;
use lib 'bench';
use Test::More;
use Simulation                       qw(normal);
use SpawnMeter::Stats::Distribution  qw(t_quantile t_two_sided);
use SpawnMeter::Analysis::AA         qw(sides side equals summary problem);
use SpawnMeter::Analysis::Comparison qw(reduce);
use SpawnMeter::Util::Random;

my $random = SpawnMeter::Util::Random->new(3);

# Passes of a test in one short run
sub passes {
    my ($test, $side, $rate, $spread) = @_;
    return map { {
        test    => $test,
        copies  => 1,
        side    => $side,
        status  => 'ok',
        rate    => $rate * (1 + $spread * normal($random)),
        unit    => 'lps',
        wall    => 0.3,
        results => []
    } } 1 .. 12;
}

sub run_of {
    return {
        protocol => { name => 'settle', precision => 0.03, max_time => 4 },
        suite    => '1',
        system   => {},
        blocks   => [ { copies => 1 } ],
        tests    => [ { name => 'x', title => 'A test' }, { name => 'a', title => 'Last' } ],
        passes   => [@_],
    };
}

my @levels = (1, 1.08, 0.94, 1.03, 0.97, 1.05, 0.92, 1.01);
my $run =
    run_of(map { (passes('x', $_, 1000 * $levels[ $_ - 1 ], 0.001), passes('a', $_, 500, 0.05)) }
        1 .. 8);
my $runs = sides($run);

subtest 'the short runs' => sub {
    is(scalar @{$runs}, 8, 'one for each side');
    is_deeply([ sort keys %{ $runs->[0] } ], [ '1 a', '1 x' ], 'each with its tests');
    cmp_ok(abs($runs->[1]{'1 x'}{log} - log 1080), '<', 0.001, 'the logarithm of a rate');
    my $stored = side(reduce({ %{$run}, passes => [ passes('x', 1, 1000, 0.01) ] }, 'n'));
    cmp_ok(abs($stored->{'1 x'}{log} - log 1000), '<', 0.02, 'the same of a stored run');
};

subtest 'the level of equal runs' => sub {
    my $equals = equals($runs);
    cmp_ok(abs($equals->{'1 x'}{level} - 0.045),
        '<', 0.015, 'where runs differ by more than passes');
    cmp_ok($equals->{'1 a'}{level}, '>', 0.01, 'never less than the mean of all tests');
    cmp_ok($equals->{'1 a'}{level}, '<', $equals->{'1 x'}{level}, 'the other test has less');
    my $with_history = equals($runs, [ map { side_of($_) } 1 .. 6 ]);
    is($with_history->{'1 x'}{runs}, 14, 'stored runs add to them');
    cmp_ok($with_history->{'1 x'}{level}, '<', $equals->{'1 x'}{level}, 'quiet ones lower it');
    is_deeply(equals([ @{$runs}[ 0 .. 2 ] ]), {}, 'three runs tell nothing');
};

# The level is a difference of two variances: the nearer they are, the less is known of it
subtest 'degrees of freedom' => sub {
    my $degrees_of = sub {
        my ($spread, $levels, @tests) = @_;
        my @passes = map {
            my $side = $_;
            map { passes($_, $side, 1000 * $levels->[ $side - 1 ], $spread) } @tests
        } 1 .. 8;
        return equals(sides(run_of(@passes)))->{'1 x'};
    };
    my $quiet = $degrees_of->(0.0001, \@levels, 'x');
    cmp_ok(abs($quiet->{degrees} - 7), '<', 0.1, 'of passes that hardly vary: 8 runs less 1');
    my $noisy = $degrees_of->(0.05, \@levels, 'x');
    my $share = $noisy->{level}**2 / ($noisy->{level}**2 + $noisy->{error}**2);
    cmp_ok(abs($noisy->{degrees} - 7 * $share**2),
        '<', 1e-9, 'of noisy passes: less, by the share of the level in the variance');
    my $of_many = $degrees_of->(0.0001, \@levels, 'x', map { "test$_" } 1 .. 7);
    ok($of_many->{degrees} > 9 && $of_many->{degrees} < 15, 'of several tests at most twice')
        or diag $of_many->{degrees};
    my $none = $degrees_of->(0.05, [ (1) x 8 ], 'x');
    cmp_ok($none->{degrees}, '<', 2, 'without a level: hardly any');
    cmp_ok($none->{level}, '<', 0.02, 'which is small');
};

# Levels that all tests share have 7 degrees of freedom, and count for 14 (OwnLevel)
subtest 'levels that all tests share' => sub {
    for my $tests (2, 8, 16) {
        my $wrong = t_two_sided(t_quantile(0.05 / $tests, 14), 7);
        cmp_ok($wrong, '<', 0.05, "verdicts of $tests tests: wrong in under 5 %");
    }
};

# Where the runs differ by nothing, an A/A run of eight tests lets a comparison find what the
# passes show; of one test it knows too little
subtest 'the smallest difference where runs have no level' => sub {
    my $smallest_of = sub {
        my (@tests) = @_;
        my @all;
        for (1 .. 9) {
            my @passes = map {
                my $side = $_;
                map { passes($_, $side, 1000, 0.03) } @tests
            } 1 .. 8;
            my $of = sides(run_of(@passes));
            push @all, map { $_->{of_all} } @{ summary($of, equals($of), shorter => 0.4)->{rows} };
        }
        my @known = sort { $a <=> $b } grep { defined } @all;
        return { share => @known / @all, median => $known[ @known / 2 ] };
    };
    my $eight = $smallest_of->(map { "test$_" } 1 .. 8);
    cmp_ok($eight->{share}, '>', 0.9, 'of eight tests: known');
    cmp_ok($eight->{median}, '<', 0.1, 'and not far above what the passes show');
};

sub side_of {
    my ($number) = @_;
    return side(reduce({ %{$run}, passes => [ passes('x', 1, 2000, 0.001) ] }, "run $number"));
}

subtest 'summary' => sub {
    my $summary = summary($runs, equals($runs), shorter => 0.4);
    is_deeply([ map { $_->{title} } @{ $summary->{rows} } ], [ 'A test', 'Last' ], 'by title');
    my $row = $summary->{rows}[0];
    cmp_ok(abs($row->{largest} - 0.174), '<', 0.005, 'the largest difference');
    cmp_ok(abs($row->{pairs} - 0.085), '<', 0.02, 'the usual difference of two in a row');
    cmp_ok($row->{smallest}, '>', 1.9 * sqrt(2) * $row->{level}, 'the smallest significant one');
    cmp_ok($row->{of_all}, '>', $row->{smallest}, 'is larger where several tests are compared');
};

subtest 'results that do not count in the summary' => sub {
    my @disturbed = map { +{ %{$_} } } @{$runs};
    $disturbed[2]{'1 x'} = { %{ $disturbed[2]{'1 x'} }, log => log(500), disturbed => 1 };
    my ($row) = @{ summary(\@disturbed, equals(\@disturbed), shorter => 0.4)->{rows} };
    cmp_ok($row->{largest}, '<', 0.2, 'a disturbed one that is half as fast');
    my @once = ($runs->[0], map { +{ '1 a' => $_->{'1 a'} } } @{$runs}[ 1 .. 7 ]);
    my $rows = summary(\@once, equals($runs), shorter => 0.4)->{rows};
    is_deeply([ map { $_->{test} } @{$rows} ], ['a'], 'a test of one run has no difference');
};

subtest 'tests that only stored runs have' => sub {
    my $equals = equals($runs);
    my @own = sort keys %{$equals};
    my $more = summary($runs, { %{$equals}, '1 other' => $equals->{ $own[0] } }, shorter => 0.4);
    is_deeply($more, summary($runs, $equals, shorter => 0.4), 'are not in the summary');
};

subtest 'a problem' => sub {
    is(scalar problem($runs), undef, 'none in quiet runs');
    like(problem([]), qr/no test has the six passes/, 'nothing to compare');
    like(problem([ @{$runs}[ 0 .. 2 ] ]), qr/^it has under 4 runs/, 'too few runs');
    my @busy = map {
        my $cells = $_;
        +{ map { $_ => { %{ $cells->{$_} }, disturbed => 1 } } keys %{$cells} }
    } @{$runs};
    like(problem(\@busy), qr/^16 of its 16 results are disturbed/, 'disturbed results');
    my @absurd = map {
        my $i = $_;
        +{ '1 x' => { %{ $runs->[$i]{'1 x'} }, log => $i % 2 } }
    } 0 .. 7;
    like(problem(\@absurd), qr/^equal runs differed by \d+ %/, 'absurd differences');
};
done_testing;
