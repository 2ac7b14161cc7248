# SPDX-License-Identifier: GPL-2.0-or-later
package SpawnMeter::Analysis::Published::LinuxWindows;

# The bursts of 1,000 creations on Linux and Windows that were published in 2012, beside a
# run that repeats them.  A pure function.
#
#   linux_windows(run, references) -> { here => [ { method, ms, reaped_ms } ], book =>
#       [ { method, ms } ], ratios => [ { here, book => methods, time, rate } ], thread =>
#       { here, book => share of the time of fork+exec } or undef }
#       ms, reaped_ms: milliseconds, { median, low, high => smallest and largest, runs }, or
#       undef where nothing was measured; time, rate: here over the published one

use strict;
use warnings;
use Exporter 'import';
use List::Util                               qw(max min);
use SpawnMeter::Analysis::Published::Figures qw(figures);
use SpawnMeter::Analysis::Stats              qw(median);

our @EXPORT_OK = qw(linux_windows);

my @BURSTS = (
    { words => 'fork+exec', test      => 'forkexec' },
    { words => 'vfork+exec', test     => 'vforkexec' },
    { words => 'posix_spawn', test    => 'posix_spawn' },
    { words => 'pthread_create', test => 'thread' },
);

sub linux_windows {
    my ($run, @references) = @_;
    my $of = figures($run);
    my (@here, %here);
    for my $what (@BURSTS) {
        my @passes = @{ $of->{"1000 $what->{test}"} || [] };
        my $ms = spread(map { 1000 * $_->{creating} } grep { defined $_->{creating} } @passes);
        my $reaped = spread(map { 1000 * $_->{time} } @passes);
        push @here, { method => $what->{words}, ms => $ms, reaped_ms => $reaped };
        $here{ $what->{words} } = $ms->{median} if $ms;
    }
    my %book = map { %{ $_->{elapsed_ms} || {} } } @references;
    my @book = map { { method => $_, ms => spread(@{ $book{$_} }) } } sort keys %book;
    my %then = map { $_->{method} => $_->{ms}{median} } @book;
    return {
        here   => \@here,
        book   => \@book,
        ratios => burst_ratios(\%here, \%then),
        thread => scalar thread_share(\%here, \%then),
    };
}

sub spread {
    my (@ms) = @_;
    return undef if !@ms;    ## no critic (ProhibitExplicitReturnUndef) -- a value in a record
    return { median => median(@ms), low => min(@ms), high => max(@ms), runs => scalar @ms };
}

# How our time compares with the published one: fork+exec with Windows' createprocess, too
sub burst_ratios {
    my ($here, $then) = @_;
    my @pairs = (
        { here => 'fork+exec', book      => 'fork+exec' },
        { here => 'pthread_create', book => 'pthread_create' },
        { here => 'fork+exec', book      => 'createprocess' },
    );
    my @ratios;
    for my $pair (@pairs) {
        my ($ours, $theirs) = ($here->{ $pair->{here} }, $then->{ $pair->{book} });
        next if !$ours || !$theirs;
        push @ratios, { %{$pair}, time => $ours / $theirs, rate => $theirs / $ours };
    }
    return \@ratios;
}

# A thread's time as a share of fork+exec's
sub thread_share {
    my ($here, $then) = @_;
    return if grep { !$here->{$_} || !$then->{$_} } qw(pthread_create fork+exec);
    my ($ours, $theirs) = map { $_->{pthread_create} / $_->{'fork+exec'} } $here, $then;
    return { here => $ours, book => $theirs };
}

1;
