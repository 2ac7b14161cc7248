# SPDX-License-Identifier: GPL-2.0-or-later
package GoldenRuns;

# Runs with fixed numbers, for the golden files.
#
#   store(root of the suite, folder, names or none for all): writes these there, as NAME.json; and
#       the folders two and many
#   sweep(root, name) -> a sweep's run

use strict;
use warnings;
use GoldenPasses qw(passes head blocks test_names);
use GoldenSweeps qw(sweep_passes);
use SpawnMeter::Catalog::Experiments;
use SpawnMeter::Catalog::Sweeps;
use SpawnMeter::Catalog::Tests;
use RunWriter qw(write_run);

# The names of the tests that ./Run measures without one: the methods, and two classic tests
sub usual {
    my ($catalog) = @_;
    return map { $_->{name} } SpawnMeter::Catalog::Tests::choose($catalog);
}

# The run of two blocks, in which one test fails and one is disturbed
sub mixed {
    my ($catalog) = @_;
    my @names = grep { $_ ne 'thread' } test_names();
    my @lost = {
        test   => 'clone',
        copies => 2,
        status => 'failed',
        reason => 'the test was killed by signal 11',
        wall   => 0.1
    };
    my @passes = (
        map({ passes($_, 1) } @names),
        map({ passes($_, 2) } grep { $_ ne 'clone' } @names), @lost
    );
    $_->{machine}{steal} = 0.2
        for (grep { $_->{test} eq 'shell8' && $_->{copies} == 1 } @passes)[ 0 .. 4 ];
    return head(
        $catalog, 'mixed',
        settings => head($catalog, 'mixed')->{settings},
        complete => 0,
        reason   => '1 of the tests failed',
        tests    => [ SpawnMeter::Catalog::Tests::choose($catalog, @names) ],
        blocks   => blocks(),
        passes   => \@passes
    );
}

# The run of old, beside four loops: the passes know it, and none is far above the others
sub busy {
    my ($catalog) = @_;
    my $run = scaled($catalog, 'busy', 0.1);
    $_->{machine}{busy_elsewhere} = 1.84 for @{ $run->{passes} };
    return $run;
}

# All tests of one copy, at some times the rate
sub scaled {
    my ($catalog, $name, $scale, %system) = @_;
    my $run = head(
        $catalog, $name,
        tests  => [ SpawnMeter::Catalog::Tests::choose($catalog) ],
        blocks => [ blocks()->[0] ],
        passes => [ map { passes($_, 1, scale => $scale) } usual($catalog) ]
    );
    $run->{system} = { %{ $run->{system} }, %system };
    return $run;
}

sub aa {
    my ($catalog) = @_;
    my @scales = (1, 1.004, 0.972, 1.03, 1.01, 0.995, 0.98, 1.02);
    my @passes = map {
        my $n = $_;
        map { passes($n, 1, side => $_, scale => $scales[ $_ - 1 ]) } 1 .. @scales
    } usual($catalog);

    # each comparison reads these many passes: only what it needs of them
    for my $copy (map { @{ $_->{results} } } @passes) {
        my %whole = %{$copy};
        %{$copy} =
            map { $_ => $whole{$_} } qw(count timebase time references paused paused_cpu within);
    }
    return head(
        $catalog, 'aa',
        kind   => 'equals',
        tests  => [ SpawnMeter::Catalog::Tests::choose($catalog) ],
        blocks => [ blocks()->[0] ],
        passes => \@passes
    );
}

# Two sides in turn; B is slower at some methods, and has a pattern of its own
sub ab {
    my ($catalog) = @_;
    my %slower = (fork => 0.9, vfork => 0.97, posix_spawn => 1.05);
    my @passes;
    for my $name (usual($catalog)) {
        for my $side (qw(A B)) {
            my $scale = $side eq 'B' ? $slower{$name} || 1 : 1;
            my $round = 0;
            for my $pass (passes($name, 1, side => $side, scale => $scale)) {
                $round++;
                my $own =
                    $side eq 'B' ? 1 + ($round * 4 % 15 - 7) / ($name eq 'clone' ? 200 : 1000) : 1;
                push @passes, { %{$pass}, round => $round, rate => $own * $pass->{rate} };
            }
        }
    }
    return head(
        $catalog, 'ab',
        kind     => 'ab',
        settings => { %{ head($catalog, 'ab')->{settings} }, precision => 0.01 },
        set_back => 'sysctl -q kernel.randomize_va_space=2',
        sides    => [
            { name => 'A', options => [], set => 'sysctl -q kernel.randomize_va_space=2' },
            {
                name    => 'B',
                wrap    => [qw(/usr/bin/nice -n 5)],
                options => [qw(--heap 100M)],
                set     => 'sysctl -q kernel.randomize_va_space=0'
            },
        ],
        tests  => [ SpawnMeter::Catalog::Tests::choose($catalog) ],
        blocks => [ blocks()->[0] ],
        passes => \@passes
    );
}

