# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use File::Temp                  ();
use SpawnMeter::Catalog::Sweeps qw(load cells size named);
use SpawnMeter::Catalog::Tests;

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $sweeps = load("$ROOT/pgms/sweeps.list");
for my $sweep (@{$sweeps}) {
    my ($cells, $head) = cells($sweep, $tests, 2);
    cmp_ok(scalar @{$cells}, '>=', 4, "$sweep->{name}: at least four cells");
    is(
        scalar @{$cells},
        @{ $head->{values} } * @{ $head->{series} },
        "$sweep->{name}: a cell for each value and series"
    );
}
is(size('10M'), 10 * 1024**2, 'size: 10M');
is(size('1.5k'), 1536, 'size: 1.5k');
is(size('static'), undef, 'size: a name has none');

my ($memory) = grep { $_->{name} eq 'memory' } @{$sweeps};
my ($cells) = cells($memory, $tests, 2);
my ($large) = grep { $_->{series} eq 'fork' && $_->{value} eq '300M' } @{$cells};
is_deeply($large->{options}, [qw(--heap 300M)], 'an option with its value');
is($large->{pinned}, 1, 'cells are pinned by default');
my ($copies, $of_copies) = cells(named($sweeps, 'copies'), $tests, 4);
is_deeply(
    [ map { $_->{copies} } grep { $_->{series} eq 'fork' } @{$copies} ],
    [ 1, 4, 8 ],
    'numbers of copies, from the CPUs'
);
is_deeply($of_copies->{values}, [ 1, 4, 8 ], 'labels are the numbers of copies');
is($copies->[0]{pinned}, 0, '@free: not pinned');
my ($image) = cells(named($sweeps, 'image'), $tests, 2);
is_deeply(
    [ map { $_->{static} ? 1 : 0 } grep { $_->{series} eq 'vfork' } @{$image} ],
    [ 1, 0, 0, 0 ],
    'static programs'
);
my ($shells) = cells(named($sweeps, 'target'), $tests, 2);
my ($sh) = grep { $_->{value} eq 'sh-static' } @{$shells};
is_deeply(
    [ @{$sh}{qw(options arguments)} ],
    [ [qw(--exec sh-static)], [qw(-c exit 0)] ],
    'a target with arguments'
);
my ($huge) = cells(named($sweeps, 'hugepages'), $tests, 2);
ok(
    (
        grep {
            $_->{series} eq 'fork --hugepages' && "@{ $_->{options} }" eq '--hugepages --heap 10M'
        } @{$huge}
    ),
    'a test with an option of its own'
);

# Programs of the search path
my $tools = File::Temp->newdir;
mkdir "$tools/a b" or die "$!";
chmod 0755, map { spew("$tools/$_", "#!/bin/sh\n") } 'here', 'there', 'a b/apart';

sub found {
    my ($option) = @_;
    local $ENV{PATH} = "$tools:$tools/a b";
    my %sweep = (name => 'x', tests => ['launch'], option => $option, values => ['1=']);
    my ($cells) = cells(\%sweep, $tests, 2);
    return $cells->[0];
}
is_deeply(found('--exec PATH/here')->{options}, [ '--exec', "$tools/here" ], 'an installed one');
is(found('--exec PATH/none')->{skip}, 'none is not installed', 'one that is not installed');
is_deeply(
    found('--mix PATH/here+-c+x;PATH/none+y;PATH/apart;true-static;PATH/there')->{options},
    [ '--mix', "$tools/here+-c+x;true-static;$tools/there" ],
    'a mix: those that are installed, and our own'
);
is(
    found('--mix PATH/none;PATH/neither+x')->{skip},
    'no command of the mix is installed',
    'a mix of which none is'
);
my ($spawners) = cells(named($sweeps, 'spawners'), $tests, 2);
is_deeply(
    [ map { [ $_->{copies}, @{ $_->{options} } ] } grep { $_->{value} == 4 } @{$spawners} ]->[0],
    [ 1, '--spawners', 4 ],
    'the value in an option of one test'
);
is_deeply([ grep { $_->{series} eq 'fork -c' && $_->{value} == 4 } @{$spawners} ]->[0]{copies},
    4, 'and as its copies');
is_deeply(
    (cells(named($sweeps, 'own-targets'), $tests, $_))[1]{values},
    { 1 => [1], 2 => [ 1, 2 ], 6 => [ 1, 2, 4, 6 ], 8 => [ 1, 2, 4, 8 ] }->{$_},
    "powers of 2 up to $_"
) for 1, 2, 6, 8;
my (undef, $stall) = cells(named($sweeps, 'stall'), $tests, 2);
is($stall->{quantity}, 'stall', '@of: what the times are of');
is((cells($memory, $tests, 2))[1]{quantity}, undef, 'otherwise of a creation');
{
    my $folder = scratch();
    eval { load(spew("$folder/list", "x | X | y | fork | \@of=stal | 1 2\n")) };
    like($@, qr/line 1: \@of=stal is not one of .*, stall\n/, 'an unknown quantity');
}
my $part = SpawnMeter::Catalog::Sweeps::part(
    named($sweeps, 'stall'),
    tests  => [qw(fork)],
    values => ['4M']
);
is_deeply([ map { "$_->{series} $_->{value}" } @{ (cells($part, $tests, 2))[0] } ],
    ['fork 4M'], 'a part of a sweep');
eval { SpawnMeter::Catalog::Sweeps::part(named($sweeps, 'stall'), values => ['3M']) };
is($@, "the sweep stall has no 3M among its values\n", 'a part that it does not have');
eval { named($sweeps, 'memroy') };
like($@, qr/unknown sweep 'memroy'; did you mean 'memory'/, 'an unknown sweep');
for my $bad (
    [ 'x|y|z'                        => qr/six fields/ ],
    [ 'X|t|a|fork||1'                => qr/is not a name/ ],
    [ "x|t|a|fork||1\nx|t|a|fork||1" => qr/line 2: the sweep 'x' is defined twice/ ],
    [ 'x|t|a|||1'                    => qr/no tests/ ],
    [ "x|t\e|a|fork||1"              => qr/line 1: a control character/ ],
    [ '# x'                          => qr/contains no sweep/ ]
) {
    my $file = File::Temp->new;
    spew("$file", "$bad->[0]\n");
    eval { load("$file") };
    like($@, $bad->[1], $bad->[0]);
}
eval { load("$ROOT/pgms/nothing.list") };
like($@, qr/nothing\.list: No such file/, 'a list that does not exist');
my $file = File::Temp->new;
spew("$file", "x|T|a|fork||1 CPUS TWICE\ny|T|a|nothing||1\n");
my ($few) = cells(load("$file")->[0], $tests, 1);
is_deeply([ map { $_->{value} } @{$few} ], [ 1, 2 ], 'a value that comes twice is measured once');
eval { cells(load("$file")->[1], $tests, 1) };
like($@, qr/the sweep y uses the unknown test 'nothing'/, 'a test that does not exist');
done_testing;
