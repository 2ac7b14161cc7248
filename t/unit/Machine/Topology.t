# SPDX-License-Identifier: GPL-2.0-or-later
# The order in which copies are pinned, on made-up machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Machine::CPU qw(topology ordered kinds_text summary list_text);

my @roots;

sub machine {
    my (%files) = @_;
    push @roots, my $root = root_of(map { $_ => "$files{$_}\n" } keys %files);
    return topology(SpawnMeter::Machine::Facts->new(root => "$root", sysctl => sub { return }));
}

my $CPU = 'sys/devices/system/cpu';

# Files of a machine with these CPUs: [package, siblings] of each
sub files {
    my (@cpus) = @_;
    my %files = ("$CPU/online" => '0-' . $#cpus);
    for my $i (0 .. $#cpus) {
        my ($package, $siblings) = @{ $cpus[$i] };
        $files{"$CPU/cpu$i/topology/physical_package_id"} = $package;
        $files{"$CPU/cpu$i/topology/core_cpus_list"} = $siblings;
    }
    return %files;
}

# Two packages of two cores of two threads, numbered as Linux does on x86
my %TWO_PACKAGES = files(
    [ 0, '0,4' ],
    [ 0, '1,5' ],
    [ 1, '2,6' ],
    [ 1, '3,7' ],
    [ 0, '0,4' ],
    [ 0, '1,5' ],
    [ 1, '2,6' ],
    [ 1, '3,7' ]
);

subtest 'two packages of two cores of two threads' => sub {
    my $topology = machine(%TWO_PACKAGES);
    my %want = (
        usable   => '0 1 2 3 4 5 6 7',
        cores    => '0 1 2 3 4 5 6 7',
        threads  => '0 4 1 5 2 6 3 7',
        packages => '0 2 1 3 4 6 5 7',
        '3,0-1'  => '3 0 1',
    );
    for my $placement (sort keys %want) {
        is(join(q{ }, ordered($topology, [ 0 .. 7 ], $placement)), $want{$placement}, $placement);
    }
    is(join(q{ }, ordered($topology, [ 0, 1, 4, 6 ], 'cores')),
        '0 1 6 4', 'cores: of those that may be used');
    is(summary($topology), '2 packages, 4 cores, 8 threads', 'in words');
    is(kinds_text($topology), undef, 'of one kind');
    like(
        error($topology, '0,9'),
        qr/^--pin 0,9: CPU 9 cannot be used here; usable: 0-7$/,
        'a CPU that does not exist'
    );
    like(
        error($topology, 'efficiency'),
        qr/^--pin efficiency: there are no such CPUs here;/,
        'a kind that does not exist'
    );
};

sub error {
    my ($topology, $placement) = @_;
    return eval { ordered($topology, [ 0 .. 7 ], $placement); 1 } ? 'none' : $@;
}

subtest 'Intel: performance cores with two threads, efficiency cores with one' => sub {
    my $topology = machine(
        files(
            [ 0, '0-1' ],
            [ 0, '0-1' ],
            [ 0, '2-3' ],
            [ 0, '2-3' ],
            [ 0, '4' ],
            [ 0, '5' ],
            [ 0, '6' ],
            [ 0, '7' ]
        ),
        'sys/devices/cpu_core/cpus' => '0-3',
        'sys/devices/cpu_atom/cpus' => '4-7',
    );
    is(kinds_text($topology), 'performance 0-3, efficiency 4-7', 'the kinds');
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'performance')),
        '0 2 1 3', 'performance: a copy to each core first');
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'efficiency')), '4 5 6 7', 'efficiency');
    is(join(q{ }, ordered($topology, [ 0 .. 7 ], 'cores')), '0 2 4 5 6 7 1 3', 'cores');
    like(
        error($topology, 'middle'),
        qr/\(the kinds are performance 0-3, efficiency 4-7\)$/,
        'a kind that does not exist'
    );
};

subtest 'ARM: three kinds by their capacity' => sub {
    my @capacity = (350, 350, 860, 1024);
    my $topology = machine(files(map { [ 0, $_ ] } 0 .. 3),
        map { ("$CPU/cpu$_/cpu_capacity" => $capacity[$_]) } 0 .. 3);
    is(kinds_text($topology), 'performance 3, middle 2, efficiency 0-1', 'the kinds');
    my $equal =
        machine(files([ 0, '0' ], [ 0, '1' ]), map { ("$CPU/cpu$_/cpu_capacity" => 1024) } 0, 1);
    is(kinds_text($equal), undef, 'equal capacities: one kind');
};

subtest 'without /sys' => sub {
    my $topology = machine('proc/cpuinfo' => 'x');
    is(summary($topology), undef, 'unknown');
    is(join(q{ }, ordered($topology, [ 0, 1 ], 'usable')), '0 1', 'usable works');
    is(join(q{ }, ordered($topology, [ 0, 1 ], '1,0')), '1 0', 'a list works');
    like(
        error($topology, 'cores'),
        qr/^--pin cores: .* unknown here; name them:/,
        'cores says what to do'
    );
};

is(list_text(0, 1, 2, 5, 4), '0-2,5,4', 'a list in its order');
done_testing;
