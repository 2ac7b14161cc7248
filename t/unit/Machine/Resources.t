# SPDX-License-Identifier: GPL-2.0-or-later
# Memory, load and single CPUs, from the files of faked machines.
use lib 't/lib';
use TestHelp;
use SpawnMeter::Machine::Facts;
use SpawnMeter::Report::Text::Head qw(head);

# The facts of a machine with these files, or these values of sysctl
sub machine {
    my ($files, %sysctl) = @_;
    my $root = root_of(map { ("proc/$_" => $files->{$_}) } keys %{$files});
    return SpawnMeter::Machine::Facts->new(
        root        => "$root",
        uname       => [ 'Linux', 'here', '6.1', '#1', 'x86_64' ],
        environment => {},
        sysctl      => sub { return $sysctl{ $_[0] } },
    )->facts;
}

sub cpu {
    my ($number, $mhz, $model) = @_;
    return "processor\t: $number\nmodel name\t: $model\ncpu MHz\t\t: $mhz\n"
        . "cache size\t: 512 KB\nflags\t\t: fpu lm ht avx2 hypervisor\nbogomips\t: 4600.00\n\n";
}

my %files = (
    cpuinfo => join(q{}, map { cpu($_, 2294 + $_, 'A CPU') } 0 .. 3),
    meminfo => "MemTotal:  2048000 kB\nMemAvailable:  1024000 kB\nSwapTotal:  0 kB\n",
    loadavg => "0.54 0.28 0.11 1/100 4242\n",
    uptime  => "90061.44 1.00\n",
);
my $facts = machine(\%files);
is($facts->{memory_total}, 2000, 'memory in MB');
is($facts->{memory_available}, 1000, 'what is available');
is($facts->{memory_swap}, 0, 'no swap is a number');
is($facts->{load_average}, '0.54 0.28 0.11', 'load');
is($facts->{uptime}, 90_061, 'uptime');
is(
    $facts->{cpu_list},
    '0-3: A CPU, 2300 MHz, 4600.00 bogomips, cache 512 KB, x86-64, Hyper-Threading, AVX2',
    'equal CPUs in one entry, though their clocks differ a little'
);

my $two =
    machine({ cpuinfo => cpu(0, 2300, 'Large') . cpu(1, 1400, 'Small') . cpu(2, 2300, 'Large') });
like($two->{cpu_list}, qr/^0,2: Large, 2300 MHz,.*; 1: Small, 1400 MHz,/, 'different CPUs apart');
my @arm = map { "processor\t: $_\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\n\n" } 0, 1;
my $arm = machine({ cpuinfo => "@arm" =~ s/^ //mgr });
is($arm->{cpu_list}, '0-1: 108.00 bogomips, NEON', 'ARM');
my $none = machine({});
is_deeply([ grep { defined $none->{$_} } qw(memory_total load_average uptime cpu_list) ],
    [], 'unknown where the files are missing');
my $mac = machine({}, 'hw.memsize' => 8 * 1024**3, 'vm.loadavg' => '{ 1.20 1.10 1.00 }');
is($mac->{memory_total}, 8192, 'memory by sysctl');
is($mac->{load_average}, '1.20 1.10 1.00', 'load by sysctl');

subtest 'the header of a report' => sub {
    my %run = (suite => '1', host => 'here', build => [], protocol => {});
    my $text = head({ %run, system => $facts }, verbose => 1);
    like($text, qr/^   Each CPU: 2300 MHz, 4600\.00 bogomips, cache 512 KB, x86-64,/m,
        'equal CPUs');
    like($text, qr/^   Memory: 2000 MB, 1000 MB available, swap 0 MB$/m, 'memory');
    like($text, qr/^   Load when the run began: 0\.54, 0\.28, 0\.11 \(1, 5, 15 minutes\)$/m,
        'load');
    like($text, qr/^   Up: 1 day 1 h 01 min$/m, 'uptime');
    unlike($text, qr/^   CPU \d/m, 'no line looks like the classic one that names the model');
    like(
        head({ %run, system => $two }, verbose => 1),
        qr/^   CPUs 0,2: .*^   CPUs 1: Small/ms,
        'different CPUs'
    );
    unlike(head({ %run, system => $none }, verbose => 1),
        qr/Memory|Load|Up:/, 'nothing that is unknown');
    unlike(head({ %run, system => $facts }), qr/Memory/, 'without -v it is left out');
};
done_testing;
