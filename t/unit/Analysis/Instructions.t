# SPDX-License-Identifier: GPL-2.0-or-later
# Analysis::Instructions: the median creation, and how kernels differ.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Analysis::Instructions qw(listed);

sub summary { return SpawnMeter::Analysis::Instructions::summary($_[0], $ROOT) }

is_deeply(
    SpawnMeter::Analysis::Instructions::pass(
        [ [ 90, 20, 1 ], [ 95, 5, 2 ], [ 500, 5, 3 ], [ 80, 1, 4 ] ]
    ),
    {
        rate   => 100,
        counts => {
            kernel    => 95,
            user      => 5,
            elements  => 2,
            mean      => 199,
            creation  => 1,
            creations => 4
        }
    },
    'a pass has the lower of two median creations, which is one that was'
);

# Boots of two tests on sides, { side => { test => [of each seed] } }
sub run_of {
    my (%of) = @_;
    my ($seeds, @passes) = 0;
    for my $side (sort keys %of) {
        for my $test (sort keys %{ $of{$side} }) {
            my $seed = 0;
            my %pass = (test => $test, side => $side);
            push @passes, { %pass, round => ++$seed, rate => $_, counts => { mean => $_ } }
                for @{ $of{$side}{$test} };
            $seeds = $seed if $seed > $seeds;
        }
    }
    my @tests = map { { name => $_, title => $_ } } qw(fork vfork);
    return {
        tests    => \@tests,
        sides    => [ map { { name => $_ } } sort keys %of ],
        passes   => \@passes,
        settings => { seeds => $seeds },
    };
}

sub verdicts {
    my ($summary) = @_;
    return map {
        join q{ }, $_->{test},
            map { $_->{verdict} }
            @{ $_->{others} }
    } @{ $summary->{rows} };
}

my %fork = (fork => [ 1000, 1001, 999 ]);
my %both = (%fork, vfork => [ 500, 500.4, 499.8 ]);
is_deeply(
    [ verdicts(summary(run_of(A => \%both, B => \%both))) ],
    [ 'fork same', 'vfork same' ],
    'equal counts are the same'
);
my $found = summary(run_of(
    A => \%both,
    B => { fork => [ 1100, 1101, 1102 ], vfork => [ 450, 450.1, 449.9 ] },
));
is_deeply([ verdicts($found) ], [ 'fork more', 'vfork fewer' ], 'more and fewer');
my ($of) = @{ $found->{rows}[0]{others} };
ok($of->{low} < $of->{ratio} && $of->{ratio} < $of->{high}, 'within its interval');
is($found->{rows}[0]{values}[0]{median}, 1000, 'the number is that of the median boot');
$found = summary(run_of(A => { fork => [1000] }, B => { fork => [2000] }));
is_deeply(
    [ @{ $found->{rows}[0]{others}[0] }{qw(ratio low verdict)} ],
    [ 2, undef, 'unclear' ],
    'one boot a side has no interval'
);
is(scalar @{ $found->{rows} }, 1, 'a test that was not counted has no row');
$found = summary(run_of(A => \%both, B => { %both, vfork => [500] }));
is_deeply([ verdicts($found) ], ['fork same'], 'nor has one that was not counted in each boot');

my %old = (do_set_pte => 100, set_pte => 70, copy_pte_range => 50, gone => 7, programs => 3);
my %new = (set_pte_range => 130, copy_pte_range => 40, come => 90, programs => 3);
my $run = run_of(A => \%both, B => \%both);
@{ $run->{sides} }[ 0, 1 ] =
    ({ name => 'A', functions => \%old }, { name => 'B', functions => \%new });
my $changed = summary($run);
is_deeply(
    [ map { join q{ }, @{$_}{qw(name old new)} } @{ $changed->{functions} } ],
    [
        'do_set_pte 100 0',
        'come 0 90',
        'set_pte -> set_pte_range 70 130',
        'copy_pte_range 50 40',
        'gone 7 0', 'programs 3 3'
    ],
    'functions that changed most come first, and one with a new name is one, once'
);
is_deeply(
    [ map { join q{ }, @{$_}{qw(name old new)} } @{ $changed->{families} } ],
    [ 'other 7 90', 'page tables and faults 220 170', 'programs 3 3' ],
    'families have their sums'
);

my %configuration = (
    A => { MEMCG    => 'y', HZ_250 => 'y', E1000   => 'm', SMP   => 'y' },
    B => { MEMCG_V1 => 'y', MEMCG  => 'y', HZ_1000 => 'y', KASAN => 'y', SMP => 'y' },
);
my @names = qw(KASAN MEMCG_V1 HZ_1000 HZ_250);
is_deeply([ listed($ROOT, 'E1000', reverse @names) ],
    \@names, 'options of the list are in its order, those of debugging first');
$_->{configuration} = $configuration{ $_->{name} } for @{ $run->{sides} };
is_deeply(summary($run)->{differ}, \@names, 'those that differ are named');
delete $run->{sides}[0]{configuration};
is_deeply(summary($run)->{differ}, [], 'and none where one configuration is known');
my @lines = grep { /^[^#\n]/ } split /^/, slurp_file("$ROOT/pgms/kernel-options.list");
is_deeply([ grep { !/^[A-Z\d_*]+ +[|] \S/ } @lines ], [], 'each line has an option and a reason');

done_testing;
