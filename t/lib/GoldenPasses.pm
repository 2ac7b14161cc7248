# SPDX-License-Identifier: GPL-2.0-or-later
package GoldenPasses;

# The parts of the golden runs.
#
#   passes(test, copies, scale => factor of its rate, count => passes, side) -> passes
#   started(pass, value): adds START of the sweep of targets
#   head(catalog, name, %with) -> everything of a run but blocks, tests and passes
#   blocks() -> times of two blocks;  test_names() -> names of the tests that have a rate

use strict;
use warnings;
use Exporter 'import';
use SpawnMeter::Store::RunFile;

our @EXPORT_OK = qw(passes head blocks test_names started);

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
    my $count = $with{count} || 15;
    my (undef, $label) = @{ $UNIT{$name} || [ 1, 'lps' ] };
    return map {
        my $number = $_;
        my $place = $_ * 7 % $count;    # no drift
        my $rate =
            ($RATE{$name} || 1100) *
            $copies * $scale *
            (1 + ($place - ($count - 1) / 2) / ($name eq 'clone' ? 50 : 500));
        {
            test   => $name,
            copies => $copies,
            status => 'ok',
            rate   => $rate,
            unit   => $label,
            wall   => 0.29,
            at     => 2.4 * ($_ + 1),
            ($with{side} ? (side => $with{side}) : ()),
            machine => { steal => $_ == 3 && $name eq 'fork' ? 0.04 : 0 },
            results =>
                [ map { copy($name, $rate / $copies, $number, $copies, %with) } 1 .. $copies ],
        }
    } 0 .. $count - 1;
}

# The periods of a target's start-up; the smallest one has neither a loader nor a libc
sub started {
    my ($pass, $value) = @_;
    my $share = 1e6 / $pass->{rate} / 100;    # microseconds
    my %p50 =
        (first => 15 * $share, main => 90 * $share, end => 100 * $share, ending => 10 * $share);
    $p50{loader} = 70 * $share if $value !~ /nolibc|static/;
    $p50{libc} = 5 * $share if $value !~ /nolibc/;
    for my $period (keys %p50) {
        my ($usual, $slow) = map { bucket($_ * $p50{$period} * 1000) } 1, 1.5;
        for my $result (@{ $pass->{results} }) {
            $result->{start}{$period} = [ map { $p50{$period} * $_ } 1, 1.2, 1.5, 1.5, 1.6 ];
            $result->{starts}{$period} = "$usual:95;$slow:5";
        }
    }
    return;
}

# Of a histogram (src/harness/histogram.h)
sub bucket {
    my ($ns) = @_;
    my $shift = 0;
    $shift++ while ($ns >> $shift) >= 128;
    return ($shift + 1) * 64 + (($ns >> $shift) & 63);
}

sub copy {
    my ($name, $rate, $number, $copies, %with) = @_;
    my ($base) = @{ $UNIT{$name} || [1] };
    my %copy = (%{ result($name, $rate, $base) }, references => references($number));
    %copy = (%copy, within($number + (($with{side} || q{}) eq 'B'))) if $copies == 1;
    return \%copy;
}

# In its pauses
sub within {
    my ($number) = @_;
    my @readings = map {
        my $all = $_;
        +{ map { $_ => $all->{$_} } qw(sparse_faults page_faults) }
    } @{ references($number) };
    return (paused => 0.01, paused_cpu => 0.01, within => \@readings);
}

# Around a pass; the loops of a slower run are as fast
sub references {
    my ($number) = @_;
    return [
        map { {
            sparse_faults => int 260_000 * (1 + ($number * $_ % 7 - 3) / 200),
            page_faults   => int 560_000 * (1 + ($number * $_ % 7 - 3) / 200),
            loads         => int 140_000_000 * (1 + ($number * $_ % 5 - 2) / 200),
            arithmetic    => int 615_000_000 * (1 + ($number * $_ % 5 - 2) / 200),
        } } 3,
        5
    ];
}

sub result {
    my ($name, $rate, $timebase) = @_;
    my $count = $timebase ? int($rate / 4) : 425_000;
    my $timed = $name eq 'clone' ? int($count / 9) : $count;
    return {
        count      => int($rate / 4),
        timebase   => $timebase,
        iterations => 425_000,
        timed      => $timed,
        time       => 0.25,
        cpu        => [ 0, 0.1, 0.13, 0.01 ],
        histogram  => '640:' . ($timed > 74 ? $timed - 73 : 1) . ',50,20;700:3',
        latency    => [ 30, 40, 50, 60, 1234.567 ],
        footprint  => [ 2560, 1400, 52, 4 ],
        creating   => 0.12,
        $name =~ /^(?:fstime|shell8|thread)\z/ ? () : (page_faults => [ 2, 8 ]),
        (
            $name =~ /^(?:fork|posix_spawn|thread)\z/
            ? (stall => [ 20, 21, 22, 23, 34.5 ], stalls => '600:90,9;620:1')
            : ()
        ),
    };
}

my %SYSTEM = (
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
);
my %SETTINGS = (
    name      => 'settle',
    precision => 0.03,
    max_time  => 10,
    slice     => 0.25,
    seed      => 7,
    warmup    => 0.025,
    pin       => 0
);

sub head {
    my ($catalog, $name, %with) = @_;
    return {
        format     => SpawnMeter::Store::RunFile::FORMAT(),
        schema     => SpawnMeter::Store::RunFile::SCHEMA(),
        kind       => 'run',
        suite      => '1.2.3',
        name       => $name,
        host       => 'golden',
        complete   => 1,
        reason     => undef,
        command    => './Run',
        options    => [],
        unscored   => 0,
        with_tree  => 0,
        started    => 1_195_000_000,
        build      => [ 'cc 12.2.0, -O2', 'glibc 2.36, dynamic, position-independent' ],
        system     => {%SYSTEM},
        settings   => {%SETTINGS},
        categories => $catalog->{categories},
        %with,
    };
}

sub blocks {
    return [
        { copies => 1, started => 1_195_000_000, ended => 1_195_000_065 },
        { copies => 2, started => 1_195_000_065, ended => 1_195_000_128 }
    ];
}

sub test_names { my @names = sort keys %RATE; return @names }

1;
