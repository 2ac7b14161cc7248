package GoldenRuns;

# Runs with fixed numbers, for the golden files.
#
#   store(root of the suite, folder): writes them all there, as NAME.json
#   sweep(root, name) -> a sweep's run;  phases(method) -> what the program trace prints
#   facts() -> facts of a machine on which everything disturbs
#   machine(folder) -> the root folder of a fake machine, made there

use strict;
use warnings;
use File::Basename ();
use File::Path     ();
use SpawnMeter::Catalog::Tests;
use SpawnMeter::Util::Json qw(encode);
use SpawnMeter::Catalog::Published;
use SpawnMeter::Store::RunFile;
use SpawnMeter::Catalog::Sweeps;

my %RATE = (
    fork        => 9000,
    vfork       => 26000,
    clone       => 29000,
    forkexec    => 1150,
    vforkexec   => 1270,
    posix_spawn => 1230,
    spawn       => 8700,
    execl       => 1240,
    fstime      => 1_700_000,
    shell8      => 905,
    thread      => 60_000
);
my %UNIT = (fstime => [ 0, 'KBps' ], shell8 => [ 60, 'lpm' ]);

# Some passes around the rate: quiet, but for one of fork that steal flags
sub passes {
    my ($name, $copies, %with) = @_;
    my $scale = $with{scale} || 1;
    my $count = $with{count} || 12;
    my ($base, $label) = @{ $UNIT{$name} || [ 1, 'lps' ] };
    return map {
        my $rate =
            $RATE{$name} *
            $copies * $scale *
            (1 + ($_ - ($count - 1) / 2) / ($name eq 'clone' ? 50 : 500));
        {
            test   => $name,
            copies => $copies,
            status => 'ok',
            rate   => $rate,
            unit   => $label,
            wall   => 0.29,
            ($with{side} ? (side => $with{side}) : ()),
            machine => { steal => $_ == 3 && $name eq 'fork' ? 0.04 : 0 },
            results => [ map { result($rate / $copies, $base) } 1 .. $copies ],
        }
    } 0 .. $count - 1;
}

sub result {
    my ($rate, $timebase) = @_;
    return {
        count      => int($rate / 4),
        timebase   => $timebase,
        iterations => 425_000,
        time       => 0.25,
        cpu        => [ 0, 0.1, 0.13, 0.01 ],
        histogram  => '640:100,50,20;700:3',
        latency    => [ 30, 40, 50, 60, 1234.567 ],
        footprint  => [ 2560, 1400, 52, 4 ],
        creating   => 0.12,
    };
}

sub facts {
    return {
        system           => 'Linux',
        governor         => 'powersave',
        cgroup_cpu_quota => 1.5,
        cpus_online      => 4,
        cgroup_pids_max  => 64,
        clock_source     => 'hpet',
        preload          => 'set',
        hypervisor       => 'yes (a vendor)',
    };
}

sub head {
    my ($catalog, $name, %with) = @_;
    return {
        format    => SpawnMeter::Store::RunFile::FORMAT(),
        schema    => SpawnMeter::Store::RunFile::SCHEMA(),
        kind      => 'run',
        suite     => '1.2.3',
        name      => $name,
        host      => 'golden',
        complete  => 1,
        reason    => undef,
        command   => './Run',
        options   => [],
        unscored  => 0,
        with_tree => 0,
        started   => 1_195_000_000,
        build     => [ 'cc 12.2.0, -O2', 'glibc 2.36, dynamic, position-independent' ],
        system    => {
            distribution   => 'Debian GNU/Linux 12',
            system         => 'Linux',
            kernel_release => '6.1.0',
            kernel_version => '#1 SMP',
            architecture   => 'x86_64',
            cpus_online    => 2,
            cpus_usable    => 2,
            cpu_model      => 'A CPU',
            hypervisor     => 'none',
            governor       => 'performance'
        },
        protocol => {
            name      => 'settle',
            precision => 0.03,
            max_time  => 10,
            slice     => 0.25,
            seed      => 7,
            warmup    => 0.025,
            pin       => 0
        },
        categories => $catalog->{categories},
        %with,
    };
}

