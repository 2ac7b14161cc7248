package SpawnMeter::Catalog::Published::LinuxWindows;

# "Comparing the speed of process creation on Linux and Windows" (a weblog, 2012): the
# time of 1,000 creations of a program that only returns 0, not waited for, and of
# 1,000 threads, not joined.
#
#   experiment() -> as SpawnMeter::Catalog::Published says

use strict;
use warnings;
use SpawnMeter::Catalog::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats             qw(median);
use List::Util                              qw(min max);

my @WHAT = (
    [ 'fork+exec'      => 'forkexec' ],
    [ 'vfork+exec'     => 'vforkexec' ],
    [ 'posix_spawn'    => 'posix_spawn' ],
    [ 'pthread_create' => 'thread' ]
);

sub experiment {
    return {
        name      => 'linux-windows-2012',
        title     => 'Linux and Windows, 2012',
        axis      => 'way',
        reference => 'linux-2012-ubuntu-10.04',
        passes    => 5,
        others    => ['windows-2012-xp'],
        cells     => \&cells,
        text      => \&text,
    };
}

sub cells {
    my ($test) = @_;
    return map { {
        %{ $test->{ $_->[1] } },
            test    => $_->[1],
            series  => $_->[1],
            value   => '1000',
            title   => "$_->[0], 1000",
            copies  => 1,
            pinned  => 0,
            options => [qw(--burst 1000)],
            count   => 1000
    } } @WHAT;
}

sub row {
    my ($what, @ms) = @_;
    return sprintf "  %-32s %8.1f ms   (%s)\n", $what, median(@ms),
        @ms > 1 ? sprintf('%.1f to %.1f, %d runs', min(@ms), max(@ms), scalar @ms) : 'one run';
}

sub text {
    my ($run, $reference, @others) = @_;
    my $of = figures($run);
    my $text = "1,000 creations, not waited for: the time until the last call returned.\n\nHere\n";
    my %here;
    for my $what (@WHAT) {
        my @ms = map { 1000 * $_->{creating} }
            grep { defined $_->{creating} } @{ $of->{"1000 $what->[1]"} || [] };
        $text .= @ms ? row($what->[0], @ms) : sprintf "  %-32s not measured\n", $what->[0];
        $here{ $what->[0] } = median(@ms) if @ms;
        my @all = map { 1000 * $_->{time} } @{ $of->{"1000 $what->[1]"} || [] };
        $text .= row("  ... until all were reaped", @all) if @all;
    }
    my %then = map { %{ $_->{elapsed_ms} || {} } } $reference, @others;
    $text .= "\nThen (Core 2 Duo T5450, Ubuntu 10.04 and Windows XP)\n";
    $text .= row($_, @{ $then{$_} }) for sort keys %then;
    $text .= "\n";
    for my $pair (
        [ 'fork+exec', 'fork+exec' ],
        [ 'pthread_create', 'pthread_create' ],
        [ 'fork+exec', 'createprocess' ]
    ) {
        my ($ours, $theirs) = @{$pair};
        next if !$here{$ours} || !$then{$theirs};
        my $ratio = median(@{ $then{$theirs} }) / $here{$ours};
        $text .= sprintf "%s over %s then: %.2f of the time, %.2f of the rate.\n", $ours, $theirs,
            1 / $ratio, $ratio;
    }
    $text .= sprintf "A thread takes %.3f of a fork+exec's time here, %.3f then.\n",
        $here{pthread_create} / $here{'fork+exec'},
        median(@{ $then{pthread_create} }) / median(@{ $then{'fork+exec'} })
        if $here{pthread_create} && $here{'fork+exec'};
    return $text;
}

1;
