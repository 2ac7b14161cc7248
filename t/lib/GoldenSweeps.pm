# SPDX-License-Identifier: GPL-2.0-or-later
package GoldenSweeps;

# sweep_passes(name of a sweep, [cell records], { label => number }) -> passes of the fixed
# sweeps, in which what is varied has the effects that it usually has.
use strict;
use warnings;
use Exporter 'import';
use GoldenPasses qw(passes started);

our @EXPORT_OK = qw(sweep_passes);

# What is varied makes some methods slower and others not
my %SLOWER = (
    memory      => { fork     => 1 / 20e6, forkexec => 1 / 150e6 },
    files       => { fork     => 1 / 400, vfork     => 1 / 900, posix_spawn => 1 / 4000 },
    threads     => { forkexec => 1 / 90 },
    mappings    => { fork     => 1 / 300 },
    loader      => { map { $_ => 1 / 14 } qw(posix_spawn vforkexec) },
    environment => { vforkexec => 1 / 9e5, forkexec => 1 / 9e5 },
);
my %TARGET = (
    'true-nolibc'     => 8,
    'true-static'     => 2.2,
    'true-now'        => 1.02,
    'true-lazy'       => 1.01,
    'true-lib5'       => 0.8,
    'true-lib20'      => 0.5,
    'true-lib60'      => 0.2,
    'true-static-pie' => 2.0,
    'true-100M-read'  => 0.1,
    script            => 0.9,
    pipes             => 0.8,
    closefrom         => 0.9,
    all               => 0.6,
);

# fork stops its parent for longer the larger it is
sub stalled {
    my ($pass, $heap) = @_;
    $_->{stall} = [ map { $_ * (1 + $heap / 16e6) } @{ $_->{stall} } ]
        for grep { $_->{stall} } @{ $pass->{results} };
    return;
}

sub sweep_passes {
    my ($name, $cells, $x) = @_;
    return map {
        my $cell = $_;
        my $test = $cell->{name};
        my $by = ($SLOWER{$name}{$test} || 0) * ($x->{ $cell->{value} } || 0);
        my $scale = ($TARGET{ $cell->{value} } || 1) / (1 + $by);
        my @passes = passes($test, 1, scale => $scale, count => 9);
        started($_, $cell->{value}) for $name =~ /^(?:start|loader)\z/ ? @passes : ();
        if ($name eq 'stall' && $test eq 'fork') {
            stalled($_, $x->{ $cell->{value} }) for @passes;
        }
        map { { %{$_}, test => $cell->{series}, value => $cell->{value} } } @passes;
    } @{$cells};
}

1;