my @PROCESS = qw(fork vfork clone forkexec vforkexec posix_spawn spawn execl);

sub blocks {
    return [
        { copies => 1, started => 1_195_000_000, ended => 1_195_000_065 },
        { copies => 2, started => 1_195_000_065, ended => 1_195_000_128 }
    ];
}

# The run of two blocks, in which one test fails and one is disturbed
sub mixed {
    my ($catalog) = @_;
    my @names = grep { $_ ne 'thread' } sort keys %RATE;
    my @lost = {
        test   => 'clone',
        copies => 2,
        status => 'failed',
        reason => 'it was killed by signal 11',
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
        complete => 0,
        reason   => '1 of the tests failed',
        tests    => [ SpawnMeter::Catalog::Tests::choose($catalog, @names) ],
        blocks   => blocks(),
        passes   => \@passes
    );
}

# All tests of one copy, at some times the rate
sub scaled {
    my ($catalog, $name, $scale, %system) = @_;
    my $run = head(
        $catalog, $name,
        tests  => [ SpawnMeter::Catalog::Tests::choose($catalog, @PROCESS) ],
        blocks => [ blocks()->[0] ],
        passes => [ map { passes($_, 1, scale => $scale) } @PROCESS ]
    );
    $run->{system} = { %{ $run->{system} }, %system };
    return $run;
}

sub aa {
    my ($catalog) = @_;
    my %scale = (A => 1, B => 1.004, C => 0.972);
    my @passes = map {
        my $n = $_;
        map { passes($n, 1, side => $_, scale => $scale{$_}) } qw(A B C)
    } @PROCESS;
    return head(
        $catalog, 'aa',
        kind   => 'equals',
        tests  => [ SpawnMeter::Catalog::Tests::choose($catalog, @PROCESS) ],
        blocks => [ blocks()->[0] ],
        passes => \@passes
    );
}

# What is varied makes some methods slower and others not
my %SLOWER = (
    memory      => { fork      => 1 / 20e6, forkexec => 1 / 150e6 },
    files       => { fork      => 1 / 400, vfork     => 1 / 900, posix_spawn => 1 / 4000 },
    threads     => { forkexec  => 1 / 90 },
    mappings    => { fork      => 1 / 300 },
    environment => { vforkexec => 1 / 9e5, forkexec => 1 / 9e5 },
);
my %TARGET = ('true-nolibc' => 8, 'true-static' => 2.2, 'true-now' => 1.02, 'true-lazy' => 1.01);

sub sweep_passes {
    my ($name, $cells, $x) = @_;
    return map {
        my $cell = $_;
        my $test = $cell->{name};
        my $by = ($SLOWER{$name}{$test} || 0) * ($x->{ $cell->{value} } || 0);
        my $scale = ($TARGET{ $cell->{value} } || 1) / (1 + $by);
        map { { %{$_}, test => $cell->{series}, value => $cell->{value} } }
            passes($test, 1, scale => $scale, count => 9);
    } @{$cells};
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
    my $experiment = SpawnMeter::Catalog::Published::named($name);
    my ($cells, $head) =
        SpawnMeter::Catalog::Published::cells($experiment, $catalog->{tests});
    my %x = ('+1M' => 2**20, '+10M' => 10 * 2**20, '+300M' => 300 * 2**20);
    return head(
        $catalog, "published-$name",
        kind   => 'sweep',
        sweep  => $head,
        tests  => tests_of($cells),
        blocks => [ blocks()->[0] ],
        passes => [ sweep_passes('memory', $cells, \%x) ]
    );
}