sub sweep {
    my ($root, $name) = @_;
    my $catalog = SpawnMeter::Catalog::Tests::load("$root/pgms/tests.list");
    my $sweep = SpawnMeter::Catalog::Sweeps::named(
        SpawnMeter::Catalog::Sweeps::load("$root/pgms/sweeps.list"), $name);
    my ($cells, $head) = SpawnMeter::Catalog::Sweeps::cells($sweep, $catalog->{tests}, 2);
    my %x = map { $head->{values}[$_] => $head->{x}[$_] } 0 .. $#{ $head->{values} };
    my @passes = sweep_passes($name, $cells, \%x);
    if ($name eq 'memory') {
        @passes = grep { !($_->{test} eq 'fork' && $_->{value} eq '1G') } @passes;
        push @passes,
            {
            test   => 'fork',
            value  => '1G',
            copies => 1,
            status => 'skipped',
            reason => 'no room for 1G',
            wall   => 0
            };
    }
    return head(
        $catalog, "sweep-$name",
        kind   => 'sweep',
        sweep  => $head,
        tests  => tests_of($cells),
        blocks => [ blocks()->[0] ],
        passes => \@passes
    );
}

sub tests_of {
    my ($cells) = @_;
    my %seen;
    return [
        map  { { name => $_->{series}, title => $_->{series}, category => $_->{category} } }
        grep { !$seen{ $_->{series} }++ } @{$cells}
    ];
}

sub published {
    my ($root, $name) = @_;
    my $catalog = SpawnMeter::Catalog::Tests::load("$root/pgms/tests.list");
    my $experiment = SpawnMeter::Catalog::Experiments::named($root, $name);
    my ($cells, $head) =
        SpawnMeter::Catalog::Experiments::cells($experiment, $catalog->{tests}, 2);
    my %x = ('+1M' => 2**20, '+10M' => 10 * 2**20, '+300M' => 300 * 2**20);
    @x{ map { "memory $_" } qw(512M 1G 2G) } = map { $_ * 2**20 } 512, 1024, 2048;
    return head(
        $catalog, "published-$name",
        kind   => 'sweep',
        sweep  => $head,
        tests  => tests_of($cells),
        blocks => [ blocks()->[0] ],
        passes => [ sweep_passes('memory', $cells, \%x) ]
    );
}

my %RUN = (
    mixed => \&mixed,
    aa    => \&aa,
    ab    => \&ab,
    busy  => \&busy,
    old   => sub { return scaled($_[0], 'old', 1) },
    new   => sub {
        return scaled($_[0], 'new', 0.9, kernel_release => '6.6.0', governor => 'powersave');
    },
    third   => sub { return scaled($_[0], 'third', 1.3, cpu_model => 'Another CPU') },
    classic => sub {
        my $run = scaled($_[0], 'classic', 1);
        $run->{settings}{name} = 'classic';
        return $run;
    },
);
my @SWEEPS = map { "sweep-$_" } qw(memory target start);
my @PUBLISHED =
    map { "published-$_" } qw(tlpi-28-3 dillon-2003 linux-windows-2012 kobzol-2024);

sub store {
    my ($root, $folder, @names) = @_;
    my $catalog = SpawnMeter::Catalog::Tests::load("$root/pgms/tests.list");
    @names = (keys %RUN, @SWEEPS, @PUBLISHED, qw(two many)) if !@names;

    # Runs that began at the same time are listed by when their files were changed, then by name: a
    # second that ends meanwhile makes no other order
    for my $name (sort @names) {
        if    ($name eq 'many') { store_many($catalog, "$folder/many") }
        elsif ($name eq 'two')  { store_two($catalog, "$folder/two") }
        else                    { write_run("$folder/$name.json", run($root, $catalog, $name)) }
    }
    return;
}

sub run {
    my ($root, $catalog, $name) = @_;
    return sweep($root, $1) if $name     =~ /^sweep-(.*)/;
    return published($root, $1) if $name =~ /^published-(.*)/;
    return $RUN{$name}->($catalog);
}

# Clone, which fails with 2 copies of mixed, and fork of three runs: for the lines of an export
# these are enough
sub store_two {
    my ($catalog, $folder) = @_;
    -d $folder or mkdir $folder or die "$folder: $!\n";
    for my $name (qw(mixed old new)) {
        my $run = $RUN{$name}->($catalog);
        $run->{$_} = [ grep { ($_->{name} // $_->{test}) =~ /^(?:clone|fork)\z/ } @{ $run->{$_} } ]
            for qw(tests passes);
        write_run("$folder/$name.json", $run);
    }
    return;
}

# Runs of three machines, one a day: four of the first, eight of the second, whose level falls
# with another kernel, and one of the third
sub store_many {
    my ($catalog, $folder) = @_;
    my %machine = (
        red   => { cpu => 'Red CPU', scales   => [ 1, 1.01, 0.99, 1.02 ] },
        green => { cpu => 'Green CPU', scales => [ 1.2, 1.21, 1.19, 1.2, 1.0, 1.01, 0.99, 1.0 ] },
        blue  => { cpu => 'Blue CPU', scales  => [0.8] },
    );
    -d $folder or mkdir $folder or die "$folder: $!\n";
    for my $host (sort keys %machine) {
        my ($cpu, $scales) = @{ $machine{$host} }{qw(cpu scales)};
        for my $i (0 .. $#{$scales}) {
            my $kernel = $host eq 'green' && $scales->[$i] < 1.1 ? '6.6.0' : '6.1.0';
            my %system = (cpu_model => $cpu, kernel_release => $kernel);
            my $name = "$host-" . ($i + 1);
            my $run = { %{ scaled($catalog, $name, $scales->[$i], %system) }, host => $host };
            $run->{started} += 86_400 * $i;
            write_run("$folder/$name.json", $run);
        }
    }
    return;
}

1;
