# SPDX-License-Identifier: GPL-2.0-or-later
# The machines with published results: every line reads right, one that does not is refused, and
# the place of a result among them.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Catalog::Baseline qw(parse_baseline);
use SpawnMeter::Catalog::Machines qw(load place posted table);

my $base = parse_baseline(slurp_file("$ROOT/pgms/index.base"), 'index.base');

subtest 'the published machines' => sub {
    my @machines = @{ posted($ROOT) };
    my %posts = map { ("$_->{cpu} $_->{source}" => 1) } @machines;
    cmp_ok(keys %posts, '>=', 80, 'as many as a place needs to mean something');
    my %times;
    $times{ join q{ }, $_->{copies}, @{ $_->{rates} }{ sort keys %{ $_->{rates} } } }++
        for @machines;
    is_deeply([ grep { $times{$_} > 1 } sort keys %times ], [], 'no machine twice');
    is_deeply([ grep { $_->{source} =~ /[@]/ } @machines ], [], 'no address of a person');
};

my $HEAD = 'cpu,arch,cpus,year,system,kernel,virtual,suite,copies,'
    . 'execl,execl_index,spawn,spawn_index,score,source';
my $GOOD = 'A CPU,x86_64,4,2024,Linux,6.1,no,5.1.3,1,464.9,108.1,4544.0,360.6,,a post';

my $folder = scratch();
sub read_lines { my @lines = @_; return load(spew("$folder/csv", join "\n", @lines), $base) }

subtest 'a line that does not read right' => sub {
    my ($machine) = @{ read_lines('# words', $HEAD, q{}, $GOOD) };
    is_deeply($machine->{rates}, { execl => 464.9, spawn => '4544.0' }, 'a good one');
    my @bad = (
        [ [ '464.9'  => '469.4' ] => qr/line 2: execl 469[.]4 has the index 109[.]2, not 108[.]1/ ],
        [ [ '108.1'  => q{} ]     => qr/execl_index is not a number above 0: ''/ ],
        [ [ '4,2024' => '0,2024' ] => qr/cpus is not a number above 0: '0'/ ],
        [ [ 'a post' => q{} ]      => qr/no source: write where its figures are published/ ],
        [ [ 'a post' => 'a, b' ]   => qr/16 fields, where its head has 15/ ],
        [ [ ',,a'    => ',x,a' ]   => qr/score is not a number above 0: 'x'/ ],
        [ [ '464.9,108.1,4544.0,360.6' => ',,,' ] => qr/it has no result/ ],
    );
    for my $case (@bad) {
        my ($change, $message) = @{$case};
        my ($line) = $GOOD;
        substr($line, index($line, $change->[0]), length $change->[0]) = $change->[1];
        eval { read_lines($HEAD, $line) };
        like($@, $message, $line);
    }
    eval { read_lines($GOOD) };
    like($@, qr/line 1: no line above it that begins with cpu names a column cpu/, 'no head');
    eval { read_lines($HEAD) };
    like($@, qr/no line of a machine in it/, 'no machine');
    eval { read_lines($HEAD =~ s/spawn/spwan/gr, $GOOD) };
    like($@, qr/spwan has no baseline here/, 'an unknown test');
};

# Machines with 1 copy each, and with a copy on each of 2 to 6 CPUs
my @machines = (
    map({ { cpu => "one-$_", cpus => 1, copies  => 1, rates  => { execl => 100 * $_ } } } 1 .. 8),
    map({ { cpu => "all-$_", cpus => $_, copies => $_, rates => { execl => 1000 * $_ } } } 2 .. 6)
);
$_->{virtual} = 'no', $_->{year} = 2024 for @machines;

sub placed {
    my ($copies, $cpus, %result) = @_;
    return place({ test => 'execl', copies => $copies, %result }, $cpus, \@machines);
}

subtest 'a place' => sub {
    my $all = placed(6, 6, rate => 3500);
    is(
        "@{$all}{qw(of copies)} $all->{faster}[0]",
        '5 all 2',
        'too few: those with a copy on each CPU'
    );
    is($all->{faster}[1], undef, 'without an interval');
    is(placed(6, 8, rate => 3500)->{of}, 1, 'unless it leaves CPUs idle');
    is(placed(7, 8, rate => 3500), undef, 'no place');
};

# 3565.76 / 43.0 x 10 is 829.2; 3565.8, which is printed, gives 829.3
my %line = map { $_ => 'x' } qw(cpu arch cpus year system kernel virtual suite copies score source);
$line{results} = [ { test => 'spawn', rate => 3565.76, index => 3565.76 / 4.3 } ];
like(table(\%line), qr/,x,3565[.]8,829[.]3,x,x\n\z/, 'the index of a line follows from its rate');
done_testing;