sub store {
    my ($root, $folder) = @_;
    my $catalog = SpawnMeter::Catalog::Tests::load("$root/pgms/tests.list");
    my %run = (
        mixed   => mixed($catalog),
        aa      => aa($catalog),
        old     => scaled($catalog, 'old', 1),
        new     => scaled($catalog, 'new', 0.9, kernel_release => '6.6.0', governor => 'powersave'),
        third   => scaled($catalog, 'third', 1.3, cpu_model    => 'Another CPU'),
        classic => scaled($catalog, 'classic', 1),
        map({ ("sweep-$_"     => sweep($root, $_)) } qw(memory targets)),
        map({ ("published-$_" => published($root, $_)) }
            qw(tlpi-28-3 dillon-2003 linux-windows-2012)),
    );
    $run{classic}{protocol} = { %{ $run{classic}{protocol} }, name => 'classic' };
    for my $name (sort keys %run) {
        open my $out, '>', "$folder/$name.json" or die "$folder/$name.json: $!\n";
        print {$out} encode($run{$name}), "\n";
        close $out or die "$folder/$name.json: $!\n";
    }
    return;
}

my %PHASES = (
    fork => [
        { name => 'call to return in the parent', p50           => 62, p90  => 70, p99  => 110 },
        { name => 'call to first instruction in the child', p50 => 75, p90  => 90, p99  => 140 },
        { name => "the child's own time", p50                   => 2, p90   => 3, p99   => 9 },
        { name => "exit to wait's return", p50                  => 31, p90  => 40, p99  => 80 },
        { name => 'the whole', p50                              => 108, p90 => 130, p99 => 220 }
    ],
    forkexec => [
        { name => 'call to return in the parent', p50           => 62, p90  => 70, p99  => 110 },
        { name => 'call to first instruction in the child', p50 => 75, p90  => 90, p99  => 140 },
        { name => "the child's own time", p50                   => 2, p90   => 3, p99   => 9 },
        { name => 'exec to its success', p50                    => 210, p90 => 250, p99 => 400 },
        { name => "success of exec to wait's return", p50       => 420, p90 => 500, p99 => 800 },
        { name => 'the whole', p50                              => 710, p90 => 800, p99 => 1300 }
    ],
    posix_spawn => [
        { name => 'call to return in the parent', p50 => 260, p90 => 300, p99 => 500 },
        { name => "return to wait's return", p50      => -1, p90  => 430, p99 => 900 },
        { name => 'the whole', p50                    => 690, p90 => 760, p99 => 1200 }
    ],
);

sub phases { my ($method) = @_; return $PHASES{$method} }

my %FILES = (
    'proc/cpuinfo' =>
        "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: 0x1\nflags\t: fpu\nprocessor\t: 1\n",
    'proc/self/status' => "Cpus_allowed_list:\t0-1\nNSpid:\t7\nSeccomp:\t0\nTracerPid:\t0\n",
    'proc/self/limits' =>
        "Max open files            1024                 4096                 files\n",
    'proc/cmdline'                                      => "root=/dev/x mitigations=auto quiet\n",
    'proc/sys/kernel/randomize_va_space'                => "2\n",
    'proc/sys/vm/overcommit_memory'                     => "0\n",
    'etc/os-release'                                    => qq{PRETTY_NAME="Debian GNU/Linux 12"\n},
    'sys/devices/system/cpu/online'                     => "0-1\n",
    'sys/devices/system/cpu/vulnerabilities/meltdown'   => "Mitigation: PTI\n",
    'sys/devices/system/cpu/vulnerabilities/spectre_v1' => "Mitigation: usercopy; swapgs\n",
    'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor' => "powersave\n",
    'sys/kernel/mm/transparent_hugepage/enabled'           => "always [madvise] never\n",
);

sub machine {
    my ($folder) = @_;
    for my $path (sort keys %FILES) {
        File::Path::make_path(File::Basename::dirname("$folder/$path"));
        open my $out, '>', "$folder/$path" or die "$folder/$path: $!\n";
        print {$out} $FILES{$path};
        close $out or die "$folder/$path: $!\n";
    }
    return $folder;
}

1;
