# SPDX-License-Identifier: GPL-2.0-or-later
use lib 't/lib';
use TestHelp;
use File::Temp ();
use SpawnMeter::Analysis::CostModel;
use SpawnMeter::Catalog::Sweeps qw(load cells named);
use SpawnMeter::Catalog::Tests;

my $tests = SpawnMeter::Catalog::Tests::load("$ROOT/pgms/tests.list")->{tests};
my $sweeps = load("$ROOT/pgms/sweeps.list");
for my $sweep (@{$sweeps}) {
    my ($cells, $head) = cells($sweep, $tests, 2);
    cmp_ok(scalar @{$cells}, '>=', 4, "$sweep->{name}: at least four cells");
    my $product = @{ $head->{values} } * @{ $head->{series} };
    is(scalar @{$cells}, $product, "$sweep->{name}: a cell for each value and series");
}

# A field of the cells of a sweep on so many CPUs that are of this series, and perhaps of this value
sub field {
    my ($field, $name, $cpus, $series, $value) = @_;
    my ($cells) = cells(named($sweeps, $name), $tests, $cpus);
    my @own =
        grep { $_->{series} eq $series && (!defined $value || $_->{value} eq $value) } @{$cells};
    return join q{ | }, map { ref ? "@{$_}" : defined ? $_ : q{-} } map { $_->{$field} } @own;
}

for my $case (
    [ '--heap 300M', 'an option with its value', options      => 'memory', 2, 'fork', '300M' ],
    [ 1, 'cells are pinned by default', pinned                => 'memory', 2, 'fork', '300M' ],
    [ '1 | 4 | 8', 'numbers of copies, from the CPUs', copies => 'copies', 4, 'fork' ],
    [ '0 | 0 | 0', '@free: not pinned', pinned                => 'copies', 4, 'fork' ],
    [ '1 | - | - | -', 'static programs', static              => 'image', 2, 'vfork' ],
    [ '--exec sh-static', 'a target', options     => 'target', 2, 'vforkexec', 'sh-static' ],
    [ '-c exit 0', 'and its arguments', arguments => 'target', 2, 'vforkexec', 'sh-static' ],
    [
        '--spawners 4', 'the value in an option of one test',
        options => 'spawners',
        2, 'posix_spawn --spawners', 4
    ],
    [ 1, 'of one copy', copies       => 'spawners', 2, 'posix_spawn --spawners', 4 ],
    [ 4, 'and as its copies', copies => 'spawners', 2, 'fork -c', 4 ],
) {
    my ($expected, $name, @of) = @{$case};
    is(field(@of), $expected, $name);
}
like(
    field(options => 'hugepages', 2, 'fork --hugepages'),
    qr/(?:^|[|] )--hugepages --heap 10M(?: [|]|$)/,
    'a test with an option of its own'
);
is("@{ (cells(named($sweeps, 'copies'), $tests, 4))[1]{values} }", '1 4 8', 'labels of copies');
my %powers = (1 => '1', 2 => '1 2', 6 => '1 2 4 6', 8 => '1 2 4 8');
is("@{ (cells(named($sweeps, 'own-targets'), $tests, $_))[1]{values} }",
    $powers{$_}, "powers of 2 up to $_")
    for sort keys %powers;
my %quantity = (stall => 'stall', memory => undef);
is((cells(named($sweeps, $_), $tests, 2))[1]{quantity}, $quantity{$_}, "$_: what the times are of")
    for sort keys %quantity;

# Programs of the search path
my $tools = File::Temp->newdir;
mkdir "$tools/a b" or die "$!";
executable("$tools/$_", q{}) for 'here', 'there', 'a b/apart';

sub found {
    my ($option) = @_;
    local $ENV{PATH} = "$tools:$tools/a b";
    my %sweep = (name => 'x', tests => ['launch'], option => $option, values => ['1=']);
    my ($cells) = cells(\%sweep, $tests, 2);
    my ($skip, $options) = @{ $cells->[0] }{qw(skip options)};
    return defined $skip ? $skip : "@{$options}" =~ s/\Q$tools\E/TOOLS/gr;
}
is(found('--exec PATH/here'), '--exec TOOLS/here', 'an installed one');
is(found('--exec PATH/none'), 'none is not installed', 'one that is not installed');

for my $part (SpawnMeter::Analysis::CostModel::needed()) {
    my $sweep = named($sweeps, $part->{sweep});
    for my $what (grep { $part->{$_} } qw(tests values)) {
        my %has = map { $_ => 1 } @{ $sweep->{$what} };
        my @lacks = grep { !$has{$_} } @{ $part->{$what} };
        is("@lacks", q{}, "explain: $part->{sweep} has the $what that it needs");
    }
}
eval { named($sweeps, 'memroy') };
like($@, qr/unknown sweep 'memroy'; did you mean 'memory'/, 'an unknown sweep');

sub list { my ($text) = @_; return load(spew(File::Temp->new . q{}, "$text\n")) }
for my $bad (
    [ 'x|y|z'                        => qr/6 fields are needed: name/ ],
    [ "x|t|a|fork||1\nx|t|a|fork||1" => qr/line 2: the sweep 'x' is defined twice/ ],
    [ '# x'                          => qr/contains no sweep/ ],
    [ 'x|X|y|fork|@of=stal|1 2'      => qr/line 1: \@of=stal is not one of .*, stall\n/ ],
) {
    eval { list($bad->[0]) };
    like($@, $bad->[1], $bad->[0]);
}
my $own = list("x|T|a|fork||1 CPUS TWICE\ny|T|a|nothing||1");
is("@{ (cells($own->[0], $tests, 1))[1]{values} }", '1 2',
    'a value that comes twice is taken once');
eval { cells($own->[1], $tests, 1) };
like($@, qr/the sweep y uses the unknown test 'nothing'/, 'a test that does not exist');
done_testing;
