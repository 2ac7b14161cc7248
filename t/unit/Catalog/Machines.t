# SPDX-License-Identifier: GPL-2.0-or-later
# The machines with published results: every line reads right, and the place of a result among
# them.
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

# What cannot be right of the machines of one post and CPU, whose lines differ in their copies
sub impossible {
    my (@machines) = @_;
    my %of = map { $_->{copies} => $_ } @machines;
    return 'two lines with one number of copies' if keys %of < @machines;
    for my $machine (@machines) {
        my ($copies, $cpus, $year) = @{$machine}{qw(copies cpus year)};
        return "$copies copies on $cpus CPUs" if $copies > 1 && $cpus && $copies != $cpus;
        return "year $year" if length $year && ($year < 1990 || $year > 1900 + (localtime)[5] + 1);
        for my $test (grep { $of{1} } keys %{ $machine->{rates} }) {
            my $times = $machine->{rates}{$test} / ($of{1}{rates}{$test} || next);
            return sprintf '%s with %d copies is %.1f times that with 1', $test, $copies, $times
                if $times > 4 * $copies || $times < 0.25;
        }
    }
    return;
}

subtest 'no machine twice, and no impossible value' => sub {
    my %group;
    push @{ $group{"$_->{cpu}, $_->{source}"} }, $_ for @{ posted($ROOT) };
    for my $name (sort keys %group) {
        is(impossible(@{ $group{$name} }), undef, $name) if impossible(@{ $group{$name} });
        like($name, qr{, (?:github[.]com|lore[.]kernel[.]org|https:/)[/ ]}, "$name: where it is")
            if $name !~ m{, (?:github[.]com|lore[.]kernel[.]org|https:/)[/ ]}
            && $name !~ /of SpawnMeter/;
    }
    my %one = (copies => 1, cpus => 4, year => 2024, rates => { spawn => 1000 });
    my %four = (%one, copies => 4, rates => { spawn => 3000 });
    is(impossible(\%one, \%four), undef, 'a good one');
    like(impossible(\%one, {%one}), qr/two lines/, 'one twice');
    like(impossible(\%one, { %four, copies => 3 }), qr/3 copies on 4/, 'not a copy on each CPU');
    like(impossible({ %one, year => 2204 }), qr/year/, 'a year to come');
    like(
        impossible(\%one, { %four, rates => { spawn => 30_000 } }),
        qr/30[.]0 times/,
        'a digit more'
    );
};

# What is wrong with a line below this head
sub wrong {
    my ($head, $line) = @_;
    my @columns = split /,/, $head;
    my @values = split /,/, $line, -1;
    return 'another number of fields than its head' if @values != @columns;
    my %field;
    @field{@columns} = @values;
    my @tests = grep { length "$field{$_}$field{ $_ . '_index' }" } map { /(.+)_index/ } @columns;
    my @numbers = (qw(cpus year copies), map { ($_, $_ . '_index') } @tests);
    push @numbers, 'score' if length $field{score};
    my ($bad) = grep { $field{$_} !~ /\A\d{1,12}(?:[.]\d{1,6})?\z/a || !($field{$_} > 0) } @numbers;
    return "$bad is not a number above 0: '$field{$bad}'" if defined $bad;
    return 'no result' if !@tests && !length $field{score};
    return 'no source: write where its figures are published' if $field{source} !~ /\S/;

    for my $test (@tests) {
        my ($rate, $index) = @field{ $test, "${test}_index" };
        my $baseline = $base->{$test} or return "$test has no baseline here";
        return "$test $rate has another index than $index"
            if abs($rate * 10 / $baseline - $index) > 0.05 * (1.0001 + 10 / $baseline);
    }
    return;
}

my $HEAD = 'cpu,arch,cpus,year,system,kernel,virtual,suite,copies,'
    . 'execl,execl_index,spawn,spawn_index,score,source';
my $GOOD = 'A CPU,x86_64,4,2024,Linux,6.1,no,5.1.3,1,464.9,108.1,4544.0,360.6,,a post';

subtest 'every line reads right' => sub {
    for my $file (glob "\Q$ROOT\E/results/reference/machines*.csv") {
        my ($head, $lines) = (q{}, 0);
        for my $line (grep { !/^#|^\z/ } split /\n/, slurp_file($file)) {
            if ($line =~ /^cpu,/) { $head = $line; next }
            $lines++;
            is(wrong($head, $line), undef, $line) if defined wrong($head, $line);
        }
        cmp_ok($lines, '>', 0, "the lines of $file");
    }
};

subtest 'a line' => sub {
    my ($machine) = @{ load(spew(scratch() . '/csv', "# words\n$HEAD\n\n$GOOD\n")) };
    is_deeply($machine->{rates}, { execl => 464.9, spawn => '4544.0' }, 'is read');
    is(wrong($HEAD, $GOOD), undef, 'is good');
    my @bad = (
        [ '464.9'                    => '469.4', qr/execl 469[.]4 has another index than 108[.]1/ ],
        [ '108.1'                    => q{}, qr/execl_index is not a number above 0: ''/ ],
        [ '4,2024'                   => '0,2024', qr/cpus is not a number above 0: '0'/ ],
        [ 'a post'                   => q{}, qr/no source/ ],
        [ 'a post'                   => 'a, b', qr/another number of fields/ ],
        [ ',,a'                      => ',x,a', qr/score is not a number above 0: 'x'/ ],
        [ '464.9,108.1,4544.0,360.6' => ',,,', qr/no result/ ],
    );
    for my $case (@bad) {
        my ($old, $new, $why) = @{$case};
        my $line = $GOOD;
        substr($line, index($line, $old), length $old) = $new;
        like(wrong($HEAD, $line), $why, $line);
    }
    like(wrong($HEAD =~ s/spawn/spwan/gr, $GOOD), qr/spwan has no baseline/, 'an unknown test');
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
    is("@{$all}{qw(of copies place)}", '6 all 4', 'too few: those with a copy on each CPU');
    is_deeply($all->{range}, [], 'without an interval');
    is_deeply(placed(6, 6, rate => 3500, low => 2900, high => 4100)->{range}, [ 3, 5 ], 'with one');
    my @near = map { [ map { $_->{cpu} } @{ $all->{$_} } ] } qw(above below);
    is_deeply(\@near, [ [qw(all-5 all-4)], [qw(all-3 all-2)] ], 'the two nearest on both sides');
    is_deeply(placed(6, 6, rate => 9000)->{above}, [], 'none above the first');
    is(placed(6, 8, rate => 3500)->{of}, 2, 'unless it leaves CPUs idle');
    is(placed(7, 8, rate => 3500), undef, 'no place');
};

# 3565.76 / 43.0 x 10 is 829.2; 3565.8, which is printed, gives 829.3
my %line = map { $_ => 'x' } qw(cpu arch cpus year system kernel virtual suite copies score source);
$line{results} = [ { test => 'spawn', rate => 3565.76, index => 3565.76 / 4.3 } ];
like(table(\%line), qr/,x,3565[.]8,829[.]3,x,x\n\z/, 'the index of a line follows from its rate');
done_testing;
